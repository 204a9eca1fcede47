import { useQueries } from '@tanstack/react-query';
import type { Choices, Entry } from '../../../modules/catalog/schema.ts';
import { languageNow } from '../../language/language.tsx';
import { app } from '../../server/server.ts';
import { currentTeam } from '../../session/current-team.ts';

/** What the rules leave of a dimension for a situation. */
const goingWith = (choices: Choices, situation: string, dimension: 'personality' | 'industry'): Entry[] => {
  const rule = choices.rules.find((rule) => rule.situation_id === situation && rule.dimension === dimension);
  if (!rule) return choices[dimension];
  const { only, never } = rule;
  return choices[dimension].filter(({ id }) => (only === null || only.includes(id)) && !never.includes(id));
};

const inAll = ([first = [], ...others]: readonly Entry[][]): Entry[] =>
  first.filter(({ id }) => others.every((entries) => entries.some((entry) => entry.id === id)));

/** What every one of some members may be given: what all their policies leave. */
export const useOffer = (memberIds: readonly string[]) => {
  const answers = useQueries({
    queries: memberIds.map((member_id) => ({
      queryKey: ['app', 'catalog.choices', languageNow(), currentTeam(), { member_id }],
      queryFn: ({ signal }: { signal: AbortSignal }) => app.ask('catalog.choices', { member_id }, signal),
    })),
  });
  const choices = answers.flatMap(({ data }) => (data ? [data] : []));
  return {
    error: answers.find(({ error }) => error !== null)?.error,
    isReady: memberIds.length > 0 && choices.length === memberIds.length,
    situations: inAll(choices.map(({ situation }) => situation)),
    goingWith: (situation: string, dimension: 'personality' | 'industry') =>
      inAll(choices.map((choice) => goingWith(choice, situation, dimension))),
  };
};
