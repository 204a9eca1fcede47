import { addMachine, createOnMachines, machinesOf } from '../../scripts/kit/citus.ts';
import { distribute } from '../../src/db/distribute.ts';
import { migrate } from '../../src/db/migrate.ts';

/** A new distributed database with our tables. Few shards, because making them takes most of the time. */
export const createDistributed = async (citusUrl: string, name: string): Promise<string> => {
  const machines = await machinesOf(citusUrl);
  const url = await createOnMachines(citusUrl, name, { machines, shards: 4 });
  for (const machine of machines) await addMachine(citusUrl, url, machine);
  await migrate(url);
  await distribute(url, () => {});
  return url;
};
