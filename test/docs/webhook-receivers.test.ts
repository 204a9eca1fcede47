import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { makeSecret, signatureOf } from '../../src/deliveries/message.ts';
import { exampleBodyOf } from '../../src/modules/events/payloads.ts';
import type { WebhookEvent } from '../../src/server/developers/examples/verify-webhook.ts';
import { receiver } from '../../src/server/developers/examples/express-receiver.ts';
import { exampleFile } from '../../src/server/developers/facts.ts';
import { has, misses, output } from './webhook-guide.ts';
import { listen } from '../support/listen.ts';
import { throwAwayFolder } from '../support/throw-away-postgres.ts';

const canSendByHand =
  (await has('bash', '--version')) && (await has('openssl', 'version')) && (await has('curl', '--version'));
const secret = makeSecret();

const folder = throwAwayFolder();

/** A receiver of the documentation as a reader would start it, with the settings that its other examples write. */
const startExample = async (command: string, files: readonly string[]) => {
  const secrets = `${secret},whsec_another`;
  for (const file of files) await writeFile(join(folder, file), exampleFile(file));
  await writeFile(join(folder, '.env'), `API_KEY=unused\nWEBHOOK_SECRETS=${secrets}\n`);
  const child = spawn(command, [files.at(-1) ?? ''], {
    cwd: folder,
    env: { PORT: '0', WEBHOOK_SECRETS: secrets },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const printed: string[] = [];
  const lines = createInterface(child.stdout).on('line', (line) => void printed.push(line));
  await once(lines, 'line');
  const [line = ''] = printed.splice(0);
  const port = /^Listening on (\d+)$/.exec(line)?.[1] ?? expect.unreachable(line);
  return {
    url: `http://127.0.0.1:${port}/`,
    /** The lines since the start. */
    printed,
    close: async () => {
      child.kill();
      await once(child, 'exit');
    },
  };
};
const startPlainNode = () => startExample(process.execPath, ['receiver.mjs']);
const startPython = () => startExample('/usr/bin/python3', ['verify_webhook.py', 'receiver.py']);

const kept: WebhookEvent[] = [];
const startExpress = async () => {
  const server = createServer(receiver([secret], async (event) => void kept.push(event)));
  return {
    url: `http://127.0.0.1:${await listen(server)}/webhooks`,
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
};

const programs: [name: string, start: typeof startPlainNode][] = [['plain Node', startPlainNode]];
if (await has('/usr/bin/python3', '--version')) programs.push(['Python', startPython]);

type Start = () => Promise<{ url: string; close: () => Promise<void> }>;
const receivers: [name: string, start: Start][] = [...programs, ['Express', startExpress]];

describe.each(receivers)('the receiver in %s', (_name, start) => {
  let started: Awaited<ReturnType<typeof start>>;
  beforeAll(async () => {
    started = await start();
  });
  afterAll(() => started.close());

  const byHand = async (key: string) => {
    return output('bash', ['-euo', 'pipefail', '-c', exampleFile('send-by-hand.sh')], {
      cwd: folder,
      env: { SECRET: key, RECEIVER: started.url },
    });
  };

  it('accepts a request by curl, and none signed with another secret', async ({ skip }) => {
    skip(misses('bash, openssl or curl', canSendByHand));
    expect(await byHand(secret)).toMatch(/HTTP\/1\.[01] 204/);
    expect(await byHand('whsec_of_somebody_else')).toMatch(/HTTP\/1\.[01] 400/);
  });

  const post = async (body: string, headers: Record<string, string>) => {
    const answer = await fetch(started.url, { method: 'POST', body, headers });
    return [answer.status, await answer.text()];
  };
  const body = exampleBodyOf('evaluation.completed');

  it('accepts an event as the service sends it', async () => {
    const headers = { 'Content-Type': 'application/json', 'Svc-Signature': signatureOf(secret, body, new Date()) };
    expect(await post(body, headers)).toEqual([204, '']);
    expect(await post(body, headers)).toEqual([204, '']);
  });

  it('answers only 400 to unsigned, old and changed requests', async () => {
    const old = signatureOf(secret, body, new Date(Date.now() - 301_000 - 1_000));
    for (const headers of [{}, { 'Svc-Signature': 'garbage' }, { 'Svc-Signature': old }]) {
      expect(await post(body, headers)).toEqual([400, '']);
    }
    expect(await post(`${body} `, { 'Svc-Signature': signatureOf(secret, body, new Date()) })).toEqual([400, '']);
  });

  it('continues after an aborted request, and after a signed body that is not JSON', async () => {
    const { hostname, port } = new URL(started.url);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    socket.write('POST /webhooks HTTP/1.1\r\nHost: receiver\r\nContent-Length: 100\r\n\r\nhalf');
    socket.destroy();
    await once(socket, 'close');
    const [status] = await post('no JSON', { 'Svc-Signature': signatureOf(secret, 'no JSON', new Date()) });
    expect([400, 500]).toContain(status);
    expect(await post(body, { 'Svc-Signature': signatureOf(secret, body, new Date()) })).toEqual([204, '']);
  });
});

it.each(programs)('the receiver in %s accepts a repeated event, and stores it once', async (_name, start) => {
  const { url, printed, close } = await start();
  onTestFinished(close);
  const body = exampleBodyOf('evaluation.completed');
  const { type, id } = JSON.parse(body);
  const recorded = { 'Svc-Signature': signatureOf(secret, body, new Date()) };
  const resent = { 'Svc-Signature': signatureOf(secret, body, new Date(Date.now() + 1_000)) };
  for (const headers of [recorded, recorded, resent])
    expect((await fetch(url, { method: 'POST', body, headers })).status).toBe(204);
  const again = `Already stored: ${type} ${id}`;
  await expect.poll(() => printed).toEqual([`Verified: ${type} ${id}`, again, again]);
});

it('the receiver in Express stores the event itself', () => {
  expect(kept).toContainEqual(JSON.parse(exampleBodyOf('evaluation.completed')));
});
