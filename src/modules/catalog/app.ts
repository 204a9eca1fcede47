import { z } from 'zod';
import { fail } from '../../core/problem.ts';
import { adminProcedure, memberProcedure, personRouter } from '../../platform/trpc/procedures.ts';
import type { Person } from '../../platform/team.ts';
import {
  Choices,
  ChoicesQuery,
  Item,
  ItemChange,
  ItemList,
  MemberPath,
  MemberPolicyChange,
  NameList,
  NamesQuery,
  NewItem,
  NewSituationRules,
  Policy,
  PolicyChange,
  SituationPath,
  SituationRules,
} from './schema.ts';
import {
  changeItem,
  createItem,
  choicesOf,
  listItems,
  namesOf,
  memberPolicy,
  setMemberPolicy,
  setTeamPolicy,
  teamPolicy,
} from './service.ts';
import { rulesOf, setRules } from './rules.ts';

/** The member whose choices are shown: members see their own, and those who may give assignments see everybody's. */
const whoseChoices = ({ memberId, role }: Person, id: string | null = memberId): string | null =>
  id === memberId || role !== 'member' ? id : fail('not_found');

const policyProcedure = adminProcedure.output(Policy);

export const catalog = personRouter({
  items: adminProcedure
    .input(z.strictObject({}))
    .output(ItemList)
    .query(async ({ ctx }) => ({ items: await listItems(ctx.team) })),

  createItem: adminProcedure
    .input(NewItem)
    .output(Item)
    .mutation(({ ctx, input }) => createItem(ctx.team, input)),

  changeItem: adminProcedure
    .input(ItemChange)
    .output(Item)
    .mutation(({ ctx, input }) => changeItem(ctx.team, input)),

  rules: adminProcedure
    .input(SituationPath)
    .output(SituationRules)
    .query(({ ctx, input }) => rulesOf(ctx.team, input.situation_id)),

  setRules: adminProcedure
    .input(NewSituationRules)
    .output(SituationRules)
    .mutation(({ ctx, input }) => setRules(ctx.team, input)),

  choices: memberProcedure
    .input(ChoicesQuery)
    .output(Choices)
    .query(({ ctx, input }) => choicesOf(ctx.team, whoseChoices(ctx.person, input.member_id), ctx.language)),

  /** What items are called, also those that can no longer be practised. */
  names: memberProcedure
    .input(NamesQuery)
    .output(NameList)
    .query(async ({ ctx, input }) => ({ names: await namesOf(ctx.team, input.ids, ctx.language) })),
});

export const policy = personRouter({
  team: policyProcedure.input(z.strictObject({})).query(({ ctx }) => teamPolicy(ctx.team)),
  setTeam: policyProcedure.input(PolicyChange).mutation(({ ctx, input }) => setTeamPolicy(ctx.team, input)),
  member: policyProcedure.input(MemberPath).query(({ ctx, input }) => memberPolicy(ctx.team, input.member_id)),

  setMember: policyProcedure
    .input(MemberPolicyChange)
    .mutation(({ ctx, input: { member_id, ...change } }) => setMemberPolicy(ctx.team, member_id, change)),
});
