import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import type { Server, Socket } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openEmbedded } from '../../src/db/embedded.ts';
import type { EmbeddedDatabase } from '../../src/db/embedded.ts';
import { migrate } from '../../src/db/migrate.ts';
import { startServiceProcess } from '../support/api-process.ts';
import type { ServiceProcess } from '../support/api-process.ts';
import { makeClient } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import { startTestService } from '../support/service.ts';
import { startMailServer } from '../support/smtp.ts';
import type { MailServer } from '../support/smtp.ts';
import { anEmail, aTeam } from '../support/team.ts';
import { removeServer, throwAwayFolder } from '../support/throw-away-postgres.ts';

const folders = { primary: throwAwayFolder(), standby: throwAwayFolder() };
const servers: Partial<Record<keyof typeof folders, EmbeddedDatabase>> = {};
/** Where new connections of the service go. Those that are open stay where they are, as behind a proxy or a changed DNS name. */
let target: keyof typeof folders = 'primary';
let address: Server;
const open = new Set<Socket>();
let mailServer: MailServer;
let databaseUrl: string;
let keyText: string;
let api: ServiceProcess;
let worker: ServiceProcess;

const startAddress = async (): Promise<Server> => {
  const server = createServer((incoming) => {
    const outgoing = connect(Number(new URL(servers[target]?.url ?? '').port), '127.0.0.1');
    for (const [one, other] of [
      [incoming, outgoing],
      [outgoing, incoming],
    ] as const) {
      open.add(one);
      one
        .on('error', () => {})
        .on('close', () => {
          open.delete(one);
          other.destroy();
        });
      one.pipe(other);
    }
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return server;
};

beforeAll(async () => {
  const first = await openEmbedded(folders.primary);
  await migrate(first.url);
  const service = await startTestService({ databaseUrl: first.url });
  keyText = (await (await aTeam(service)).aKey()).text;
  await service.close();
  await first.release();
  execFileSync('cp', ['-a', `${folders.primary}/.`, folders.standby]);
  writeFileSync(join(folders.standby, 'postgres', 'data', 'standby.signal'), '');
  servers.primary = await openEmbedded(folders.primary);
  servers.standby = await openEmbedded(folders.standby);

  address = await startAddress();
  mailServer = await startMailServer();
  const url = new URL(servers.primary.url);
  const listening = address.address();
  if (typeof listening === 'object') url.port = String(listening?.port);
  databaseUrl = url.href;
  [api, worker] = await Promise.all([
    startServiceProcess({ databaseUrl, role: 'api' }),
    startServiceProcess({ databaseUrl, role: 'worker', environment: { MAIL_URL: mailServer.url } }),
  ]);
});
afterAll(async () => {
  await Promise.all([api.stop(), worker.stop()]);
  await mailServer.close();
  address.close();
  for (const one of open) one.destroy();
  await Promise.all(Object.values(servers).map((server) => server.release()));
  await Promise.all(Object.values(folders).map(removeServer));
});

const expectUnavailable = async ({ origin = '', baseUrl = '' }: ServiceProcess) => {
  const ready = await makeClient(origin).get('/readyz');
  expect([ready.status, ready.body]).toEqual([503, { status: 'unavailable' }]);
  expect((await makeClient(origin).get('/healthz')).status).toBe(200);
  const client = makeClient(baseUrl, keyText);
  for (let asked = 0; asked < 5; asked += 1) {
    expect(await client.get('/me')).toBeProblem('unavailable');
    expect(await client.post('/users', { email: anEmail() })).toBeProblem('unavailable');
    expect(await makeClient(baseUrl).get('/me')).toBeProblem('unavailable');
  }
};

/** The API answers, and the worker sends the mail of an invitation. */
const expectNormal = async ({ origin = '', baseUrl = '' }: ServiceProcess) => {
  await eventually(async () => expect((await makeClient(origin).get('/readyz')).status).toBe(200));
  const client = makeClient(baseUrl, keyText);
  const email = anEmail();
  await eventually(async () => expect((await client.post('/users', { email })).status).toBe(201));
  await eventually(() => expect(mailServer.received.map(({ to }) => to)).toContain(email));
  for (let asked = 0; asked < 20; asked += 1) expect((await client.get('/me')).status).toBe(200);
};

it('on a standby a service is not ready and answers 503; it continues once new connections reach a primary', async () => {
  await expectNormal(api);
  target = 'standby';
  for (const one of open) one.destroy();
  await eventually(() => expectUnavailable(api));
  target = 'primary';
  await expectNormal(api);
  expect(api.logged().filter(({ level }) => level === 'error')).toEqual([]);
});

it('no process starts on a standby', async () => {
  target = 'standby';
  for (const role of ['api', 'worker'] as const) {
    await expect(startServiceProcess({ databaseUrl, role })).rejects.toThrow('the server is a standby');
  }
});
