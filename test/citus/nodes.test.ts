import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest';
import {
  addMachine,
  createOnMachines,
  dropFromMachines,
  machinesOf,
  migrateOnce,
  statesOf,
} from '../../scripts/kit/citus.ts';
import { distribute, migrateWithCells } from '../../src/db/cells/distribute.ts';
import { mendCells, openCells, urlsOfNodes, withoutCells } from '../../src/db/cells/make-cells.ts';
import { withClient } from '../../src/db/migrate.ts';
import { openAddress, type TcpAddress } from '../support/ports.ts';
import { cellsOf, isDistributed, withSql } from '../support/postgres.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { aTeam, type TestTeam } from '../support/team.ts';

// Migrations under load, of a database with a node that is away, hangs, or neither. The node has an address of its own,
// so that other tests keep it.

const perSecond = 30;

let url: string;
let address: TcpAddress;
let service: TestService;
/** The teams on the node with the address, and the others. */
let teams: { away: readonly TestTeam[]; living: readonly TestTeam[] };

const nodeOf = async ({ id }: TestTeam): Promise<string> => {
  const cell = await cellsOf(service.database)?.of(id);
  return new URL(cell?.node ?? '').port;
};

beforeAll(async () => {
  const { citus } = inject('databaseServer');
  if (!citus) return;
  const machines = await machinesOf(citus.url);
  const last = machines.at(-1);
  if (!last) throw new Error('there is no machine');
  address = await openAddress(() => last);
  const name = `${citus.beginning}nodes`;
  url = await createOnMachines(citus.url, name, { machines, shards: 8 });
  const reached = { ...last, host: '127.0.0.1', port: address.port };
  for (const machine of machines) await addMachine(citus.url, url, machine === last ? reached : machine);
  await migrateWithCells(url);
  await distribute(url, () => {});
  service = await startTestService({ databaseUrl: url });
  const made: TestTeam[] = [];
  for (let count = 0; count < 24; count += 1) made.push(await aTeam(service));
  const ports = await Promise.all(made.map(nodeOf));
  teams = {
    away: made.filter((_, at) => ports[at] === String(address.port)),
    living: made.filter((_, at) => ports[at] !== String(address.port)),
  };
});

afterAll(async () => {
  const { citus } = inject('databaseServer');
  if (!citus) return;
  await service.close();
  address.cut();
  await dropFromMachines(citus.url, new URL(url).pathname.slice(1));
});

/** Sends requests of some teams, so many a second, until it is stopped. `stop` returns what failed. */
const startLoad = (of: readonly TestTeam[]) => {
  const over = new AbortController();
  const answers: Promise<string[]>[] = [];
  const ask = async ({ client, owner }: TestTeam, index: number): Promise<string[]> => {
    const began = performance.now();
    const { status } = await (index % 2 === 0
      ? client.post('/cases', { title: `Case ${index}`, user_id: owner.user_id })
      : client.get('/cases'));
    return [200, 201].includes(status) ? [] : [`${status} after ${Math.round(performance.now() - began)} ms`];
  };
  const sending = (async () => {
    for (let index = 0; !over.signal.aborted; index += 1) {
      const team = of[index % of.length];
      if (team) answers.push(ask(team, index));
      await sleep(1_000 / perSecond);
    }
  })();
  const stop = async () => {
    over.abort();
    await sending;
    return { requests: answers.length, failed: (await Promise.all(answers)).flat() };
  };
  onTestFinished(async () => void (await stop()));
  return stop;
};

let migrations = 0;
const addOrDrop = (table: string, change: string): Promise<void> => {
  migrations += 1;
  return migrateOnce(url, `20990101${String(migrations).padStart(6, '0')}_nodes`, `ALTER TABLE "${table}" ${change}`);
};

const states = async () => statesOf(await urlsOfNodes(url));
const untouched = [0, 1, 2].map(() => ({ closed: 0, deadlocks: 0 }));

/** Closes the cells of all nodes as a migration does that was killed. */
const leaveClosed = async () => {
  for (const node of await urlsOfNodes(url)) {
    await withSql({ databaseUrl: node }, async (client) => {
      await client.query('set citus.enable_ddl_propagation = off');
      const { rows } = await client.query<{ name: string }>(
        `select nspname::text as name from pg_namespace where nspname like 'cell\\_%'`,
      );
      for (const { name } of rows) await client.query(`drop schema ${name} cascade`);
    });
  }
};

describe.skipIf(!isDistributed())('under load', () => {
  it('ten migrations fail no request, end in no deadlock, and leave no cell closed', async () => {
    const stop = startLoad([...teams.away, ...teams.living]);
    for (let time = 0; time < 5; time += 1) {
      const table = time % 2 === 0 ? 'case' : 'training';
      await addOrDrop(table, `ADD COLUMN "note_${time}" VARCHAR(5)`);
      await addOrDrop(table, `DROP COLUMN "note_${time}"`);
    }
    const { requests, failed } = await stop();
    expect(failed).toEqual([]);
    expect(requests).toBeGreaterThan(100);
    expect(await states()).toEqual(untouched);
  });

  it('a migration that is killed half-way fails no request, and the next command opens what it has closed', async () => {
    const stop = startLoad([...teams.away, ...teams.living]);
    const child = spawn(process.execPath, [join(import.meta.dirname, 'closing-program.ts'), url], { stdio: 'ignore' });
    const ended = once(child, 'exit');
    await expect.poll(async () => (await states()).some(({ closed }) => closed > 0)).toBe(true);
    child.kill('SIGKILL');
    await ended;
    await openCells(url, () => {});
    expect((await stop()).failed).toEqual([]);
    expect(await states()).toEqual(untouched);
  });
});

describe.skipIf(!isDistributed())('while a node', () => {
  /** How many cells of the other nodes are closed. */
  const livingClosed = async () => (await statesOf((await urlsOfNodes(url)).slice(0, -1))).map(({ closed }) => closed);
  const addColumn = () => addOrDrop('training', 'ADD COLUMN "never" VARCHAR(5)');

  it.each([
    ['is dead', () => address.cut(), () => address.restore()],
    ['hangs', () => (goOn = address.hang()), async () => goOn()],
  ])('%s, nothing is migrated, and other nodes are served and mended', async (_, take, giveBack) => {
    await leaveClosed();
    const stop = startLoad(teams.living);
    take();
    try {
      await expect(addColumn()).rejects.toThrow(`127.0.0.1:${address.port}`);
      expect(await livingClosed()).toEqual([0, 0]);
      expect((await stop()).failed).toEqual([]);
    } finally {
      await giveBack();
    }
    await mendCells(url, () => {});
    expect((await states()).map(({ closed }) => closed)).toEqual([0, 0, 0]);
  });
  let goOn = () => {};

  it('begins to hang in the middle of a migration, that ends, and other nodes are served and mended', async () => {
    const stop = startLoad(teams.living);
    try {
      const migration = withoutCells(
        url,
        () => {},
        async () => {
          await withClient(url, async (client) => {
            await client.query(`begin; set local citus.multi_shard_modify_mode = 'sequential'`);
            await client.query(`alter table "case" add column never varchar(5)`); // locks it on all nodes
            goOn = address.hang();
            await client.query(`alter table "case" add column neither varchar(5)`);
          });
        },
      );
      await expect(migration).rejects.toThrow(`127.0.0.1:${address.port}`);
      expect(await livingClosed()).toEqual([0, 0]);
      expect((await stop()).failed).toEqual([]);
    } finally {
      goOn();
    }
    await expect.poll(async () => mendCells(url, () => {}).then(() => 'mended', String)).toBe('mended');
    expect((await states()).map(({ closed }) => closed)).toEqual([0, 0, 0]);
  });
});
