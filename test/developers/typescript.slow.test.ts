import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { languages } from '../../src/core/language.ts';
import { clientTarball } from '../../src/server/developers/client-package.ts';
import { writtenPages } from '../../src/server/developers/contents.ts';
import { exampleFile, examples } from '../../src/server/developers/facts.ts';
import { listen } from '../support/ports.ts';
import { useTestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';
import { throwAwayFolder } from '../support/throw-away-postgres.ts';
import { aScoredTraining } from '../support/practice.ts';
import { anElastic } from '../support/siem.ts';
import { anEvent } from '../support/webhooks.ts';

// The programs in TypeScript, saved in a folder where the reader has run `npm init -y` and installed the client. npm 11
// writes `"type": "commonjs"` into package.json; npm 10 writes no type.

const execute = promisify(execFile);
const service = await useTestService();
const readme = readFileSync('src/packages/client/README.md', 'utf8');
const programs = [...examples].filter((name) => name.endsWith('.mts'));

/** The folder of a reader, with all programs. */
const aProject = async (type: string | undefined): Promise<string> => {
  const folder = join(throwAwayFolder(), 'project');
  await mkdir(folder);
  const npm = (...args: string[]) => execute('npm', args, { cwd: folder });
  await npm('init', '-y');
  const manifest: object = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  await writeFile(join(folder, 'package.json'), JSON.stringify({ ...manifest, type }));
  const tarball = (await clientTarball(service.origin)) ?? expect.unreachable('the client is not built');
  await writeFile(join(folder, 'client.tgz'), tarball);
  await npm('install', '--offline', '--no-audit', '--no-fund', './client.tgz');
  for (const name of ['express', 'standardwebhooks'])
    await symlink(join(process.cwd(), 'node_modules', name), join(folder, 'node_modules', name));
  for (const name of programs) await writeFile(join(folder, name), exampleFile(name));
  const [, first] = /^```ts\n(.*?)^```$/ms.exec(readme) ?? [];
  await writeFile(join(folder, 'first.mts'), first ?? expect.unreachable('no program'));
  return folder;
};

describe.each([
  ['npm 11', 'commonjs'],
  ['npm 10', undefined],
])('in a folder made by the npm init of %s', (_npm, type) => {
  let folder: string;
  beforeAll(async () => {
    folder = await aProject(type);
  });

  const run = (file: string, environment: Record<string, string> = {}) =>
    execute(process.execPath, ['--env-file=.env', file], { cwd: folder, env: environment });

  const aTeamWithSettings = async () => {
    const team = await aTeam(service);
    await writeFile(join(folder, '.env'), `BASE_URL=${service.baseUrl}\nAPI_KEY=${(await team.aKey()).text}\n`);
    return team;
  };

  it('the first program of the client’s README runs', async () => {
    const team = await aTeamWithSettings();
    const id = await aScoredTraining(service, team, { userId: team.owner.user_id });
    expect((await run('first.mts')).stdout).toContain(`${id} scored`);
  });

  it('scores-and-tips.mts runs', async () => {
    const team = await aTeamWithSettings();
    const id = await aScoredTraining(service, team, { userId: team.owner.user_id });
    expect((await run('scores-and-tips.mts')).stdout).toBe(`${id} 63 \n`);
  });

  it('keep-a-copy.mts runs', async () => {
    await aTeamWithSettings();
    expect((await run('keep-a-copy.mts')).stdout).toBe('');
    expect(existsSync(join(folder, 'copy.sqlite'))).toBe(true);
  });

  it('export-lists.mts runs, and appends what has changed', async () => {
    const team = await aTeamWithSettings();
    const id = await aScoredTraining(service, team, { userId: team.owner.user_id });
    const linesOf = async (name: string) => (await readFile(join(folder, `${name}.ndjson`), 'utf8')).split('\n');
    await run('export-lists.mts');
    expect(JSON.parse((await linesOf('trainings'))[0] ?? '')).toMatchObject({ id, evaluation: { training_id: id } });
    service.clock.forward(600_000);
    await run('export-lists.mts');
    await team.anActiveMember();
    service.clock.forward(600_000);
    await run('export-lists.mts');
    expect([(await linesOf('members')).length, (await linesOf('cases')).length]).toEqual([4, 1]);
  });

  it('export-lists.mts removes the half row of a run that was killed', async () => {
    const team = await aTeamWithSettings();
    for (const name of ['members', 'trainings', 'assignments', 'cases', 'deals', 'objections'])
      await rm(join(folder, `${name}.cursor`), { force: true });
    await writeFile(join(folder, 'members.ndjson'), '{"id":"1"}\n{"id":"2","name":"Zoë');
    await writeFile(join(folder, 'cases.ndjson'), '{"id":"2","title":"Half');
    await run('export-lists.mts');
    const ids = (await readFile(join(folder, 'members.ndjson'), 'utf8'))
      .trim()
      .split('\n')
      .map((line) => z.object({ id: z.string() }).parse(JSON.parse(line)).id);
    expect(ids).toEqual(['1', team.owner.member_id]);
    expect(await readFile(join(folder, 'cases.ndjson'), 'utf8')).toBe('');
  });

  it('forward-events.mts runs', async () => {
    const team = await aTeamWithSettings();
    const queued: string[] = [];
    const queue = createServer((incoming, response) => {
      void text(incoming).then((body) => {
        queued.push(JSON.parse(body).id);
        response.end();
      });
    });
    const QUEUE_URL = `http://127.0.0.1:${await listen(queue)}/`;
    onTestFinished(() => void queue.close());
    const child = spawn(process.execPath, ['--env-file=.env', 'forward-events.mts'], {
      cwd: folder,
      env: { QUEUE_URL },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const ended = once(child, 'exit');
    const event = await anEvent(service, team);
    await expect.poll(() => queued).toEqual([`evt_${event.replaceAll('-', '')}`]);
    child.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
  });

  it('audit-to-elastic.mts runs', async () => {
    const team = await aTeamWithSettings();
    const elastic = await anElastic('an-api-key');
    await run('audit-to-elastic.mts', { ELASTIC_URL: elastic.url, ELASTIC_API_KEY: 'an-api-key' });
    expect([...elastic.documents.values()].map((document) => document['action'])).toContain('team.created');
    expect(elastic.documents.size).toBe((await team.client.get('/audit-entries?limit=200')).data.length);
  });

  const modules = programs.filter(
    (name) =>
      !/^(?:scores-and-tips|keep-a-copy|export-lists|forward-events|audit-to-elastic|xapi-statements)\./.test(name),
  );

  it.each(modules)('%s can be loaded', async (name) => {
    const { stdout, stderr } = await execute(process.execPath, [name], { cwd: folder, env: {} });
    expect([stdout, stderr]).toEqual(['', '']);
  });
});

it('no page and no README names a file in TypeScript that Node would take for CommonJS', () => {
  const pages = languages.flatMap((language) =>
    writtenPages.map((path) => readFileSync(`src/server/developers/pages/${language}/${path}.md`, 'utf8')),
  );
  for (const page of [...pages, readme]) expect(page.match(/[\w-]+\.ts\b/g)).toBeNull();
  expect(readdirSync('src/server/developers/examples').filter((name) => name.endsWith('.ts'))).toEqual([]);
});
