import { setTimeout as sleep } from 'node:timers/promises';
import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client';
import { FailingCallers, type TeamOrKey } from './failing-callers.ts';
import { startSidePort, type Paths, type SidePort } from './side-port.ts';

/** The deliveries, jobs and erasures that wait at this moment. */
export interface Backlog {
  readonly due: number;
  readonly sending: number;
  readonly later: number;
  readonly held: number;
  readonly oldestDueSeconds: number;
  /** For each task with a due job, how long the oldest one has been due. */
  readonly dueJobs: readonly { readonly task: string; readonly seconds: number }[];
  readonly erasures: { readonly failed: number; readonly oldestSeconds: number };
}

/** The connections to a part of the database, and how many tasks wait for one. */
interface ConnectionCounts {
  /** The part's name; empty for a plain database. */
  readonly part: string;
  readonly used: number;
  readonly idle: number;
  readonly waiting: number;
}

interface Metric {
  readonly name: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly labelNames: readonly string[];
  readonly help: string;
}

/** The metrics of the parts of the database. */
export interface PartMeasures {
  readonly metrics: readonly Metric[];
  /** The present values, each by the name of its metric. A plain database has none. */
  values(): readonly {
    readonly metric: string;
    readonly labels: Readonly<Record<string, string>>;
    readonly value: number;
  }[];
  /** Called when a caller got 503. */
  noteUnavailable(caller: TeamOrKey): void;
}

const requestBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const attemptBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15];
/** Up to the time from an event to the end of its retries, which is almost two days. */
const receiptBuckets = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1_800, 7_200, 43_200, 172_800];
const jobBuckets = [0.005, 0.025, 0.1, 0.5, 1, 5, 15, 60, 120];

export interface MeterOptions {
  /** Called when the meter is read. If it fails, the earlier numbers stay, with their age. */
  backlog?: (() => Promise<Backlog>) | undefined;
  connections?: (() => readonly ConnectionCounts[]) | undefined;
  parts?: PartMeasures | undefined;
  /**
   * Whether each queue fetches jobs, by its name and the name of the database's part, which is empty for a plain
   * database.
   */
  queues?: (() => Readonly<Record<string, Readonly<Record<string, boolean>>>>) | undefined;
  /** How many lines at `error` the log has. */
  errors?: (() => number) | undefined;
  /** Milliseconds that a reader waits for the backlog. */
  timeoutMs?: number;
}

/** Runs one query at a time and waits for a limited time. Undefined if there is no result by then. */
const withTimeout = <T>(ask: () => Promise<T>, timeoutMs: number): (() => Promise<T | undefined>) => {
  let asking: Promise<T | undefined> | undefined;
  return () => {
    asking ??= ask()
      .catch(() => undefined)
      .finally(() => (asking = undefined));
    return Promise.race([asking, sleep(timeoutMs, undefined, { ref: false })]);
  };
};

/** The label of a part of the database. A plain one has none. */
const labelOf = (part: string) => (part === '' ? {} : { node: part });

/** Counts events, whether or not the metrics are read. */
export const makeMeter = (options: MeterOptions = {}) => {
  const { backlog, connections, parts, queues, errors, timeoutMs = 2_000 } = options;
  const registry = new Registry();
  const registers = [registry];
  const oldestDue = new Gauge({ ...metrics.oldestDue, registers });
  const waiting = new Gauge({ ...metrics.waiting, registers });
  const backlogAge = new Gauge({ ...metrics.backlogAge, registers });
  const oldestDueJob = new Gauge({ ...metrics.oldestDueJob, registers });
  const failedErasures = new Gauge({ ...metrics.failedErasures, registers });
  const oldestErasure = new Gauge({ ...metrics.oldestErasure, registers });
  const connectionCounts = new Gauge({ ...metrics.connections, registers });
  const ofParts = new Map<string, Pick<Gauge, 'inc' | 'reset'>>(
    parts?.metrics.map((metric) => [
      metric.name,
      metric.type === 'counter' ? new Counter({ ...metric, registers }) : new Gauge({ ...metric, registers }),
    ]),
  );
  const failing = new Gauge({ ...metrics.failingCallers, registers });
  const failingCallers = new FailingCallers();
  const fetching = new Gauge({ ...metrics.fetching, registers });
  const loggedErrors = new Counter({ ...metrics.loggedErrors, registers });
  let seenAt = performance.now();

  const ask = backlog && withTimeout(backlog, timeoutMs);
  const lookAtBacklog = async () => {
    const seen = await ask?.();
    const now = performance.now();
    if (seen) seenAt = now;
    // Even if a backlog is too large to be counted in time, the alert about it must work.
    backlogAge.set((now - seenAt) / 1000);
    if (!seen) return;
    for (const state of ['due', 'sending', 'later', 'held'] as const) waiting.set({ state }, seen[state]);
    oldestDue.set(seen.oldestDueSeconds);
    // A task without a due job has no series.
    oldestDueJob.reset();
    for (const { task, seconds } of seen.dueJobs) oldestDueJob.set({ task }, seconds);
    failedErasures.set(seen.erasures.failed);
    oldestErasure.set(seen.erasures.oldestSeconds);
  };
  const lookAtConnections = () => {
    connectionCounts.reset(); // a part may have been removed
    for (const { part, ...seen } of connections?.() ?? []) {
      for (const state of ['used', 'idle', 'waiting'] as const)
        connectionCounts.set({ state, ...labelOf(part) }, seen[state]);
    }
  };
  const lookAtParts = () => {
    for (const metric of ofParts.values()) metric.reset();
    for (const { metric, labels, value } of parts?.values() ?? []) ofParts.get(metric)?.inc(labels, value);
  };
  const lookAtCallers = () => {
    failing.reset();
    for (const { method, route, callers } of failingCallers.counts()) failing.set({ method, route }, callers);
  };
  const lookAtErrors = () => {
    loggedErrors.reset();
    loggedErrors.inc(errors?.() ?? 0);
  };
  const lookAtQueues = () => {
    fetching.reset(); // a part may have been removed
    for (const [queue, byPart] of Object.entries(queues?.() ?? {})) {
      for (const [part, fetches] of Object.entries(byPart)) fetching.set({ queue, ...labelOf(part) }, fetches ? 1 : 0);
    }
  };

  return {
    requests: new Counter({ ...metrics.requests, registers }),
    requestSeconds: new Histogram({ ...metrics.requestSeconds, buckets: requestBuckets, registers }),
    refusals: new Counter({ ...metrics.refusals, registers }),
    ownShareRefusals: new Counter({ ...metrics.ownShareRefusals, registers }),
    signInEvents: new Counter({ ...metrics.signInEvents, registers }),
    connectionsRefused: new Counter({ ...metrics.connectionsRefused, registers }),
    maintenance: new Gauge({ ...metrics.maintenance, registers }),
    attempts: new Counter({ ...metrics.attempts, registers }),
    attemptSeconds: new Histogram({ ...metrics.attemptSeconds, buckets: attemptBuckets, registers }),
    receiptSeconds: new Histogram({ ...metrics.receiptSeconds, buckets: receiptBuckets, registers }),
    claimed: new Counter({ ...metrics.claimed, registers }),
    endpoints: new Counter({ ...metrics.endpoints, registers }),
    jobs: new Counter({ ...metrics.jobs, registers }),
    jobSeconds: new Histogram({ ...metrics.jobSeconds, buckets: jobBuckets, registers }),
    lastSuccess: new Gauge({ ...metrics.lastSuccess, registers }),
    lostJobs: new Counter({ ...metrics.lostJobs, registers }),
    /** Notes the caller to whom a request was answered. No metric names the caller. */
    noteCaller(answer: Parameters<FailingCallers['note']>[0]): void {
      failingCallers.note(answer);
      if (answer.status === 503 && (answer.tenantId ?? answer.keyPrefix) !== undefined) parts?.noteUnavailable(answer);
    },
    contentType: registry.contentType,
    /** Everything in Prometheus' text format. */
    async text() {
      lookAtConnections();
      lookAtParts();
      lookAtCallers();
      lookAtQueues();
      lookAtErrors();
      await lookAtBacklog();
      return registry.metrics();
    },
    /** Starts to measure the process itself: memory, CPU, garbage collection, event loop. */
    watchProcess: () => collectDefaultMetrics({ register: registry }),
  };
};
export type Meter = ReturnType<typeof makeMeter>;

/** All metrics except those in `PartMeasures`: their names, and their descriptions in the docs and in the output. */
export const metrics = {
  requests: {
    name: 'team_api_http_requests_total',
    type: 'counter',
    labelNames: ['method', 'route', 'status'],
    help: 'Requests to the API and calls of the app that were answered, by route template; 499 is a client that left, `unknown` a path without a route.',
  },
  requestSeconds: {
    name: 'team_api_http_request_duration_seconds',
    type: 'histogram',
    labelNames: ['method', 'route'],
    help: 'Time from a request’s arrival until its answer was handed over.',
  },
  loggedErrors: {
    name: 'team_api_logged_errors_total',
    type: 'counter',
    labelNames: [],
    help: 'Lines at `error` in the log: bugs, and work that failed without anybody who waits for it.',
  },
  refusals: {
    name: 'team_api_gate_refusals_total',
    type: 'counter',
    labelNames: ['code'],
    help: 'Requests that were refused at the gate, by problem code.',
  },
  ownShareRefusals: {
    name: 'team_api_own_share_refusals_total',
    type: 'counter',
    labelNames: ['route'],
    help: 'Requests answered with 429 because their own team’s share of connections or large reads was in use, by route template.',
  },
  signInEvents: {
    name: 'team_api_sign_in_events_total',
    type: 'counter',
    labelNames: ['event'],
    help: 'Sign-ins (`signed_in`), wrong passwords and codes, locks, resets, refused origins, and tries beyond a limit (`limited`).',
  },
  connectionsRefused: {
    name: 'team_api_http_connections_refused_total',
    type: 'counter',
    labelNames: [],
    help: 'Connections that were closed at once, because `MAX_CONNECTIONS` were open.',
  },
  maintenance: {
    name: 'team_api_maintenance',
    type: 'gauge',
    labelNames: [],
    help: '1 while maintenance is on and requests are answered with 503, else 0.',
  },
  waiting: {
    name: 'team_api_webhook_waiting_deliveries',
    type: 'gauge',
    labelNames: ['state'],
    help: 'Deliveries that wait: `due` now, being sent (`sending`), for a `later` try, or `held` back: their endpoint is not active.',
  },
  oldestDue: {
    name: 'team_api_webhook_oldest_due_age_seconds',
    type: 'gauge',
    labelNames: [],
    help: 'How long the oldest due delivery has been due; 0 when none is.',
  },
  backlogAge: {
    name: 'team_api_webhook_backlog_age_seconds',
    type: 'gauge',
    labelNames: [],
    help: 'How long ago the waiting deliveries, jobs and erasures were counted: 0 unless the database did not answer in time.',
  },
  attempts: {
    name: 'team_api_webhook_attempts_total',
    type: 'counter',
    labelNames: ['result'],
    help: 'Attempts of deliveries: `ok`, `failed` and tried again, `gave_up`, or `stale` because another worker took over.',
  },
  attemptSeconds: {
    name: 'team_api_webhook_attempt_duration_seconds',
    type: 'histogram',
    labelNames: ['result'],
    help: 'Time from the start of an attempt until its outcome.',
  },
  receiptSeconds: {
    name: 'team_api_webhook_event_to_receipt_seconds',
    type: 'histogram',
    labelNames: ['receiver'],
    help: 'Time from an event until its receiver had it, unless sent by hand: `ready` at the first attempt, to an endpoint that neither failed nor was slow before, else `delayed`.',
  },
  claimed: {
    name: 'team_api_webhook_claimed_deliveries_total',
    type: 'counter',
    labelNames: [],
    help: 'Deliveries that this process took to send.',
  },
  endpoints: {
    name: 'team_api_webhook_endpoints_silent_total',
    type: 'counter',
    labelNames: ['change'],
    help: 'Endpoints that were `warned` about or `paused` because no delivery succeeded.',
  },
  jobs: {
    name: 'team_api_jobs_total',
    type: 'counter',
    labelNames: ['task', 'result'],
    help: 'Jobs that ended, by task: `ok`, or `failed` and tried again where tries remain.',
  },
  jobSeconds: {
    name: 'team_api_job_duration_seconds',
    type: 'histogram',
    labelNames: ['task'],
    help: 'Time that a job ran.',
  },
  oldestDueJob: {
    name: 'team_api_jobs_oldest_due_age_seconds',
    type: 'gauge',
    labelNames: ['task'],
    help: 'How long the oldest job of a task that is due and not taken by a worker has been due; absent when none is.',
  },
  fetching: {
    name: 'team_api_queue_fetching',
    type: 'gauge',
    labelNames: ['queue', 'node'],
    help: '1 while this worker fetches jobs of the queue, else 0: `deliveries`, `crm_syncs`, or `other_jobs` such as mails, erasures and recurring tasks. `node` only of a distributed database.',
  },
  lastSuccess: {
    name: 'team_api_recurring_task_last_success_timestamp_seconds',
    type: 'gauge',
    labelNames: ['task'],
    help: 'When this worker last ran a recurring task with success, or began to run jobs if it has not since (Unix time).',
  },
  failedErasures: {
    name: 'team_api_erasures_failed',
    type: 'gauge',
    labelNames: [],
    help: 'Unfinished erasures whose last step failed.',
  },
  oldestErasure: {
    name: 'team_api_erasures_oldest_age_seconds',
    type: 'gauge',
    labelNames: [],
    help: 'How long ago the oldest unfinished erasure began; 0 when there is none.',
  },
  lostJobs: {
    name: 'team_api_webhook_lost_jobs_total',
    type: 'counter',
    labelNames: [],
    help: 'Endpoints that had something overdue and no job, for instance after a crash, and got one.',
  },
  connections: {
    name: 'team_api_database_connections',
    type: 'gauge',
    labelNames: ['state', 'node'],
    help: 'Connections of this process for requests and rules: `used`, `idle`; and `waiting` work. `node` only of a distributed database.',
  },
  failingCallers: {
    name: 'team_api_failing_callers',
    type: 'gauge',
    labelNames: ['method', 'route'],
    help: 'Keys, and teams in the app, whose last three or more answers of a route were all 5xx, the last one within 30 minutes; absent when there is none.',
  },
} as const satisfies Record<string, Metric>;

interface ServedMetrics {
  meter: Meter;
  host: string;
  port: number;
  /** Other paths on the same port. */
  others?: Paths | undefined;
}

/** Serves `GET /metrics`. */
export const startMetricsServer = async ({ meter, host, port, others }: ServedMetrics): Promise<SidePort> => {
  const metricsNow = async () => ({ contentType: meter.contentType, text: await meter.text() });
  const server = await startSidePort(host, port, { ...others, '/metrics': metricsNow });
  meter.watchProcess();
  return server;
};
