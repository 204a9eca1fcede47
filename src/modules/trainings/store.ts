import { runIn } from '../../db/database.ts';
import type { Database, Tx } from '../../db/database.ts';
import { EvaluationGoal, TrainingSource, TrainingStatus } from '../../db/generated/enums.ts';
import type { Prisma } from '../../db/generated/client.ts';
import { lookUp } from '../../db/look-up.ts';
import {
  bigint,
  bool,
  float,
  int,
  json,
  jsonb,
  listOf,
  namesOf,
  nothing,
  oneOf,
  query,
  text,
  time,
  uuid,
} from '../../db/query.ts';
import type { ParametersOf, RowOf } from '../../db/query.ts';
import { keysetList, select } from '../../platform/keyset-list.ts';
import { deleteCounted, teamTable } from '../../platform/team-table.ts';

// The tables `training`, `evaluation` and `pending_listing`. Trainings are shown only while their user is an active member: reads of one
// training check `isListed`, and lists check `t.listed` and leave out `hidden` rows.
//
// The column `listed` says whether a training is shown, except for users in `pending_listing`: a job still has to rewrite the column of
// their trainings. `pending_listing` is nearly always empty, so reading it in every statement costs little.

/** SQL: whether the training `t` is shown. Only for statements that read few rows: it can't use an index that begins with `listed`. */
export const isListed = `coalesce(
  (select not p.hidden from pending_listing p where p.tenant_id = t.tenant_id and p.user_id = t.user_id), t.listed)`;

/**
 * SQL, a column of lists: true if the training is still `listed` but its user has left the team, otherwise null. The list drops these rows
 * after reading them; with a condition in the WHERE clause, PostgreSQL would read past all of them to fill a page.
 */
const isHidden = `nullif(
  t.user_id = any (array(select p.user_id from pending_listing p where p.tenant_id = :tenantId and p.hidden)), false)`;

/** SQL: whether all trainings of the user `:user_id` are hidden. Then the statement reads none of them. */
const isHiddenUser = `exists (select from pending_listing p where p.tenant_id = :tenantId and p.user_id = :user_id and p.hidden)`;

// A training's columns are listed here once. Reads, the answer and the export follow from these lists.

const values = {
  id: uuid,
  user_id: uuid,
  status: oneOf('training_status', TrainingStatus),
  source: oneOf('training_source', TrainingSource),
  assignment_id: uuid.orNull,
  duration_s: int.orNull,
  situation_id: uuid.orNull,
  personality_id: uuid.orNull,
  industry_id: uuid.orNull,
  role_id: uuid.orNull,
} as const;
const times = { created_at: time, finished_at: time.orNull } as const;
const small = { ...values, ...times } as const;

/** An `external_ref` has at most 4 KiB, or 255 kB if it was stored before this limit. Most trainings have none. */
const large = { external_ref: text.orNull } as const;
const columns = { ...small, ...large } as const;

export type TrainingRow = RowOf<typeof columns>;

const why = 'free-form JSON has to come as text, or numbers lose digits';

const byId = query({
  name: 'trainings.byId',
  why,
  sql: `select ${select(columns, { external_ref: 't.external_ref::text' }, 't')}
          from training t where t.tenant_id = :tenantId and t.id = :id and ${isListed}`,
  parameters: { tenantId: uuid, id: uuid },
  row: columns,
});

const bulk = { columns: large, casts: { external_ref: '::text' }, bytes: 't.bytes' } as const;
const withHidden = { ...small, hidden: bool.orNull } as const;
const expressions = { hidden: isHidden };

/**
 * The status is part of the statement. As a parameter it would be planned for an average status, and a search for the few running
 * trainings would read all scored ones.
 */
const listIn = (status?: TrainingStatus) =>
  keysetList({
    name: status === undefined ? 'trainings.list' : `trainings.list ${status}`,
    why,
    cursor: status === undefined ? 'trainings' : `trainings status=${status}`,
    columns: withHidden,
    expressions,
    table: 't',
    bulk,
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
      user_id: { sql: `t.user_id = :user_id and not ${isHiddenUser}`, type: uuid, isId: true },
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
  columns: { ...withHidden, evaluated_at: time.checked },
  expressions,
  table: 't',
  bulk,
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

const evaluationOf = lookUp({
  name: 'trainings.evaluationOf',
  why: 'joins the training and checks `pending_listing`, in one round trip; Prisma makes three',
  sql: `select ${select(evaluationRow, { user_id: 't.user_id', methodology: 'e.methodology_id' }, 'e')}
          from training t join evaluation e on e.tenant_id = t.tenant_id and e.training_id = t.id
         where t.tenant_id = wanted.tenant_id and t.id = wanted.id and ${isListed}`,
  row: evaluationRow,
});

export type EvaluationRow = RowOf<typeof evaluationRow>;

const lockedRow = {
  id: uuid,
  user_id: uuid,
  status: oneOf('training_status', TrainingStatus),
  source: oneOf('training_source', TrainingSource),
  assignment_id: uuid.orNull,
  created_at: time,
  evaluated_at: time.orNull,
} as const;

const lock = query({
  name: 'trainings.lock',
  why: 'Prisma has no row locks',
  sql: `select ${select(lockedRow, {}, 't')} from training t
         where t.tenant_id = :tenantId and t.id = :id and ${isListed}
           for no key update of t`,
  parameters: { tenantId: uuid, id: uuid },
  row: lockedRow,
});

const insert = query({
  name: 'trainings.insert',
  why,
  sql: `insert into training (tenant_id, id, user_id, status, source, assignment_id, situation_id, personality_id, industry_id,
                              role_id, external_ref, created_at)
        values (:tenantId, :id, :userId, 'running', :source, :assignmentId, :situationId, :personalityId, :industryId, :roleId,
                :ref::jsonb, :createdAt)
        returning stored_bytes(training)::int as bytes`,
  parameters: {
    tenantId: uuid,
    id: uuid,
    userId: uuid,
    source: oneOf('training_source', TrainingSource),
    assignmentId: uuid.orNull,
    situationId: uuid.orNull,
    personalityId: uuid.orNull,
    industryId: uuid.orNull,
    roleId: uuid.orNull,
    ref: jsonb.orNull,
    createdAt: time,
  },
  row: { bytes: int.checked },
});

const importTrainings = query({
  name: 'trainings.import',
  why: 'inserts thousands of rows as one JSON text; as single values they take five times as long',
  sql: `insert into training (tenant_id, id, user_id, status, source, assignment_id, situation_id, personality_id, industry_id,
                              role_id, external_ref, finished_at, duration_s, evaluated_at, created_at)
        select :tenantId::uuid, past.* from jsonb_to_recordset(:rows::jsonb) as past (
          id uuid, user_id uuid, status training_status, source training_source, assignment_id uuid, situation_id uuid,
          personality_id uuid, industry_id uuid, role_id uuid, external_ref jsonb, finished_at timestamptz, duration_s int,
          evaluated_at timestamptz, created_at timestamptz)`,
  parameters: { tenantId: uuid, rows: jsonb },
  row: {},
});

const importEvaluations = query({
  name: 'trainings.importEvaluations',
  why: 'inserts thousands of rows as one JSON text; as single values they take five times as long',
  sql: `insert into evaluation (tenant_id, training_id, closing, conversation_control, needs_analysis, objection_handling,
                                value_argument, total, spread, goal, tips, methodology_id, strongest, biggest_lever, created_at)
        select :tenantId::uuid, past.* from jsonb_to_recordset(:rows::jsonb) as past (
          training_id uuid, closing smallint, conversation_control smallint, needs_analysis smallint, objection_handling smallint,
          value_argument smallint, total smallint, spread float, goal evaluation_goal, tips jsonb, methodology uuid,
          strongest text, biggest_lever text, created_at timestamptz)`,
  parameters: { tenantId: uuid, rows: jsonb },
  row: {},
});

const importedBytes = query({
  name: 'trainings.importedBytes',
  why: 'computes with a function of the database how much of the storage rows take up',
  sql: `select ((select coalesce(sum(stored_bytes(t)), 0) from training t where tenant_id = :tenantId::uuid and id = any(:ids::uuid[]))
              + (select coalesce(sum(stored_bytes(e)), 0) from evaluation e
                  where tenant_id = :tenantId::uuid and training_id = any(:ids::uuid[])))::float8 as bytes`,
  parameters: { tenantId: uuid, ids: listOf(uuid) },
  row: { bytes: float.checked },
});

const evaluationBytes = query({
  name: 'trainings.evaluationBytes',
  why: 'computes with a function of the database how much of the storage a row takes up',
  sql: `select stored_bytes(e)::int as bytes from evaluation e where tenant_id = :tenantId and training_id = :trainingId`,
  parameters: { tenantId: uuid, trainingId: uuid },
  row: { bytes: int.checked },
});

const scores = query({
  name: 'trainings.scores',
  why: 'joins the evaluation, and checks which trainings are listed',
  sql: `select e.training_id, e.total, e.closing, e.conversation_control, e.needs_analysis, e.objection_handling, e.value_argument
          from training t join evaluation e on e.tenant_id = t.tenant_id and e.training_id = t.id
         where t.tenant_id = :tenantId and t.id = any (:ids::uuid[]) and (:userId::uuid is null or t.user_id = :userId) and ${isListed}`,
  parameters: { tenantId: uuid, ids: listOf(uuid), userId: uuid.orNull },
  row: {
    training_id: uuid,
    total: int.orNull,
    closing: int,
    conversation_control: int,
    needs_analysis: int,
    objection_handling: int,
    value_argument: int,
  },
});

const keyOf = (tenantId: string, id: string) => ({ tenantId_id: { tenantId, id } });

export const trainings = {
  get: async (database: Database, tenantId: string, id: string) => (await database.run(byId, { tenantId, id }))[0],

  evaluation: evaluationOf,

  /** The scores of the trainings with these ids, as far as their users are active members; with `userId` only those of this user. */
  scores: (database: Database, wanted: ParametersOf<(typeof scores)['parameters']>) => database.run(scores, wanted),

  /** Locks a training of an active member until the transaction ends. */
  lock: async (tx: Tx, tenantId: string, id: string) => (await runIn(tx, lock, { tenantId, id }))[0],

  assignmentOf: async (tx: Tx, tenantId: string, id: string) =>
    (await tx.training.findUnique({ where: keyOf(tenantId, id), select: { assignmentId: true } }))?.assignmentId,

  /** The start of the user's `count`-th newest training since a time; undefined if there are fewer. */
  startOfNewest: async (
    tx: Tx,
    { tenantId, userId, since, count }: { tenantId: string; userId: string; since: Date; count: number },
  ) => {
    const [training] = await tx.training.findMany({
      where: { tenantId, userId, listed: true, createdAt: { gt: since } },
      select: { createdAt: true },
      orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
      skip: count - 1,
      take: 1,
    });
    return training?.createdAt;
  },

  /** Inserts a running training and returns its size in the team's storage. */
  insert: async (tx: Tx, row: ParametersOf<(typeof insert)['parameters']>) =>
    (await runIn(tx, insert, row))[0]?.bytes ?? 0,

  update: (tx: Tx, tenantId: string, id: string, data: Prisma.TrainingUncheckedUpdateInput) =>
    tx.training.update({ where: keyOf(tenantId, id), data }),

  /** Detaches the trainings of an assignment from it. */
  detachFromAssignment: (tx: Tx, tenantId: string, assignmentId: string) =>
    tx.training.updateMany({ where: { tenantId, assignmentId }, data: { assignmentId: null } }),

  /**
   * Inserts trainings and their evaluations from JSON lists of rows, and returns their size in the team's storage. `ids` are those of the
   * trainings.
   */
  import: async (tx: Tx, tenantId: string, rows: { ids: string[]; trainings: string; evaluations: string }) => {
    await runIn(tx, importTrainings, { tenantId, rows: rows.trainings });
    await runIn(tx, importEvaluations, { tenantId, rows: rows.evaluations });
    return (await runIn(tx, importedBytes, { tenantId, ids: rows.ids }))[0]?.bytes ?? 0;
  },
};

export const evaluations = {
  /** The size of an evaluation in the team's storage; 0 if there is none. */
  storedBytes: async (tx: Tx, key: { tenantId: string; trainingId: string }) =>
    (await runIn(tx, evaluationBytes, key))[0]?.bytes ?? 0,

  get: (tx: Tx, key: { tenantId: string; trainingId: string }) =>
    tx.evaluation.findUnique({ where: { tenantId_trainingId: key } }),

  put: (
    tx: Tx,
    key: { tenantId: string; trainingId: string },
    saved: Omit<Prisma.EvaluationUncheckedCreateInput, 'tenantId' | 'trainingId' | 'createdAt'>,
    createdAt: Date,
  ) =>
    tx.evaluation.upsert({
      where: { tenantId_trainingId: key },
      create: { ...key, ...saved, createdAt },
      update: saved,
    }),
};

// The newest first, because lists start with them.
const relistSome = query({
  name: 'trainings.relistSome',
  why: 'updates a bounded number of rows',
  sql: `with wrong as (
          select id from training where tenant_id = :tenantId and user_id = :userId and listed = not :listed::boolean
           order by created_at desc, id desc limit :size::int),
        written as (
          update training set listed = :listed from wrong
           where training.tenant_id = :tenantId and training.id = wrong.id returning 1)
        select count(*)::int as count from written`,
  parameters: { tenantId: uuid, userId: uuid, listed: bool, size: int },
  row: { count: int.checked },
});

const addJob = query({
  name: 'trainings.addListingJob',
  why: 'adds a job of graphile-worker',
  sql: 'select add_listing_job(:tenantId, :userId) as added',
  parameters: { tenantId: uuid, userId: uuid },
  row: { added: nothing },
});

const addLostJobs = query({
  name: 'trainings.addLostListingJobs',
  why: 'adds jobs of graphile-worker',
  sql: 'select add_listing_job(tenant_id, user_id) as added from pending_listing limit 1000',
  parameters: {},
  row: { added: nothing },
});

type UserKey = { tenantId: string; userId: string };

export const pendingListings = {
  get: (tx: Tx, key: UserKey) => tx.pendingListing.findUnique({ where: { tenantId_userId: key } }),

  remove: (tx: Tx, key: UserKey) => tx.pendingListing.deleteMany({ where: key }),

  /** Corrects `listed` in some of a user's trainings and returns how many it changed. */
  relistSome: async (tx: Tx, wanted: UserKey & { listed: boolean; size: number }) =>
    (await runIn(tx, relistSome, wanted))[0]?.count ?? 0,

  addJob: (database: Database, key: UserKey) => database.run(addJob, key),

  addLostJobs: (database: Database) => database.run(addLostJobs, {}),
};

/** Trainings and evaluations, as the team's export and the erasure of a person have them. */
export const trainingData = teamTable({
  module: 'trainings',
  rows: 'from training',
  file: 'trainings.json',
  key: { id: 'uuid' },
  pageRows: 100,
  size: 'bytes',
  values: [...namesOf(values), 'listed'],
  times: [...namesOf(times), 'evaluated_at'],
  json: namesOf(large),
  leftOut: { bytes: 'A size that the database computes.' },
  counted: true,
});

export const evaluationData = teamTable({
  module: 'trainings',
  rows: 'from evaluation',
  file: 'evaluations.json',
  key: { training_id: 'uuid' },
  pageRows: 100,
  values: [
    'training_id',
    'closing',
    'conversation_control',
    'needs_analysis',
    'objection_handling',
    'value_argument',
    'total',
    'spread',
    'goal',
    'methodology_id',
  ],
  times: ['created_at'],
  texts: ['strongest', 'biggest_lever'],
  json: ['tips'],
  counted: true,
});

const someOfUser = query({
  name: 'trainings.someOfUser',
  why: 'reads a bounded number of ids in any order: Prisma would order them by the primary key',
  sql: 'select id from training where tenant_id = :tenantId and user_id = :userId limit :size',
  parameters: { tenantId: uuid, userId: uuid, size: bigint },
  row: { id: uuid },
});

const deleteEvaluations = deleteCounted('trainings.deleteEvaluations', 'evaluation', 'training_id');
const deleteTrainings = deleteCounted('trainings.deleteTrainings', 'training');

const detachFromAssignments = query({
  name: 'trainings.detachFromAssignments',
  why: 'updates a bounded number of rows',
  sql: `with detached as (
          update training set assignment_id = null
           where tenant_id = :tenantId and id = any (array(
                   select id from training where tenant_id = :tenantId and assignment_id = any (:ids::uuid[]) limit 1000))
          returning 1)
        select count(*)::int as count from detached`,
  parameters: { tenantId: uuid, ids: listOf(uuid) },
  row: { count: int.checked },
});

/** For the erasure of a person. */
export const erasedTrainings = {
  someOfUser: async (tx: Tx, key: UserKey, size: number) =>
    (await runIn(tx, someOfUser, { ...key, size })).map(({ id }) => id),

  /** Deletes trainings with their evaluations, and returns their size in the team's storage. */
  remove: async (tx: Tx, tenantId: string, ids: string[]) => {
    const evaluationBytes = (await runIn(tx, deleteEvaluations, { tenantId, ids }))[0]?.bytes ?? 0;
    return evaluationBytes + ((await runIn(tx, deleteTrainings, { tenantId, ids }))[0]?.bytes ?? 0);
  },

  /** Detaches some of the trainings of these assignments from them, and returns how many. */
  detachFromAssignments: async (tx: Tx, tenantId: string, ids: string[]) =>
    (await runIn(tx, detachFromAssignments, { tenantId, ids }))[0]?.count ?? 0,
};

const removeListingJob = query({
  name: 'trainings.removeListingJob',
  why: 'removes a job of graphile-worker',
  sql: `select remove_rewriting_job('list_trainings', :tenantId::uuid || ' ' || :userId::uuid) as removed`,
  parameters: { tenantId: uuid, userId: uuid },
  row: { removed: nothing },
});

/** Deletes the pending listing of a user without trainings, and its job. */
export const removePendingListing = async (tx: Tx, key: UserKey): Promise<void> => {
  await runIn(tx, removeListingJob, key);
  await pendingListings.remove(tx, key);
};
