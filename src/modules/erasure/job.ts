import type { Platform } from '../../platform/team.ts';
import { adjustUsage } from '../storage/service.ts';
import { steps } from './steps.ts';
import { erasures } from './store.ts';
import type { ErasureKey } from './store.ts';

/** A step that only a former version had: the erasure begins anew with the first step, which finds nothing that was erased before. */
const indexOf = (name: string): number =>
  Math.max(
    0,
    steps.findIndex((step) => step.name === name),
  );

/** Does the next batch of an erasure; undefined if there is no such erasure any more. */
export const eraseNext = ({ database }: Platform, key: ErasureKey): Promise<{ done: boolean } | undefined> =>
  database.transaction(
    async (tx) => {
      const erasure = await erasures.lock(tx, key);
      if (!erasure) return undefined;
      const index = indexOf(erasure.step);
      const step = steps[index] ?? steps[0];
      const { next, deleted = 0, changed = 0, bytes = 0 } = await step.run(tx, erasure, erasure.position);
      const sums = { deleted: erasure.deleted + deleted, changed: erasure.changed + changed };
      const following = next ? step : steps[index + 1];
      if (following) await erasures.update(tx, key, { step: following.name, position: [...(next ?? [])], ...sums });
      else await erasures.remove(tx, key);
      if (bytes !== 0) await adjustUsage(tx, key.tenantId, Math.round(bytes));
      return { done: !following };
    },
    { group: key.tenantId },
  );

/** Goes on with an erasure until it is done. */
export const eraseAll = async (platform: Platform, key: ErasureKey): Promise<void> => {
  while ((await eraseNext(platform, key))?.done === false);
};

/** Adds the job that goes on with an erasure. */
export const addErasureJob = async ({ database }: Platform, key: ErasureKey): Promise<void> => {
  await erasures.addJob(database, key);
};

export const addLostErasureJobs = async ({ database }: Platform): Promise<void> => {
  await erasures.addLostJobs(database);
};
