import { z } from 'zod';
import { languages } from '../../core/language.ts';
import { NameText, Time } from '../../platform/values.ts';
import { AuditEntry } from '../audit/schema.ts';

const seats = z.object({
  total: z.int(),
  taken: z.int().meta({ description: 'By the owner, active and invited members.' }),
});

const usage = z.object({ used: z.int(), quota: z.int().meta({ description: 'By the plan.' }) });

export const TeamSettings = z.object({
  name: z.string(),
  language: z.enum(languages),
  plan: z.enum(['basic', 'team', 'enterprise']),
  status: z.enum(['active', 'suspended', 'ended']),
  has_api: z.boolean().meta({ description: 'Whether the API is part of the plan.' }),
  seats,
  members: z
    .object({ owner: z.int(), admin: z.int(), member: z.int() })
    .meta({ description: 'By role, active and invited.' }),
  rate_limit_per_min: z.int().meta({ description: 'Requests that all keys share.' }),
  rate_limit_per_key: z.int(),
  invitations: z.object({
    limit: z.int().meta({ description: 'In an hour.' }),
    left: z.int(),
    resets_at: Time.nullable().meta({ description: 'Null: no hour has begun.' }),
  }),
  storage: z
    .object({
      stored: usage.meta({ description: 'Assignments and cases.' }),
      private_cases: usage
        .extend({ kept_days: z.int().meta({ description: 'After the end of the membership.' }) })
        .meta({ description: 'Of `stored`: the private cases of all members, and how much they may take together.' }),
      answers: usage.meta({ description: 'Answers kept for `Idempotency-Key`, which are deleted after a day.' }),
    })
    .meta({ description: 'Bytes.' }),
  mails: z
    .object({ used: z.int(), most: z.int(), resets_at: Time })
    .meta({ description: 'Invitations and mails about assignments, of today (UTC).' }),
  privacy: z.object({ member_detail_enabled: z.boolean(), leaderboard_enabled: z.boolean() }),
});
export type TeamSettings = z.output<typeof TeamSettings>;

export const SettingsChange = z.strictObject({
  name: NameText.optional(),
  language: z.enum(languages).optional(),
});

export const PrivacyChange = z.strictObject({
  member_detail_enabled: z.boolean().optional(),
  leaderboard_enabled: z.boolean().optional(),
});

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
  z.object({ kind: z.literal('key_expiring'), key_id: z.string(), name: z.string(), expires_at: Time }),
  z.object({ kind: z.enum(countedKinds), count: z.int() }),
  z.object({ kind: z.literal('seats_full') }),
]);

export const TeamOverview = z.object({
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
  seats,
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
  trainings: z
    .object({ this_week: z.int(), last_week: z.int() })
    .meta({ description: 'Sessions of active members with a score, by the ISO week (UTC) in which they started.' }),
  assignments: z.object({
    open: z.int().meta({ description: 'Open or in progress.' }),
    overdue: z.int().meta({ description: 'Of the open ones, those whose day is over (UTC).' }),
  }),
  latest: z.array(AuditEntry).meta({ description: 'The newest entries of the audit log.' }),
});
export type TeamOverview = z.output<typeof TeamOverview>;
