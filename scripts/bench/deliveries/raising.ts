import { setTimeout as sleep } from 'node:timers/promises';
import { newId } from '../../../src/core/ids.ts';
import { isUnavailable } from '../../../src/db/unavailable.ts';
import { lockTeamShared } from '../../../src/modules/teams/service.ts';
import { publicEventId } from '../../../src/deliveries/message.ts';
import { raise } from '../../../src/modules/webhooks/events.ts';
import type { Team } from '../../../src/platform/team.ts';
import { pick } from '../scenarios.ts';
import type { Stage, Told } from './stage.ts';

interface Pace {
  count: number;
  perSecond: number;
  /** The endpoints whose teams raise events in turn. */
  told: readonly Told[];
  /** Called after each commit with the number of commits so far. */
  onCommit?: (count: number) => void;
}

const tryAgainAfter = 100;

/** Raises an event like the end of a training. Returns a time before the commit, so that the measured latency is never too short. */
const raiseOne = (team: Team, trainingId: string): Promise<number> =>
  team.platform.database.transaction(async (tx) => {
    await raise(tx, await lockTeamShared(tx, team), 'training.completed', {
      data: {
        training_id: trainingId,
        status: 'ended',
        source: 'app',
        assignment_id: null,
        finished_at: new Date().toISOString(),
        duration_s: 611,
      },
      personal: { user_id: trainingId },
    });
    return Date.now();
  });

/** Raises an event and retries while the database is unavailable. The event counts as raised after its commit. */
const insist = async (team: Team, trainingId: string): Promise<number> => {
  for (;;) {
    try {
      return await raiseOne(team, trainingId);
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      await sleep(tryAgainAfter);
    }
  }
};

/** More transactions at once would only wait for connections, or fail at the database's limit and slow the others with their retries. */
const mostAtOnce = 100;

/**
 * Raises `perSecond` events per second. Each starts at its time or, if too many transactions are open then, after the next commit. Returns
 * the commit time of each event by its training id, in milliseconds since 1970.
 */
export const raiseSteadily = async ({ count, perSecond, told, onCommit = () => {} }: Pace) => {
  const raised = new Map<string, number>();
  const begin = performance.now();
  let begun = 0;
  const raiseSome = async (): Promise<void> => {
    while (begun < count) {
      const index = begun;
      begun += 1;
      await sleep(Math.max(0, begin + (index * 1000) / perSecond - performance.now()));
      const trainingId = newId();
      raised.set(trainingId, await insist(pick(told, index).team, trainingId));
      onCommit(raised.size);
    }
  };
  await Promise.all(Array.from({ length: mostAtOnce }, raiseSome));
  return raised;
};

const timeoutMs = 60_000;

/** Raises events and returns, for each one, the milliseconds from its commit to its receipt. */
export const timeDeliveries = async (
  { run, receiver }: Stage,
  told: readonly Told[],
  { perSecond, seconds }: { perSecond: number; seconds: number },
): Promise<number[]> => {
  await receiver.take();
  const count = perSecond * seconds;
  const raised = await raiseSteadily({ count, perSecond, told });
  await receiver.untilArrived(count, timeoutMs);
  const { arrivals } = await receiver.take();
  const receipts = new Map(arrivals.map(({ event, at }) => [event, at]));
  const rows = await run(`select id, data::json ->> 'training_id' as training from webhook_event`);
  return rows.flatMap(({ id, training }) => {
    const committed = raised.get(String(training));
    return committed === undefined ? [] : [(receipts.get(publicEventId(String(id))) ?? NaN) - committed];
  });
};
