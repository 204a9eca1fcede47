// Restores all machines of a distributed database to one point, as docs/citus.md says, while the others still run.

import { connectTo } from '../kit/database.ts';
import { headings, settingsIn, type Guide } from '../kit/citus-guide.ts';
import { reportFigures } from '../kit/figures.ts';
import type { Seeded } from '../kit/seed.ts';
import { archived, type backUpsOf, restoredFrom, secondsOf, startApi } from './backup.ts';

interface Restoring {
  readonly guide: Guide;
  /** The machines, the coordinator first. */
  readonly numbers: readonly number[];
  readonly backUps: ReadonlyMap<number, Awaited<ReturnType<typeof backUpsOf>>>;
  readonly seeded: Seeded;
}

/** A restored machine has the number of its former one and 10, as in the examples of the page. */
const restoredNumber = (number: number): number => number + 10;

/** Restores and starts a machine without Citus. */
const restoreOne = async ({ guide, backUps }: Restoring, number: number, point: string): Promise<void> => {
  const [isolation, command] = guide.blocks(headings.restore);
  const { cluster, start } = guide.machine(restoredNumber(number));
  const [, , ...words] = (command?.text ?? '').trim().split(' '); // without the program and its stanza
  const target = words.map((word) => (word.startsWith('--target=') ? `--target=${point}` : word));
  await backUps.get(number)?.pgbackrest(...target, `--pg1-path=${cluster.data}`);
  await start(settingsIn(isolation?.text ?? ''));
};

/** Tells a restored machine the addresses of the others. Throws if it knows one of the former ones. */
const renameOn = async ({ guide, numbers }: Restoring, number: number): Promise<void> => {
  const [, , rename, look] = guide.blocks(headings.restore);
  const { psql } = guide.machine(restoredNumber(number));
  const pair = (each: number) => `'${guide.machine(each).host}', ${guide.machine(each).port}`;
  // The page has three machines: a line for each further one is like its last line.
  const [last = ''] = rename?.text.trim().split('\n').slice(-1) ?? [];
  const further = numbers
    .filter((each) => each > 3)
    .map((each) => last.replace(pair(restoredNumber(3)), pair(restoredNumber(each))).replace(pair(3), pair(each)));
  await psql([rename?.text ?? '', ...further].join('\n'));
  const shown = (await psql(look?.text ?? '')).split('\n').toSorted();
  const expected = numbers.map((each) => {
    const { host, port } = guide.machine(restoredNumber(each));
    return `${host}|${port}`;
  });
  if (shown.join() !== expected.toSorted().join()) throw new Error(`A restored machine knows ${shown.join(' ')}`);
};

export const restoreBeside = async (opened: AsyncDisposableStack, restoring: Restoring): Promise<void> => {
  const { guide, numbers, seeded } = restoring;
  console.log(`citus: ${numbers.length} machines are restored to one point, beside the running ones`);
  const live = await startApi(opened, guide.databaseUrl, seeded);
  const createEach = (title: string) => Promise.all(seeded.teams.map((_, team) => live.create(title, team)));
  const before = await createEach('Before the point');
  for (const block of guide.blocks(headings.backup)) await guide.run(block);
  const point = await guide.machine(1).psql(`select 'daily-' || current_date`);
  const after = await createEach('After the point');

  for (const number of numbers) {
    const { cluster } = guide.machine(number);
    await archived(cluster.urlOf('postgres'));
    guide.adopt(restoredNumber(number), await restoredFrom(cluster));
  }
  const coordinator = guide.machine(restoredNumber(1));
  const { href: restoredUrl } = Object.assign(new URL(guide.databaseUrl), {
    hostname: coordinator.host,
    port: String(coordinator.port),
  });
  const seconds = await secondsOf(async () => {
    for (const number of numbers) await restoreOne(restoring, number, point);
    for (const number of numbers) await renameOn(restoring, number);
    for (const number of numbers) {
      const { stop, start } = guide.machine(restoredNumber(number));
      await stop();
      await start();
    }
    const distribute = guide.blocks(headings.restore).at(-1);
    if (distribute) await guide.run(distribute, restoredUrl);
  });

  const restored = await startApi(opened, restoredUrl, seeded);
  const countWith = async (api: typeof live, ids: readonly string[], status: number): Promise<number> => {
    const found = await Promise.all(ids.map((id, team) => api.find(id, team)));
    return found.filter((each) => each === status).length;
  };
  const own = await Promise.all(seeded.teams.map((_, team) => restored.create('In the restored one', team)));
  const email = 'only.in.the.restored.one@example.com';
  const invited = await restored.invite(email);
  const invitedIn = async (url: string): Promise<number> => {
    await using client = await connectTo(url);
    return (await client.query('select from member where email = $1', [email])).rows.length;
  };
  reportFigures([
    { name: 'seconds of the restore', value: seconds },
    {
      name: 'writes missing that were before the point',
      value: before.length - (await countWith(restored, before, 200)),
      atMost: 0,
    },
    {
      name: 'writes there that were after the point',
      value: after.length - (await countWith(restored, after, 404)),
      atMost: 0,
    },
    { name: 'writes missing in the running one', value: after.length - (await countWith(live, after, 200)), atMost: 0 },
    {
      name: 'writes of the restored one in the running one',
      value: own.length - (await countWith(live, own, 404)),
      atMost: 0,
    },
    { name: 'the status of an invitation in the restored one, less 201', value: Math.abs(invited - 201), atMost: 0 },
    { name: 'invitations of the restored one missing there', value: 1 - (await invitedIn(restoredUrl)), atMost: 0 },
    {
      name: 'invitations of the restored one in the running one',
      value: await invitedIn(guide.databaseUrl),
      atMost: 0,
    },
  ]);
};
