import { describe, expect, it, onTestFinished } from 'vitest';
import { openDatabase } from '../../src/db/database.ts';
import { migrateWithCells, runOnNodes } from '../../src/db/cells/distribute.ts';
import { closeCells, mendCells, urlsOfNodes } from '../../src/db/cells/make-cells.ts';
import { applyMigrations } from '../../src/db/schema-engine.ts';
import { forTeam } from '../../src/db/row-security.ts';
import { sendWaitingTask } from '../../src/modules/members/waiting.ts';
import { deleteTeamData, startDeletion } from '../../src/modules/team-deletion/service.ts';
import { jobs } from '../../src/platform/jobs.ts';
import { aCase as insertCase } from '../support/practice.ts';
import { cellsOf, onEachNode, withSql, isDistributed, rowsOf, statement } from '../support/postgres.ts';
import { useTestService } from '../support/service.ts';
import { anEmail, aTeam, type TestTeam } from '../support/team.ts';
import { forgetStatements } from '../support/tenant-in-statements.ts';

// What differs on cells of Citus from a plain database, as it was seen.

const service = await useTestService({ own: true });
const { database, databaseUrl } = service;

const ask = <Row extends object>(url: string, sql: string, values: unknown[] = []): Promise<Row[]> =>
  withSql({ databaseUrl: url }, async (client) => {
    await client.query('set citus.override_table_visibility = off'); // otherwise Citus hides the parts
    return (await client.query<Row>(sql, values)).rows;
  });

/** Moves the cell of a team to the other node, as an operator does. */
const move = async ({ id }: TestTeam): Promise<void> => {
  const [from] = await ask<{ shard: string; host: string; port: number }>(
    databaseUrl,
    `select shardid::text as shard, nodename as host, nodeport as port from pg_dist_placement join pg_dist_node using (groupid)
      where shardid = get_shard_id_for_distribution_column('team', $1::uuid)`,
    [id],
  );
  const [to] = await ask<{ host: string; port: number }>(
    databaseUrl,
    'select nodename as host, nodeport as port from pg_dist_node where groupid <> 0 and nodeport <> $1',
    [from?.port],
  );
  const values = [from?.shard, from?.host, from?.port, to?.host, to?.port];
  await ask(databaseUrl, `select citus_move_shard_placement($1::bigint, $2, $3, $4, $5, 'force_logical')`, values);
};

const pathOf = async ({ id }: TestTeam): Promise<string | undefined> =>
  (
    await forTeam(id, () =>
      rowsOf(database, statement<{ path: string }, []>(`select current_setting('search_path') as path`)),
    )
  )[0]?.path;

const aCase = (team: TestTeam, title: string) => team.client.post('/cases', { title, user_id: team.owner.user_id });

const titlesOf = async (team: TestTeam): Promise<unknown[]> =>
  (await database.prisma.case.findMany({ where: { tenantId: team.id } })).map(({ title }) => title);

const mend = () => mendCells(databaseUrl, () => {});

it.skipIf(!isDistributed())(
  'a move of Citus, which knows nothing of the views, loses none of the writes that were answered meanwhile',
  async () => {
    const team = await aTeam(service);
    const moved = new AbortController();
    const moving = move(team).finally(() => moved.abort());
    const answered: string[] = [];
    while (!moved.signal.aborted) {
      const title = `Case ${answered.length}`;
      await forTeam(team.id, () => insertCase(service, team, { userId: team.owner.user_id, title }));
      answered.push(title);
    }
    await moving;
    expect((await titlesOf(team)).toSorted()).toEqual(answered.toSorted());
    expect(await pathOf(team)).not.toContain('cell_');
    await mend();
    await cellsOf(database)?.read();
    expect(await pathOf(team)).toContain('cell_');
    expect((await aCase(team, 'After the move')).status).toBe(201);
  },
);

it.skipIf(!isDistributed())(
  'all parts of tables of teams have their policies, also those that were moved',
  async () => {
    await move(await aTeam(service));
    const parts: { name: string; isOn: boolean }[] = [];
    for (const url of await urlsOfNodes(databaseUrl)) {
      const here = await ask<{ name: string; isOn: boolean }>(
        url,
        `select c.oid::regclass::text as name, c.relrowsecurity and exists (select from pg_policy where polrelid = c.oid) as "isOn"
         from pg_dist_shard s join pg_dist_partition p using (logicalrelid) join pg_dist_placement using (shardid)
         join pg_dist_local_group using (groupid)
         join pg_class c on c.oid = to_regclass(shard_name(s.logicalrelid, s.shardid)) where p.partmethod = 'h'`,
      );
      parts.push(...here);
    }
    expect(parts.length).toBeGreaterThan(30);
    expect(parts.filter(({ isOn }) => !isOn)).toEqual([]);
    await mend();
  },
);

it.skipIf(!isDistributed())(
  'a prepared insert with an enum goes on when its cell is closed and opened again',
  async () => {
    const team = await aTeam(service);
    const add = () => service.platform.storage.add(team.id, 'stored', 1);
    for (const close of [false, true, false]) {
      await (close ? closeCells(databaseUrl) : mend());
      await cellsOf(database)?.read();
      for (let time = 0; time < 8; time += 1) {
        add();
        await service.platform.storage.written();
      }
    }
    const [row] = await database.prisma.teamUsage.findMany({ where: { tenantId: team.id } });
    expect(Number(row?.bytes)).toBe(24 * 513);
  },
);

it.skipIf(!isDistributed())(
  'a violation is the same error in a cell, whose constraints have other names, and through the coordinator',
  async () => {
    const team = await aTeam(service);
    const add = async () => database.prisma.teamUsage.create({ data: { tenantId: team.id, kind: 'answers' } });
    const remove = async () => database.prisma.team.delete({ where: { id: team.id } });
    await add();
    for (const run of [database.ofTeam(team.id), database.ofNoTeam]) {
      await expect(run(add)).rejects.toMatchObject({ code: 'P2002' });
      await expect(run(remove)).rejects.toMatchObject({ code: 'P2003' });
    }
  },
);

it.skipIf(!isDistributed())('enums are converted without a call of a function for each value', async () => {
  await mend();
  const [cell] = cellsOf(database)?.all ?? []; // a node may have none left after the moves
  for (const converted of ['role::text', 'email::role']) {
    const plan = await ask(cell?.node ?? '', `explain verbose select ${converted} from cell_${cell?.shard}.member`);
    expect(JSON.stringify(plan)).toContain('Output: CASE WHEN');
  }
});

it.skipIf(!isDistributed())('a team that is deleted leaves no job and no counter on any node', async () => {
  const team = await aTeam(service);
  const key = `send_waiting_invitations ${team.id}`;
  await forTeam(team.id, () =>
    jobs.add(database, { task: sendWaitingTask, payload: { tenantId: team.id }, key, inMs: 60_000 }),
  );
  expect((await team.client.post('/users', { email: anEmail() })).status).toBe(201);
  const traces = async (): Promise<string[]> => {
    const found = await onEachNode(
      database,
      async () => database.prisma.$queryRaw<{ trace: string }[]>`
        select key as trace from graphile_worker.jobs where key like '%' || ${team.id}
        union all select subject from rate_window where subject like '%' || ${team.id}
        union all select 'requests' from request_budget where subject = ${team.id}::uuid`,
    );
    return found.flat().map(({ trace }) => trace);
  };
  expect(await traces()).toEqual(expect.arrayContaining([key, `mails of ${team.id}`, 'requests']));
  await startDeletion(await team.acting());
  expect(await deleteTeamData(service.platform, team.id)).toBe(true);
  expect(await traces()).toEqual([]);
});

it.skipIf(!isDistributed())('the table of all nodes can’t be written through the view of one', async () => {
  const team = await aTeam(service);
  const write = database.ofTeam(team.id)(async () => database.prisma.$executeRaw`update person set name = 'x'`);
  await expect(write).rejects.toThrow('written through public');
});

it.skipIf(!isDistributed())(
  'a migration drops a column and changes a type, although the cells have views on them; requests go on',
  async () => {
    const team = await aTeam(service);
    // So many keys that no budget refuses a request, however long the migrations take. They are made one by one: a team
    // has a share of the connections, and what waits for it too long is refused.
    const clients: Awaited<ReturnType<typeof team.aClient>>[] = [];
    while (clients.length < 50) clients.push(await team.aClient());
    const requests: number[] = [];
    const over = new AbortController();
    const asking = (async () => {
      while (!over.signal.aborted)
        for (const client of clients) if (!over.signal.aborted) requests.push((await client.get('/users')).status);
    })();
    const migration = (name: string, value: string) => ({
      baseDir: '',
      lockfile: { path: 'migration_lock.toml', content: 'provider = "postgresql"' },
      shadowDbInitScript: '',
      migrationDirectories: [
        { path: name, migrationFile: { path: 'migration.sql', content: { tag: 'ok' as const, value } } },
      ],
    });
    const apply = (name: string, value: string) =>
      applyMigrations(databaseUrl, migration(name, value), { runScript: runOnNodes });
    await apply('20990101000000_add', 'ALTER TABLE "training" ADD COLUMN "note" VARCHAR(5);');
    await closeCells(databaseUrl);
    await apply('20990101000001_change', 'ALTER TABLE "training" ALTER COLUMN "note" TYPE TEXT;');
    await apply('20990101000002_drop', 'ALTER TABLE "training" DROP COLUMN "note";');
    await mend();
    over.abort();
    await asking;
    expect(new Set(requests)).toEqual(new Set([200]));
    expect(await migrateWithCells(databaseUrl, () => {})).toEqual([]);
  },
);

describe.skipIf(!isDistributed())('a second run of --cells', () => {
  it('changes nothing, and mends a view that is missing', async () => {
    await mend();
    const lines: string[] = [];
    await mendCells(databaseUrl, (line) => lines.push(line));
    expect(lines.every((line) => line.includes(' 0 of them made now'))).toBe(true);
    const [cell] = cellsOf(database)?.all ?? [];
    await ask(cell?.node ?? '', `drop view cell_${cell?.shard}.member`);
    lines.length = 0;
    await mendCells(databaseUrl, (line) => lines.push(line));
    expect(lines.filter((line) => line.includes(' 1 of them made now'))).toHaveLength(1);
  });
});

it.skipIf(!isDistributed())(
  'a process without cells reads and writes the same rows, through the coordinator',
  async () => {
    const team = await aTeam(service);
    await aCase(team, 'From its cell');
    const through = openDatabase(databaseUrl, { poolSize: 1 });
    onTestFinished(() => through.close());
    const where = { tenantId: team.id };
    expect((await through.prisma.case.findMany({ where })).map(({ title }) => title)).toEqual(['From its cell']);
    await through.prisma.case.updateMany({ where, data: { title: 'From outside' } });
    expect((await team.client.get('/cases')).data.map(({ title }) => title)).toEqual(['From outside']);
    forgetStatements();
  },
);
