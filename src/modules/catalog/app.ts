import { z } from 'zod';
import { fail } from '../../core/problem.ts';
import { personProcedure, personRouter } from '../../platform/trpc/procedures.ts';
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
const whoseChoices = ({ memberId, role }: Person, wanted: string | null = memberId): string | null =>
  wanted === memberId || role !== 'member' ? wanted : fail('not_found');

export const catalog = personRouter({
  items: personProcedure
    .meta({ needs: 'admin', summary: 'Everything that the team’s admins decide about, in both languages' })
    .input(z.strictObject({}))
    .output(ItemList)
    .query(async ({ ctx }) => ({ items: await listItems(ctx.team) })),

  createItem: personProcedure
    .meta({ needs: 'admin', summary: 'Add an item of the team’s own' })
    .input(NewItem)
    .output(Item)
    .mutation(({ ctx, input }) => createItem(ctx.team, input)),

  changeItem: personProcedure
    .meta({ needs: 'admin', summary: 'Change an item of the team’s own; what is left out stays as it is' })
    .input(ItemChange)
    .output(Item)
    .mutation(({ ctx, input }) => changeItem(ctx.team, input)),

  rules: personProcedure
    .meta({ needs: 'admin', summary: 'What a situation goes with: everybody’s rules and the team’s' })
    .input(SituationPath)
    .output(SituationRules)
    .query(({ ctx, input }) => rulesOf(ctx.team, input.situation_id)),

  setRules: personProcedure
    .meta({ needs: 'admin', summary: 'Give a situation exactly these rules of the team’s' })
    .input(NewSituationRules)
    .output(SituationRules)
    .mutation(({ ctx, input }) => setRules(ctx.team, input)),

  choices: personProcedure
    .meta({
      needs: 'member',
      summary: 'What a member can practise, and what goes with what; one’s own unless an admin asks for another’s',
    })
    .input(ChoicesQuery)
    .output(Choices)
    .query(({ ctx, input }) => choicesOf(ctx.team, whoseChoices(ctx.person, input.member_id), ctx.language)),

  names: personProcedure
    .meta({ needs: 'member', summary: 'What items are called, also those that can no longer be practised' })
    .input(NamesQuery)
    .output(NameList)
    .query(async ({ ctx, input }) => ({ names: await namesOf(ctx.team, input.ids, ctx.language) })),
});

export const policy = personRouter({
  team: personProcedure
    .meta({ needs: 'admin', summary: 'What the team’s policy blocks' })
    .input(z.strictObject({}))
    .output(Policy)
    .query(({ ctx }) => teamPolicy(ctx.team)),

  setTeam: personProcedure
    .meta({ needs: 'admin', summary: 'Block and release for the whole team' })
    .input(PolicyChange)
    .output(Policy)
    .mutation(({ ctx, input }) => setTeamPolicy(ctx.team, input)),

  member: personProcedure
    .meta({ needs: 'admin', summary: 'What a member’s own policy blocks on top of the team’s' })
    .input(MemberPath)
    .output(Policy)
    .query(({ ctx, input }) => memberPolicy(ctx.team, input.member_id)),

  setMember: personProcedure
    .meta({ needs: 'admin', summary: 'Block and release for one member' })
    .input(MemberPolicyChange)
    .output(Policy)
    .mutation(({ ctx, input: { member_id, ...change } }) => setMemberPolicy(ctx.team, member_id, change)),
});
