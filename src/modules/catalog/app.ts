import { z } from 'zod';
import { fail } from '../../core/problem.ts';
import { answer, toCamel } from '../../core/spelling.ts';
import { adminProcedure, memberProcedure, personRouter } from '../../platform/trpc/procedures.ts';
import type { Person } from '../../platform/team.ts';
import * as schema from './schema.ts';
import * as service from './service.ts';
import { rulesOf, setRules } from './rules.ts';

/**
 * The member whose choices are shown: members see their own; the owner and admins see everybody's, and those of the
 * whole team (null).
 */
const whoseChoices = ({ memberId, role }: Person, id: string | null = memberId): string | null =>
  id === memberId || role !== 'member' ? id : fail('not_found');

const policyProcedure = adminProcedure.output(schema.Policy);

export const catalog = personRouter({
  items: adminProcedure
    .input(z.strictObject({}))
    .output(schema.ManagedItems)
    .query(async ({ ctx }) => ({ items: await service.listItems(ctx.team) })),

  createItem: adminProcedure
    .input(schema.NewItem)
    .output(schema.ManagedItem)
    .mutation(({ ctx, input }) => service.createItem(ctx.team, input)),

  changeItem: adminProcedure
    .input(schema.ItemChange)
    .output(schema.ManagedItem)
    .mutation(({ ctx, input }) => service.changeItem(ctx.team, toCamel(input))),

  rules: adminProcedure
    .input(schema.SituationPath)
    .output(schema.SituationRules)
    .query(({ ctx, input }) => answer(rulesOf(ctx.team, input.situation_id))),

  setRules: adminProcedure
    .input(schema.NewSituationRules)
    .output(schema.SituationRules)
    .mutation(({ ctx, input }) => answer(setRules(ctx.team, toCamel(input)))),

  choices: memberProcedure
    .input(schema.ChoicesQuery)
    .output(schema.Choices)
    .query(({ ctx, input }) =>
      answer(service.choicesOf(ctx.team, whoseChoices(ctx.person, input.member_id), ctx.language)),
    ),

  /** The names of items, including those that can no longer be practised. */
  names: memberProcedure
    .input(schema.NamesQuery)
    .output(schema.NameList)
    .query(async ({ ctx, input }) => ({ names: await service.namesOf(ctx.team, input.ids, ctx.language) })),
});

export const policy = personRouter({
  team: policyProcedure.input(z.strictObject({})).query(({ ctx }) => service.teamPolicy(ctx.team)),
  setTeam: policyProcedure
    .input(schema.PolicyChange)
    .mutation(({ ctx, input }) => service.setTeamPolicy(ctx.team, input)),
  member: policyProcedure
    .input(schema.MemberPath)
    .query(({ ctx, input }) => service.memberPolicy(ctx.team, input.member_id)),

  setMember: policyProcedure
    .input(schema.MemberPolicyChange)
    .mutation(({ ctx, input: { member_id, ...change } }) => service.setMemberPolicy(ctx.team, member_id, change)),
});
