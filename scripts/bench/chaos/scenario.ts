import { setTimeout as sleep } from 'node:timers/promises';
import { newId } from '../../../src/core/ids.ts';
import type { Settings } from '../../../src/db/embedded/cluster.ts';
import { statement } from '../../../src/db/query.ts';
import { isUnavailable } from '../../../src/db/unavailable.ts';
import { queueMails } from '../../../src/modules/mail/service.ts';
import { leaseMs } from '../../../src/webhooks/claim.ts';
import type { Team } from '../../../src/platform/team.ts';
import { makeEndpoints } from '../deliveries/endpoints.ts';
import { raiseSteadily } from '../deliveries/raising.ts';
import { openStage } from '../deliveries/stage.ts';
import type { Stage } from '../deliveries/stage.ts';
import { startCrew } from './crew.ts';
import type { Outcome, Plan } from './plan.ts';
import { startSilentMailServer } from './silent-mail-server.ts';
import { startTally } from './tally.ts';

const lookEvery = 250;
/** Longer than a due delivery waits while a worker has a free place. */
const promptly = '2 seconds';

const countLeft = statement<{ deliveries: string }, [oldLease: Date]>(
  `select count(*) as deliveries from webhook_waiting
    where due_at < now() - interval '${promptly}' or (claim_id is not null and due_at < $1)`,
);

const leftOf = async ({ platform }: Stage, lastKill: number): Promise<number> => {
  const [row] = await platform.database.rows(countLeft, new Date(lastKill + leaseMs));
  return Number(row?.deliveries);
};

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

const mailFrom = (team: Team) => () =>
  team.platform.database.transaction((tx) =>
    queueMails(tx, { platform: team.platform, id: null }, [
      {
        // A new recipient for each mail, because the number of mails per recipient and day is limited.
        recipient: `${newId()}@example.com`,
        language: 'de',
        kind: 'password_reset',
        content: { text: 'Nichts', html: '<p>Nichts</p>' },
      },
    ]),
  );

interface Surroundings {
  /** An empty folder. */
  folder: string;
  /** Settings of PostgreSQL. */
  settings?: Settings;
  report?: (line: string) => void;
}

/** Raises events while workers are killed, the database is restarted and receivers fail. Then checks which events arrived. */
export const runChaos = async (
  plan: Plan,
  { folder, settings = {}, report = () => {} }: Surroundings,
): Promise<Outcome> => {
  const begin = performance.now();
  const opened = new AsyncDisposableStack();
  try {
    const stage = await openStage({ folder, settings, hosts: plan.receivers, failing: plan.failing });
    opened.defer(() => stage.close());
    const mailServer = await startSilentMailServer();
    opened.defer(() => mailServer.close());
    const told = await makeEndpoints(stage, plan.endpoints, 'faulty');
    const tally = startTally(stage);
    const crew = await startCrew(plan.workers, {
      ...stage.environment,
      MAIL_URL: mailServer.url,
      WEBHOOK_CONCURRENCY: String(plan.concurrency),
      WEBHOOK_RETRY_SECONDS: plan.retrySeconds.join(','),
    });
    opened.defer(() => crew.stop());

    const over = new AbortController();
    let kills = 0;
    const kill = async (): Promise<number> => {
      const at = await crew.killNext();
      kills += 1;
      return at;
    };

    const due = Array.from({ length: plan.restarts }, (_, index) => ({
      at: Math.ceil((plan.events * (index + 1)) / (plan.restarts + 1)),
      reached: Promise.withResolvers<undefined>(),
    }));
    const restart = async () => {
      for (const { at, reached } of due) {
        await reached.promise;
        await stage.cluster.stop();
        await stage.cluster.start(settings);
        report(`PostgreSQL restarted after ${at} events`);
      }
    };
    const raising = raiseSteadily({
      count: plan.events,
      perSecond: plan.perSecond,
      told,
      onCommit: (count) => due.find(({ at }) => at === count)?.reached.resolve(undefined),
    });

    const happening = Promise.all([
      repeatedly(plan.killEveryMs, over.signal, kill),
      repeatedly(1_000 / plan.mailsPerSecond, over.signal, mailFrom(told[0].team)),
      repeatedly(lookEvery, over.signal, () => tally.look()),
    ]);
    const [raised] = await Promise.all([raising, restart()]);
    over.abort();
    await happening;
    const lastKill = await kill();
    report(`${raised.size} events raised, ${kills} workers killed; waiting for what is left`);

    let left = await leftOf(stage, lastKill);
    let recoveredAfter: number | undefined;
    while (recoveredAfter === undefined && Date.now() < lastKill + plan.recoverWithinMs) {
      if (left === 0) recoveredAfter = Date.now() - lastKill;
      else {
        await sleep(lookEvery);
        await tally.look();
        left = await leftOf(stage, lastKill);
      }
    }
    const deadline = Date.now() + plan.arriveWithinMs;
    let sum = await tally.sum(raised.keys());
    while (sum.lost + sum.unnoted > 0 && Date.now() < deadline) {
      await sleep(lookEvery);
      sum = await tally.sum(raised.keys());
    }

    return {
      raised: raised.size,
      ...sum,
      kills,
      restarts: plan.restarts,
      left,
      recoveredAfter,
      seconds: (performance.now() - begin) / 1000,
    };
  } finally {
    await opened.disposeAsync();
  }
};
