import { exampleIds } from '../../core/example-ids.ts';
import { Done, done } from '../../platform/values.ts';
import { operation, router } from '../../trpc/operation.ts';
import { Member, MemberPage, MemberPath, MemberQuery, NewMember, RoleChange } from './schema.ts';
import { changeRole, getMember, inviteMember, listMembers, removeMember } from './service.ts';

const example = {
  id: exampleIds.member,
  user_id: exampleIds.user,
  email: 'mia.berg@example.com',
  role: 'member',
  status: 'active',
  joined_at: '2026-03-02T08:30:00.000Z',
} as const;

const path = { member_id: example.id };

export const members = router({
  list: operation(
    'GET /users',
    {
      audience: 'key',
      operationId: 'listMembers',
      scope: 'users:read',
      summary: 'List members',
      description:
        'Everybody who is in the team or invited to it, the owner first, then in the order in which they joined or were invited.',
      input: MemberQuery,
      output: MemberPage,
      example: { input: { limit: 50 }, output: { data: [example], next_cursor: null } },
    },
    ({ ctx, input }) => listMembers(ctx.team, input),
  ),

  invite: operation(
    'POST /users',
    {
      audience: 'key',
      operationId: 'inviteMember',
      scope: 'users:write',
      status: 201,
      located: true,
      errors: ['conflict', 'seat_limit_reached'],
      summary: 'Invite a member',
      description:
        'Sends an invitation by mail. The membership exists at once, takes a seat and raises `member.joined`. The number of mails a day is limited for each team and each address; beyond it the answer is 429 until the next day (UTC). The role `admin` can be given only by a key that the owner or an active admin created.',
      input: NewMember,
      output: Member,
      example: {
        input: { email: example.email, role: 'member', lang: 'de' },
        output: { ...example, user_id: null, status: 'invited', joined_at: null },
      },
    },
    ({ ctx, input }) => inviteMember(ctx.team, input),
  ),

  get: operation(
    'GET /users/{member_id}',
    {
      audience: 'key',
      operationId: 'getMember',
      scope: 'users:read',
      errors: ['not_found'],
      summary: 'Read a member',
      description: 'One member, invited or active. An ended membership is not found.',
      input: MemberPath,
      output: Member,
      example: { input: path, output: example },
    },
    ({ ctx, input }) => getMember(ctx.team, input.member_id),
  ),

  changeRole: operation(
    'PATCH /users/{member_id}',
    {
      audience: 'key',
      operationId: 'updateMember',
      scope: 'users:write',
      errors: ['not_found', 'owner', 'last_admin'],
      summary: 'Change a member’s role',
      description:
        'Gives or takes away the role `admin`. This needs a key that the owner or an active admin created. The team keeps at least one active admin; the owner can’t be changed.',
      input: RoleChange,
      output: Member,
      example: { input: { ...path, role: 'admin' }, output: { ...example, role: 'admin' } },
    },
    ({ ctx, input }) => changeRole(ctx.team, input.member_id, input.role),
  ),

  remove: operation(
    'DELETE /users/{member_id}',
    {
      audience: 'key',
      operationId: 'removeMember',
      scope: 'users:write',
      errors: ['not_found', 'owner', 'last_admin'],
      summary: 'Remove a member',
      description: 'Ends the membership, revokes the member’s assignments and raises `member.removed`, all or nothing.',
      input: MemberPath,
      output: Done,
      example: { input: path, output: done },
    },
    async ({ ctx, input }) => {
      await removeMember(ctx.team, input.member_id);
      return done;
    },
  ),
});
