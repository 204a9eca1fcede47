import { readdir, readFile } from 'node:fs/promises';
import { randomUUID } from 'node:crypto';
import { ServerResponse } from 'node:http';
import { afterAll, describe, expect, inject, it, onTestFinished, vi } from 'vitest';
import { openDatabase } from '../../src/db/database.ts';
import { migrate, requireRowSecurity } from '../../src/db/migrate.ts';
import { beyondTeams, currentTeam, forTeam, requestRole, withoutTeam } from '../../src/db/row-security.ts';
import { aCase } from '../support/practice.ts';
import { createDatabase, createEmptyDatabase, withSql, rowsOf, statement } from '../support/postgres.ts';
import { useTestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';
import { forgetStatements } from '../support/tenant-in-statements.ts';

// Statements here leave out the team, so that only row level security is left.
afterAll(forgetStatements);

const service = await useTestService();
const { database } = service;
const one = await aTeam(service);
const other = await aTeam(service);
const ofOne = await aCase(service, one, { userId: one.owner.user_id });
await aCase(service, other, { userId: other.owner.user_id });

const all = statement<{ tenant_id: string }, []>('select tenant_id from "case"');
const teamsOf = (rows: readonly { tenant_id: string }[]): string[] =>
  [...new Set(rows.map(({ tenant_id: id }) => id))].toSorted();

describe('row level security', () => {
  it('has a policy on every table with data of a team', async () => {
    const rows = await rowsOf(
      database,
      statement<{ name: string; isOn: boolean; policies: number }, []>(
        `select c.relname as name, c.relrowsecurity as "isOn",
                (select count(*)::int from pg_policy p where p.polrelid = c.oid) as policies
           from pg_class c
          where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
            and (c.relname = 'team' or exists (
              select from pg_attribute a where a.attrelid = c.oid and a.attname = 'tenant_id' and not a.attisdropped))`,
      ),
    );
    expect(rows.length).toBeGreaterThan(30);
    expect(rows.filter(({ isOn, policies }) => !isOn || policies === 0)).toEqual([]);
  });

  it('is missing only on tables that requests need beyond their team, with a reason, or can’t read', async () => {
    const rows = await rowsOf(
      database,
      statement<{ name: string }, []>(
        `select relname as name from pg_class
          where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relrowsecurity
            and has_table_privilege('${requestRole}', oid, 'select, insert, update, delete')`,
      ),
    );
    const reasons = {
      person: 'lists of a team show the names of its people',
      rate_window: 'has counters, and no data of teams',
      request_budget: 'has counters, and no data of teams',
      session: 'a change of the team’s provider ends the sessions that began with it',
      maintenance: 'holds for the whole service',
    };
    expect(rows.map(({ name }) => name).toSorted()).toEqual(Object.keys(reasons).toSorted());
    await expect(forTeam(one.id, () => database.prisma.credential.findMany())).rejects.toThrow(/permission denied/);
  });

  it('shows a statement that forgets its team only the rows of the team of the request', async () => {
    expect(teamsOf(await forTeam(one.id, () => rowsOf(database, all)))).toEqual([one.id]);
    expect(teamsOf(await forTeam(one.id, () => database.prisma.case.findMany()).then(snake))).toEqual([one.id]);
    const inTransaction = () => database.transaction((tx) => tx.case.findMany());
    expect(teamsOf(await forTeam(one.id, inTransaction).then(snake))).toEqual([one.id]);
  });

  it('shows a request without a team no row', async () => {
    expect(await inRequest(() => rowsOf(database, all))).toEqual([]);
    expect(await inRequest(() => database.transaction((tx) => tx.team.findMany()))).toEqual([]);
    expect(await inRequest(async () => await database.prisma.member.count())).toBe(0);
  });

  it.each(['/api/public/v1/users', '/mcp', '/trpc/app', '/exports/none', '/developers/en', '/healthz', '/', '/none'])(
    'holds a request to %s from its beginning to its answer',
    async (path) => {
      const ended = vi.spyOn(ServerResponse.prototype, 'end');
      onTestFinished(() => ended.mockRestore());
      const teams: (string | undefined)[] = [];
      ended.mockImplementationOnce(function (this: ServerResponse, ...given: unknown[]) {
        teams.push(currentTeam());
        ended.mockRestore();
        Reflect.apply(ServerResponse.prototype.end, this, given);
        return this;
      });
      await fetch(`${service.origin}${path}`);
      expect(teams).toEqual(['']);
    },
  );

  it('shows all rows outside of requests, on the same connections', async () => {
    const both = expect.arrayContaining([one.id, other.id]);
    expect(teamsOf(await rowsOf(database, all))).toEqual(both);
    expect(teamsOf(await inRequest(() => beyondTeams('caller', () => rowsOf(database, all))))).toEqual(both);
    expect(teamsOf(await database.transaction((tx) => tx.case.findMany()).then(snake))).toEqual(both);
  });

  it('changes and adds no row of another team', async () => {
    const { prisma } = database;
    expect(
      await forTeam(other.id, () => prisma.case.updateMany({ data: { title: 'x' }, where: { id: ofOne } })),
    ).toEqual({ count: 0 });
    const moved = forTeam(other.id, () => prisma.case.updateMany({ data: { tenantId: one.id } }));
    await expect(moved).rejects.toThrow(/row-level security/);
  });

  it('keeps the team of each request while many run on few connections', async () => {
    const teams = Array.from({ length: 200 }, (_, index) => (index % 2 ? one.id : other.id));
    const seen = await Promise.all(teams.map((id) => forTeam(id, () => rowsOf(database, all))));
    expect(seen.map(teamsOf)).toEqual(teams.map((id) => [id]));
    const found = await Promise.all(teams.map((id) => forTeam(id, () => database.prisma.team.findMany())));
    expect(found.map((rows) => rows.map((row) => row.id))).toEqual(teams.map((id) => [id]));
  });

  it('holds a transaction that Prisma opens by itself to the team', async () => {
    const nested = () =>
      database.prisma.case.update({
        where: { tenantId_id: { tenantId: one.id, id: ofOne } },
        data: { title: 'x', user: { update: { person: { update: { name: 'y' } } } } },
      });
    await expect(forTeam(other.id, nested)).rejects.toMatchObject({ code: 'P2025' });
  });

  it('is not by-passed by reads that Prisma would combine with those of another request', async () => {
    const folder = new URL('../../src/modules', import.meta.url);
    for (const file of await readdir(folder, { recursive: true })) {
      if (!file.endsWith('.ts')) continue;
      const code = await readFile(new URL(`modules/${file}`, folder), 'utf8');
      expect(code.match(/(?<!\btx)\.\w+\.findUnique\w*/g), `${file}: findFirst, or in a transaction`).toBeNull();
    }
  });

  it('refuses a second team within a request', async () => {
    await expect(forTeam(one.id, () => forTeam(other.id, () => rowsOf(database, all)))).rejects.toThrow(
      'a second team',
    );
  });
});

describe('a database user that may not create roles', () => {
  const login = `limited_${randomUUID().slice(0, 8)}`;
  const { adminUrl } = inject('databaseServer');

  it('is told by migration and start which statements an administrator has to run', async () => {
    const { url, drop } = await createEmptyDatabase();
    onTestFinished(async () => {
      await drop();
      await withSql({ databaseUrl: adminUrl }, (sql) => sql.query(`drop role ${login}`));
    });
    const name = new URL(url).pathname.slice(1);
    await withSql({ databaseUrl: adminUrl }, (sql) =>
      sql.query(`create role ${login} login password 'limited'; alter database ${name} owner to ${login}`),
    );
    const own = new URL(url);
    [own.username, own.password] = [login, 'limited'];
    const lines: string[] = [];
    const migrating = () => migrate(own.href, (line) => lines.push(line));
    await migrating();
    expect(lines.join('\n')).toContain(`GRANT ${requestRole} TO ${login};`);

    const limited = openDatabase(own.href, { poolSize: 1 });
    onTestFinished(() => limited.close());
    await expect(requireRowSecurity(own.href)).rejects.toThrow(`GRANT ${requestRole} TO ${login};`);
    await withSql({ databaseUrl: adminUrl }, (sql) => sql.query(`grant ${requestRole} to ${login}`));
    await expect(requireRowSecurity(own.href)).rejects.toThrow('npm run migrate');
    await migrating();
    await requireRowSecurity(own.href);
    expect(await inRequest(async () => await limited.prisma.team.count())).toBe(0);
  });
});

it('a database whose policies were dropped is refused', async () => {
  const { url, drop } = await createDatabase();
  onTestFinished(drop);
  await withSql({ databaseUrl: url }, (sql) =>
    sql.query('drop policy of_team on team; alter table team disable row level security'),
  );
  await expect(requireRowSecurity(url)).rejects.toThrow('set ROW_SECURITY=false');
});

/** What runs while a request has no team yet. */
const inRequest = <T>(action: () => Promise<T>): Promise<T> =>
  new Promise((resolve, reject) => withoutTeam(undefined, undefined, () => void action().then(resolve, reject)));

const snake = (rows: readonly { tenantId: string }[]) => rows.map(({ tenantId }) => ({ tenant_id: tenantId }));
