import { z } from 'zod';
import { answer, toCamel, toSnake } from '../../core/spelling.ts';
import { BulkResults, forEachSeparately } from '../../platform/bulk.ts';
import { ListCount } from '../../platform/paging.ts';
import { Done, doneAfter } from '../../platform/values.ts';
import {
  adminProcedure,
  memberProcedure,
  ownerProcedure,
  personProcedure,
  personRouter,
} from '../../platform/trpc/procedures.ts';
import * as schema from './schema.ts';
import { countTeam, holdingsOf, listTeam, namesOf, removeMember, teamMember, withdrawInvitation } from './service.ts';
import { cancelWaiting, invitePeople, listWaiting } from './waiting.ts';
import { changeMember, handOver, setRights } from './roles.ts';
import { knownAddresses, resendInvitation } from './invitations.ts';

const bulkAction = adminProcedure.input(schema.BulkMembers).output(BulkResults);

/** Procedures about members that only the app has. */
export const members = personRouter({
  list: adminProcedure
    .input(schema.TeamMemberQuery)
    .output(schema.TeamMemberPage)
    .query(({ ctx, input }) => answer(listTeam(ctx.team, input))),

  count: adminProcedure
    .input(schema.TeamMemberFilters)
    .output(ListCount)
    .query(({ ctx, input }) => countTeam(ctx.team, input)),

  show: adminProcedure
    .input(schema.MemberPath)
    .output(schema.TeamMember)
    .query(({ ctx, input }) => answer(teamMember(ctx.team, input.member_id))),

  names: memberProcedure
    .input(schema.NamesQuery)
    .output(schema.NameList)
    .query(async ({ ctx, input }) => toSnake({ data: await namesOf(ctx.team, ctx.person, input.user_ids) })),

  invite: adminProcedure
    .input(schema.NewInvitations)
    .output(schema.InvitationResults)
    .mutation(async ({ ctx, input }) => toSnake({ results: await invitePeople(ctx.team, toCamel(input).people) })),

  /** Which of these addresses belong to active or invited members of the team, or to waiting invitations. */
  known: adminProcedure
    .input(schema.AddressesQuery)
    .output(schema.KnownAddresses)
    .query(async ({ ctx, input }) => ({ data: await knownAddresses(ctx.team, input.emails) })),

  /** The invitations that wait because of the limits of the hour and the day. */
  waiting: adminProcedure
    .input(z.strictObject({}))
    .output(schema.WaitingInvitations)
    .query(({ ctx }) => answer(listWaiting(ctx.team))),

  cancelWaiting: adminProcedure
    .input(schema.CanceledInvitations)
    .output(z.object({ canceled: z.int() }))
    .mutation(async ({ ctx, input }) => ({ canceled: await cancelWaiting(ctx.team, input.ids) })),

  /**
   * How many assignments and trainings these people have, for the question before they are removed or erased. Null
   * while member details are off.
   */
  holdings: adminProcedure
    .input(schema.HoldingsQuery)
    .output(z.object({ holdings: schema.Holdings.nullable() }))
    .query(async ({ ctx, input }) => toSnake({ holdings: await holdingsOf(ctx.team, input.member_ids) })),

  resend: adminProcedure
    .input(schema.MemberPath)
    .output(schema.TeamMember)
    .mutation(async ({ ctx, input }) => {
      await resendInvitation(ctx.team, input.member_id);
      return answer(teamMember(ctx.team, input.member_id));
    }),

  resendMany: bulkAction.mutation(({ ctx, input }) =>
    forEachSeparately(input.member_ids, (id) => resendInvitation(ctx.team, id)),
  ),

  withdraw: adminProcedure
    .input(schema.MemberPath)
    .output(Done)
    .mutation(({ ctx, input }) => doneAfter(withdrawInvitation(ctx.team, input.member_id))),

  withdrawMany: bulkAction.mutation(({ ctx, input }) =>
    forEachSeparately(input.member_ids, (id) => withdrawInvitation(ctx.team, id)),
  ),

  changeRoleMany: adminProcedure
    .input(schema.BulkRoleChange)
    .output(BulkResults)
    .mutation(({ ctx, input }) =>
      forEachSeparately(input.member_ids, (id) => changeMember(ctx.team, id, { role: input.role })),
    ),

  removeMany: bulkAction.mutation(({ ctx, input }) =>
    forEachSeparately(input.member_ids, (id) => removeMember(ctx.team, id)),
  ),

  setRights: ownerProcedure
    .input(schema.RightsChange)
    .output(schema.TeamMember)
    .mutation(async ({ ctx, input }) => {
      await setRights(ctx.team, input.member_id, input.rights);
      return answer(teamMember(ctx.team, input.member_id));
    }),

  handOver: personProcedure
    .meta({ needs: 'owner', freshProof: true })
    .input(schema.MemberPath)
    .output(Done)
    .mutation(({ ctx, input }) => doneAfter(handOver(ctx.team, input.member_id))),
});
