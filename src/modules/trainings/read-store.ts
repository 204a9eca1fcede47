import type { Database } from '../../db/database.ts';
import { EvaluationGoal, TrainingSource, TrainingStatus } from '../../db/generated/enums.ts';
import { lookUp } from '../../db/look-up.ts';
import { bigint, float, int, json, listOf, oneOf, query, text, time, uuid } from '../../db/query.ts';
import type { RowOf } from '../../db/query.ts';
import { keysetList, select } from '../../platform/keyset-list.ts';

// The trainings and evaluations that clients read: those of active members.

/** The columns of an answer. */
const columns = {
  id: uuid,
  user_id: uuid,
  status: oneOf('training_status', TrainingStatus),
  source: oneOf('training_source', TrainingSource),
  assignment_id: uuid.orNull,
  created_at: time,
  finished_at: time.orNull,
  duration_s: int.orNull,
  external_ref: text.orNull,
  situation_id: uuid.orNull,
  personality_id: uuid.orNull,
  industry_id: uuid.orNull,
  role_id: uuid.orNull,
  updated_at: time,
} as const;

export type TrainingRow = RowOf<typeof columns>;

const training = query({
  name: 'trainings.byId',
  why: 'reads the columns of the lists, in the form of answers',
  sql: `select ${select(columns, {}, 't')}
          from training t where t.tenant_id = :tenantId and t.id = :id and t.listed`,
  parameters: { tenantId: uuid, id: uuid },
  row: columns,
});

/** A training of an active member. */
export const readTraining = async (database: Database, tenantId: string, id: string) =>
  (await database.run(training, { tenantId, id }))[0];

const why = 'Prisma takes several times the CPU for a page';

/**
 * The status is part of the statement. As a parameter it would be planned for an average status, and a search for the few running
 * trainings would read all scored ones.
 */
const listIn = (status?: TrainingStatus) =>
  keysetList({
    name: status === undefined ? 'trainings.list' : `trainings.list ${status}`,
    why,
    cursor: status === undefined ? 'trainings' : `trainings status=${status}`,
    columns,
    table: 't',
    order: [
      ['t.created_at', 'created_at'],
      ['t.id', 'id'],
    ],
    direction: 'desc',
    sql: ({ columns: selected, conditions, limit }) =>
      `select ${selected} from training t
        where t.tenant_id = :tenantId and t.listed ${status === undefined ? '' : `and t.status = '${status}'`} ${conditions}
        order by t.created_at desc, t.id desc limit ${limit}`,
    filters: {
      user_id: { sql: 't.user_id = :user_id', type: uuid, isId: true },
      assignment_id: { sql: 't.assignment_id = :assignment_id', type: uuid, isId: true },
      since: { sql: 't.created_at >= :since', type: time },
    },
  });

export const trainingList = listIn();
export const trainingListIn = {
  running: listIn('running'),
  ended: listIn('ended'),
  scored: listIn('scored'),
  aborted: listIn('aborted'),
} satisfies Record<TrainingStatus, typeof trainingList>;

/** Scored trainings, the last evaluated first. */
export const evaluatedList = keysetList({
  name: 'trainings.listEvaluated',
  why,
  cursor: 'evaluations',
  columns: { ...columns, evaluated_at: time.checked },
  table: 't',
  order: [
    ['t.evaluated_at', 'evaluated_at'],
    ['t.id', 'id'],
  ],
  direction: 'desc',
  sql: ({ columns: selected, conditions, limit }) =>
    `select ${selected} from training t
      where t.tenant_id = :tenantId and t.listed and t.evaluated_at is not null ${conditions}
      order by t.evaluated_at desc, t.id desc limit ${limit}`,
  filters: { updated_since: { sql: 't.evaluated_at >= :updated_since', type: time } },
});

const evaluationRow = {
  training_id: uuid,
  user_id: uuid,
  closing: int,
  conversation_control: int,
  needs_analysis: int,
  objection_handling: int,
  value_argument: int,
  total: int.orNull,
  spread: float.orNull,
  tips: json,
  goal: oneOf('evaluation_goal', EvaluationGoal).orNull,
  methodology: uuid.orNull,
  strongest: text.orNull,
  biggest_lever: text.orNull,
} as const;

/** The evaluation of a training. */
export const readEvaluation = lookUp({
  name: 'trainings.evaluationOf',
  why: 'shares its statement with other reads of the same turn: GET …/evaluation costs a quarter more CPU through Prisma',
  sql: `select ${select(evaluationRow, { user_id: 't.user_id', methodology: 'e.methodology_id' }, 'e')}, e.tenant_id
          from training t join evaluation e on e.tenant_id = t.tenant_id and e.training_id = t.id
         where t.tenant_id = wanted.tenant_id and t.id = wanted.id and t.listed`,
  row: evaluationRow,
});

const ofAssignments = query({
  name: 'trainings.ofAssignments',
  why: 'reads a limited number of trainings of each assignment',
  sql: `select t.assignment_id, t.id
          from unnest(:assignmentIds::uuid[]) as a (id)
         cross join lateral (
           select assignment_id, id, created_at from training
            where tenant_id = :tenantId and assignment_id = a.id and listed
            order by created_at desc, id desc limit :most) as t
         order by t.created_at desc, t.id desc`,
  parameters: { tenantId: uuid, assignmentIds: listOf(uuid), most: bigint },
  row: { assignment_id: uuid.checked, id: uuid },
});

/** The newest trainings of each of these assignments. */
export const trainingsOfAssignments = (
  database: Database,
  tenantId: string,
  { assignmentIds, most }: { assignmentIds: string[]; most: number },
) => database.run(ofAssignments, { tenantId, assignmentIds, most });

export type EvaluationRow = RowOf<typeof evaluationRow>;
