import { z } from 'zod';

// The exact output of the commands with --json: a missing or additional field fails the test.

export const CreatedTeam = z.strictObject({
  tenant_id: z.uuid(),
  owner: z.strictObject({ member_id: z.uuid(), user_id: z.uuid(), email: z.string() }),
});

export const Team = z.strictObject({
  tenant_id: z.uuid(),
  name: z.string(),
  status: z.enum(['active', 'suspended', 'ended']),
  plan: z.enum(['basic', 'team', 'enterprise']),
  seats: z.int(),
  rate_limit: z.int(),
  member_detail_enabled: z.boolean(),
  leaderboard_enabled: z.boolean(),
});
export const Teams = z.array(Team);

export const AddedMember = z.strictObject({ member_id: z.uuid(), user_id: z.uuid().nullable() });

export const Members = z.array(
  z.strictObject({
    member_id: z.uuid(),
    user_id: z.uuid().nullable(),
    email: z.string(),
    external_id: z.string().nullable(),
    role: z.enum(['owner', 'admin', 'member']),
    status: z.enum(['invited', 'active']),
    rights: z.array(z.string()),
    joined_at: z.iso.datetime({ precision: 3 }).nullable(),
  }),
);

export const Link = z.strictObject({ link: z.url() });

export const ShownKey = z.strictObject({
  key_id: z.uuid(),
  key: z.string().regex(/^svck_live_[A-Za-z0-9]{12}_[A-Za-z0-9]{43}$/),
});

export const Keys = z.array(
  z.strictObject({
    key_id: z.uuid(),
    prefix: z.string().length(12),
    name: z.string(),
    scopes: z.array(z.string()),
    status: z.enum(['active', 'expired', 'revoked']),
    created_at: z.iso.datetime({ precision: 3 }),
    expires_at: z.iso.datetime({ precision: 3 }).nullable(),
    last_used_at: z.iso.datetime({ precision: 3 }).nullable(),
  }),
);

export const RevokedKey = z.strictObject({ key_id: z.uuid(), status: z.literal('revoked') });

export const Mails = z.array(
  z.strictObject({
    id: z.uuid(),
    recipient: z.string(),
    kind: z.string(),
    language: z.enum(['de', 'en']),
    subject: z.string(),
    text: z.string(),
    created_at: z.iso.datetime({ precision: 3 }),
    sent_at: z.iso.datetime({ precision: 3 }).nullable(),
    error: z.string().nullable(),
  }),
);

export const FailedMails = z.array(
  z.strictObject({
    id: z.uuid(),
    recipient: z.string(),
    kind: z.string(),
    tenant_id: z.uuid().nullable(),
    subject: z.string(),
    created_at: z.iso.datetime({ precision: 3 }),
    failed_at: z.iso.datetime({ precision: 3 }).nullable(),
    error: z.string(),
    tries: z.int(),
    next_try_at: z.iso.datetime({ precision: 3 }).nullable(),
  }),
);

const DemoTeam = z.strictObject({
  name: z.string(),
  tenant_id: z.uuid(),
  owner: z.strictObject({ email: z.string(), password: z.string().min(12), member_id: z.uuid() }),
  keys: z.strictObject({ all: z.string(), read_only: z.string() }),
  ids: z.strictObject({
    member: z.uuid(),
    admin: z.uuid(),
    training_scored: z.uuid(),
    training_unscored: z.uuid(),
    assignment: z.uuid(),
    case: z.uuid(),
    private_case: z.uuid(),
    situation: z.uuid(),
    personality: z.uuid(),
    industry: z.uuid(),
    blocked_situation: z.uuid(),
  }),
});

export const Demo = z.strictObject({
  base_url: z.url(),
  app_url: z.url(),
  teams: z.tuple([DemoTeam, DemoTeam]),
});
