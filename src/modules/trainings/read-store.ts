import type { Database } from '../../db/database.ts';
import { EvaluationGoal, TrainingSource, TrainingStatus } from '../../db/generated/enums.ts';
import { batchedRead } from '../../db/batched-read.ts';
import { bigint, float, int, json, listOf, oneOf, query, text, time, uuid, type RowOf } from '../../db/query.ts';
import { keysetList, select, type Filter } from '../../platform/keyset-list.ts';

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

/** The size of an evaluation in an answer without its texts: the points, ids, and the names of all fields. */
const evaluationOverhead = 400;

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

// Lists with evaluations join them to the rows of the page, in the same statement: null where a training has none.

const evaluationColumns = {
  columns: {
    closing: int.orNull,
    conversation_control: int.orNull,
    needs_analysis: int.orNull,
    objection_handling: int.orNull,
    value_argument: int.orNull,
    total: int.orNull,
    spread: float.orNull,
    goal: oneOf('evaluation_goal', EvaluationGoal).orNull,
    methodology: uuid.orNull,
  },
  expressions: {
    closing: 'e.closing',
    conversation_control: 'e.conversation_control',
    needs_analysis: 'e.needs_analysis',
    objection_handling: 'e.objection_handling',
    value_argument: 'e.value_argument',
    total: 'e.total',
    spread: 'e.spread',
    goal: 'e.goal',
    methodology: 'e.methodology_id',
    tips: 'e.tips',
    strongest: 'e.strongest',
    biggest_lever: 'e.biggest_lever',
  },
  bulk: {
    columns: { tips: json.orNull, strongest: text.orNull, biggest_lever: text.orNull },
    bytes: `(coalesce(octet_length(t.external_ref), 0) + coalesce(e.bytes + ${evaluationOverhead}, 0))`,
  },
} as const;

/** The limit makes PostgreSQL look up the evaluation of each row of the page, instead of reading the evaluations of the whole team. */
const withEvaluation = `training t left join lateral (
  select * from evaluation where tenant_id = t.tenant_id and training_id = t.id limit 1) e on true`;

interface TrainingList<Shown, Name extends string> {
  name: string;
  cursor: string;
  columns: Shown;
  /** The column that orders the list, before the id. */
  by: string & keyof Shown;
  direction: 'asc' | 'desc';
  where: string;
  filters: Readonly<Record<Name, Filter>>;
}

/** A list of trainings, alone and with their evaluations. */
const bothLists = <const Shown extends typeof columns, const Name extends string>({
  name,
  by,
  where,
  ...list
}: TrainingList<Shown, Name>) => {
  const common = { ...list, why, table: 't', where: `t.listed ${where}`, order: [by, 'id'] } as const;
  return {
    plain: keysetList({ ...common, name, from: 'training t' }),
    withEvaluations: keysetList({
      ...common,
      ...evaluationColumns,
      name: `${name} with evaluations`,
      columns: { ...list.columns, ...evaluationColumns.columns },
      from: withEvaluation,
    }),
  };
};

const filters = {
  user_id: { sql: 't.user_id = :user_id', type: uuid, isId: true },
  assignment_id: { sql: 't.assignment_id = :assignment_id', type: uuid, isId: true },
  since: { sql: 't.created_at >= :since', type: time },
} as const;

/**
 * The lists of all trainings and of each status. The status is part of the statement: as a parameter it would be planned for an average
 * status, and a search for the few running trainings would read all scored ones.
 */
const byStatus = <const Name extends string>({
  name,
  cursor,
  ...list
}: Omit<TrainingList<typeof columns, Name>, 'columns' | 'where'>) => {
  const lists = { ...list, columns };
  const inStatus = (status: TrainingStatus) =>
    bothLists({
      ...lists,
      name: `${name} ${status}`,
      cursor: `${cursor} status=${status}`,
      where: `and t.status = '${status}'`,
    });
  return {
    all: bothLists({ ...lists, name, cursor, where: '' }),
    running: inStatus('running'),
    ended: inStatus('ended'),
    scored: inStatus('scored'),
    aborted: inStatus('aborted'),
  };
};

/** The newest first. */
export const trainingLists = byStatus({
  name: 'trainings.list',
  cursor: 'trainings',
  by: 'created_at',
  direction: 'desc',
  filters,
});

/** Trainings that changed since a time, in the order of their changes. */
export const trainingChanges = byStatus({
  name: 'trainings.changes',
  cursor: 'changed trainings',
  by: 'updated_at',
  direction: 'asc',
  filters: { updated_since: { sql: 't.updated_at >= :updated_since', type: time, always: true }, ...filters },
});

/** Scored trainings, the last evaluated first. */
export const evaluatedLists = bothLists({
  name: 'trainings.listEvaluated',
  cursor: 'evaluations',
  columns: { ...columns, evaluated_at: time.checked },
  by: 'evaluated_at',
  direction: 'desc',
  where: 'and t.evaluated_at is not null',
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
export const readEvaluation = batchedRead({
  name: 'trainings.evaluationOf',
  why: 'shares its statement with other reads of the same turn: GET …/evaluation costs a quarter more CPU through Prisma',
  sql: (tenantId) =>
    `select ${select(evaluationRow, { user_id: 't.user_id', methodology: 'e.methodology_id' }, 'e')}, e.tenant_id
       from training t join evaluation e on e.tenant_id = t.tenant_id and e.training_id = t.id
      where t.tenant_id = ${tenantId} and t.id = wanted.id and t.listed`,
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
            order by created_at desc, id desc limit :max) as t
         order by t.created_at desc, t.id desc`,
  parameters: { tenantId: uuid, assignmentIds: listOf(uuid), max: bigint },
  row: { assignment_id: uuid.checked, id: uuid },
});

/** The newest trainings of each of these assignments. */
export const trainingsOfAssignments = (
  database: Database,
  tenantId: string,
  { assignmentIds, max }: { assignmentIds: string[]; max: number },
) => database.run(ofAssignments, { tenantId, assignmentIds, max });

export type EvaluationRow = RowOf<typeof evaluationRow>;
export type TrainingWithEvaluationRow = TrainingRow &
  RowOf<typeof evaluationColumns.columns> &
  RowOf<typeof evaluationColumns.bulk.columns>;
