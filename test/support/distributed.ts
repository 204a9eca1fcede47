import { addMachine, createOnMachines, machinesOf } from '../../scripts/kit/citus.ts';
import { connectTo } from '../../scripts/kit/database.ts';
import { distribute } from '../../src/db/distribute.ts';
import { urlsOfNodes } from '../../src/db/make-cells.ts';
import { migrate } from '../../src/db/migrate.ts';

/** A new distributed database with our tables. Few shards, because making them takes most of the time. */
export const createDistributed = async (
  citusUrl: string,
  name: string,
  { closesHalf }: { closesHalf: boolean },
): Promise<string> => {
  const machines = await machinesOf(citusUrl);
  const url = await createOnMachines(citusUrl, name, { machines, shards: 4 });
  for (const machine of machines) await addMachine(citusUrl, url, machine);
  await migrate(url);
  await distribute(url, () => {});
  if (closesHalf) await closeHalf(url);
  return url;
};

/** Closes every second cell of each node, as a move does. */
const closeHalf = async (url: string): Promise<void> => {
  for (const node of await urlsOfNodes(url)) {
    await using client = await connectTo(node);
    const { rows } = await client.query<{ cell: string }>(
      `select nspname::text as cell from pg_namespace where nspname like 'cell\\_%' order by 1`,
    );
    for (const [at, { cell }] of rows.entries()) if (at % 2 === 0) await client.query(`drop schema ${cell} cascade`);
  }
};
