import { isId } from '../../core/ids.ts';
import { fail } from '../../core/problem.ts';
import { rawOf } from '../../core/json.ts';
import type { Page } from '../../platform/paging.ts';
import type { Camel } from '../../core/spelling.ts';
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

type Training = Camel<schema.Training>;
type ListedTraining = Camel<schema.ListedTraining>;
type Evaluation = Camel<schema.Evaluation>;

const present = (row: TrainingRow): Training => ({ ...row, externalRef: rawOf(row.externalRef) });

const presentEvaluation = (row: EvaluationRow): Evaluation => ({
  trainingId: row.trainingId,
  userId: row.userId,
  score: {
    dimensions: {
      closing: row.closing,
      conversationControl: row.conversationControl,
      needsAnalysis: row.needsAnalysis,
      objectionHandling: row.objectionHandling,
      valueArgument: row.valueArgument,
    },
    total: row.total,
    spread: row.spread,
  },
  tips: schema.Evaluation.shape.tips.parse(row.tips),
  goal: row.goal,
  methodology: row.methodology,
  strongest: row.strongest,
  biggestLever: row.biggestLever,
});

/**
 * The evaluation in a row of a list with evaluations. The five scores are either all null or all numbers. If they are
 * null, there is no evaluation yet.
 */
const evaluationIn = (row: TrainingWithEvaluationRow): Evaluation | null => {
  const { closing, conversationControl, needsAnalysis, objectionHandling, valueArgument } = row;
  if (closing === null || conversationControl === null || needsAnalysis === null) return null;
  if (objectionHandling === null || valueArgument === null) return null;
  const dimensions = { closing, conversationControl, needsAnalysis, objectionHandling, valueArgument };
  return presentEvaluation({ ...row, ...dimensions, trainingId: row.id });
};

const presentWithEvaluation = (row: TrainingWithEvaluationRow): ListedTraining => ({
  ...present(row),
  evaluation: evaluationIn(row),
});

const presentAll = <Row>({ data, nextCursor }: Page<Row>, presentOne: (row: Row) => ListedTraining) => ({
  data: data.map(presentOne),
  nextCursor,
});

/** The filters that the lists of all trainings and of scored trainings have. */
const filtersIn = ({ userId, assignmentId, since, until, updatedSince }: Camel<schema.EvaluationQuery>) => ({
  userId,
  assignmentId,
  since: since?.toISOString(),
  until: until?.toISOString(),
  updatedSince: updatedSince?.toISOString(),
});

/**
 * Trainings of active members: the last started first, or those that changed since a time, in the order of their
 * changes.
 */
export const listTrainings = async (
  team: Team,
  { status, include, ...query }: Camel<schema.TrainingQuery>,
): Promise<Page<ListedTraining>> => {
  const filters = filtersIn(query);
  const { plain, withEvaluations } = (query.updatedSince ? trainingChanges : trainingLists)[status ?? 'all'];
  return include === 'evaluation'
    ? presentAll(await withEvaluations(team, query, filters), presentWithEvaluation)
    : presentAll(await plain(team, query, filters), present);
};

/**
 * Scored trainings of active members, the last evaluated first: a training moves to the front again when its evaluation
 * is corrected.
 */
export const listEvaluated = async (
  team: Team,
  { include, ...query }: Camel<schema.EvaluationQuery>,
): Promise<Page<ListedTraining>> => {
  const { plain, withEvaluations } = evaluatedLists;
  const filters = filtersIn(query);
  return include === 'evaluation'
    ? presentAll(await withEvaluations(team, query, filters), presentWithEvaluation)
    : presentAll(await plain(team, query, filters), present);
};

/** A training of an active member. */
export const getTraining = async ({ id: tenantId, platform }: Team, id: string): Promise<Training> => {
  const row = isId(id) ? await readTraining(platform.database, tenantId, id) : undefined;
  return present(row ?? fail('not_found'));
};

/** Refuses a training or evaluation of another user as not found. */
const ownOnly = <Found extends { userId: string }>(found: Found, userId: string): Found =>
  found.userId === userId ? found : fail('not_found');

export const getOwnTraining = async (team: Team, userId: string, id: string): Promise<Training> =>
  ownOnly(await getTraining(team, id), userId);

/** The evaluation of an active member's training; not found before there is one. */
export const getEvaluation = async ({ id: tenantId, platform }: Team, trainingId: string): Promise<Evaluation> => {
  const row = isId(trainingId) ? await readEvaluation(platform.database, tenantId, trainingId) : undefined;
  return presentEvaluation(row ?? fail('not_found'));
};

export const getOwnEvaluation = async (team: Team, userId: string, trainingId: string): Promise<Evaluation> =>
  ownOnly(await getEvaluation(team, trainingId), userId);
