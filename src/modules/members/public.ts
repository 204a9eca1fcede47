import { exampleIds } from '../../core/example-ids.ts';
import { answer, toCamel } from '../../core/spelling.ts';
import { ListExportQuery, listExportOf, readListExport } from '../../platform/list-exports.ts';
import { Done, done, doneAfter } from '../../platform/values.ts';
import { exportRoute } from '../../platform/trpc/export-route.ts';
import { apiKeyProcedure, claimingStream, keyRouter, route } from '../../platform/trpc/procedures.ts';
import { getMember } from '../membership/service.ts';
import { Member } from '../membership/schema.ts';
import { MemberChange, MemberPage, MemberPath, MemberQuery, NewMember } from './schema.ts';
import { listMembers, removeMember } from './service.ts';
import { changeMember } from './roles.ts';
import { inviteMember } from './invitations.ts';

const example = {
  id: exampleIds.member,
  user_id: exampleIds.user,
  email: 'mia.berg@example.com',
  name: 'Mia Berg',
  external_id: 'E-1042',
  role: 'member',
  status: 'active',
  joined_at: '2026-03-02T08:30:00.000Z',
  updated_at: '2026-03-02T08:30:00.000Z',
} as const;

const path = { member_id: example.id };

export const members = keyRouter({
  list: apiKeyProcedure
    .meta(
      route('GET /users', {
        operationId: 'listMembers',
        scope: 'users:read',
        errors: ['privacy_restricted'],
        summary: 'List members',
        description:
          'All members and invitations: the owner first, then by joining or invitation date. With `updated_since`, only members that changed since, in the order of their changes.',
        example: { input: { limit: 50 }, output: { data: [example], next_cursor: null } },
      }),
    )
    .input(MemberQuery)
    .output(MemberPage)
    .query(({ ctx, input }) => answer(listMembers(ctx.team, toCamel(input)))),

  invite: apiKeyProcedure
    .meta(
      route('POST /users', {
        operationId: 'inviteMember',
        scope: 'users:write',
        status: 201,
        located: true,
        errors: ['conflict', 'seat_limit_reached'],
        summary: 'Invite a member',
        description:
          'Sends an invitation by mail. The membership exists at once, takes a seat and raises `member.joined`. There are limits (429) of invitations an hour, and of mails a day for each team and each address. [Inviting many people](/developers/limits#many-people) says how thousands get into a team. The role `admin` can be given only by a key that the owner or an active admin created.',
        example: {
          input: { email: example.email, role: 'member', external_id: example.external_id, lang: 'de' },
          output: { ...example, user_id: null, name: null, status: 'invited', joined_at: null },
        },
      }),
    )
    .input(NewMember)
    .output(Member)
    .mutation(({ ctx, input }) => ctx.once((team) => answer(inviteMember(team, toCamel(input))))),

  get: apiKeyProcedure
    .meta(
      route('GET /users/{member_id}', {
        operationId: 'getMember',
        scope: 'users:read',
        summary: 'Read a member',
        description: 'One member, invited or active. An ended membership is not found.',
        example: { input: path, output: example },
      }),
    )
    .input(MemberPath)
    .output(Member)
    .query(({ ctx, input }) => answer(getMember(ctx.team, input.member_id))),

  changeRole: apiKeyProcedure
    .meta(
      route('PATCH /users/{member_id}', {
        operationId: 'updateMember',
        scope: 'users:write',
        errors: ['owner', 'last_admin', 'conflict'],
        summary: 'Change a member',
        description:
          'Gives or takes away the role `admin`. This needs a key that the owner or an active admin created. The team keeps at least one active admin; the owner can’t be changed. `external_id` sets or removes the id of your own system: to change only this id, send the present `role`.',
        example: { input: { ...path, role: 'admin' }, output: { ...example, role: 'admin' } },
      }),
    )
    .input(MemberChange)
    .output(Member)
    .mutation(({ ctx, input }) => {
      const { memberId, ...wanted } = toCamel(input);
      return answer(changeMember(ctx.team, memberId, wanted));
    }),

  remove: apiKeyProcedure
    .meta(
      route('DELETE /users/{member_id}', {
        operationId: 'removeMember',
        scope: 'users:write',
        errors: ['owner', 'last_admin'],
        summary: 'Remove a member',
        description:
          'Ends the membership, revokes the member’s assignments and raises `member.removed`, all or nothing.',
        example: { input: path, output: done },
      }),
    )
    .input(MemberPath)
    .output(Done)
    .mutation(({ ctx, input }) => doneAfter(removeMember(ctx.team, input.member_id))),

  export: apiKeyProcedure
    .meta(exportRoute('members', { operationId: 'exportMembers', list: '/users', scope: 'users:read', example }))
    .input(ListExportQuery)
    .output(listExportOf(Member))
    .use(claimingStream)
    .query(({ ctx: { team }, input }) =>
      answer(readListExport(team, 'members', toCamel(input), (query) => listMembers(team, query))),
    ),
});
