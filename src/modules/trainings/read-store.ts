import type { Database } from '../../db/database.ts';
import { EvaluationGoal, TrainingSource, TrainingStatus } from '../../db/generated/enums.ts';
import { batchedRead } from '../../db/batched-read.ts';
import { bigint, float, int, json, listOf, oneOf, query, text, time, uuid, type RowOf } from '../../db/query.ts';
import { keysetList } from '../../platform/keyset-list.ts';
import { select, type ListFilter } from '../../platform/keyset-statements.ts';

// The trainings and evaluations that clients read: those of active members.

/** The columns that the API shows of a training. */
export const columns = {
  id: uuid,
  userId: uuid,
  status: oneOf('training_status', TrainingStatus),
  source: oneOf('training_source', TrainingSource),
  assignmentId: uuid.orNull,
  createdAt: time,
  finishedAt: time.orNull,
  durationS: int.orNull,
  externalRef: text.orNull,
  situationId: uuid.orNull,
  personalityId: uuid.orNull,
  industryId: uuid.orNull,
  roleId: uuid.orNull,
  updatedAt: time,
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

// A list with evaluations reads them in the same statement as the trainings of the page. The columns of a missing
// evaluation are null.

/** The scores of the evaluation `e` of a training, which may have none. */
export const scores = {
  closing: int.orNull,
  conversationControl: int.orNull,
  needsAnalysis: int.orNull,
  objectionHandling: int.orNull,
  valueArgument: int.orNull,
  total: int.orNull,
} as const;
export const scoreExpressions = {
  closing: 'e.closing',
  conversationControl: 'e.conversation_control',
  needsAnalysis: 'e.needs_analysis',
  objectionHandling: 'e.objection_handling',
  valueArgument: 'e.value_argument',
  total: 'e.total',
} as const;

const evaluationColumns = {
  columns: {
    ...scores,
    spread: float.orNull,
    goal: oneOf('evaluation_goal', EvaluationGoal).orNull,
    methodology: uuid.orNull,
  },
  expressions: {
    ...scoreExpressions,
    spread: 'e.spread',
    goal: 'e.goal',
    methodology: 'e.methodology_id',
    tips: 'e.tips',
    strongest: 'e.strongest',
    biggestLever: 'e.biggest_lever',
  },
  bulk: {
    columns: { tips: json.orNull, strongest: text.orNull, biggestLever: text.orNull },
    bytes: `(coalesce(octet_length(t.external_ref), 0) + coalesce(e.bytes + ${evaluationOverhead}, 0))`,
  },
} as const;

/**
 * The limit makes PostgreSQL look up the evaluation of each row of the page, instead of reading the evaluations of the
 * whole team.
 */
const withEvaluation = `training t left join lateral (
  select * from evaluation where tenant_id = :tenantId and training_id = t.id limit 1) e on true`;

interface TrainingList<Shown, Name extends string> {
  name: string;
  cursor: string;
  columns: Shown;
  /** The column by which the list is ordered, before the id. */
  by: string & keyof Shown;
  direction: 'asc' | 'desc';
  where: string;
  filters: Readonly<Record<Name, ListFilter>>;
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

/**
 * SQL: before a time. It compares rows of values, because PostgreSQL takes two comparisons of one column for a short
 * range, and would walk this range instead of reading the few trainings of an assignment.
 */
const before = (column: string): string => `(${column}, t.id) < (:until, '00000000-0000-0000-0000-000000000000')`;

const filters = {
  userId: { sql: 't.user_id = :userId', type: uuid, isId: true },
  assignmentId: { sql: 't.assignment_id = :assignmentId', type: uuid, isId: true },
  since: { sql: 't.created_at >= :since', type: time },
  until: { sql: before('t.created_at'), type: time },
} as const;

/**
 * The lists of all trainings and of each status. The status is part of the statement: as a parameter it would be
 * planned for an average status, and a search for the few running trainings would read all scored ones.
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

/** Trainings, the last started first. */
export const trainingLists = byStatus({
  name: 'trainings.list',
  cursor: 'trainings',
  by: 'createdAt',
  direction: 'desc',
  filters: { ...filters, until: { ...filters.until, impliedByPosition: true } },
});

/** Trainings that changed since a time, in the order of their changes. */
export const trainingChanges = byStatus({
  name: 'trainings.changes',
  cursor: 'changed trainings',
  by: 'updatedAt',
  direction: 'asc',
  filters: { updatedSince: { sql: 't.updated_at >= :updatedSince', type: time, always: true }, ...filters },
});

/** Scored trainings, the last evaluated first. The filters by time compare when the evaluation was last saved. */
export const evaluatedLists = bothLists({
  name: 'trainings.listEvaluated',
  cursor: 'evaluations',
  columns: { ...columns, evaluatedAt: time.checked },
  by: 'evaluatedAt',
  direction: 'desc',
  where: 'and t.evaluated_at is not null',
  filters: {
    userId: filters.userId,
    assignmentId: filters.assignmentId,
    since: { sql: 't.evaluated_at >= :since', type: time },
    until: { sql: before('t.evaluated_at'), type: time, impliedByPosition: true },
    updatedSince: { sql: 't.evaluated_at >= :updatedSince', type: time },
  },
});

const evaluationRow = {
  trainingId: uuid,
  userId: uuid,
  closing: int,
  conversationControl: int,
  needsAnalysis: int,
  objectionHandling: int,
  valueArgument: int,
  total: int.orNull,
  spread: float.orNull,
  tips: json,
  goal: oneOf('evaluation_goal', EvaluationGoal).orNull,
  methodology: uuid.orNull,
  strongest: text.orNull,
  biggestLever: text.orNull,
} as const;

export const readEvaluation = batchedRead({
  name: 'trainings.evaluationOf',
  why: 'shares its statement with other reads of the same turn: Prisma costs GET …/evaluation a quarter more CPU',
  sql: (tenantId) =>
    `select ${select(evaluationRow, { userId: 't.user_id', methodology: 'e.methodology_id' }, 'e')}, e.tenant_id
       from training t join evaluation e on e.tenant_id = t.tenant_id and e.training_id = t.id
      where t.tenant_id = ${tenantId} and t.id = wanted.id and t.listed`,
  row: evaluationRow,
});

const ofAssignments = query({
  name: 'trainings.ofAssignments',
  why: 'reads a limited number of trainings of each assignment',
  sql: `select t.assignment_id as "assignmentId", t.id
          from unnest(:assignmentIds::uuid[]) as a (id)
         cross join lateral (
           select assignment_id, id, created_at from training
            where tenant_id = :tenantId and assignment_id = a.id and listed
            order by created_at desc, id desc limit :max) as t
         order by t.created_at desc, t.id desc`,
  parameters: { tenantId: uuid, assignmentIds: listOf(uuid), max: bigint },
  row: { assignmentId: uuid.checked, id: uuid },
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
