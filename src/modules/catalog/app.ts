import { z } from 'zod';
import { fail } from '../../core/problem.ts';
import { appRouterOf, operation } from '../../trpc/operation.ts';
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
const whoseChoices = ({ memberId, role }: Person, wanted: string = memberId): string =>
  wanted === memberId || role !== 'member' ? wanted : fail('not_found');

export const catalog = appRouterOf({
  items: operation(
    'query',
    {
      audience: 'person',
      needs: 'admin',
      summary: 'Everything that the team’s admins decide about, in both languages',
      input: z.strictObject({}),
      output: ItemList,
    },
    async ({ ctx }) => ({ items: await listItems(ctx.team) }),
  ),

  createItem: operation(
    'mutation',
    { audience: 'person', needs: 'admin', summary: 'Add an item of the team’s own', input: NewItem, output: Item },
    ({ ctx, input }) => createItem(ctx.team, input),
  ),

  changeItem: operation(
    'mutation',
    {
      audience: 'person',
      needs: 'admin',
      summary: 'Change an item of the team’s own; what is left out stays as it is',
      input: ItemChange,
      output: Item,
    },
    ({ ctx, input }) => changeItem(ctx.team, input),
  ),

  rules: operation(
    'query',
    {
      audience: 'person',
      needs: 'admin',
      summary: 'What a situation goes with: everybody’s rules and the team’s',
      input: SituationPath,
      output: SituationRules,
    },
    ({ ctx, input }) => rulesOf(ctx.team, input.situation_id),
  ),

  setRules: operation(
    'mutation',
    {
      audience: 'person',
      needs: 'admin',
      summary: 'Give a situation exactly these rules of the team’s',
      input: NewSituationRules,
      output: SituationRules,
    },
    ({ ctx, input }) => setRules(ctx.team, input),
  ),

  choices: operation(
    'query',
    {
      audience: 'person',
      needs: 'member',
      summary: 'What a member can practise, and what goes with what; one’s own unless an admin asks for another’s',
      input: ChoicesQuery,
      output: Choices,
    },
    ({ ctx, input }) => choicesOf(ctx.team, whoseChoices(ctx.person, input.member_id), ctx.language),
  ),

  names: operation(
    'query',
    {
      audience: 'person',
      needs: 'member',
      summary: 'What items are called, also those that can no longer be practised',
      input: NamesQuery,
      output: NameList,
    },
    async ({ ctx, input }) => ({ names: await namesOf(ctx.team, input.ids, ctx.language) }),
  ),
});

export const policy = appRouterOf({
  team: operation(
    'query',
    {
      audience: 'person',
      needs: 'admin',
      summary: 'What the team’s policy blocks',
      input: z.strictObject({}),
      output: Policy,
    },
    ({ ctx }) => teamPolicy(ctx.team),
  ),

  setTeam: operation(
    'mutation',
    {
      audience: 'person',
      needs: 'admin',
      summary: 'Block and release for the whole team',
      input: PolicyChange,
      output: Policy,
    },
    ({ ctx, input }) => setTeamPolicy(ctx.team, input),
  ),

  member: operation(
    'query',
    {
      audience: 'person',
      needs: 'admin',
      summary: 'What a member’s own policy blocks on top of the team’s',
      input: MemberPath,
      output: Policy,
    },
    ({ ctx, input }) => memberPolicy(ctx.team, input.member_id),
  ),

  setMember: operation(
    'mutation',
    {
      audience: 'person',
      needs: 'admin',
      summary: 'Block and release for one member',
      input: MemberPolicyChange,
      output: Policy,
    },
    ({ ctx, input: { member_id, ...change } }) => setMemberPolicy(ctx.team, member_id, change),
  ),
});
