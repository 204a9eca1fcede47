import { TrainingStatus } from '../../db/generated/enums.ts';
import { int, oneOf, text, time, uuid, type RowOf } from '../../db/query.ts';
import { keysetList } from '../../platform/keyset-list.ts';
import { columns as columnsOfApi, scoreExpressions, scores } from './read-store.ts';

// The app's lists of trainings: each row has its score and the person's name, and the lists have more filters and
// orders than the API's.

const { externalRef: _externalRef, updatedAt: _updatedAt, ...shown } = columnsOfApi;

const columns = {
  ...shown,
  person: text.orNull,
  ...scores,
} as const;

export type AppTrainingRow = RowOf<typeof columns>;

const expressions = {
  person: 'coalesce(m.directory_name, p.name, m.invited_name, m.email)',
  ...scoreExpressions,
} as const;

const people = `left join team_user u on u.tenant_id = t.tenant_id and u.id = t.user_id
       left join person p on p.id = u.person_id
       left join member m on m.tenant_id = t.tenant_id and m.user_id = t.user_id and m.status = 'active'`;

const filters = {
  userId: { sql: 't.user_id = :userId', type: uuid, isId: true },
  assignmentId: { sql: 't.assignment_id = :assignmentId', type: uuid, isId: true },
  situationId: { sql: 't.situation_id = :situationId', type: uuid, isId: true },
  since: { sql: 't.created_at >= :since', type: time },
  until: { sql: 't.created_at < :until', type: time },
  minScore: { sql: 'e.total >= :minScore', type: int },
  maxScore: { sql: 'e.total <= :maxScore', type: int },
} as const;

const why = 'joins the score and the person to each row';

/** Trainings, ordered by their start. The status is part of the statement, as in the lists of the API. */
const byTime = (direction: 'asc' | 'desc', status?: TrainingStatus) =>
  keysetList({
    name: `trainings.appList ${direction} ${status ?? 'all'}`,
    why,
    cursor: `app trainings ${direction} status=${status ?? ''}`,
    columns,
    expressions,
    table: 't',
    // The limit makes PostgreSQL look up the evaluation of each row of the page, instead of reading all evaluations of
    // the team.
    from: `training t left join lateral (
             select * from evaluation where tenant_id = :tenantId and training_id = t.id limit 1) e on true ${people}`,
    where: status === undefined ? 't.listed' : `t.listed and t.status = '${status}'`,
    order: ['createdAt', 'id'],
    direction,
    filters,
    counted: direction === 'desc',
  });

const byTimeIn = (direction: 'asc' | 'desc') => ({
  all: byTime(direction),
  running: byTime(direction, 'running'),
  ended: byTime(direction, 'ended'),
  scored: byTime(direction, 'scored'),
  aborted: byTime(direction, 'aborted'),
});

/**
 * Trainings, ordered by their score, which is in the index of the evaluations. So only trainings with a score are
 * listed.
 */
const byScore = (direction: 'asc' | 'desc') =>
  keysetList({
    name: `trainings.appList by score ${direction}`,
    why,
    cursor: `app trainings by score ${direction}`,
    columns: { ...columns, total: int.checked },
    expressions: { ...expressions, id: 'e.training_id' },
    table: 't',
    from: `evaluation e join training t on t.tenant_id = e.tenant_id and t.id = e.training_id ${people}`,
    where: 'e.tenant_id = :tenantId and e.total is not null and t.listed',
    order: ['total', 'id'],
    direction,
    filters: { ...filters, status: { sql: 't.status = :status', type: oneOf('training_status', TrainingStatus) } },
  });

export const appLists = {
  started: { asc: byTimeIn('asc'), desc: byTimeIn('desc') },
  score: { asc: byScore('asc'), desc: byScore('desc') },
};
