// Events are raised while workers are killed, PostgreSQL is restarted and receivers fail; then what arrived is counted.

import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeId } from '../../src/core/ids.ts';
import { isUnavailable } from '../../src/db/unavailable.ts';
import { queueMails } from '../../src/modules/mail/service.ts';
import { leaseMs } from '../../src/deliveries/claim.ts';
import { publicEventId } from '../../src/deliveries/message.ts';
import type { Platform } from '../../src/platform/team.ts';
import type { DatabaseOptions } from '../../scripts/kit/database.ts';
import { createEndpoints, openStage, raiseSteadily, type Stage } from '../../scripts/kit/stage.ts';
import { freePort, startProgram, type Program } from '../../scripts/kit/processes.ts';

/** The faults of a run, and how many events must be delivered in spite of them. */
export const plan = {
  events: 600,
  perSecond: 100,
  endpoints: 12,
  /** The number of hosts of the receivers. */
  receivers: 3,
  /** The share of requests that the receivers fail. */
  failing: 0.1,
  /** The number of worker processes. One after the other is killed until all events were raised. */
  workers: 2,
  /** The maximum number of deliveries that a worker sends at the same time. */
  concurrency: 8,
  killEveryMs: 2_000,
  /** How often PostgreSQL is restarted, distributed over the run. */
  restarts: 1,
  retrySeconds: [1, 2, 4, 8, 15, 30, 60],
  /** Mails to a mail server that never answers: other jobs of the workers that are killed. */
  mailsPerSecond: 5,
  /** The time after the last kill within which nothing that is due may be left. */
  recoverWithinMs: 90_000,
  /** The time after that within which the last delivery may arrive, by the retry schedule. */
  arriveWithinMs: 120_000,
};

const pollIntervalMs = 250;
const restartAfterMs = 200;

/** Starts worker processes. Each one that ends is started again, as systemd or Kubernetes would. */
const startCrew = async (size: number, environment: Readonly<Record<string, string>>) => {
  const stopping = new AbortController();
  const places = Array.from({ length: size }, (): { worker: Program | undefined } => ({ worker: undefined }));
  const keep = async (place: { worker: Program | undefined }): Promise<void> => {
    while (!stopping.signal.aborted) {
      // Its errors are expected.
      const started = startProgram(['src/main.ts', 'worker'], environment, { stderr: 'ignore' });
      place.worker = await started.catch(() => undefined);
      if (stopping.signal.aborted) await place.worker?.kill('SIGKILL');
      // A worker that can't reach the database exits at once, so wait before the next start.
      await (place.worker ? place.worker.ended : sleep(restartAfterMs));
    }
  };
  const kept = Promise.all(places.map(keep));
  while (places.some(({ worker }) => !worker?.isRunning())) await sleep(restartAfterMs);

  let kills = 0;
  return {
    kills: () => kills,
    /** Kills the next worker in turn, and returns the time in milliseconds since 1970. */
    async killNext(): Promise<number> {
      kills += 1;
      const running = () => places[kills % places.length]?.worker?.isRunning() === true;
      while (!running()) await sleep(restartAfterMs);
      await places[kills % places.length]?.worker?.kill('SIGKILL');
      return Date.now();
    },
    async stop(): Promise<void> {
      stopping.abort();
      for (const { worker } of places) await worker?.kill('SIGKILL');
      await kept;
    },
  };
};

const mailFrom = (platform: Platform) => () =>
  platform.database.transaction((tx) =>
    queueMails(tx, { platform, id: null }, [
      {
        // A new recipient for each mail, because the number of mails per recipient and day is limited.
        recipient: `${makeId()}@example.com`,
        language: 'de',
        kind: 'password_reset',
        content: { subject: 'Nichts', text: 'Nichts', html: '<p>Nichts</p>' },
      },
    ]),
  );

/** Repeats the action until `over` is aborted, and ignores errors while the database is unavailable. */
const repeatedly = async (everyMs: number, over: AbortSignal, action: () => Promise<unknown>): Promise<void> => {
  while (!over.aborted) {
    await sleep(everyMs, undefined, { signal: over }).catch(() => undefined);
    if (over.aborted) return;
    await action().catch((error: unknown) => {
      if (!isUnavailable(error)) throw error;
    });
  }
};

/** Counts the arrivals of each event at each endpoint. */
const makeTally = ({ run, receiver }: Stage) => {
  const arrived = new Map<string, number>();
  let requests = 0;

  /** Reads the new arrivals from the receivers. */
  const look = async (): Promise<void> => {
    const taken = await receiver.take();
    requests += taken.requests;
    for (const { endpoint, event } of taken.arrivals) {
      const name = `${endpoint} ${event}`;
      arrived.set(name, (arrived.get(name) ?? 0) + 1);
    }
  };

  /** Compares the database with the receivers. `raised` are the training ids of all events. */
  const sum = async (raised: Iterable<string>) => {
    await look();
    const rows = await run(
      `select d.endpoint_id as endpoint, d.event_id as event, d.status, v.data::json ->> 'training_id' as training
         from webhook_delivery d join webhook_event v on v.tenant_id = d.tenant_id and v.id = d.event_id`,
    );
    const lost = rows.filter(
      ({ endpoint, event }) => !arrived.has(`${String(endpoint)} ${publicEventId(String(event))}`),
    );
    const kept = new Set(rows.map(({ training }) => training));
    return {
      /** Deliveries of all events that the database has. */
      deliveries: rows.length,
      /** Deliveries that no receiver answered with 2xx. */
      lost: lost.length,
      /** Deliveries that a receiver answered with 2xx but whose row has another status. */
      unnoted: rows.filter(({ status }) => status !== 'ok').length - lost.length,
      /** Deliveries that arrived again after an answer with 2xx. */
      duplicates: [...arrived.values()].reduce((total, times) => total + times - 1, 0),
      requests,
      /** Raised events that are missing in the database. */
      forgotten: [...raised].filter((training) => !kept.has(training)).length,
    };
  };
  return { look, sum };
};

/**
 * Counts the deliveries that are due for longer than they wait while a worker has a free place, or whose lease is too
 * old.
 */
const countLeft = async ({ run }: Stage, lastKill: number): Promise<number> => {
  const [row] = await run(
    `select count(*)::int as deliveries from webhook_waiting
      where due_at < now() - interval '2 seconds' or (claim_id is not null and due_at < $1)`,
    [new Date(lastKill + leaseMs)],
  );
  return Number(row?.['deliveries']);
};

/**
 * Raises events while workers are killed, the database is restarted and receivers fail. Then checks which events
 * arrived.
 */
export const runChaos = async ({ folder, settings = {} }: DatabaseOptions) => {
  await using opened = new AsyncDisposableStack();
  const stage = opened.use(await openStage({ folder, settings, hosts: plan.receivers, failing: plan.failing }));
  // It accepts every connection and never answers, so that the job of each mail stays locked until its time-out.
  const mailPort = await freePort();
  const mailServer = createServer((socket) => void socket.on('error', () => {}).resume()).listen(mailPort, '127.0.0.1');
  opened.defer(() => void mailServer.close());
  const told = await createEndpoints(stage, plan.endpoints, 'faulty');
  const tally = makeTally(stage);
  const crew = await startCrew(plan.workers, {
    ...stage.environment,
    MAIL_URL: `smtp://127.0.0.1:${mailPort}`,
    WEBHOOK_CONCURRENCY: String(plan.concurrency),
    WEBHOOK_RETRY_SECONDS: plan.retrySeconds.join(','),
  });
  opened.defer(() => crew.stop());

  const restartsAt = Array.from({ length: plan.restarts }, (_, index) =>
    Math.ceil((plan.events * (index + 1)) / (plan.restarts + 1)),
  );
  const raising = raiseSteadily({
    count: plan.events,
    perSecond: plan.perSecond,
    told,
    async onCommit(count) {
      if (!restartsAt.includes(count)) return;
      await stage.database.cluster.stop();
      await stage.database.cluster.start(settings);
    },
  });

  const over = new AbortController();
  const happening = Promise.all([
    repeatedly(plan.killEveryMs, over.signal, () => crew.killNext()),
    repeatedly(1_000 / plan.mailsPerSecond, over.signal, mailFrom(stage.platform)),
    repeatedly(pollIntervalMs, over.signal, tally.look),
  ]);
  const raised = await raising;
  over.abort();
  await happening;
  const lastKill = await crew.killNext();

  let left = await countLeft(stage, lastKill);
  while (left > 0 && Date.now() < lastKill + plan.recoverWithinMs) {
    await sleep(pollIntervalMs);
    await tally.look();
    left = await countLeft(stage, lastKill);
  }
  const recoveredAt = Date.now();
  const deadline = recoveredAt + plan.arriveWithinMs;
  let sum = await tally.sum(raised.keys());
  while (sum.lost + sum.unnoted > 0 && Date.now() < deadline) {
    await sleep(pollIntervalMs);
    sum = await tally.sum(raised.keys());
  }

  return {
    /** Events whose raiser saw the commit. */
    raised: raised.size,
    ...sum,
    kills: crew.kills(),
    restarts: plan.restarts,
    /** Deliveries that are overdue although a worker was free, or whose claim is older than the last kill. */
    left,
    /** Milliseconds from the last kill until none of them was left; undefined if that took longer than allowed. */
    recoveredAfter: left === 0 ? recoveredAt - lastKill : undefined,
  };
};
export type Outcome = Awaited<ReturnType<typeof runChaos>>;
