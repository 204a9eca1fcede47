import { daysToMs } from '../../core/clock.ts';
import { keyMessages } from '../../core/messages/people.ts';
import { fail } from '../../core/problem.ts';
import { answer, toCamel, toSnake } from '../../core/spelling.ts';
import { keyTemplates, type Scope } from '../../core/scopes.ts';
import { Done, doneAfter } from '../../platform/values.ts';
import type { PersonContext } from '../../platform/trpc/context.ts';
import {
  adminProcedure,
  keyManagerProcedure,
  personRouter,
  requireFreshProof,
} from '../../platform/trpc/procedures.ts';
import * as schema from './schema.ts';
import { createKey, getKey, keyDays, keysOfMember, pageOfKeys, revokeKey, rotateKey } from './service.ts';

const scopesOf = ({ template, scopes = [] }: schema.NewKey): readonly string[] => {
  if (template === undefined) return scopes;
  if (scopes.length === 0) return keyTemplates[template];
  return fail('validation_error', { field: 'template', detail: keyMessages.templateOrScopes });
};

const keysOfMemberShown = 20;

const managesMembers: readonly Scope[] = ['users:write', 'directory:manage'];

/** The caller needs a fresh proof for a key that manages the team's members. */
const requireProofFor = (scopes: readonly string[], { hasFreshProof }: PersonContext): void => {
  if (managesMembers.some((scope) => scopes.includes(scope))) requireFreshProof(hasFreshProof);
};

export const keys = personRouter({
  list: adminProcedure
    .input(schema.KeyQuery)
    .output(schema.KeyPage)
    .query(({ ctx, input }) => answer(pageOfKeys(ctx.team, input))),

  get: adminProcedure
    .input(schema.KeyPath)
    .output(schema.Key)
    .query(({ ctx, input }) => answer(getKey(ctx.team, input.key_id))),

  /** The newest keys that a member created or rotated. */
  ofMember: adminProcedure
    .input(schema.KeysOfMember)
    .output(schema.ShortKeyList)
    .query(async ({ ctx, input }) =>
      toSnake({ data: await keysOfMember(ctx.team, input.member_id, keysOfMemberShown) }),
    ),

  create: keyManagerProcedure
    .input(schema.NewKey)
    .output(schema.ShownKey)
    .mutation(({ ctx, input }) => {
      const scopes = scopesOf(input);
      requireProofFor(scopes, ctx);
      const { name, allowedIps, expiresAt } = toCamel(input);
      return answer(createKey(ctx.team, { name, by: ctx.person.memberId, scopes, allowedIps, expiresAt }));
    }),

  rotate: keyManagerProcedure
    .input(schema.Rotation)
    .output(schema.ShownKey)
    .mutation(async ({ ctx, input }) => {
      const { keyId, graceDays } = toCamel(input);
      requireProofFor((await getKey(ctx.team, keyId)).scopes, ctx);
      const wanted = { graceSeconds: daysToMs(graceDays) / 1000, by: ctx.person.memberId };
      return answer(rotateKey(ctx.team, keyId, wanted));
    }),

  revoke: keyManagerProcedure
    .input(schema.KeyPath)
    .output(Done)
    .mutation(({ ctx, input }) => doneAfter(revokeKey(ctx.team, input.key_id))),

  /** The number of requests on each of the last days, by outcome; today comes last. */
  usage: adminProcedure
    .input(schema.UsageQuery)
    .output(schema.KeyDayList)
    .query(async ({ ctx, input }) => ({ days: await keyDays(ctx.team, toCamel(input)) })),
});
