import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, describe, expect, it } from 'vitest';
import { has, misses, output } from '../docs/webhook-guide.ts';
import { aDispatcher } from '../support/worker.ts';
import { makeClient } from '../support/client.ts';
import { twoFreePorts } from '../support/ports.ts';
import { useTestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';
import { throwAwayFolder } from '../support/throw-away-postgres.ts';

// The steps of the quick start, in the order of the page, with the files that the page offers for download.

const folder = throwAwayFolder();
const port = await twoFreePorts();
const nodeFolder = join(process.execPath, '..');

const download = async (file: string) => {
  const { status, text } = await makeClient(service.origin).get(`/developers/examples/${file}`);
  expect(status, file).toBe(200);
  await writeFile(join(folder, file), text);
};

/** Vite sets its own variable BASE_URL, which would override the file. */
const inFolder = (line: string) =>
  output('bash', ['-euo', 'pipefail', '-c', `unset BASE_URL; ${line}`], {
    cwd: folder,
    env: { PATH: `${nodeFolder}:/usr/bin:/bin`, PORT: String(port) },
  });

// The certificate comes first: as the page on local tests says, the service is started with it.
await writeFile(
  join(folder, 'make-certificate.mjs'),
  await readFile('src/server/developers/examples/make-certificate.mjs', 'utf8'),
);
await inFolder('node make-certificate.mjs');
const service = await useTestService({
  environment: { WEBHOOK_ALLOW_TARGETS: `localhost:${port}`, WEBHOOK_CA_FILE: join(folder, 'cert.pem') },
});
let receiver: ChildProcess | undefined;
afterEach(async () => {
  const started = receiver;
  receiver = undefined;
  if (started?.exitCode !== null) return;
  started.kill();
  await once(started, 'exit');
});

/** The lines that a reader of the page types, in order. */
const lines = async (of: string) => {
  const { text } = await makeClient(service.origin).get('/developers/en/quick-start.md');
  const found = [...text.matchAll(/^```sh\n(.*?)\n```$/gms)].flatMap(([, line]) => line ?? []);
  return found.filter((line) => line.startsWith(of));
};

const hasPython = await has('/usr/bin/python3', '--version');
const hasPhp = await has('/usr/bin/php', '--version');
const hasGo = await has('/usr/bin/go', 'version');

const writeSettings = (key: string) =>
  writeFile(
    join(folder, '.env'),
    `BASE_URL=${service.baseUrl}\nAPI_KEY=${key}\nRECEIVER_URL=https://localhost:${port}/\n`,
  );

describe.each(['node', 'python3'] as const)('the quick start with %s', (command) => {
  it('leads from a key to a verified webhook, followed literally', async ({ skip }) => {
    skip(...misses('python3', command === 'node' || hasPython));
    const team = await aTeam(service);
    await aDispatcher(service, { egress: service.platform.egress });
    const steps = await lines(command);
    expect(steps).toHaveLength(4);
    const [first = '', create = '', receive = '', send = ''] = steps;
    const files = new Set([...steps.join(' ').matchAll(/[\w-]+\.(?:mjs|py)/g)].map(([file]) => file));
    if (command === 'python3') files.add('verify_webhook.py');
    for (const file of files) await download(file);
    await writeSettings((await team.aKey()).text);

    expect(await inFolder(first)).toMatch(/^200 /);
    expect(await inFolder(create)).toContain('Created the endpoint ');
    receiver = spawn('bash', ['-c', `exec ${receive}`], {
      cwd: folder,
      env: { PATH: `${nodeFolder}:/usr/bin:/bin`, PORT: String(port) },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const said = createInterface(receiver.stdout ?? expect.unreachable('no output'))[Symbol.asyncIterator]();
    expect((await said.next()).value).toBe(`Listening on ${port}`);
    expect(await inFolder(send)).toContain('The delivery is ok');
    expect((await said.next()).value).toMatch(/^Verified: ping evt_/);
  });
});

describe.each([
  ['php', hasPhp],
  ['go', hasGo],
])('the first request with %s', (command, isHere) => {
  it('shows what the key is, or why it is refused', async ({ skip }) => {
    skip(...misses(command, isHere));
    const team = await aTeam(service);
    const [line = ''] = await lines(command);
    await download(/\S+$/.exec(line)?.[0] ?? '');
    await writeSettings((await team.aKey()).text);
    const answered = await inFolder(line);
    expect(answered).toMatch(/^200 /);
    expect(JSON.parse(answered.slice(4))).toMatchObject({ tenant_id: team.id });
    await writeSettings('svck_live_wrong');
    expect(await inFolder(line)).toMatch(/^401 .*unauthorized/);
  });
});
