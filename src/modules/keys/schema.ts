import { z } from 'zod';
import { limits } from '../../core/limits.ts';
import { allKeyTemplates } from '../../core/scopes.ts';
import { PageQuery, pageOf } from '../../platform/paging.ts';
import { Instant, Time } from '../../platform/values.ts';

/** The right to create, rotate and revoke keys. The owner always has it. */
export const keyRight = 'schnittstellen';

const keyId = z.string().meta({ description: 'The id of a key of this team.' });

const counts = {
  requests: z.int(),
  limited: z.int().meta({ description: 'Of these, answered with 429.' }),
  refused: z
    .int()
    .meta({ description: 'Of these, answered with another 4xx, or left by the caller before the answer.' }),
  failed: z.int().meta({ description: 'Of these, answered with 5xx.' }),
};

export const Key = z.object({
  key_id: keyId,
  name: z.string(),
  prefix: z.string().meta({ description: 'The public part of the key.' }),
  scopes: z.array(z.string()),
  allowed_ips: z.array(z.string()).meta({ description: 'Addresses and networks that may call; empty means any.' }),
  status: z.enum(['active', 'expired', 'revoked']),
  created_at: Time,
  created_by: z.object({
    member_id: z.string(),
    name: z.string().nullable(),
    email: z.string(),
    vouches: z.boolean().meta({
      description:
        'Whether the creator is the owner or an active admin. Otherwise the key can’t grant or revoke the role admin.',
    }),
  }),
  expires_at: Time.nullable(),
  last_used_at: Time.nullable().meta({ description: 'Up to a minute late.' }),
  reported_at: Time.nullable().meta({ description: 'When somebody last reported that they found the key.' }),
  rotated_to_id: z.string().nullable().meta({ description: 'The key that replaced this one.' }),
  rotated_from_id: z.string().nullable().meta({ description: 'The key that this one replaced.' }),
  days: z
    .array(z.object({ requests: counts.requests, errors: z.int().meta({ description: 'Answered with 4xx or 5xx.' }) }))
    .meta({ description: 'The last 30 days (UTC), today’s last.' }),
});
export type Key = z.output<typeof Key>;

export const KeyPage = pageOf(Key);

/** A key in a short list. */
export const ShortKey = Key.pick({
  key_id: true,
  name: true,
  prefix: true,
  status: true,
  created_at: true,
  last_used_at: true,
});
export type ShortKey = z.output<typeof ShortKey>;
export const ShortKeyList = z.object({ data: z.array(ShortKey) });
export const KeysOfMember = z.strictObject({ member_id: z.string() });

export const KeyQuery = PageQuery.extend({
  search: z
    .string()
    .trim()
    .max(limits.keyNameCharacters)
    .optional()
    .meta({ description: 'Part of a name, or the beginning of a prefix.' }),
});
export type KeyQuery = z.output<typeof KeyQuery>;
export const KeyPath = z.strictObject({ key_id: keyId });

export const NewKey = z.strictObject({
  name: z.string().meta({ description: `1 to ${limits.keyNameCharacters} characters.` }),
  template: z.enum(allKeyTemplates).optional().meta({ description: 'A ready-made selection, in place of `scopes`.' }),
  scopes: z.array(z.string()).optional(),
  allowed_ips: z
    .array(z.string())
    .max(limits.keyAddresses)
    .default([])
    .meta({ description: 'Addresses and networks; empty means any.' }),
  expires_at: Instant.nullable().default(null),
});
export type NewKey = z.output<typeof NewKey>;

export const ShownKey = z.object({
  key_id: keyId,
  key: z.string().meta({ description: 'Shown only now: its secret part is stored nowhere.' }),
});
export type ShownKey = z.output<typeof ShownKey>;

export const Rotation = z.strictObject({
  key_id: keyId,
  grace_days: z
    .int()
    .min(0)
    .max(limits.keyRotationGraceDays)
    .meta({ description: 'How long the old key still works.' }),
});

export const UsageQuery = z.strictObject({
  key_id: keyId.optional().meta({ description: 'One key; by default all keys of the team.' }),
  days: z.int().min(1).max(90).default(30),
});
export type UsageQuery = z.output<typeof UsageQuery>;

export const KeyDay = z.object({ day: z.iso.date().meta({ description: 'In UTC.' }), ...counts });
export type KeyDay = z.output<typeof KeyDay>;
export const KeyDayList = z.object({ days: z.array(KeyDay) });
