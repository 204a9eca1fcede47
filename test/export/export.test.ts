import { Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { makeId } from '../../src/core/ids.ts';
import { toSnake } from '../../src/core/spelling.ts';
import { record } from '../../src/modules/audit/service.ts';
import { writeArchive, exportSnapshot } from '../../src/modules/export/service.ts';
import { caseData } from '../../src/modules/cases/store.ts';
import { notExported, teamTables } from '../../src/modules/export/tables.ts';
import type { TablePosition } from '../../src/platform/team-table.ts';
import { useTestService } from '../support/service.ts';
import { aTeam, type TestTeam } from '../support/team.ts';
import { aWorld } from '../support/world.ts';
import { unzip } from './unzip.ts';
import { columnsLikeSecrets, giveSecrets, noSecrets, secretColumns, storedSecrets } from './secrets.ts';
import { withSql } from '../support/postgres.ts';

/** It creates a whole team and reads all of it, which takes long on a busy machine. */
const service = await useTestService();
const world = await aWorld(service);

/** Accepts and stores everything. */
const keeping = () => {
  const chunks: Buffer[] = [];
  const out = new Writable({
    write(chunk: Buffer, _encoding, done) {
      chunks.push(chunk);
      done();
    },
  });
  return { out, bytes: () => Buffer.concat(chunks) };
};

type Row = Record<string, unknown>;

const exportOf = async (team: TestTeam) => {
  const { out, bytes } = keeping();
  const summary = await exportSnapshot(await team.acting(), out);
  const files = await unzip(bytes());
  const rows = (file: string): Row[] => JSON.parse(files.get(file) ?? 'null');
  return { summary, files, rows };
};

interface Column {
  table: string;
  column: string;
  type: string;
}

/** The tables of the database with their columns; partitions count as their parents. */
const columnsOfDatabase = (): Promise<Column[]> =>
  withSql(service, async (sql) => {
    const { rows } = await sql.query<Column>(
      `select table_name as table, column_name as column, data_type as type
         from information_schema.columns c join pg_class k on k.relname = c.table_name and k.relnamespace = 'public'::regnamespace
        where c.table_schema = 'public' and not k.relispartition and k.relkind in ('r', 'p')
        order by table_name, ordinal_position`,
    );
    return rows;
  });

describe('the export of a team', () => {
  it('has a file for every table with a team’s rows, or a reason why not', async () => {
    const tables = (await columnsOfDatabase()).filter(({ column }) => column === 'tenant_id').map(({ table }) => table);
    const named = [
      ...teamTables.map(({ table }) => table).filter((table) => table !== 'team'),
      ...Object.keys(notExported),
    ];
    expect(tables.toSorted()).toEqual(named.toSorted());
  });

  it('has every column of these tables, or a reason why not', async () => {
    const columns = await columnsOfDatabase();
    for (const { table, shown, leftOut } of teamTables) {
      const there = columns
        .filter((one) => one.table === table && one.column !== 'tenant_id')
        .map(({ column }) => column);
      expect([...shown, ...Object.keys(leftOut)].toSorted(), table).toEqual(there.toSorted());
    }
  });

  it('has every row of the team’s tables', async () => {
    const { team } = world;
    const { summary, rows } = await exportOf(team);
    await withSql(service, async (sql) => {
      for (const { table, file } of teamTables) {
        const { rows: counted } = await sql.query<{ count: number }>(
          `select count(*)::int as count from "${table}" where ${table === 'team' ? 'id' : 'tenant_id'} = $1`,
          [team.id],
        );
        expect(counted[0]?.count, table).toBeGreaterThan(0);
        expect(rows(file), table).toHaveLength(counted[0]?.count ?? 0);
        expect(summary.files.get(file), table).toBe(counted[0]?.count);
      }
    });
    expect(rows('export.json')).toEqual(JSON.parse(JSON.stringify(toSnake(summary))));
    expect(summary).toMatchObject({ format: 1, tenantId: team.id, snapshot: true });
  });

  it('reads page after page, and every row exactly once', async () => {
    const team = await aTeam(service);
    await withSql(service, (sql) =>
      sql.query(
        `insert into audit_entry (tenant_id, id, actor_kind, action, target_type, data, created_at)
         select $1, gen_random_uuid(), 'service', 'team.changed', 'team', jsonb_build_object('n', n), now() from generate_series(1, 2500) as n`,
        [team.id],
      ),
    );
    const { rows, summary } = await exportOf(team);
    const numbers = rows('audit_log.json').flatMap(({ data }) =>
      data !== null && typeof data === 'object' && 'n' in data ? [data.n] : [],
    );
    expect(new Set(numbers)).toEqual(new Set(Array.from({ length: 2_500 }, (_, n) => n + 1)));
    expect(numbers).toHaveLength(2_500);
    expect(summary.files.get('audit_log.json')).toBe(rows('audit_log.json').length);
  });

  it('reads a table of less than a page once', async () => {
    const team = await aTeam(service);
    const { database } = service;
    let pages = 0;
    const { out } = keeping();
    const source = { tenantId: team.id, madeAt: new Date(), snapshot: false };
    await writeArchive(
      {
        ...source,
        run: (query, parameters) => {
          pages += 1;
          return database.run(query, parameters);
        },
      },
      out,
    );
    expect(pages).toBe(teamTables.length);
  });

  it('reads pages of a few megabytes, however large the rows are', async () => {
    const team = await aTeam(service);
    await withSql(service, (sql) =>
      sql.query(
        `insert into "case" (tenant_id, id, user_id, title, private, fields, external_ref, created_at, updated_at)
         select $1, gen_random_uuid(), $2, 'Large', false, json_build_object('text', repeat('x', 65000)),
                json_build_object('text', repeat('y', 65000)), now(), now()
           from generate_series(1, 60)`,
        [team.id, team.owner.user_id],
      ),
    );
    const read = (after?: TablePosition) =>
      caseData.read((query, parameters) => service.database.run(query, parameters), team.id, after);
    const pages = [await read()];
    for (let next = pages[0]?.next; next; next = pages.at(-1)?.next) pages.push(await read(next));
    expect(pages.map(({ lines }) => lines.length)).toEqual([33, 27]);
    expect(new Set(pages.flatMap(({ lines }) => lines)).size).toBe(60);
  });

  it('contains no secret of any kind', async () => {
    const { team } = world;
    const given = await giveSecrets(service, team);
    for (const [what, secret] of Object.entries(given)) expect(secret.length, what).toBeGreaterThan(8);
    const stored = await withSql(service, storedSecrets);
    expect([...new Set(stored.map(({ column }) => column))].toSorted()).toEqual(secretColumns.toSorted());
    const { files } = await exportOf(team);
    expect(files.size).toBe(teamTables.length + 1);
    for (const [file, text] of files) {
      const shown = Object.keys(given).filter((what) => text.includes(given[what] ?? ''));
      const shownColumns = stored.filter(({ forms }) => forms.some((form) => text.includes(form)));
      expect([...shown, ...shownColumns.map(({ column }) => column)], file).toEqual([]);
    }
  });

  it('was checked for every kind of secret in the database', async () => {
    const named = [...secretColumns, ...Object.keys(noSecrets)];
    expect(await withSql(service, columnsLikeSecrets)).toEqual(named.toSorted());
  });

  it('contains nothing of another team', async () => {
    const other = await aWorld(service, { name: 'Somebody Else' });
    const { files } = await exportOf(world.team);
    const all = [...files.values()].join('\n');
    for (const needle of [other.team.id, ...Object.values(other.needles)]) expect(all).not.toContain(needle);
    expect(all).toContain(world.needles.email);
  });

  it('keeps numbers digit by digit and writes times like the API', async () => {
    const { files, rows } = await exportOf(world.team);
    expect(files.get('trainings.json')).toContain('12345678901234567890.10');
    expect(rows('team.json')[0]?.['created_at']).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  });

  it('has the members of private cases, but not their content', async () => {
    const { rows } = await exportOf(world.team);
    const ofMembers = rows('cases.json').filter((row) => row['private'] === true);
    expect(ofMembers).toHaveLength(2);
    for (const row of ofMembers)
      expect(row).toMatchObject({ title: null, persona_id: null, fields: null, external_ref: null });
  });

  it('does not say who did something to a private case, nor from where', async () => {
    const team = await aTeam(service);
    const actor = { kind: 'person', userId: team.owner.user_id } as const;
    const acting = { ...(await team.acting()), actor, address: '203.0.113.9' };
    const target = { type: 'case', id: makeId() } as const;
    await service.database.transaction(async (tx) => {
      record(tx, acting, { action: 'case.created', target, data: { private: true } });
      record(tx, acting, { action: 'case.shared', target, data: { private: false } });
    });
    const { rows } = await exportOf(team);
    const about = rows('audit_log.json').filter((row) => row['target_id'] === target.id);
    expect(about.map((row) => [row['action'], row['actor_id'], row['address']]).toSorted()).toEqual([
      ['case.created', null, null],
      ['case.shared', team.owner.user_id, '203.0.113.9'],
    ]);
  });

  it('is of one moment: later changes are in none of its files', async () => {
    const team = await aTeam(service, { members: 1 });
    const { out, bytes } = keeping();
    const taken = out._write.bind(out);
    let chunks = 0;
    out._write = (chunk: Buffer, encoding, done) => {
      chunks += 1;
      // The first chunk is the header of a file, the second one its content, which was read.
      if (chunks !== 2) return taken(chunk, encoding, done);
      void team.client
        .post('/cases', { user_id: team.owner.user_id, title: 'Later' })
        .then(() => taken(chunk, encoding, done));
    };
    await exportSnapshot(await team.acting(), out);
    const files = await unzip(bytes());
    expect((await team.client.get('/cases')).body['data']).toHaveLength(1);
    expect(files.get('cases.json')).toBe('[]\n');
    expect(files.get('audit_log.json')).not.toContain('case.created');
  });

  it.each([1, 2])('fails if its page %i can’t be read, and nothing else does', async (failing) => {
    const away = new Error('the database is away');
    let pages = 0;
    const run = async () => {
      pages += 1;
      if (pages === failing) throw away;
      return [];
    };
    const out = new Writable({ write: (_chunk, _encoding, done) => done() });
    const writing = writeArchive({ tenantId: world.team.id, madeAt: new Date(), snapshot: false, run }, out);
    await expect(writing).rejects.toBe(away);
    expect(out.destroyed).toBe(true);
  });

  it('reads no faster than its reader, and stops when the reader disconnects', async () => {
    let pages = 0;
    const endless = {
      ...(teamTables[0] ?? expect.fail('no table')),
      read: () => {
        pages += 1;
        // Bytes that can't be compressed.
        const line = JSON.stringify(Array.from({ length: 20_000 }, () => Math.random()));
        return Promise.resolve({ lines: [line], next: [] });
      },
    };
    const { promise: stuck, resolve: isStuck } = Promise.withResolvers<void>();
    const out = new Writable({ highWaterMark: 1_024, write: () => isStuck() });
    const run = () => Promise.reject(new Error('not used'));
    const source = { tenantId: world.team.id, madeAt: new Date(), snapshot: false, run, tables: [endless] };
    const writing = writeArchive(source, out);
    writing.catch(() => {});
    await stuck;
    // Without back-pressure, every turn of the event loop would read another page.
    let seen = -1;
    while (seen !== pages) {
      seen = pages;
      for (let turn = 0; turn < 200; turn += 1) await new Promise((resolve) => void setImmediate(resolve));
    }
    expect(pages).toBeLessThan(5);
    out.destroy();
    await expect(writing).rejects.toThrow(/premature close/i);
    expect(pages).toBeLessThan(6);
  });
});
