import { BulkResults, forEachSeparately } from '../../platform/bulk.ts';
import { Done, done } from '../../platform/values.ts';
import { appRouterOf, operation } from '../../trpc/operation.ts';
import {
  AddressesWanted,
  BulkMembers,
  InvitationResults,
  InvitationsWanted,
  KnownAddresses,
  MemberCard,
  NameList,
  NamesWanted,
  RightsWanted,
  TeamMember,
  TeamMemberPage,
  TeamMemberQuery,
  MemberPath,
} from './schema.ts';
import {
  handOver,
  invitePeople,
  knownAddresses,
  listTeam,
  namesOf,
  resendInvitation,
  setRights,
  teamMember,
  withdrawInvitation,
} from './service.ts';

/** The app's procedures for members beyond the public API. */
export const members = appRouterOf({
  list: operation(
    'query',
    {
      audience: 'person',
      needs: 'admin',
      summary: 'All active and invited members, the owner first',
      input: TeamMemberQuery,
      output: TeamMemberPage,
    },
    ({ ctx, input }) => listTeam(ctx.team, input),
  ),

  show: operation(
    'query',
    {
      audience: 'person',
      needs: 'admin',
      summary: 'One active or invited member; only role and status while the team hides member details',
      input: MemberPath,
      output: MemberCard,
    },
    ({ ctx, input }) => teamMember(ctx.team, input.member_id),
  ),

  names: operation(
    'query',
    {
      audience: 'person',
      needs: 'member',
      summary: 'Names of people of the team',
      input: NamesWanted,
      output: NameList,
    },
    async ({ ctx, input }) => ({ data: await namesOf(ctx.team, ctx.person, input.user_ids) }),
  ),

  invite: operation(
    'mutation',
    {
      audience: 'person',
      needs: 'admin',
      summary: 'Invite several people independently',
      input: InvitationsWanted,
      output: InvitationResults,
    },
    async ({ ctx, input }) => ({ results: await invitePeople(ctx.team, input.people) }),
  ),

  known: operation(
    'query',
    {
      audience: 'person',
      needs: 'admin',
      summary: 'Which of these addresses are in the team already, active or invited',
      input: AddressesWanted,
      output: KnownAddresses,
    },
    async ({ ctx, input }) => ({ data: await knownAddresses(ctx.team, input.emails) }),
  ),

  resend: operation(
    'mutation',
    {
      audience: 'person',
      needs: 'admin',
      summary: 'Send an invitation again',
      input: MemberPath,
      output: TeamMember,
    },
    async ({ ctx, input }) => {
      await resendInvitation(ctx.team, input.member_id);
      return teamMember(ctx.team, input.member_id);
    },
  ),

  resendMany: operation(
    'mutation',
    {
      audience: 'person',
      needs: 'admin',
      summary: 'Send several invitations again, each as if alone',
      input: BulkMembers,
      output: BulkResults,
    },
    ({ ctx, input }) => forEachSeparately(input.member_ids, (id) => resendInvitation(ctx.team, id)),
  ),

  withdrawMany: operation(
    'mutation',
    {
      audience: 'person',
      needs: 'admin',
      summary: 'Withdraw several invitations, each as if alone; members who accepted stay',
      input: BulkMembers,
      output: BulkResults,
    },
    ({ ctx, input }) => forEachSeparately(input.member_ids, (id) => withdrawInvitation(ctx.team, id)),
  ),

  setRights: operation(
    'mutation',
    {
      audience: 'person',
      needs: 'owner',
      summary: 'Set the rights of a member beyond their role',
      input: RightsWanted,
      output: TeamMember,
    },
    async ({ ctx, input }) => {
      await setRights(ctx.team, input.member_id, input.rights);
      return teamMember(ctx.team, input.member_id);
    },
  ),

  handOver: operation(
    'mutation',
    {
      audience: 'person',
      needs: 'owner',
      freshProof: true,
      summary: 'Make a member the owner of the team',
      input: MemberPath,
      output: Done,
    },
    async ({ ctx, input }) => {
      await handOver(ctx.team, input.member_id);
      return done;
    },
  ),
});
