import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { signatureOf } from '../../src/webhooks/message.ts';
import { exampleBodyOf } from '../../src/modules/webhooks/events.ts';
import { newSecret } from '../../src/webhooks/message.ts';
import type { WebhookEvent } from '../../src/receivers/verify-webhook.ts';
import { receiver } from '../webhooks/express-receiver.ts';
import { blocks, has, misses, output } from './webhook-guide.ts';

const canSendByHand =
  (await has('bash', '--version')) && (await has('openssl', 'version')) && (await has('curl', '--version'));
const secret = newSecret();

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'webhooks-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** The whole example, as somebody would start it. */
const startPlainNode = async () => {
  const [code = expect.unreachable('no code')] = await blocks('Plain Node', 'js');
  await writeFile(join(folder, 'receiver.mjs'), code);
  const child = spawn(process.execPath, ['receiver.mjs'], {
    cwd: folder,
    env: { PORT: '0', WEBHOOK_SECRETS: `${secret},whsec_another` },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line]: unknown[] = await once(createInterface(child.stdout), 'line');
  const port = /^Listening on (\d+)$/.exec(String(line))?.[1] ?? expect.unreachable(String(line));
  return {
    url: `http://127.0.0.1:${port}/`,
    close: async () => {
      child.kill();
      await once(child, 'exit');
    },
  };
};

const kept: WebhookEvent[] = [];
const startExpress = async () => {
  const server = createServer(receiver([secret], async (event) => void kept.push(event)));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  return {
    url: `http://127.0.0.1:${port}/webhooks`,
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
};

describe.each([
  ['plain Node', startPlainNode],
  ['Express', startExpress],
])('the receiver in %s', (_name, start) => {
  let started: Awaited<ReturnType<typeof start>>;
  beforeAll(async () => {
    started = await start();
  });
  afterAll(() => started.close());

  const byHand = async (key: string) => {
    const [, lines = expect.unreachable('no lines')] = await blocks('By hand', 'sh');
    return output('bash', ['-euo', 'pipefail', '-c', lines], {
      cwd: folder,
      env: { SECRET: key, RECEIVER: started.url },
    });
  };

  it('takes what curl sends it by hand, and nothing that is signed with another secret', async ({ skip }) => {
    skip(misses('bash, openssl or curl', canSendByHand));
    expect(await byHand(secret)).toContain('HTTP/1.1 204');
    expect(await byHand('whsec_of_somebody_else')).toContain('HTTP/1.1 400');
  });

  const post = async (body: string, headers: Record<string, string>) => {
    const answer = await fetch(started.url, { method: 'POST', body, headers });
    return [answer.status, await answer.text()];
  };
  const body = exampleBodyOf('evaluation.completed');

  it('takes an event as it is sent', async () => {
    const headers = { 'Content-Type': 'application/json', 'Svc-Signature': signatureOf(secret, body, new Date()) };
    expect(await post(body, headers)).toEqual([204, '']);
    expect(await post(body, headers)).toEqual([204, '']);
  });

  it('answers 400 and nothing more to what is unsigned, old or changed', async () => {
    const old = signatureOf(secret, body, new Date(Date.now() - 301_000 - 1_000));
    for (const headers of [{}, { 'Svc-Signature': 'garbage' }, { 'Svc-Signature': old }]) {
      expect(await post(body, headers)).toEqual([400, '']);
    }
    expect(await post(`${body} `, { 'Svc-Signature': signatureOf(secret, body, new Date()) })).toEqual([400, '']);
  });

  it('goes on after a request that breaks off, and after a signed body that is not JSON', async () => {
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

it('the receiver in Express keeps the event itself', () => {
  expect(kept).toContainEqual(JSON.parse(exampleBodyOf('evaluation.completed')));
});
