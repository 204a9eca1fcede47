import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { Agent, get } from 'node:http';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { makeClient } from '../support/client.ts';
import { useTestService } from '../support/service.ts';
import { anEmail, aTeam } from '../support/team.ts';
import { expectApiHeaders } from './api-headers.ts';
import { rawConnection, wire } from './raw-http.ts';
import { untilLockWaits } from '../support/postgres.ts';

const base = '/api/public/v1';
const service = await useTestService({ own: true });

/** Sends one request and reads the answer; returns the error code if it failed. */
const ask = (url: string, agent: Agent): Promise<string | undefined> =>
  new Promise((resolve) => {
    const request = get(url, { agent }, (response) => response.resume().once('end', () => resolve(undefined)));
    request.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
  });

interface Process {
  child: ChildProcess;
  origin: string;
  lines: Record<string, unknown>[];
  ended: Promise<unknown[]>;
}

const startProcess = async (): Promise<Process> => {
  const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
  const child = spawn(process.execPath, [main, 'api'], {
    env: {
      PATH: '/usr/bin:/bin',
      DATABASE_URL: service.databaseUrl,
      PORT: '0',
      APP_SECRET: 'a secret that only this test knows of',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  const lines: Record<string, unknown>[] = [];
  const reading = createInterface(child.stdout);
  await new Promise<void>((resolve, reject) => {
    reading.on('line', (line) => {
      lines.push(JSON.parse(line));
      if (lines.at(-1)?.['msg'] === 'started') resolve();
    });
    child.once('exit', () => reject(new Error('ended before it had started')));
  });
  return { child, origin: `http://127.0.0.1:${String(lines.at(-1)?.['port'])}`, lines, ended };
};

describe('node src/main.ts api', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)(
    '%s: finishes the running request, refuses new ones, and ends with 0',
    async (signal) => {
      const { child, origin, lines, ended } = await startProcess();
      const team = await aTeam(service);
      const { text: key } = await team.aKey();
      const kept = rawConnection(origin);
      kept.send(wire('GET', `${base}/me`, { Authorization: `Bearer ${key}` }));
      expect((await kept.next()).status).toBe(200);

      // A request that runs as long as the test wants: it waits for a row that the test has locked.
      const email = anEmail();
      const running = await service.database.transaction(async (tx) => {
        await tx.$queryRaw`select id from team where id = ${team.id}::uuid for update`;
        const inviting = makeClient(`${origin}${base}`, key).post('/users', { email });
        await untilLockWaits(service);
        child.kill(signal);
        await expect.poll(async () => (await makeClient(origin).get('/readyz')).status).toBe(503);
        expect((await makeClient(origin).get('/healthz')).status).toBe(200);
        kept.send(wire('GET', `${base}/me`, { Authorization: `Bearer ${key}` }));
        const [refused] = await kept.untilClosed();
        expect(refused).toBeProblem('unavailable');
        if (refused) expectApiHeaders(refused);
        expect(await makeClient(`${origin}${base}`, key).get('/me')).toBeProblem('unavailable');
        expect(child.exitCode).toBeNull();
        return { inviting };
      });
      const answer = await running.inviting;
      expect(answer.status).toBe(201);
      expect(answer.body['email']).toBe(email);
      expect(await ended).toEqual([0, null]);
      expect(lines.map(({ msg }) => msg)).toEqual(expect.arrayContaining(['started', 'stopping', 'stopped']));
      expect(lines.filter(({ level }) => level === 'error')).toEqual([]);
    },
  );

  it('SIGTERM under load resets no connection: every request is answered, or its connection was never made', async () => {
    const processes = await Promise.all([startProcess(), startProcess(), startProcess()]);
    for (const { child, origin, ended } of processes) {
      const agent = new Agent({ keepAlive: true, maxSockets: 40 });
      const codes: string[] = [];
      let answered = 0;
      const stopped = new AbortController();
      const client = async (path: string) => {
        while (!stopped.signal.aborted) {
          const code = await ask(`${origin}${path}`, agent);
          if (code === undefined) answered += 1;
          else codes.push(code);
          if (code === 'ECONNREFUSED') return;
        }
      };
      const clients = Array.from({ length: 40 }, (_, index) => client(index % 2 === 0 ? '/healthz' : `${base}/me`));
      await expect.poll(() => answered).toBeGreaterThan(500);
      child.kill('SIGTERM');
      expect(await ended).toEqual([0, null]);
      stopped.abort();
      await Promise.all(clients);
      agent.destroy();
      expect(codes.filter((code) => code !== 'ECONNREFUSED')).toEqual([]);
    }
  });

  it('SIGTERM with keep-alive connections ends without waiting for clients to close them', async () => {
    const { child, origin, ended } = await startProcess();
    const idle = [rawConnection(origin), rawConnection(origin)];
    for (const connection of idle) connection.send(wire('GET', '/healthz'));
    for (const connection of idle) expect((await connection.next()).status).toBe(200);
    child.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
    for (const connection of idle) expect(await connection.untilClosed()).toEqual([]);
  });

  it('refuses a malformed request with a problem', async () => {
    const { child, origin, ended } = await startProcess();
    const connection = rawConnection(origin);
    connection.send('garbage\r\n\r\n');
    const [answer] = await connection.untilClosed();
    expect(answer).toBeProblem('bad_request');
    child.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
  });
});
