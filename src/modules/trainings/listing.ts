import { isId } from '../../core/ids.ts';
import { fail } from '../../core/problem.ts';
import { rawOf } from '../../core/json.ts';
import type { Page } from '../../platform/paging.ts';
import type { Team } from '../../platform/team.ts';
import * as schema from './schema.ts';
import {
  evaluatedLists,
  readEvaluation,
  readTraining,
  trainingChanges,
  trainingLists,
  type EvaluationRow,
  type TrainingRow,
  type TrainingWithEvaluationRow,
} from './read-store.ts';

const present = (row: TrainingRow): schema.Training => ({ ...row, external_ref: rawOf(row.external_ref) });

const presentEvaluation = (row: EvaluationRow): schema.Evaluation => ({
  training_id: row.training_id,
  user_id: row.user_id,
  score: {
    dimensions: {
      closing: row.closing,
      conversation_control: row.conversation_control,
      needs_analysis: row.needs_analysis,
      objection_handling: row.objection_handling,
      value_argument: row.value_argument,
    },
    total: row.total,
    spread: row.spread,
  },
  tips: schema.Evaluation.shape.tips.parse(row.tips),
  goal: row.goal,
  methodology: row.methodology,
  strongest: row.strongest,
  biggest_lever: row.biggest_lever,
});

/** The evaluation in a row of a list with evaluations. The five scores are null only together: there is none yet. */
const evaluationIn = (row: TrainingWithEvaluationRow): schema.Evaluation | null => {
  const { closing, conversation_control, needs_analysis, objection_handling, value_argument } = row;
  if (closing === null || conversation_control === null || needs_analysis === null) return null;
  if (objection_handling === null || value_argument === null) return null;
  const dimensions = { closing, conversation_control, needs_analysis, objection_handling, value_argument };
  return presentEvaluation({ ...row, ...dimensions, training_id: row.id });
};

const presentWithEvaluation = (row: TrainingWithEvaluationRow): schema.ListedTraining => ({
  ...present(row),
  evaluation: evaluationIn(row),
});

const presentAll = <Row>({ data, next_cursor }: Page<Row>, presentOne: (row: Row) => schema.ListedTraining) => ({
  data: data.map(presentOne),
  next_cursor,
});

/** Trainings of active members: the last started first, or those that changed since a time, in the order of their changes. */
export const listTrainings = async (
  team: Team,
  { status, since, updated_since, include, ...query }: schema.TrainingQuery,
): Promise<Page<schema.ListedTraining>> => {
  const { user_id, assignment_id } = query;
  const filters = { user_id, assignment_id, since: since?.toISOString(), updated_since: updated_since?.toISOString() };
  const { plain, withEvaluations } = (updated_since ? trainingChanges : trainingLists)[status ?? 'all'];
  return include === 'evaluation'
    ? presentAll(await withEvaluations(team, query, filters), presentWithEvaluation)
    : presentAll(await plain(team, query, filters), present);
};

/** Scored trainings of active members, the last evaluated first: a corrected evaluation comes to the front again. */
export const listEvaluated = async (
  team: Team,
  { updated_since, include, ...query }: schema.EvaluationQuery,
): Promise<Page<schema.ListedTraining>> => {
  const { plain, withEvaluations } = evaluatedLists;
  const filters = { updated_since: updated_since?.toISOString() };
  return include === 'evaluation'
    ? presentAll(await withEvaluations(team, query, filters), presentWithEvaluation)
    : presentAll(await plain(team, query, filters), present);
};

/** A training of an active member. */
export const getTraining = async ({ id: tenantId, platform }: Team, id: string): Promise<schema.Training> => {
  const row = isId(id) ? await readTraining(platform.database, tenantId, id) : undefined;
  return present(row ?? fail('not_found'));
};

/** Refuses a training or evaluation of another user as not found. */
const ownOnly = <Found extends { user_id: string }>(found: Found, userId: string): Found =>
  found.user_id === userId ? found : fail('not_found');

/** A user's own training. */
export const getOwnTraining = async (team: Team, userId: string, id: string): Promise<schema.Training> =>
  ownOnly(await getTraining(team, id), userId);

/** The evaluation of an active member's training; not found before there is one. */
export const getEvaluation = async (
  { id: tenantId, platform }: Team,
  trainingId: string,
): Promise<schema.Evaluation> => {
  const row = isId(trainingId) ? await readEvaluation(platform.database, tenantId, trainingId) : undefined;
  return presentEvaluation(row ?? fail('not_found'));
};

/** The evaluation of a user's own training. */
export const getOwnEvaluation = async (team: Team, userId: string, trainingId: string): Promise<schema.Evaluation> =>
  ownOnly(await getEvaluation(team, trainingId), userId);
