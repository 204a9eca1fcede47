import { z } from 'zod';
import { utcDay } from '../../core/clock.ts';
import { isEventType } from '../../core/events.ts';
import { webhookLimits } from '../../core/limits.ts';
import { runIn } from '../../db/database.ts';
import type { Database, Tx } from '../../db/database.ts';
import { EndpointStatus } from '../../db/generated/enums.ts';
import type { Prisma } from '../../db/generated/client.ts';
import { bool, bytes, float, int, json, jsonb, listOf, oneOf, query, text, time, uuid } from '../../db/query.ts';
import type { ParametersOf, RowOf } from '../../db/query.ts';
import { select } from '../../platform/keyset-list.ts';
import type { Team } from '../../platform/team.ts';
import type { WebhookEndpoint } from './schema.ts';
import { teamTable, urlsNaming } from '../../platform/team-table.ts';
import { apiIsOnSql } from '../teams/plan.ts';
import { checkTask, isProbeName } from './probes.ts';
import type { ProbeName } from './probes.ts';

// The tables `webhook_endpoint` and `webhook_check`, and reads of `webhook_endpoint_day` and `webhook_quarter_hour`. Events, deliveries,
// attempts and waiting rows are in delivery-store.ts. What the export and the erasure do with all these tables is declared at the end.

type TeamId = Pick<Team, 'id'>;

/** The columns of an endpoint in every read, without its secret. */
export interface EndpointRow extends WebhookEndpoint {
  /** The first failed attempt since the last success, creation or reactivation. */
  failing_since: string | null;
}

const columns = {
  id: true,
  url: true,
  events: true,
  status: true,
  apiVersion: true,
  description: true,
  createdAt: true,
  lastSuccessAt: true,
  failingSince: true,
} as const satisfies Prisma.WebhookEndpointSelect;

const readRow = (row: Prisma.WebhookEndpointGetPayload<{ select: typeof columns }>): EndpointRow => ({
  id: row.id,
  url: row.url,
  events: row.events.filter(isEventType),
  status: row.status,
  api_version: row.apiVersion,
  description: row.description,
  created_at: row.createdAt.toISOString(),
  last_success_at: row.lastSuccessAt?.toISOString() ?? null,
  failing_since: row.failingSince?.toISOString() ?? null,
});

const locked = {
  id: uuid,
  url: text,
  events: listOf(text),
  status: oneOf('endpoint_status', EndpointStatus),
  api_version: text,
  description: text.orNull,
  created_at: time,
  last_success_at: time.orNull,
  failing_since: time.orNull,
} as const;

const lock = (strength: 'no key update' | 'update') =>
  query({
    name: `webhooks.lock for ${strength}`,
    why: 'Prisma has no row locks',
    sql: `select ${select(locked)} from webhook_endpoint where tenant_id = :tenantId and id = :id for ${strength}`,
    parameters: { tenantId: uuid, id: uuid },
    row: locked,
  });

const lockToChange = lock('no key update');
const lockToDelete = lock('update');

const readLocked = (row: RowOf<typeof locked>): EndpointRow => ({ ...row, events: row.events.filter(isEventType) });

const keyOf = ({ id: tenantId }: TeamId, id: string) => ({ tenantId_id: { tenantId, id } });

const countByHand = query({
  name: 'webhooks.countByHand',
  why: 'adds to the current hour or starts a new one, in one statement',
  sql: `update webhook_endpoint
           set by_hand_since = case when by_hand_since > :startedAfter then by_hand_since else :now end,
               by_hand_sent = case when by_hand_since > :startedAfter then by_hand_sent + 1 else 1 end
         where tenant_id = :tenantId and id = :id
        returning by_hand_since as since, by_hand_sent as used`,
  parameters: { tenantId: uuid, id: uuid, now: time, startedAfter: time },
  row: { since: time.checked, used: int },
});

const findSilent = query({
  name: 'webhooks.findSilent',
  why: 'uses a partial index whose condition names a status: Prisma’s statement can’t use it',
  sql: `select tenant_id as "tenantId", id
          from webhook_endpoint
         where status = 'active' and failing_since is not null
           and (failing_since <= :pausing or (failing_since <= :warning and warned_at is null))
         order by failing_since
         limit 100`,
  parameters: { pausing: time, warning: time },
  row: { tenantId: uuid, id: uuid },
});

const lockSilent = query({
  name: 'webhooks.lockSilent',
  why: 'Prisma has no row locks',
  sql: `select url, failing_since as "failingSince"
          from webhook_endpoint
         where tenant_id = :tenantId and id = :id and status = 'active'
           and (failing_since <= :pausing or (failing_since <= :warning and warned_at is null))
           for no key update skip locked`,
  parameters: { tenantId: uuid, id: uuid, pausing: time, warning: time },
  row: { url: text, failingSince: time.checked },
});

export type SilentRow = RowOf<(typeof lockSilent)['row']>;

const findPaused = query({
  name: 'webhooks.findPaused',
  why: 'checks whether a waiting row exists: the schema has no relation to it',
  sql: `select e.tenant_id as "tenantId", e.id
          from webhook_endpoint e
         where e.status = 'disabled_failures'
           and exists (select from webhook_waiting w
                        where w.tenant_id = e.tenant_id and w.endpoint_id = e.id and not w.by_hand
                          and (w.claim_id is null or w.due_at <= :now))
         limit 100`,
  parameters: { now: time },
  row: { tenantId: uuid, id: uuid },
});

const batch = 500;

const secretsAfter = query({
  name: 'webhooks.nextSecrets',
  why: 'compares two columns as a tuple, so that the index leads to the position',
  sql: `select tenant_id as "tenantId", id, secret as sealed from webhook_endpoint
         where (tenant_id, id) > (:tenantId, :id) order by tenant_id, id limit ${batch}`,
  parameters: { tenantId: uuid, id: uuid },
  row: { tenantId: uuid, id: uuid, sealed: bytes },
});

interface SilentSince {
  /** Endpoints that have been failing since this time or longer are to be paused. */
  pausing: Date;
  /** Endpoints that have been failing since this time or longer are to be warned about. */
  warning: Date;
}

const lockWith = async (tx: Tx, statement: typeof lockToChange, tenantId: string, id: string) => {
  const [row] = await runIn(tx, statement, { tenantId, id });
  return row && readLocked(row);
};

export const endpoints = {
  /** All endpoints of a team, newest first. */
  list: async ({ prisma }: Database, { id: tenantId }: TeamId): Promise<EndpointRow[]> => {
    const rows = await prisma.webhookEndpoint.findMany({
      where: { tenantId },
      select: columns,
      orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
    });
    return rows.map(readRow);
  },

  get: async ({ prisma }: Database, team: TeamId, id: string): Promise<EndpointRow | undefined> => {
    const row = await prisma.webhookEndpoint.findUnique({ where: keyOf(team, id), select: columns });
    return row ? readRow(row) : undefined;
  },

  lockToChange: (tx: Tx, { id: tenantId }: TeamId, id: string) => lockWith(tx, lockToChange, tenantId, id),

  lockToDelete: (tx: Tx, { id: tenantId }: TeamId, id: string) => lockWith(tx, lockToDelete, tenantId, id),

  count: (tx: Tx, { id: tenantId }: TeamId) => tx.webhookEndpoint.count({ where: { tenantId } }),

  insert: (tx: Tx, { id: tenantId }: TeamId, row: Omit<Prisma.WebhookEndpointUncheckedCreateInput, 'tenantId'>) =>
    tx.webhookEndpoint.create({ data: { tenantId, ...row }, select: { id: true } }),

  update: (tx: Tx, team: TeamId, id: string, data: Prisma.WebhookEndpointUncheckedUpdateInput) =>
    tx.webhookEndpoint.update({ where: keyOf(team, id), data, select: { id: true } }),

  remove: (tx: Tx, { id: tenantId }: TeamId, id: string) => tx.webhookEndpoint.deleteMany({ where: { tenantId, id } }),

  /** Counts one more send by hand in the current hour; starts a new hour if the last one began at `startedAfter` or before. */
  countByHand: async (tx: Tx, { id: tenantId }: TeamId, id: string, hour: { now: Date; startedAfter: Date }) =>
    (await runIn(tx, countByHand, { tenantId, id, ...hour }))[0],

  /** At most 100 endpoints, of all teams, that are to be paused, or warned about for the first time; the longest failing ones first. */
  findSilent: (database: Database, since: SilentSince) => database.run(findSilent, since),

  /** Locks such an endpoint. Undefined if it is no longer to be paused or warned about, or if another process has locked it. */
  lockSilent: async (tx: Tx, { id: tenantId }: TeamId, id: string, since: SilentSince) =>
    (await runIn(tx, lockSilent, { tenantId, id, ...since }))[0],

  /** Endpoints of all teams that the service paused and that still have waiting deliveries. */
  findPaused: (database: Database, now: Date) => database.run(findPaused, { now }),

  /** A batch of the sealed signing secrets of all teams' endpoints, after a position. */
  secretsAfter: (database: Database, { tenantId, id }: { tenantId: string; id: string }) =>
    database.run(secretsAfter, { tenantId, id }),

  /** Replaces a sealed secret unless it was changed meanwhile; returns whether it did. */
  replaceSecret: async (
    { prisma }: Database,
    { id: tenantId }: TeamId,
    id: string,
    { former, secret }: Record<'former' | 'secret', Uint8Array<ArrayBuffer>>,
  ) =>
    (await prisma.webhookEndpoint.updateMany({ where: { tenantId, id, secret: former }, data: { secret } })).count > 0,
};

// Read endpoint by endpoint, because the rows of one endpoint are stored together. Rows of deleted endpoints are not counted.
const health = query({
  name: 'webhooks.health',
  why: 'adds up the quarter hours of each interval',
  sql: `select width_bucket(start, :starts::timestamptz[]) - 1 as at, delivered, duration, sum(attempts)::float8 as attempts
          from webhook_endpoint e
         cross join lateral (
           select start, delivered, duration, attempts from webhook_quarter_hour q
            where q.tenant_id = :tenantId and q.endpoint_id = e.id and start >= (:starts::timestamptz[])[1] and start < :end) as counted
         where e.tenant_id = :tenantId and (:endpointId::uuid is null or e.id = :endpointId)
         group by 1, 2, 3`,
  parameters: { tenantId: uuid, starts: listOf(time), end: time, endpointId: uuid.orNull },
  row: { at: int.checked, delivered: bool, duration: int, attempts: float.checked },
});

export const endpointDays = {
  /** The numbers of successful and failed attempts to each endpoint on each day, from a day on. */
  since: async ({ prisma }: Database, { id: tenantId }: TeamId, first: string) => {
    const rows = await prisma.webhookEndpointDay.findMany({
      where: { tenantId, day: { gte: new Date(first) } },
      select: { endpointId: true, day: true, delivered: true, failed: true },
    });
    return rows.map(({ endpointId, day, ...counts }) => ({ endpoint_id: endpointId, day: utcDay(day), ...counts }));
  },
};

/** The numbers of attempts in each interval by outcome and duration, of one endpoint or of all. */
export const endpointHealth = (database: Database, wanted: ParametersOf<(typeof health)['parameters']>) =>
  database.run(health, wanted);

const StoredResults = z.array(
  z.object({ probe: z.string(), code: z.number().nullable(), ms: z.number(), error: z.string().nullable() }),
);

/** The result of one request of a check. */
export interface CheckResult {
  readonly probe: ProbeName;
  readonly code: number | null;
  readonly ms: number;
  readonly error: string | null;
}

/** Leaves out results of probes that an earlier version had and this one has not. */
const readResults = (stored: z.output<typeof StoredResults>): CheckResult[] =>
  stored.flatMap(({ probe, ...result }) => (isProbeName(probe) ? [{ probe, ...result }] : []));

const checkColumns = { id: true, endpointId: true, results: true, createdAt: true, completedAt: true } as const;

const readCheck = ({ results, ...row }: Prisma.WebhookCheckGetPayload<{ select: typeof checkColumns }>) => ({
  ...row,
  results: readResults(StoredResults.parse(results)),
});
export type CheckRow = ReturnType<typeof readCheck>;

const startedCheck = query({
  name: 'webhooks.startedCheck',
  why: 'reads a check with its endpoint and the state of its team, in one statement',
  sql: `select c.endpoint_id as "endpointId", c.results, c.created_at as "createdAt", e.url, e.secret, e.api_version as "apiVersion",
               ${apiIsOnSql('t')} as "apiIsOn"
          from webhook_check c
          join webhook_endpoint e on e.tenant_id = c.tenant_id and e.id = c.endpoint_id
          join team t on t.id = c.tenant_id
         where c.tenant_id = :tenantId and c.id = :id and c.completed_at is null`,
  parameters: { tenantId: uuid, id: uuid },
  row: {
    endpointId: uuid,
    results: json,
    createdAt: time,
    url: text,
    secret: bytes,
    apiVersion: text,
    apiIsOn: bool.checked,
  },
});

// A worker that has lost its job to another one may still be sending, so only the first result of each request counts.
const addCheckResult = query({
  name: 'webhooks.addCheckResult',
  why: 'appends to a list in JSON',
  sql: `update webhook_check set results = results || :result::jsonb, completed_at = :completedAt
         where tenant_id = :tenantId and id = :id and completed_at is null and jsonb_array_length(results) = :known`,
  parameters: { tenantId: uuid, id: uuid, known: int, result: jsonb, completedAt: time.orNull },
  row: {},
});

const addCheckJob = query({
  name: 'webhooks.addCheckJob',
  why: 'adds a job of graphile-worker',
  sql: `select graphile_worker.add_job('${checkTask}', json_build_object('tenantId', :tenantId::uuid, 'id', :id::uuid),
                                       run_at => now() + make_interval(secs => :waitSeconds::float8),
                                       job_key => 'check ' || :id::text, flags => array['${checkTask}']) is not null as added`,
  parameters: { tenantId: uuid, id: uuid, waitSeconds: float },
  row: { added: bool.checked },
});

interface CheckKey {
  tenantId: string;
  id: string;
}

export const checks = {
  /** The newest checks of an endpoint. */
  list: async ({ prisma }: Pick<Database, 'prisma'>, { id: tenantId }: TeamId, endpointId: string, most: number) => {
    const rows = await prisma.webhookCheck.findMany({
      where: { tenantId, endpointId },
      select: checkColumns,
      orderBy: { id: 'desc' },
      take: most,
    });
    return rows.map(readCheck);
  },

  /** Whether a check is running that started after a time. The endpoint must be locked. */
  isRunning: async (tx: Tx, { id: tenantId }: TeamId, endpointId: string, begunAfter: Date): Promise<boolean> =>
    (await tx.webhookCheck.count({
      where: { tenantId, endpointId, completedAt: null, createdAt: { gt: begunAfter } },
    })) > 0,

  insert: async (tx: Tx, { id: tenantId }: TeamId, row: { id: string; endpointId: string; createdAt: Date }) =>
    readCheck(await tx.webhookCheck.create({ data: { tenantId, ...row }, select: checkColumns })),

  /** A check that is not complete, with the data for its requests; undefined if its endpoint was deleted. */
  started: async (database: Database, key: CheckKey) => {
    const [row] = await database.run(startedCheck, { ...key });
    return row && { ...row, createdAt: new Date(row.createdAt), known: StoredResults.parse(row.results).length };
  },

  /** Appends a result if `known` results are stored. If there are more, another worker has stored this one. */
  addResult: (
    database: Database,
    { tenantId, id }: CheckKey,
    { known, result, completedAt }: { known: number; result: CheckResult; completedAt: Date | null },
  ) => database.run(addCheckResult, { tenantId, id, known, result: JSON.stringify(result), completedAt }),

  /** Adds the job that sends the next requests. */
  addJobIn: (tx: Tx, { tenantId, id }: CheckKey) => runIn(tx, addCheckJob, { tenantId, id, waitSeconds: 0 }),

  addJob: (database: Database, { tenantId, id }: CheckKey, waitSeconds: number) =>
    database.run(addCheckJob, { tenantId, id, waitSeconds }),
};

// The tables of both stores, as the team's export and the erasure of a person have them.

export const checkData = teamTable({
  module: 'webhooks',
  rows: 'from webhook_check',
  file: 'webhook_checks.json',
  key: { id: 'uuid' },
  values: ['id', 'endpoint_id'],
  times: ['created_at', 'completed_at'],
  json: ['results'],
});

/** The ids of the team's endpoints whose URL contains a text. */
export const endpointsNaming = urlsNaming('webhooks.endpointsNaming', 'from webhook_endpoint');

export const endpointData = teamTable({
  module: 'webhooks',
  rows: 'from webhook_endpoint',
  file: 'webhook_endpoints.json',
  key: { id: 'uuid' },
  values: ['id', 'url', 'events', 'status', 'api_version', 'by_hand_sent'],
  times: ['last_success_at', 'failing_since', 'warned_at', 'by_hand_since', 'slow_at', 'created_at'],
  texts: ['description'],
  leftOut: { secret: 'It signs what the endpoint gets.' },
});

export const eventData = teamTable({
  module: 'webhooks',
  rows: 'from webhook_event',
  file: 'webhook_events.json',
  key: { id: 'uuid' },
  values: ['id', 'type'],
  times: ['created_at'],
  json: ['data'],
});

export const deliveryData = teamTable({
  module: 'webhooks',
  rows: 'from webhook_delivery',
  file: 'webhook_deliveries.json',
  key: { id: 'uuid' },
  values: [
    'id',
    'endpoint_id',
    'event_id',
    'event_type',
    'status',
    'attempt',
    'scheduled',
    'resume_status',
    'response_code',
    'response_ms',
  ],
  times: ['next_try_at', 'resume_at', 'created_at'],
  texts: [['response_excerpt', webhookLimits.excerptCharacters], 'error'],
});

export const attemptData = teamTable({
  module: 'webhooks',
  rows: 'from webhook_attempt',
  file: 'webhook_attempts.json',
  key: { id: 'uuid' },
  values: ['id', 'delivery_id', 'number', 'manual', 'response_code', 'response_ms', 'member_detail'],
  times: ['started_at'],
  texts: ['url', ['response_excerpt', webhookLimits.excerptCharacters], 'error'],
  json: ['request_headers', 'response_headers'],
});

export const teamDayData = teamTable({
  module: 'webhooks',
  rows: 'from webhook_team_day',
  file: 'webhook_team_days.json',
  key: { day: 'date' },
  values: ['day', 'detail_bytes', 'attempts'],
});

export const endpointDayData = teamTable({
  module: 'webhooks',
  rows: 'from webhook_endpoint_day',
  file: 'webhook_endpoint_days.json',
  key: { endpoint_id: 'uuid', day: 'date' },
  values: ['endpoint_id', 'day', 'delivered', 'failed', 'total_ms', 'slowest_ms'],
});
