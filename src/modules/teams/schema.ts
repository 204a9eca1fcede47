import { z } from 'zod';
import { languages } from '../../core/language.ts';
import { NameText, Time } from '../../platform/values.ts';

export const Seats = z.object({
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
  has_directory: z.boolean().meta({ description: 'Whether a directory (SCIM) has said something of anybody.' }),
  seats: Seats,
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
    .object({ used: z.int(), max: z.int(), resets_at: Time })
    .meta({ description: 'Invitations and mails about assignments, of today (UTC).' }),
  privacy: z.object({ member_detail_enabled: z.boolean(), leaderboard_enabled: z.boolean() }),
  reminders_enabled: z.boolean().meta({
    description: 'Whether members are reminded of assignments automatically, before and after the due day.',
  }),
});

export const SettingsChange = z.strictObject({
  name: NameText.optional(),
  language: z.enum(languages).optional(),
  reminders_enabled: z.boolean().optional(),
});

export const PrivacyChange = z.strictObject({
  member_detail_enabled: z.boolean().optional(),
  leaderboard_enabled: z.boolean().optional(),
});
