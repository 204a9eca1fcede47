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
import { pick } from '../../scripts/kit/seed.ts';
import { loadQueries } from '../../scripts/statements/defined.ts';
import { distribute, migrateWithCells } from '../../src/db/cells/distribute.ts';
import { mendCells, openCells, urlsOfNodes, withoutCells } from '../../src/db/cells/make-cells.ts';
import { withClient } from '../../src/db/migrate.ts';
import type { SqlType } from '../../src/db/query.ts';
import { severalTeams } from '../db/several-teams.ts';
import { openAddress, type TcpAddress } from '../support/ports.ts';
import type { Client } from '../support/client.ts';
import { cellsOf, isDistributed, withSql } from '../support/postgres.ts';
import { aReceiver } from '../support/receiver.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { aTeam, type TestTeam } from '../support/team.ts';
import { endpointRow } from '../support/webhooks.ts';
import { aDispatcher } from '../support/worker.ts';

// Migrations under load, of a database with a node that is away, hangs, or neither. The node has an address of its own,
// so that other tests keep it.

const perSecond = 30;

let url: string;
let address: TcpAddress;
let service: TestService;
/** A second one of each team: a key has 120 requests a minute, which one alone spends on a slow machine. */
const secondClients = new Map<TestTeam, Client>();
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
  for (let count = 0; count < 24; count += 1) {
    const team = await aTeam(service);
    secondClients.set(team, await team.aClient());
    made.push(team);
  }
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
  const ask = async (team: TestTeam, index: number): Promise<string[]> => {
    const { owner } = team;
    const client = (Math.floor(index / of.length) % 2 === 0 && secondClients.get(team)) || team.client;
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

/** A value of the type; of a uuid, that of the team. */
const sampleOf = ({ names: [name = ''], labels }: SqlType<unknown>, { id }: TestTeam): unknown => {
  if (labels) return labels[0];
  if (name.endsWith('[]')) return name === 'uuid[]' ? [id] : [];
  return samples.get(name) ?? id;
};
const samples = new Map<string, unknown>([
  ['text', '1'],
  ['boolean', false],
  ['integer', 1],
  ['bigint', 1],
  ['double precision', 1],
  ['timestamp with time zone', new Date()],
  ['inet', '127.0.0.1'],
  ['bytea', Buffer.from('a')],
  ['date', '2026-11-30'],
  ['jsonb', '[]'],
]);

describe.skipIf(!isDistributed())('while a node', () => {
  /** How many cells of the other nodes are closed. */
  const livingClosed = async () => (await statesOf((await urlsOfNodes(url)).slice(0, -1))).map(({ closed }) => closed);
  const addColumn = () => addOrDrop('training', 'ADD COLUMN "never" VARCHAR(5)');
  const ways: readonly [how: string, take: () => void, giveBack: () => Promise<void>][] = [
    ['is dead', () => address.cut(), () => address.restore()],
    ['hangs', () => (goOn = address.hang()), async () => goOn()],
  ];

  it('is dead, no statement of a team of another node needs it in a closed cell', async () => {
    const queries = (await loadQueries()).filter(({ name }) => !severalTeams.includes(name));
    const team = pick(teams.living, 0);
    const { node = '' } = (await cellsOf(service.database)?.of(team.id)) ?? {};
    await leaveClosed();
    address.cut();
    const failures = new Map<string, string>();
    try {
      await withSql({ databaseUrl: node }, async (client) => {
        for (const { name, text, order, parameters } of queries) {
          const values = order.map((parameter) => parameters[parameter] && sampleOf(parameters[parameter], team));
          await client.query('begin');
          await client.query(text, values).catch((error: unknown) => failures.set(name, String(error)));
          await client.query('rollback');
        }
      });
    } finally {
      await address.restore();
    }
    await mendCells(url, () => {});
    const reaching = [...failures].flatMap(([name, failure]) => (failure.includes(`:${address.port}`) ? name : []));
    // People and the catalog are on all nodes.
    expect(reaching).toEqual([
      'db.lockRow person no key update',
      'db.lockRow person update',
      'tables.erase catalog_item',
    ]);
    expect(queries.length).toBeGreaterThan(20);
    // These two ran, for items that are not in the catalog.
    const refused = [...failures.keys()].filter((name) => !reaching.includes(name));
    expect(refused).toEqual(['assignments.insert', 'cases.insert']);
  });

  it.each(ways)('%s, deliveries and the request log of others go on in closed cells', async (_, take, giveBack) => {
    const team = pick(teams.living, 0);
    const { database } = service;
    const receiver = await aReceiver();
    const endpoint = { ...endpointRow(service, team, { events: ['audit.recorded'] }), url: `${receiver.url}/` };
    await database.prisma.webhookEndpoint.create({ data: endpoint });
    await service.requestLog.write(); // nothing of the others is left
    const countLogged = () =>
      database.ofTeam(team.id)(() => database.prisma.requestLogEntry.count({ where: { tenantId: team.id } }));
    const loggedBefore = await countLogged();
    await aDispatcher(service);
    await leaveClosed();
    await expect.poll(() => cellsOf(database)?.all.some(({ isOpen }) => isOpen)).toBe(false);
    take();
    try {
      expect((await team.client.post('/cases', { title: 'Case', user_id: team.owner.user_id })).status).toBe(201);
      const statuses = () =>
        database.ofTeam(team.id)(async () => {
          const where = { tenantId: team.id, endpointId: endpoint.id };
          return (await database.prisma.webhookDelivery.findMany({ where })).map(({ status }) => status);
        });
      await expect.poll(statuses).toEqual(['ok']);
      await service.requestLog.write();
      expect(await countLogged()).toBeGreaterThan(loggedBefore);
    } finally {
      await giveBack();
    }
    await mendCells(url, () => {});
  });

  it.each(ways)('%s, nothing is migrated, and other nodes are served and mended', async (_, take, giveBack) => {
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
