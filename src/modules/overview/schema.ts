import { z } from 'zod';
import { Time } from '../../platform/values.ts';
import { AuditEntry } from '../audit/schema.ts';
import { Seats } from '../teams/schema.ts';

const countedKinds = ['mails_failed', 'invitations_expired', 'invitations_ending', 'assignments_overdue'] as const;
export type CountedKind = (typeof countedKinds)[number];

const endpointMatter = z.object({ endpoint_id: z.string(), url: z.string(), failing_since: Time });
const connectionMatter = z.object({
  connection_id: z.string(),
  provider: z.string(),
  label: z.string().nullable(),
  failed_at: Time.nullable(),
});

const Matter = z.discriminatedUnion('kind', [
  endpointMatter.extend({ kind: z.literal('endpoint_paused') }),
  endpointMatter.extend({ kind: z.literal('endpoint_failing') }),
  connectionMatter.extend({ kind: z.literal('crm_refused') }).meta({ description: 'The CRM refuses the token.' }),
  connectionMatter.extend({ kind: z.literal('crm_failing') }).meta({ description: 'The last sync failed.' }),
  z
    .object({
      kind: z.literal('requests'),
      answer: z.enum(['failed', 'limited', 'refused']),
      count: z.int(),
      requests: z.int(),
    })
    .meta({ description: 'An unusual share of the requests of today and yesterday had this answer.' }),
  z
    .object({ kind: z.literal('key_reported'), key_id: z.string(), name: z.string(), reported_at: Time })
    .meta({ description: 'Somebody has found the key, and it is still active.' }),
  z.object({ kind: z.literal('key_expiring'), key_id: z.string(), name: z.string(), expires_at: Time }),
  z.object({ kind: z.enum(countedKinds), count: z.int() }),
  z.object({ kind: z.literal('seats_full') }),
]);

export const Overview = z.object({
  attention: z.array(Matter).meta({ description: 'What somebody should look at, the most urgent first.' }),
  keys: z.object({
    active: z.int(),
    last_used_at: Time.nullable(),
  }),
  endpoints: z.object({
    active: z.int(),
    disabled: z.int(),
    paused: z.int(),
  }),
  seats: Seats,
  invitations_open: z.int(),
  invitations_ending: z.int().meta({ description: 'Of the open ones, those that end within three days.' }),
  invitations_ending_at: Time.nullable().meta({ description: 'When the first of these ends.' }),
  invitations_expired: z.int(),
  requests: z
    .array(
      z.object({
        day: z.iso.date(),
        requests: z.int(),
        limited: z.int().meta({ description: 'Answered with 429.' }),
        refused: z.int().meta({ description: 'Answered with another 4xx.' }),
        failed: z.int().meta({ description: 'Answered with 5xx.' }),
      }),
    )
    .meta({ description: 'Of each of the last 14 days (UTC), today’s last.' }),
  trainings: z.object({ this_week: z.int(), last_week: z.int() }).meta({
    description:
      'Sessions of active members with a score, by the ISO week (UTC) in which they started: this week so far, and the last one up to the same time.',
  }),
  assignments: z.object({
    open: z.int().meta({ description: 'Open or in progress.' }),
    overdue: z.int().meta({ description: 'Of the open ones, those whose day is over (UTC).' }),
    oldest_due: z.iso.date().nullable().meta({ description: 'The first day of these.' }),
  }),
  latest_training_at: Time.nullable().meta({
    description: 'When the last scored training of an active member started.',
  }),
  latest: z.array(AuditEntry).meta({ description: 'The newest entries of the audit log.' }),
});
export type Overview = z.output<typeof Overview>;

export const WeeklyMail = z.strictObject({
  wanted: z.boolean().meta({ description: 'Whether the caller wants a mail about the team’s people each Monday.' }),
});
