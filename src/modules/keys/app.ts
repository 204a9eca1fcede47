import { daysToMs } from '../../core/clock.ts';
import { keyMessages } from '../../core/messages/people.ts';
import { fail } from '../../core/problem.ts';
import { keyTemplates } from '../../core/scopes.ts';
import { Done, doneAfter } from '../../platform/values.ts';
import type { PersonContext } from '../../platform/trpc/context.ts';
import { adminProcedure, keysProcedure, personRouter, requireFreshProof } from '../../platform/trpc/procedures.ts';
import * as schema from './schema.ts';
import { createKey, getKey, keyDays, keysOfMember, pageOfKeys, revokeKey, rotateKey } from './service.ts';

const scopesOf = ({ template, scopes = [] }: schema.NewKey): readonly string[] => {
  if (template === undefined) return scopes;
  if (scopes.length === 0) return keyTemplates[template];
  return fail('validation_error', { field: 'template', detail: keyMessages.templateOrScopes });
};

const keysOfMemberShown = 20;

/** A key that manages the team's members needs a fresh proof. */
const requireProofFor = (scopes: readonly string[], { hasFreshProof }: PersonContext): void => {
  if (scopes.includes('users:write')) requireFreshProof(hasFreshProof);
};

export const keys = personRouter({
  list: adminProcedure
    .input(schema.KeyQuery)
    .output(schema.KeyPage)
    .query(({ ctx, input }) => pageOfKeys(ctx.team, input)),

  get: adminProcedure
    .input(schema.KeyPath)
    .output(schema.Key)
    .query(({ ctx, input }) => getKey(ctx.team, input.key_id)),

  /** The newest keys that a member created or rotated. */
  ofMember: adminProcedure
    .input(schema.KeysOfMember)
    .output(schema.ShortKeyList)
    .query(async ({ ctx, input }) => ({
      data: await keysOfMember(ctx.team, input.member_id, keysOfMemberShown),
    })),

  create: keysProcedure
    .input(schema.NewKey)
    .output(schema.ShownKey)
    .mutation(({ ctx, input }) => {
      const scopes = scopesOf(input);
      requireProofFor(scopes, ctx);
      const { name, allowed_ips: allowedIps, expires_at: expiresAt } = input;
      return createKey(ctx.team, { name, by: ctx.person.memberId, scopes, allowedIps, expiresAt });
    }),

  rotate: keysProcedure
    .input(schema.Rotation)
    .output(schema.ShownKey)
    .mutation(async ({ ctx, input: { key_id, grace_days } }) => {
      requireProofFor((await getKey(ctx.team, key_id)).scopes, ctx);
      return rotateKey(ctx.team, key_id, { graceSeconds: daysToMs(grace_days) / 1000, by: ctx.person.memberId });
    }),

  revoke: keysProcedure
    .input(schema.KeyPath)
    .output(Done)
    .mutation(({ ctx, input }) => doneAfter(revokeKey(ctx.team, input.key_id))),

  /** The sums of requests of each of the last days, today’s last. */
  usage: adminProcedure
    .input(schema.UsageQuery)
    .output(schema.KeyDayList)
    .query(async ({ ctx, input }) => ({ days: await keyDays(ctx.team, input) })),
});
