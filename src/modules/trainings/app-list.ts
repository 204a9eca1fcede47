import { seesOthers } from '../../core/privacy.ts';
import { fail } from '../../core/problem.ts';
import type { Camel } from '../../core/spelling.ts';
import type { ListCount, Page } from '../../platform/paging.ts';
import type { Person, Team } from '../../platform/team.ts';
import { appLists, type AppTrainingRow } from './app-list-store.ts';
import type * as schema from './schema.ts';

type AppTraining = Camel<schema.AppTraining>;
type AppTrainingFilters = Camel<schema.AppTrainingFilters>;
type AppTrainingQuery = Camel<schema.AppTrainingQuery>;

const present = ({
  total,
  closing,
  conversationControl,
  needsAnalysis,
  objectionHandling,
  valueArgument,
  ...row
}: AppTrainingRow): AppTraining => {
  // The scores of the dimensions are either all null or all numbers. If they are null, there is no evaluation yet.
  if (closing === null || conversationControl === null || needsAnalysis === null) return { ...row, score: null };
  if (objectionHandling === null || valueArgument === null) return { ...row, score: null };
  const dimensions = { closing, conversationControl, needsAnalysis, objectionHandling, valueArgument };
  return { ...row, score: { total, dimensions } };
};

const valuesOf = ({ since, until, ...values }: Omit<AppTrainingFilters, 'status'>) => ({
  ...values,
  since: since?.toISOString(),
  until: until?.toISOString(),
});

/** Refuses other people's trainings to those who may not see them. */
const requireOthers = (team: Team, person: Person): void => {
  if (!seesOthers(person, team.privacy)) fail('privacy_restricted');
};

/** A page of active members' trainings: the latest start first, unless the query has a `sort`. */
const listOf = async (
  team: Team,
  { status, sort, cursor, limit, ...wanted }: AppTrainingQuery,
): Promise<Page<AppTraining>> => {
  const { by, desc } = sort ?? { by: 'started', desc: true };
  const direction = desc ? 'desc' : 'asc';
  const query = { cursor, limit };
  const values = valuesOf(wanted);
  const page =
    by === 'score'
      ? await appLists.score[direction](team, query, { ...values, status })
      : await appLists.started[direction][status ?? 'all'](team, query, values);
  return { ...page, data: page.data.map(present) };
};

const countOf = (team: Team, { status, ...wanted }: AppTrainingFilters): Promise<ListCount> =>
  appLists.started.desc[status ?? 'all'].count(team, valuesOf(wanted));

export const listAppTrainings = (team: Team, person: Person, query: AppTrainingQuery): Promise<Page<AppTraining>> => {
  requireOthers(team, person);
  return listOf(team, query);
};

export const countAppTrainings = (team: Team, person: Person, query: AppTrainingFilters): Promise<ListCount> => {
  requireOthers(team, person);
  return countOf(team, query);
};

/** A member's own trainings. Members see these even if the team hides member details. */
export const listOwnTrainings = (team: Team, { userId }: Person, query: AppTrainingQuery): Promise<Page<AppTraining>> =>
  listOf(team, { ...query, userId: userId });

export const countOwnTrainings = (team: Team, { userId }: Person, query: AppTrainingFilters): Promise<ListCount> =>
  countOf(team, { ...query, userId: userId });
