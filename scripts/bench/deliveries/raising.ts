import { setTimeout as sleep } from 'node:timers/promises';
import { newId } from '../../../src/core/ids.ts';
import { isUnavailable } from '../../../src/db/unavailable.ts';
import { holdTeam } from '../../../src/modules/teams/service.ts';
import { raise } from '../../../src/webhooks/outbox.ts';
import type { Team } from '../../../src/platform/team.ts';
import { pick } from '../scenarios.ts';
import type { Told } from './endpoints.ts';

/** When each event was committed, by the training that it tells of: milliseconds since 1970. */
export type Raised = ReadonlyMap<string, number>;

interface Pace {
  count: number;
  perSecond: number;
  /** Told of in turn. */
  told: readonly [Told, ...Told[]];
  /** Told how many were committed so far. */
  onCommit?: (count: number) => void;
}

const tryAgainAfter = 100;

/** Raises an event as a session's end does; gives the moment before the commit, so that what is measured from it is no less. */
const raiseOne = (team: Team, trainingId: string): Promise<number> =>
  team.platform.database.transaction(async (tx) => {
    await raise(tx, await holdTeam(tx, team), 'training.completed', {
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

/** Whoever writes while the database is away writes again; an event counts as raised once its transaction was committed. */
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

/** More would only wait for a connection, be refused by the database's own limit, and take the time of those that get through by trying again. */
const mostAtOnce = 100;

/** Raises so many events a second, each at its time or, where too many are under way then, as soon as one of those is committed. */
export const raiseSteadily = async ({ count, perSecond, told, onCommit = () => {} }: Pace): Promise<Raised> => {
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
