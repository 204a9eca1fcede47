import { z } from 'zod';
import { BulkResults, forEachSeparately } from '../../platform/bulk.ts';
import { ListCount } from '../../platform/paging.ts';
import { Done, doneAfter } from '../../platform/values.ts';
import { personProcedure, personRouter } from '../../platform/trpc/procedures.ts';
import {
  AddressesWanted,
  BulkMembers,
  BulkRoleChange,
  CanceledInvitations,
  InvitationResults,
  InvitationsWanted,
  KnownAddresses,
  NameList,
  NamesWanted,
  RightsWanted,
  TeamMember,
  TeamMemberFilters,
  TeamMemberPage,
  TeamMemberQuery,
  MemberPath,
  WaitingInvitations,
} from './schema.ts';
import { countTeam, listTeam, namesOf, removeMember, teamMember, withdrawInvitation } from './service.ts';
import { cancelWaiting, invitePeople, listWaiting } from './waiting.ts';
import { changeRole, handOver, setRights } from './roles.ts';
import { knownAddresses, resendInvitation } from './invitations.ts';

/** The app's procedures for members beyond the public API. */
export const members = personRouter({
  list: personProcedure
    .meta({ needs: 'admin', summary: 'All active and invited members, the owner first' })
    .input(TeamMemberQuery)
    .output(TeamMemberPage)
    .query(({ ctx, input }) => listTeam(ctx.team, input)),

  count: personProcedure
    .meta({ needs: 'admin', summary: 'How many members match these filters' })
    .input(TeamMemberFilters)
    .output(ListCount)
    .query(({ ctx, input }) => countTeam(ctx.team, input)),

  show: personProcedure
    .meta({ needs: 'admin', summary: 'One active or invited member' })
    .input(MemberPath)
    .output(TeamMember)
    .query(({ ctx, input }) => teamMember(ctx.team, input.member_id)),

  names: personProcedure
    .meta({ needs: 'member', summary: 'Names of people of the team' })
    .input(NamesWanted)
    .output(NameList)
    .query(async ({ ctx, input }) => ({ data: await namesOf(ctx.team, ctx.person, input.user_ids) })),

  invite: personProcedure
    .meta({ needs: 'admin', summary: 'Invite several people independently' })
    .input(InvitationsWanted)
    .output(InvitationResults)
    .mutation(async ({ ctx, input }) => ({ results: await invitePeople(ctx.team, input.people) })),

  known: personProcedure
    .meta({ needs: 'admin', summary: 'Which of these addresses are in the team already, active or invited' })
    .input(AddressesWanted)
    .output(KnownAddresses)
    .query(async ({ ctx, input }) => ({ data: await knownAddresses(ctx.team, input.emails) })),

  waiting: personProcedure
    .meta({ needs: 'admin', summary: 'The invitations that wait for the limits of the hour and the day' })
    .input(z.strictObject({}))
    .output(WaitingInvitations)
    .query(({ ctx }) => listWaiting(ctx.team)),

  cancelWaiting: personProcedure
    .meta({ needs: 'admin', summary: 'Cancel invitations that wait' })
    .input(CanceledInvitations)
    .output(z.object({ canceled: z.int() }))
    .mutation(async ({ ctx, input }) => ({ canceled: await cancelWaiting(ctx.team, input.ids) })),

  resend: personProcedure
    .meta({ needs: 'admin', summary: 'Send an invitation again' })
    .input(MemberPath)
    .output(TeamMember)
    .mutation(async ({ ctx, input }) => {
      await resendInvitation(ctx.team, input.member_id);
      return teamMember(ctx.team, input.member_id);
    }),

  resendMany: personProcedure
    .meta({ needs: 'admin', summary: 'Send several invitations again, each as if alone' })
    .input(BulkMembers)
    .output(BulkResults)
    .mutation(({ ctx, input }) => forEachSeparately(input.member_ids, (id) => resendInvitation(ctx.team, id))),

  withdraw: personProcedure
    .meta({ needs: 'admin', summary: 'Withdraw an invitation; a member who accepted it stays' })
    .input(MemberPath)
    .output(Done)
    .mutation(({ ctx, input }) => doneAfter(withdrawInvitation(ctx.team, input.member_id))),

  withdrawMany: personProcedure
    .meta({ needs: 'admin', summary: 'Withdraw several invitations, each as if alone; members who accepted stay' })
    .input(BulkMembers)
    .output(BulkResults)
    .mutation(({ ctx, input }) => forEachSeparately(input.member_ids, (id) => withdrawInvitation(ctx.team, id))),

  changeRoleMany: personProcedure
    .meta({ needs: 'admin', summary: 'Change the role of several members, each as if alone' })
    .input(BulkRoleChange)
    .output(BulkResults)
    .mutation(({ ctx, input }) => forEachSeparately(input.member_ids, (id) => changeRole(ctx.team, id, input.role))),

  removeMany: personProcedure
    .meta({ needs: 'admin', summary: 'Remove several members, each as if alone' })
    .input(BulkMembers)
    .output(BulkResults)
    .mutation(({ ctx, input }) => forEachSeparately(input.member_ids, (id) => removeMember(ctx.team, id))),

  setRights: personProcedure
    .meta({ needs: 'owner', summary: 'Set the rights of a member beyond their role' })
    .input(RightsWanted)
    .output(TeamMember)
    .mutation(async ({ ctx, input }) => {
      await setRights(ctx.team, input.member_id, input.rights);
      return teamMember(ctx.team, input.member_id);
    }),

  handOver: personProcedure
    .meta({ needs: 'owner', freshProof: true, summary: 'Make a member the owner of the team' })
    .input(MemberPath)
    .output(Done)
    .mutation(({ ctx, input }) => doneAfter(handOver(ctx.team, input.member_id))),
});
