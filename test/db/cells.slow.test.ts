import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { forTeam, withoutTeam } from '../../src/db/row-security.ts';
import { isUnreachable, problemOf } from '../../src/db/unavailable.ts';
import { aCombination } from '../support/practice.ts';
import { makeAdmission, readKey } from '../../src/modules/keys/admission.ts';
import { members } from '../../src/modules/membership/store.ts';
import { forAllTeams, type DatabasePart, type RunThere } from '../../src/db/parts.ts';
import { closeCells } from '../../src/db/cells/make-cells.ts';
import { sweep } from '../../src/deliveries/outbox.ts';
import { dueSyncs } from '../../src/modules/crm/service.ts';
import { partsWithTeams, repeatOnParts, startOnParts } from '../../src/worker/queue-runner.ts';
import { aDispatcher, anEvent, aReceivingEndpoint, delivererWithoutQueue } from '../support/worker.ts';
import { patience } from '../support/patience.ts';
import { aDatabaseWithCells, shardOf, takeAway } from './hand-made-cells.ts';
import { startObserved } from '../support/production-service.ts';
import { useTestService } from '../support/service.ts';
import { cellsOf, rowsOf, statement } from '../support/postgres.ts';
import { aTeam, type TestTeam } from '../support/team.ts';
import { forgetStatements } from '../support/tenant-in-statements.ts';

// Cells as Citus has them, made by hand on a plain PostgreSQL. `npm run test:citus` runs the API's tests on real ones.

afterAll(forgetStatements); // some statements here leave out the team

const cells = await aDatabaseWithCells();
const service = await useTestService({ databaseUrl: cells.url });
afterAll(cells.drop);
const { database } = service;

const aTeamIn = async (shard: string): Promise<TestTeam> => {
  for (;;) {
    const team = await aTeam(service);
    if (shardOf(team) === shard) return team;
  }
};
const [one, other] = [await aTeamIn('1'), await aTeamIn('2')];
const neighbour = await aTeamIn('1');

const anywhere: RunThere = (action) => action();
const aPart = (name: string): DatabasePart => ({ url: name, name, run: anywhere, groups: [anywhere] });

const where = statement<{ path: string }, []>(`select current_setting('search_path') as path`);
const allMembers = statement<{ team: string }, []>('select distinct tenant_id as team from member');

const places = cellsOf(database) ?? expect.fail('no cells');
const read = places.read.bind(places);

/** Twice, because the first reading may have begun before the places changed. */
const readPlaces = async () => {
  await read();
  await read();
};

const aCaseOf = (team: TestTeam, title: string) => team.client.post('/cases', { title, user_id: team.owner.user_id });

describe('a statement of a team', () => {
  it('runs in the cell of the team, on the cell’s node', async () => {
    for (const team of [one, other]) {
      const found = await forTeam(team.id, () => rowsOf(database, where));
      expect(found).toEqual([{ path: `cell_${shardOf(team)}, public` }]);
    }
    expect(await rowsOf(database, where)).toEqual([{ path: '"$user", public' }]);
  });

  it('that forgets its team reads rows of no other one, in the same cell either', async () => {
    for (const team of [one, neighbour, other])
      expect(await forTeam(team.id, () => rowsOf(database, allMembers))).toEqual([{ team: team.id }]);
  });

  it('of a transaction runs there, too, and reaches the tables of the coordinator', async () => {
    const paths = await forTeam(one.id, () =>
      database.transaction(async (tx) => [
        await tx.$queryRaw`select current_setting('search_path') as path`,
        await tx.mail.count({ where: { tenantId: one.id } }),
      ]),
    );
    expect(paths).toEqual([[{ path: 'cell_1, public' }], 0]);
  });

  it('can’t write a table that is the same on all nodes through the view of one', async () => {
    const write = database.ofTeam(one.id)(async () => database.prisma.$executeRaw`update person set name = 'x'`);
    await expect(write).rejects.toThrow('written through public');
    const { name } = await database.ofTeam(one.id)(async () =>
      database.prisma.person.update({ where: { email: one.owner.email }, data: { name: 'Written on all nodes' } }),
    );
    expect(name).toBe('Written on all nodes');
  });
});

describe('a read by id', () => {
  // The process reads where cells are every two seconds. After that, each request enters its cell again.
  beforeEach(async () => {
    vi.spyOn(places, 'read').mockResolvedValue();
    await readPlaces(); // waits for a reading that has begun
  });

  const entriesOf = async (act: () => Promise<unknown>) => {
    const before = await cells.entries();
    await act();
    return (await cells.entries()) - before;
  };
  const readMember = () => members.get(database, one, one.owner.member_id);

  it('of a request with a key does not enter the cell again, which its gate has entered', async () => {
    await one.client.get('/cases'); // makes the rows of the budgets
    expect(await entriesOf(() => one.client.get(`/users/${one.owner.member_id}`))).toBe(1);
    expect(await entriesOf(() => one.client.get('/cases'))).toBe(2);
  });

  it('of a request that began after the cell was entered enters it', async () => {
    await one.client.get('/cases');
    expect(await entriesOf(() => forTeam(one.id, readMember))).toBe(1);
  });

  it('that shares a statement with one of an earlier request does so, too', async () => {
    const [entered, both] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const earlier = forTeam(one.id, async () => {
      await one.client.get('/cases');
      entered.resolve();
      await both.promise;
      return readMember();
    });
    await entered.promise;
    const later = forTeam(one.id, async () => {
      await both.promise;
      return readMember();
    });
    const readBoth = async () => {
      both.resolve();
      return Promise.all([earlier, later]);
    };
    expect(await entriesOf(readBoth)).toBe(1);
  });

  it('whose cell was closed since its gate entered it is done again, through the tables of all teams', async () => {
    vi.mocked(places.read).mockImplementation(read); // the repetition reads where the cell is
    await forTeam(one.id, async () => {
      await one.client.get('/cases');
      await cells.closeCell('1');
      expect(await readMember()).toMatchObject({ id: one.owner.member_id });
    });
    await cells.openCell('1');
    await readPlaces();
  });

  it('enters the cell if the places of cells were read anew since its request began', async () => {
    await forTeam(one.id, async () => {
      await one.client.get('/cases');
      expect(await entriesOf(readMember)).toBe(0);
      await readPlaces();
      expect(await entriesOf(readMember)).toBe(1);
    });
  });
});

describe('a cell that is not where the process believes', () => {
  it('refuses a request before anything is done, which is then done once', async () => {
    await cells.refuse(3);
    const answer = await aCaseOf(one, 'Once');
    expect(answer.status).toBe(201);
    const titles = (await one.client.get('/cases')).data.map(({ title }) => title);
    expect(titles.filter((title) => title === 'Once')).toHaveLength(1);
  });

  it('again and again, is unavailable and no bug: for a statement, a transaction, and one of Prisma', async () => {
    const { prisma } = database;
    const errors = async () => {
      const calls: (() => Promise<unknown>)[] = [
        () => rowsOf(database, where),
        () => database.transaction((tx) => tx.case.count()),
        async () => prisma.$transaction([prisma.case.count()]),
      ];
      return Promise.all(calls.map((call) => forTeam(one.id, call).then(() => undefined, problemOf)));
    };
    onTestFinished(async () => void (await cells.refuse(0)));
    await cells.refuse(1_000);
    expect((await errors()).map((problem) => problem?.code)).toEqual(['unavailable', 'unavailable', 'unavailable']);
    await cells.refuse(0);
    expect(await errors()).toEqual([undefined, undefined, undefined]);
  });

  it('that has no views is served through the tables of all teams, with the second wall, and again directly once it has', async () => {
    await cells.closeCell('1');
    expect((await aCaseOf(one, 'While closed')).status).toBe(201);
    expect(await forTeam(one.id, () => rowsOf(database, where))).toEqual([{ path: '"$user", public' }]);
    expect(await forTeam(one.id, () => rowsOf(database, allMembers))).toEqual([{ team: one.id }]);
    await cells.openCell('1');
    await readPlaces();
    expect(await forTeam(one.id, () => rowsOf(database, where))).toEqual([{ path: 'cell_1, public' }]);
    expect((await one.client.get('/cases')).data.map(({ title }) => title)).toContain('While closed');
  });
});

describe('while a node is away', () => {
  it('its teams get 503, and the requests of others are answered, also if they came at the same moment', async () => {
    const restore = takeAway(cells.nodes[1]);
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, at) => (at % 2 === 0 ? one : other).client.get('/cases')),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map((_, at) => (at % 2 === 0 ? 503 : 200)));
    expect((await aCaseOf(other, 'Meanwhile')).status).toBe(201);
    await restore();
    await expect.poll(async () => (await one.client.get('/cases')).status).toBe(200);
  });

  it('the request log of the others is written, and that of its teams once it is back', async () => {
    await service.requestLog.write();
    const logged = async ({ id }: TestTeam) => database.prisma.requestLogEntry.count({ where: { tenantId: id } });
    const before = { one: await logged(one), other: await logged(other) };
    await Promise.all([one, other].map(({ client }) => client.get('/cases')));
    const restore = takeAway(cells.nodes[1]);
    await service.requestLog.write();
    expect([await logged(one), await logged(other)]).toEqual([before.one, before.other + 1]);
    await restore();
    await service.requestLog.write();
    expect([await logged(one), await logged(other)]).toEqual([before.one + 1, before.other + 1]);
  });

  it('the coordinator: requests with a key go on, also with one that was never used', async () => {
    const fresh = await aTeamIn('2');
    const restore = takeAway(cells.coordinator);
    for (const team of [one, other, fresh]) {
      expect((await aCaseOf(team, 'Without the coordinator')).status).toBe(201);
      expect((await team.client.get('/cases')).status).toBe(200);
    }
    expect(await database.acceptsWrites()).toBe(true);
    await restore();
  });
});

describe('while a node hangs', () => {
  it('its transactions and reads, however many wait, take no slots from those of other nodes', async () => {
    const goOn = cells.nodes[1].hang();
    const teams = Array.from({ length: 20 }, (_, at) => `00000000-0000-4000-8000-000000000${10 + at}0`);
    const waiting = Promise.allSettled(
      teams.flatMap((id) => [
        database.reading(id, () => forTeam(id, () => rowsOf(database, where))),
        database.ofTeam(id)(() => database.transaction(async () => {}, { group: id })),
      ]),
    );
    try {
      await database.reading(other.id, async () => {});
      expect((await aCaseOf(other, 'While another node hangs')).status).toBe(201);
      expect((await other.client.get('/cases')).status).toBe(200);
    } finally {
      goOn();
      await waiting;
    }
  });

  it('jobs that wait for their claims there leave claims to those of other nodes', async () => {
    const [stuck, free] = await Promise.all([one, other].map((team) => aReceivingEndpoint(service, team)));
    await anEvent(service, other);
    const asked: unknown[] = [];
    const run: typeof database.run = (query, parameters) => {
      asked.push(parameters['tenantId']);
      return database.run(query, parameters);
    };
    const settings = { concurrency: 8, perEndpoint: 8 };
    const deliverer = await delivererWithoutQueue(service, { settings, database: { ...database, run } });
    const deliver = ({ id: tenantId }: TestTeam, endpointId = '') =>
      database.ofTeam(tenantId)(() => deliverer.run({ tenantId, endpointId }, 'a job'));
    const goOn = cells.nodes[1].hang();
    const waiting = Promise.allSettled(Array.from({ length: 8 }, () => deliver(one, stuck?.id)));
    try {
      await expect.poll(() => asked).toEqual(Array(4).fill(one.id));
      await deliver(other, free?.id);
      expect(free?.receiver.received).toHaveLength(1);
      // None of those has ended, which would have given its slot away.
      expect(asked.filter((id) => id === one.id)).toHaveLength(4);
    } finally {
      goOn();
      await waiting;
    }
  });
});

describe('what a worker does again and again for the teams of a node', () => {
  it('is done for those of the nodes that answer', async () => {
    const parts = partsWithTeams(database.parts.all());
    const [ofOne = [], ofOther = []] = ([1, 2] as const).map((node) =>
      parts.filter(({ name }) => name === `127.0.0.1:${cells.nodes[node].port}`),
    );
    expect([parts.length, ...[...ofOne, ...ofOther].map(({ groups }) => groups.length)]).toEqual([2, 1, 1]);
    const restore = takeAway(cells.nodes[1]);
    for (const look of [sweep, dueSyncs]) {
      await expect(look(service.platform, ofOne)).rejects.toSatisfy(isUnreachable);
      await look(service.platform, ofOther);
    }
    await restore();
  });

  it('does not wait for what was begun for another one', async () => {
    const begun: string[] = [];
    const over = new AbortController();
    const stuck = Promise.withResolvers<void>();
    const parts = ['stuck', 'free'].map(aPart);
    const repeating = repeatOnParts(
      { parts: { all: () => parts } },
      { everyMs: 1, signal: over.signal },
      async ({ name }) => {
        begun.push(name);
        if (name === 'stuck') await stuck.promise;
      },
    );
    await expect.poll(() => begun.filter((node) => node === 'free').length).toBeGreaterThan(2);
    expect(begun.filter((node) => node === 'stuck')).toHaveLength(1);
    over.abort();
    stuck.resolve();
    await repeating;
  });
});

it('a worker stays ready while some nodes are away, and names them', async () => {
  const worker = await startObserved(cells.url, 'worker', { WORKER_PORT: '0' });
  const ready = async () => {
    const response = await fetch(`http://127.0.0.1:${worker.workerPort}/readyz`);
    return [response.status, await response.json()];
  };
  await expect.poll(ready).toEqual([200, { status: 'ready' }]);
  const away = [cells.coordinator, cells.nodes[1]];
  const restore = away.map(takeAway);
  const names = away.map(({ port }) => `127.0.0.1:${port}`);
  await expect.poll(ready).toEqual([200, { status: 'ready', away: names.toSorted() }]);
  for (const give of restore) await give();
  await expect.poll(ready).toEqual([200, { status: 'ready' }]);
});

describe('closing cells', () => {
  const isOpen = async (shard: string) => {
    await readPlaces();
    return cellsOf(database)?.at(shard).isOpen;
  };

  it('waits for what is in a cell, without locking its views; what comes meanwhile waits or goes around', async () => {
    const viewsOf = statement<{ name: string }, []>(
      `select quote_ident(relname) as name from pg_class where relnamespace = 'cell_1'::regnamespace and relkind = 'v' order by oid`,
    );
    const views = await rowsOf(database, viewsOf);
    const [first, last] = [views[0]?.name, views.at(-1)?.name];
    const closers = statement<{ pid: number }, []>(
      `select pid from pg_stat_activity where query like '%drop schema if exists cell_1 %' and wait_event_type = 'Lock'`,
    );
    const entered = Promise.withResolvers<void>();
    const over = Promise.withResolvers<void>();
    const inside = forTeam(one.id, () =>
      database.transaction(async (tx) => {
        await tx.$queryRawUnsafe(`select count(*) from ${last}`);
        entered.resolve();
        await expect
          .poll(async () => (await database.ofNoTeam(() => rowsOf(database, closers))).length)
          .toBeGreaterThan(0);
        await tx.$executeRawUnsafe(`set local lock_timeout = '50ms'`);
        await tx.$queryRawUnsafe(`select count(*) from ${first}`);
        await over.promise;
        return 'committed';
      }),
    );
    await Promise.race([entered.promise, inside]);
    const closing = closeCells(cells.url);
    const statuses = await Promise.all(
      Array.from({ length: 10 }, async (_, at) => (await aCaseOf(at % 2 === 0 ? one : other, 'Meanwhile')).status),
    );
    expect(new Set(statuses)).toEqual(new Set([201]));
    expect(await isOpen('1')).toBe(true);
    over.resolve();
    expect(await inside).toBe('committed');
    await closing;
    expect([await isOpen('1'), await isOpen('2')]).toEqual([false, false]);
    expect((await aCaseOf(one, 'Closed')).status).toBe(201);
    for (const shard of ['1', '2'] as const) await cells.openCell(shard);
    await readPlaces();
  });

  it('goes on with other nodes if one is away, and says which and why', async () => {
    const restore = takeAway(cells.nodes[1]);
    await expect(closeCells(cells.url)).rejects.toThrow(`127.0.0.1:${cells.nodes[1].port}: connect ECONNREFUSED`);
    await restore();
    for (const shard of ['1', '2'] as const) await cells.openCell(shard);
    await readPlaces();
  });
});

describe('statements for several cells of one node', () => {
  beforeAll(async () => {
    await cells.move('2', 1);
    await readPlaces();
  });
  afterAll(async () => {
    await cells.move('2', 2);
    await readPlaces();
  });

  interface Asked {
    readonly team: TestTeam;
    readonly number: number;
  }
  const numbers: readonly Asked[] = [one, other, one, other].map((team, number) => ({ team, number }));
  /** Asks for each number in a call of its own. */
  const askAll = (text: string, onlyReads = false) =>
    Promise.allSettled(
      numbers.map((asked) => {
        const query = statement<{ number: number; cells: string[]; began: string; entered: string }, [number]>(text);
        const ask = database.parts.inBatches(
          ({ team }: Asked) => team.id,
          () => rowsOf(database, query, asked.number),
          { max: 1, waitsForNoRows: true, onlyReads },
        );
        return ask(asked);
      }),
    );
  const inARequest = <T>(action: () => Promise<T>) =>
    new Promise<T>((resolve, reject) => withoutTeam(undefined, undefined, () => void action().then(resolve, reject)));
  /** `cells`: those whose teams the statement sees. */
  const row = `$1::int as number, now()::text as began,
    array(select distinct case when right(t.id::text, 1) < '8' then '1' else '2' end from team t where t.name <> '') as cells,
    coalesce(current_setting('test.entered', true), '') as entered`;

  it.each([
    ['that have to be entered', false, ['1', '2']],
    ['that were entered since the request began', true, []],
  ])('share a transaction, each in its own cell, for cells %s', async (_, onlyReads, entered) => {
    // Again if the places of cells were read anew between the two, which the service does from time to time.
    await vi.waitFor(async () => {
      const answers = await inARequest(async () => {
        for (const { client } of [one, other]) await client.get('/cases'); // enters both
        return askAll(`select ${row}`, onlyReads);
      });
      const rows = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
      expect(rows.map(({ number, cells: seen }) => [number, seen])).toEqual(
        numbers.map(({ team, number }) => [number, [shardOf(team)]]),
      );
      expect(new Set(rows.map(({ began }) => began)).size).toBe(1);
      const seen = rows.map((one) =>
        one.entered
          .split(' ')
          .filter((cell) => cell !== '')
          .toSorted(),
      );
      expect(seen).toEqual(numbers.map(() => entered));
    }, patience);
  });

  it('that look at all teams see each team once', async () => {
    const teams = statement<{ id: string }, []>('select id from team');
    const found = (await forAllTeams(database.parts.all(), () => rowsOf(database, teams))).flat();
    expect(found.filter(({ id }) => [one.id, other.id].includes(id))).toHaveLength(2);
  });

  it('get their answers if another one fails', async () => {
    const answers = await askAll(`select 1 / ($1::int - 1) as failing, ${row}`);
    expect(answers.map((answer) => (answer.status === 'fulfilled' ? answer.value.number : 'failed'))).toEqual([
      0,
      'failed',
      2,
      3,
    ]);
  });

  it('wait neither for a lock nor for a slow one: then each runs alone, with the usual limits', async () => {
    const limits = `${row}, current_setting('statement_timeout') as statement, current_setting('lock_timeout') as lock`;
    expect(await askAll(`select ${limits}`)).toMatchObject(
      numbers.map(({ number }) => ({ value: { number, statement: '1s', lock: '50ms' } })),
    );
    const slow = `(select pg_sleep(case when $1::int = 1 then 1.1 else 0 end))::text as slept`;
    const answers = await askAll(`select ${slow}, ${limits}`);
    expect(answers).toMatchObject(
      numbers.map(({ number }) => ({ value: { number, statement: '30s', lock: expect.not.stringMatching('50ms') } })),
    );
  });

  it('are the gates of requests that come together', async () => {
    const admission = makeAdmission(database, 60);
    const keys = await Promise.all([one, other].map(async (team) => readKey([`Bearer ${(await team.aKey()).text}`])));
    const admitAll = () => Promise.all(keys.map((key) => admission.admit(key, '192.0.2.1')));
    await admitAll(); // makes the rows of the budgets
    await admitAll();
    // PostgreSQL writes into each row which transaction has changed it.
    const changedBy = statement<{ by: string }, [string[]]>(
      'select xmin::text as by from request_budget where subject = any ($1::text[]::uuid[])',
    );
    const rows = await rowsOf(database, changedBy, [one.id, other.id]);
    expect([rows.length, new Set(rows.map(({ by }) => by)).size]).toEqual([2, 1]);
  });

  it('are gates; if a cell has left, each is repeated, and counted once', async () => {
    const gates = async (refusals: number) => {
      await cells.refuse(refusals);
      return Promise.all(
        [one, other].map(async ({ client }) => {
          const { status, headers } = await client.get('/cases');
          return [status, Number(headers.get('ratelimit-remaining'))];
        }),
      );
    };
    const [[, ofOne = 0] = [], [, ofOther = 0] = []] = await gates(0);
    for (const refusals of [1, 2, 3]) {
      expect(await gates(refusals)).toEqual([
        [200, ofOne - refusals],
        [200, ofOther - refusals],
      ]);
    }
  });
});

it('a delivery is sent while the coordinator is away', async () => {
  const { receiver, id } = await aReceivingEndpoint(service, one);
  await database.prisma.webhookEndpoint.updateMany({ where: { id }, data: { events: ['assignment.created'] } });
  const wanted = { title: 'Price talk', member_id: one.owner.member_id, ...(await aCombination(service)) };
  await aDispatcher(service);
  const restore = takeAway(cells.coordinator);
  expect((await one.client.post('/assignments', wanted)).status).toBe(201);
  await receiver.untilReceived(1);
  await restore();
});

it('a queue runs on each node, also on one that is added, until the node is removed', async () => {
  const nodes = ['one', 'two'].map(aPart);
  const listeners = new Set<() => void>();
  const running = new Set<string>();
  const parts = {
    ...database.parts,
    all: () => nodes,
    onChange: (listener: () => void) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
  const queues = startOnParts({ ...database, parts }, 'one', ({ databaseUrl: url }) => {
    running.add(url);
    return { isFetching: () => url === 'two', stop: async () => void running.delete(url) };
  });
  onTestFinished(() => queues.stop());
  nodes.push(aPart('three'));
  for (const listener of listeners) listener();
  expect([...running]).toEqual(['one', 'two', 'three']);
  expect(queues.isFetching()).toEqual({ one: false, two: true, three: false });
  nodes.splice(1, 1);
  for (const listener of listeners) listener();
  expect([...running]).toEqual(['one', 'three']);
  expect(queues.isFetching()).toEqual({ one: false, three: false });
});
