import { execFile } from 'node:child_process';
import { mkdir, readFile, readdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { daysToMs, later, minutesToMs } from '../../src/core/clock.ts';
import { languages } from '../../src/core/language.ts';
import { saveEvaluation } from '../../src/modules/trainings/service.ts';
import { clientWheel, wheelName } from '../../src/server/developers/client-package.ts';
import * as client from '../../src/packages/client/index.ts';
import { exampleFile } from '../../src/server/developers/facts.ts';
import { listedRows, type Row, type Rows } from '../changes/copy-program.ts';
import { startPython } from '../client/python.ts';
import { run as runSuite } from '../client/suite.ts';
import { aWorld } from '../client/world.ts';
import { aCrmConnection, aDeal, anObjection } from '../support/crm.ts';
import { aCase, anAssignment, anEvaluation, aScoredTraining } from '../support/practice.ts';
import { createEmptyDatabase, withSql } from '../support/postgres.ts';
import { useTestService } from '../support/service.ts';
import { aTeam, anEmail, type TestTeam } from '../support/team.ts';
import { throwAwayFolder } from '../support/throw-away-postgres.ts';

// The wheel that the service makes, and the programs of the documentation with it, in the system's python3. Without python3 or psql
// these tests fail.

const execute = promisify(execFile);
const service = await useTestService({ own: true });
const PATH = '/usr/local/bin:/usr/bin:/bin';

/** Where the wheel is unpacked, as pip does it. */
const packages = join(throwAwayFolder(), 'packages');
beforeAll(async () => {
  const wheel = (await clientWheel(service.origin)) ?? expect.unreachable('the client is not built');
  const file = join(throwAwayFolder(), wheelName);
  await writeFile(file, wheel);
  await execute('python3', ['-m', 'zipfile', '-e', file, packages], { env: { PATH } });
});

describe('the wheel', () => {
  it('has each file in its list, with its checksum, and the metadata that installers need', async () => {
    const program = `
import base64, csv, hashlib, pathlib, sys
from importlib.metadata import Distribution
packages = pathlib.Path(sys.argv[1])
[info] = packages.glob("*.dist-info")
listed = list(csv.reader(open(info / "RECORD", newline="")))
for path, checksum, size in listed:
    content = (packages / path).read_bytes()
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    assert path.endswith("RECORD") or (checksum, size) == (f"sha256={digest}", str(len(content))), path
assert {path for path, _, _ in listed} == {str(path.relative_to(packages)) for path in packages.rglob("*") if path.is_file()}
found = Distribution.at(info)
print(found.metadata["Name"], found.version, found.metadata["Requires-Python"], found.requires)`;
    const { stdout } = await execute('python3', ['-B', '-c', program, packages], { env: { PATH } });
    const version = /-(.*?)-py3/.exec(wheelName)?.[1];
    expect(stdout).toBe(`team-customer-api-client ${version} >=3.9 None\n`);
    expect(await readdir(join(packages, 'team_customer_api_client'))).toContain('py.typed');
  });

  it('is the same whenever it is made, and has the address of this service alone', async () => {
    const [first, second] = await Promise.all([clientWheel(service.origin), clientWheel(service.origin)]);
    expect(first?.equals(second ?? Buffer.alloc(0))).toBe(true);
    const program = 'import team_customer_api_client._address as a; print(a.ORIGIN)';
    const { stdout } = await execute('python3', ['-B', '-c', program], { env: { PATH, PYTHONPATH: packages } });
    expect(stdout).toBe(`${service.origin}\n`);
    const [info = ''] = (await readdir(packages)).filter((name) => name.endsWith('.dist-info'));
    const metadata = await readFile(join(packages, info, 'METADATA'), 'utf8');
    expect(metadata).toContain(`\npip install ${service.origin}/developers/client-py/${wheelName}\n`);
    expect(metadata).not.toContain('.invalid');
  });

  it('is served, found by an address without a version, and cached by its ETag', async () => {
    const address = `${service.origin}/developers/client-py`;
    const found = await fetch(address, { redirect: 'manual' });
    expect([found.status, found.headers.get('location')]).toEqual([302, `/developers/client-py/${wheelName}`]);
    const served = await fetch(address);
    expect([served.status, served.headers.get('content-type')]).toEqual([200, 'application/zip']);
    const etag = served.headers.get('etag') ?? '';
    const { publicUrl } = service.platform;
    const made = (await clientWheel(publicUrl)) ?? expect.unreachable('the client is not built');
    expect(made.equals(Buffer.from(await served.arrayBuffer()))).toBe(true);
    const again = await fetch(served.url, { headers: { 'If-None-Match': etag } });
    expect([again.status, again.headers.get('etag')]).toEqual([304, etag]);
    expect((await fetch(`${address}/team_customer_api_client-0.0.0-py3-none-any.whl`)).status).toBe(404);
    const command = `pip install ${publicUrl}/developers/client-py/${wheelName}`;
    expect(await (await fetch(`${service.origin}/llms.txt`)).text()).toContain(`\`${command}\``);
    for (const language of languages)
      expect(await (await fetch(`${service.origin}/developers/${language}/tools.md`)).text()).toContain(
        `\n${command}\n`,
      );
  });

  it('passes the suite of the client for TypeScript, without a warning', async () => {
    const python = await startPython({ packages });
    const { createClient, verifyWebhook } = python;
    const results = await runSuite({ ...client, createClient, verifyWebhook }, await aWorld(service), {
      aborts: false,
    });
    expect(results.length).toBeGreaterThan(10);
    expect(results.filter(([, error]) => error !== null)).toEqual([]);
    expect(await python.close()).toBe('');
  });
});

/** A folder of a reader with a program, and the `.env` of the quick start. */
const aFolder = async (team: TestTeam, program: string) => {
  const folder = join(throwAwayFolder(), 'reader');
  await mkdir(folder);
  await writeFile(join(folder, program), exampleFile(program));
  const scopes = ['users:read', 'trainings:read', 'evaluations:read', 'assignments:read', 'cases:read'] as const;
  const run = async (): Promise<string> => {
    // Many runs are more than one key may do in a minute.
    const { text } = await team.aKey({ scopes });
    await writeFile(join(folder, '.env'), `BASE_URL=${service.baseUrl}\nAPI_KEY=${text}\n`);
    const env = { PATH, PYTHONPATH: packages, PYTHONDONTWRITEBYTECODE: '1' };
    const { stdout, stderr } = await execute('python3', ['-W', 'error', program], { cwd: folder, env });
    expect(stderr).toBe('');
    return stdout;
  };
  return { folder, run };
};

/** A team with rows in each list. */
const aFullTeam = async () => {
  const team = await aTeam(service, { members: 1 });
  const { member_id: memberId, user_id } = team.owner;
  const connection = await aCrmConnection(service, team, { provider: 'feed' });
  const assignment = await anAssignment(service, team, { memberId });
  const training = await aScoredTraining(service, team, { userId: user_id, assignmentId: assignment });
  const theCase = await aCase(service, team, { userId: user_id });
  const deal = await aDeal(service, team, connection);
  await team.anInvitedMember();
  await anObjection(service, team, deal);
  return { team, ids: { assignment, training, case: theCase, deal } };
};

/** Changes, deletions and new rows, then somebody who leaves and comes back after more than the overlap. */
const followChanges = async (follow: (team: TestTeam, when: string) => Promise<void>, team: TestTeam, ids: Row) => {
  const email = anEmail('seller');
  const member = await team.anActiveMember({ email });
  await aScoredTraining(service, team, { userId: member.user_id ?? '' });
  await follow(team, 'at first');
  await team.client.patch(`/users/${team.members[0]?.id}`, { role: 'admin' });
  await team.client.patch(`/cases/${String(ids['case'])}`, { title: 'Grüße\n“quoted” \\ "x"\t,' });
  await saveEvaluation(await team.acting(), String(ids['training']), anEvaluation({ total: 12 }));
  await team.client.delete(`/assignments/${String(ids['assignment'])}`);
  await aCase(service, team, { userId: team.owner.user_id });
  await follow(team, 'after changes');
  await team.client.delete(`/users/${member.id}`);
  service.clock.forward(minutesToMs(10));
  await follow(team, 'after somebody has left');
  service.clock.forward(minutesToMs(10));
  await team.anActiveMember({ email });
  await follow(team, 'after they have come back');
  // A change that was made before the last run and committed after it.
  const data = { title: 'Late', updatedAt: later(service.clock.now(), -minutesToMs(4)) };
  await service.database.prisma.case.update({
    where: { tenantId_id: { tenantId: team.id, id: String(ids['case']) } },
    data,
  });
  await follow(team, 'after a late commit');
};

it('scores_and_tips.py prints what the program in TypeScript prints', async () => {
  const team = await aTeam(service);
  const id = await aScoredTraining(service, team, { userId: team.owner.user_id });
  const { run } = await aFolder(team, 'scores_and_tips.py');
  expect(await run()).toBe(`${id} 63 \n`);
  await team.change({ memberDetail: false });
  expect(await run()).toMatch(/^The team shares no details about people\. [0-9a-f-]{36}\n$/);
});

describe('keep_a_copy.py', () => {
  const Stored = z.array(z.object({ list: z.string(), id: z.string(), json: z.string() }));
  const rowsIn = (folder: string): Rows => {
    const copy = new DatabaseSync(join(folder, 'copy.sqlite'), { readOnly: true });
    const stored = Stored.parse(copy.prepare('select list, id, json from row').all());
    copy.close();
    return Object.fromEntries(stored.map(({ list, id, json }) => [`${list} ${id}`, JSON.parse(json)]));
  };

  it('has what the lists have, whatever happens between its runs', async () => {
    const { team, ids } = await aFullTeam();
    const { folder, run } = await aFolder(team, 'keep_a_copy.py');
    await followChanges(
      async (team, when) => {
        await run();
        expect(rowsIn(folder), when).toEqual(await listedRows(team));
      },
      team,
      ids,
    );
  });

  it('keeps the copy as it was when a run fails', async () => {
    const { team, ids } = await aFullTeam();
    const { folder, run } = await aFolder(team, 'keep_a_copy.py');
    await run();
    const before = rowsIn(folder);
    await team.client.patch(`/users/${team.members[0]?.id}`, { role: 'admin' });
    await team.client.patch(`/cases/${ids.case}`, { title: 'Changed' });
    await team.change({ memberDetail: false });
    await expect(run()).rejects.toThrow('privacy_restricted');
    expect(rowsIn(folder)).toEqual(before);
    await team.change({ memberDetail: true });
    await run();
    expect(rowsIn(folder)).toEqual(await listedRows(team));
  });
});

describe('to_warehouse.py and load.sql', () => {
  /** Runs the line of the page, with the script beside the program. */
  const runLine = async (folder: string, env: Record<string, string>) => {
    const page = await readFile('src/server/developers/pages/en/warehouse.md', 'utf8');
    const line = /^for folder in .*$/m.exec(page)?.[0] ?? expect.unreachable('the page has no such line');
    await writeFile(join(folder, 'load.sql'), exampleFile('load.sql'));
    return execute('bash', ['--norc', '-eo', 'pipefail', '-c', line], { cwd: folder, env });
  };

  const load = async (folder: string, databaseUrl: string): Promise<void> => {
    const { stderr } = await runLine(folder, { PATH, DATABASE_URL: databaseUrl });
    expect(stderr).toBe('');
    expect((await readdir(join(folder, 'warehouse'))).filter((name) => name.startsWith('2'))).toEqual([]);
  };

  const tables = ['users', 'trainings', 'assignments', 'cases', 'deals', 'objections'];
  /** The rows of the warehouse as the lists have them: without evaluations, and JSON within texts as JSON. */
  const loaded = async (databaseUrl: string): Promise<Rows> => {
    const rows: Rows = {};
    await withSql({ databaseUrl }, async (sql) => {
      for (const table of tables)
        for (const { row } of (await sql.query(`select to_jsonb(one) as row from training_warehouse.${table} one`))
          .rows)
          rows[`${table} ${row.id}`] = row;
    });
    return rows;
  };

  const timeOf = (value: unknown): unknown =>
    typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value) ? new Date(value).toISOString() : value;

  /** Compares each row of the warehouse with the row of the list. */
  const expectSame = (found: Rows, listed: Rows, when: string): void => {
    expect(Object.keys(found).toSorted(), when).toEqual(Object.keys(listed).toSorted());
    for (const [name, row] of Object.entries(found)) {
      const evaluation = Object(listed[name]?.['evaluation']);
      const score = Object(evaluation.score);
      const wanted: Row = { ...listed[name], ...evaluation, ...score, ...Object(score.dimensions), ...listed[name] };
      for (const [column, value] of Object.entries(row)) {
        const expected = wanted[column] ?? null;
        const isJson = typeof expected === 'object' && expected !== null;
        const given = isJson && typeof value === 'string' ? JSON.parse(value) : timeOf(value);
        // A number in PostgreSQL, but a text in the API, so that no digit is lost.
        const isNumber = column === 'amount' && expected !== null;
        expect(given, `${when}: ${name} ${column}`).toEqual(isNumber ? Number(expected) : expected);
      }
    }
  };

  it('bring what the lists have into PostgreSQL, whatever happens between their runs', async () => {
    const { team, ids } = await aFullTeam();
    const { folder, run } = await aFolder(team, 'to_warehouse.py');
    const database = await createEmptyDatabase();
    // A table of the customer's own stays as it is.
    await withSql({ databaseUrl: database.url }, (sql) => sql.query('create table users (login text)'));
    await followChanges(
      async (team, when) => {
        await run();
        await load(folder, database.url);
        expectSame(await loaded(database.url), await listedRows(team), when);
      },
      team,
      ids,
    );
    // A row twice in one file, then a folder whose rows are older than those of the database.
    await team.client.patch(`/cases/${ids.case}`, { title: 'Once' });
    const former = join(folder, (await run()).trim());
    await team.client.patch(`/cases/${ids.case}`, { title: 'Twice' });
    const later = join(folder, (await run()).trim());
    const lines = [former, later].map((one) => readFile(join(one, 'cases.ndjson'), 'utf8'));
    await writeFile(join(later, 'cases.ndjson'), (await Promise.all(lines)).join(''));
    const kept = join(folder, 'kept');
    await rename(former, kept);
    await load(folder, database.url);
    expectSame(await loaded(database.url), await listedRows(team), 'after two runs');
    await rename(kept, former);
    await load(folder, database.url);
    expectSame(await loaded(database.url), await listedRows(team), 'after an older folder');

    const page = await readFile('src/server/developers/pages/en/warehouse.md', 'utf8');
    const report = /^psql -X .*$/m.exec(page)?.[0] ?? '';
    const { stdout } = await execute('bash', ['--norc', '-c', report], { env: { PATH, DATABASE_URL: database.url } });
    expect(stdout).toContain(team.owner.email);
    await database.drop();
  });

  it('load everything after the line was interrupted while it removed a folder', async () => {
    const { team } = await aFullTeam();
    const { folder, run } = await aFolder(team, 'to_warehouse.py');
    const database = await createEmptyDatabase();
    await run();
    await run();
    // It removes one file of the folder, and then fails.
    const bin = join(folder, 'bin');
    await mkdir(bin);
    await writeFile(join(bin, 'rm'), '#!/bin/sh\n/bin/rm "$2/users.ndjson"\nexit 1\n', { mode: 0o755 });
    await runLine(folder, { PATH: `${bin}:${PATH}`, DATABASE_URL: database.url });
    await load(folder, database.url);
    expectSame(await loaded(database.url), await listedRows(team), 'after the interruption');
    expect(await readdir(join(folder, 'warehouse'))).toEqual(['state.json']);
    await database.drop();
  });

  it('write files whose rows have the same columns with one type each, and no folder when they fail', async () => {
    const { team, ids } = await aFullTeam();
    const { folder, run } = await aFolder(team, 'to_warehouse.py');
    const warehouse = join(folder, 'warehouse');
    const first = (await run()).trim();
    await team.client.delete(`/cases/${ids.case}`);
    const second = (await run()).trim();
    for (const table of tables) {
      const lines = [first, second].map((one) => readFile(join(folder, one, `${table}.ndjson`), 'utf8'));
      const rows: Row[] = (await Promise.all(lines)).flatMap((text) =>
        text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)])),
      );
      expect(rows.length, table).toBeGreaterThan(0);
      const columns = Object.keys(rows[0] ?? {});
      for (const column of columns) {
        const types = new Set(rows.flatMap((row) => (row[column] === null ? [] : [typeof row[column]])));
        expect(types.size, `${table} ${column}`).toBeLessThanOrEqual(1);
        expect([...types]).not.toContain('object');
      }
      for (const row of rows) expect(Object.keys(row)).toEqual(columns);
    }
    expect(await readFile(join(folder, second, 'deletions.ndjson'), 'utf8')).toContain(ids.case);

    const before = await readdir(warehouse);
    const state = await readFile(join(warehouse, 'state.json'), 'utf8');
    await team.change({ memberDetail: false });
    await expect(run()).rejects.toThrow('privacy_restricted');
    await team.change({ memberDetail: true });
    service.clock.forward(daysToMs(service.platform.retentionDays + 2));
    await expect(run()).rejects.toThrow('validation_error');
    expect((await readdir(warehouse)).filter((name) => name !== 'unfinished')).toEqual(before);
    expect(await readFile(join(warehouse, 'state.json'), 'utf8')).toBe(state);
  });
});
