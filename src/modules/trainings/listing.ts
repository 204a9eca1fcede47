import { isId } from '../../core/ids.ts';
import { fail } from '../../core/problem.ts';
import { statement } from '../../db/statement.ts';
import { rawOf } from '../../platform/free-form.ts';
import { isHidden, isHiddenUser, isListed } from '../../platform/listed-sql.ts';
import { newestFirst } from '../../platform/newest-first.ts';
import type { Team } from '../../platform/team.ts';
import { trainingStatuses } from './schema.ts';
import type { Evaluation, Training, TrainingStatus } from './schema.ts';

// The sessions of a user who is not an active member are shown nowhere: reads of one session ask for `isListed`, lists for
// `t.listed` and leave out what is `hidden`.

interface TrainingRow extends Omit<Training, 'created_at' | 'external_ref'> {
  created_at: string;
  /** JSON, as the database writes it. */
  external_ref: string | null;
}

interface ListedRow extends TrainingRow {
  hidden: true | null;
}

const plain = [
  't.id',
  't.user_id',
  't.status',
  't.source',
  't.assignment_id',
  't.created_at',
  't.finished_at',
  't.duration_s',
  't.situation_id',
  't.personality_id',
  't.industry_id',
  't.role_id',
] as const;

const columns = `${plain.join(', ')}, t.external_ref::text`;

/** An `external_ref` may have kilobytes, and 255 kB from before it was limited; few have any. */
const bulk = {
  plain: [...plain, `${isHidden} as hidden`],
  large: { external_ref: { column: 't.external_ref', as: '::text' } },
  bytes: 't.bytes',
};

const present = (row: TrainingRow): Training => ({
  id: row.id,
  user_id: row.user_id,
  status: row.status,
  source: row.source,
  assignment_id: row.assignment_id,
  created_at: row.created_at,
  finished_at: row.finished_at,
  duration_s: row.duration_s,
  external_ref: rawOf(row.external_ref),
  situation_id: row.situation_id,
  personality_id: row.personality_id,
  industry_id: row.industry_id,
  role_id: row.role_id,
});

/**
 * The status stands in the statement itself. As a value it would be planned for the average status, and once nearly all
 * sessions are scored that is a walk through all of them in search of the few that run.
 */
const trainingsIn = (status?: TrainingStatus) =>
  newestFirst<ListedRow, 'created_at', 'user_id' | 'assignment_id' | 'since'>({
    list: status === undefined ? 'trainings' : `trainings status=${status}`,
    order: ['t.created_at', 't.id'],
    at: 'created_at',
    bulk,
    sql: (conditions, selected) =>
      `select ${selected} from training t
        where t.tenant_id = $1 and t.listed ${status === undefined ? '' : `and t.status = '${status}'`} ${conditions}
        order by t.created_at desc, t.id desc limit $2`,
    filters: {
      user_id: { kind: 'id', sql: `t.user_id = ? and not ${isHiddenUser}` },
      assignment_id: { kind: 'id', sql: 't.assignment_id = ?' },
      since: { kind: 'value', sql: 't.created_at >= ?::timestamptz' },
    },
  });

const inAnyStatus = trainingsIn();
const inStatus = new Map(trainingStatuses.map((status) => [status, trainingsIn(status)]));

export interface TrainingFilter {
  user_id?: string | undefined;
  assignment_id?: string | undefined;
  status?: TrainingStatus | undefined;
  since?: Date | undefined;
}

interface PageWanted {
  cursor?: string | undefined;
  limit: number;
}

/** Sessions of active members, the last started first. */
export const listTrainings = async (team: Team, { status, since, ...query }: PageWanted & TrainingFilter) => {
  const list = (status && inStatus.get(status)) ?? inAnyStatus;
  const { user_id, assignment_id } = query;
  const page = await list(team, query, { user_id, assignment_id, since: since?.toISOString() });
  return { ...page, data: page.data.map(present) };
};

interface ScoredRow extends ListedRow {
  evaluated_at: string;
}

const scored = newestFirst<ScoredRow, 'evaluated_at', 'updated_since'>({
  list: 'evaluations',
  order: ['t.evaluated_at', 't.id'],
  at: 'evaluated_at',
  bulk: { ...bulk, plain: [...bulk.plain, 't.evaluated_at'] },
  sql: (conditions, selected) =>
    `select ${selected} from training t
      where t.tenant_id = $1 and t.listed and t.evaluated_at is not null ${conditions}
      order by t.evaluated_at desc, t.id desc limit $2`,
  filters: { updated_since: { kind: 'value', sql: 't.evaluated_at >= ?::timestamptz' } },
});

/** Scored sessions of active members, the last evaluated first: a corrected evaluation comes to the front again. */
export const listEvaluated = async (
  team: Team,
  { updated_since, ...query }: PageWanted & { updated_since?: Date | undefined },
) => {
  const page = await scored(team, query, { updated_since: updated_since?.toISOString() });
  return { ...page, data: page.data.map(present) };
};

const byId = statement<TrainingRow, [tenantId: string, id: string]>(
  `select ${columns} from training t where t.tenant_id = $1 and t.id = $2 and ${isListed}`,
);

/** A session of an active member. */
export const getTraining = async (team: Team, id: string): Promise<Training> => {
  const [row] = isId(id) ? await team.platform.database.rows(byId, team.id, id) : [];
  return present(row ?? fail('not_found'));
};

/** What is a user's own; another's is not found. */
const ownOnly = <Found extends { user_id: string }>(found: Found, userId: string): Found =>
  found.user_id === userId ? found : fail('not_found');

/** A user's own session. */
export const getOwnTraining = async (team: Team, userId: string, id: string): Promise<Training> =>
  ownOnly(await getTraining(team, id), userId);

type EvaluationRow = Pick<
  Evaluation,
  'training_id' | 'user_id' | 'tips' | 'goal' | 'methodology' | 'strongest' | 'biggest_lever'
> &
  Evaluation['score']['dimensions'] &
  Pick<Evaluation['score'], 'total' | 'spread'>;

const evaluationOf = statement<EvaluationRow, [tenantId: string, trainingId: string]>(
  `select e.training_id, t.user_id, e.closing, e.conversation_control, e.needs_analysis, e.objection_handling,
          e.value_argument, e.total, e.spread, e.tips, e.goal, e.methodology_id as methodology, e.strongest, e.biggest_lever
     from training t join evaluation e on e.tenant_id = t.tenant_id and e.training_id = t.id
    where t.tenant_id = $1 and t.id = $2 and ${isListed}`,
);

const presentEvaluation = (row: EvaluationRow): Evaluation => ({
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
  tips: row.tips,
  goal: row.goal,
  methodology: row.methodology,
  strongest: row.strongest,
  biggest_lever: row.biggest_lever,
});

/** How a session of an active member was scored; there is nothing before it was. */
export const getEvaluation = async (team: Team, trainingId: string): Promise<Evaluation> => {
  const [row] = isId(trainingId) ? await team.platform.database.rows(evaluationOf, team.id, trainingId) : [];
  return presentEvaluation(row ?? fail('not_found'));
};

/** How a user's own session was scored. */
export const getOwnEvaluation = async (team: Team, userId: string, trainingId: string): Promise<Evaluation> =>
  ownOnly(await getEvaluation(team, trainingId), userId);
