import { daysToMs } from '../../core/clock.ts';
import { fail } from '../../core/problem.ts';
import { keyTemplates } from '../../core/scopes.ts';
import { done, Done } from '../../platform/values.ts';
import { appRouterOf, operation } from '../../trpc/operation.ts';
import {
  Key,
  KeyDayList,
  KeyPage,
  KeyPath,
  KeyQuery,
  KeysOfMember,
  NewKey,
  Rotation,
  ShortKeyList,
  ShownKey,
  UsageWanted,
} from './schema.ts';
import { createKey, getKey, keyDays, keysOfMember, pageOfKeys, revokeKey, rotateKey } from './service.ts';

const scopesOf = ({ template, scopes = [] }: NewKey): readonly string[] => {
  if (template === undefined) return scopes;
  if (scopes.length === 0) return keyTemplates[template];
  return fail('validation_error', { field: 'template', detail: 'A key has either a template or scopes.' });
};

const keysOfMemberShown = 20;

/** Whether a key with these scopes manages the team's members. */
const managesMembers = (scopes: readonly string[]): boolean => scopes.includes('users:write');

export const keys = appRouterOf({
  list: operation(
    'query',
    { audience: 'person', needs: 'admin', summary: 'The team’s keys, newest first', input: KeyQuery, output: KeyPage },
    ({ ctx, input }) => pageOfKeys(ctx.team, input),
  ),

  get: operation(
    'query',
    { audience: 'person', needs: 'admin', summary: 'One key of the team', input: KeyPath, output: Key },
    ({ ctx, input }) => getKey(ctx.team, input.key_id),
  ),

  ofMember: operation(
    'query',
    {
      audience: 'person',
      needs: 'admin',
      summary: 'The newest keys that a member created or rotated; none while the team hides member details',
      input: KeysOfMember,
      output: ShortKeyList,
    },
    async ({ ctx, input }) => ({
      data: ctx.team.privacy.memberDetail ? await keysOfMember(ctx.team, input.member_id, keysOfMemberShown) : [],
    }),
  ),

  create: operation(
    'mutation',
    {
      audience: 'person',
      needs: 'keys',
      freshProof: ({ input }) => managesMembers(scopesOf(input)),
      summary: 'Create a key; its secret is shown only now',
      input: NewKey,
      output: ShownKey,
    },
    ({ ctx, input }) =>
      createKey(ctx.team, {
        name: input.name,
        by: ctx.person.memberId,
        scopes: scopesOf(input),
        allowedIps: input.allowed_ips,
        expiresAt: input.expires_at,
      }),
  ),

  rotate: operation(
    'mutation',
    {
      audience: 'person',
      needs: 'keys',
      freshProof: async ({ ctx, input }) => managesMembers((await getKey(ctx.team, input.key_id)).scopes),
      summary: 'Replace a key by a new one; both work until the grace period ends',
      input: Rotation,
      output: ShownKey,
    },
    ({ ctx, input }) =>
      rotateKey(ctx.team, input.key_id, { graceSeconds: daysToMs(input.grace_days) / 1000, by: ctx.person.memberId }),
  ),

  revoke: operation(
    'mutation',
    { audience: 'person', needs: 'keys', summary: 'End a key at once', input: KeyPath, output: Done },
    async ({ ctx, input }) => {
      await revokeKey(ctx.team, input.key_id);
      return done;
    },
  ),

  usage: operation(
    'query',
    {
      audience: 'person',
      needs: 'admin',
      summary: 'The sums of requests of each of the last days, today’s last',
      input: UsageWanted,
      output: KeyDayList,
    },
    async ({ ctx, input }) => ({ days: await keyDays(ctx.team, input) }),
  ),
});
