import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { afterAll, expect, it } from 'vitest';
import root from '../../package.json' with { type: 'json' };
import { startServiceProcess } from '../support/production-service.ts';
import { twoFreePorts } from '../support/ports.ts';
import { useTestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';
import { throwAwayFolder } from '../support/throw-away-postgres.ts';
import { aScoredTraining } from '../support/practice.ts';

// The tarball is made from dist/client, which `npm test` builds.

const run = promisify(execFile);
const service = await useTestService({ own: true });
// Nobody listens on the second one.
const port = await twoFreePorts();
const publicUrl = `http://127.0.0.1:${port}`;
const serving = await startServiceProcess({
  databaseUrl: service.databaseUrl,
  role: 'api',
  environment: { PORT: String(port), PUBLIC_URL: publicUrl },
});
const address = `${publicUrl}/developers/client.tgz`;
afterAll(() => serving.stop());
const project = throwAwayFolder();

it(
  'npm installs the client from the service, and the first example of its page runs with it',
  { timeout: 120_000 },
  async () => {
    await run('npm', ['init', '-y'], { cwd: project });
    // A registry where nobody listens: the package must need nothing else.
    const registry = `--registry=http://127.0.0.1:${port + 1}/`;
    const options = [registry, '--fetch-retries=0', '--no-audit', '--no-fund', `--cache=${join(project, '.cache')}`];
    await run('npm', ['install', ...options, address], { cwd: project, timeout: 100_000 });

    const installed = join(project, 'node_modules', 'team-customer-api-client');
    const manifest: unknown = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8'));
    expect(manifest).toMatchObject({ name: 'team-customer-api-client', version: root.version });
    expect(await readFile(join(installed, 'README.md'), 'utf8')).toContain(`npm install ${address}`);
    expect(await readFile(join(installed, 'types', 'index.d.ts'), 'utf8')).toContain('createClient');

    const page = await (await fetch(`${publicUrl}/developers/en/tools.md`)).text();
    expect(page).toContain(`npm install ${address}`);
    expect(await (await fetch(`${publicUrl}/llms.txt`)).text()).toContain(`npm install ${address}`);

    const [, example = ''] = /```ts[^\n]*\n(.*?)```/s.exec(page) ?? [];
    await writeFile(join(project, 'scores-and-tips.mts'), example);
    const team = await aTeam(service);
    const id = await aScoredTraining(service, team, { userId: team.owner.user_id });
    // Without BASE_URL: the package knows the address of the service.
    const env = { API_KEY: (await team.aKey()).text };
    const { stdout } = await run(process.execPath, ['scores-and-tips.mts'], { cwd: project, env, timeout: 30_000 });
    expect(stdout).toBe(`${id} 63 \n`);
  },
);

it('the tarball needs no key, is cached by its ETag, and has only the address of this service', async () => {
  const first = await fetch(address);
  const etag = first.headers.get('etag') ?? '';
  expect([first.status, first.headers.get('content-type'), first.headers.get('content-encoding')]).toEqual([
    200,
    'application/gzip',
    null,
  ]);
  expect(first.headers.get('cache-control')).toBe('public, max-age=300, must-revalidate');
  const bytes = Buffer.from(await first.arrayBuffer());
  const again = await fetch(address, { headers: { 'If-None-Match': etag } });
  expect([again.status, again.headers.get('etag')]).toEqual([304, etag]);
  const head = await fetch(address, { method: 'HEAD' });
  expect([head.status, head.headers.get('content-length')]).toEqual([200, String(bytes.length)]);

  const archive = gunzipSync(bytes).toString();
  expect(archive).toContain('package/package.json');
  expect(archive).toContain(publicUrl);
  expect(archive).not.toContain('.invalid');
});
