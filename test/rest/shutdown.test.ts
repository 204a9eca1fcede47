import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { Agent, get } from 'node:http';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { keyBudget } from '../support/budgets.ts';
import { makeClient } from '../support/client.ts';
import { startTestService } from '../support/service.ts';
import type { TestService } from '../support/service.ts';
import { anEmail, aTeam } from '../support/team.ts';
import { expectApiHeaders } from './api-headers.ts';
import { rawConnection, wire } from './raw-http.ts';
import { usualPatience } from '../../src/http/server.ts';
import { startStations } from './stations.ts';
import { untilLockWaits } from '../support/postgres.ts';

const base = '/api/public/v1';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

describe('a server that is drained', () => {
  it('finishes what runs, refuses what is new on kept and new connections, then closes everything', async () => {
    const stations = await startStations(service);
    const { text: key } = await (await aTeam(service)).aKey();
    const authorization = { Authorization: `Bearer ${key}` };
    const running = rawConnection(stations.origin);
    running.send(wire('GET', `${base}/wait`, authorization));
    const idle = rawConnection(stations.origin);
    idle.send(wire('GET', `${base}/echo/fixed`, authorization));
    expect((await idle.next()).status).toBe(200);
    const silent = rawConnection(stations.origin);
    await stations.barrier.reached(1);

    stations.lifecycle.stopping();
    let drained = false;
    const draining = stations.drain(10_000).then(() => (drained = true));

    idle.send(wire('GET', `${base}/echo/fixed`, authorization));
    const [onKept, ...behind] = await idle.untilClosed();
    expect(behind).toEqual([]);
    const onNew = await makeClient(stations.baseUrl, key).get('/echo/fixed');
    for (const answer of [onKept, onNew]) {
      if (!answer) throw new Error('no answer');
      expect(answer).toBeProblem('unavailable');
      expect(answer.body['detail']).toBeUndefined();
      expect(answer.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
      expect(answer.headers.get('ratelimit-reset')).toBe(answer.headers.get('retry-after'));
      expect(answer.headers.get('connection')).toBe('close');
      expectApiHeaders(answer);
    }
    expect((await makeClient(stations.origin).get('/healthz')).status).toBe(200);
    expect((await makeClient(stations.origin).get('/readyz')).body).toEqual({ status: 'stopping' });
    expect(drained).toBe(false);

    stations.barrier.open();
    const [waited] = await running.untilClosed();
    expect(waited?.body).toEqual({ text: 'waited' });
    await draining;
    await expect(silent.untilClosed()).resolves.toEqual([]);
    await expect(makeClient(stations.origin).get('/healthz')).rejects.toThrow('fetch failed');
  });

  it('lets a long answer out whole, to a client that reads it slowly', async () => {
    const stations = await startStations(service);
    const { id, text: key } = await (await aTeam(service)).aKey();
    const reader = rawConnection(stations.origin);
    reader.pause();
    reader.send(wire('GET', `${base}/large/20000000`, { Authorization: `Bearer ${key}` }));
    const where = { subject: keyBudget(id) };
    await expect.poll(() => service.database.prisma.requestBudget.count({ where })).toBe(1); // it was let in
    stations.lifecycle.stopping();
    const draining = stations.drain(10_000);
    expect((await makeClient(stations.origin).get('/healthz')).status).toBe(200);
    reader.resume();
    expect((await reader.next()).text).toHaveLength(20_000_011);
    await draining;
  });

  it('waits for clients only a few seconds: those that don’t take their answer or end their request delay no stop', async () => {
    let isOver = false;
    let looksSince = 0;
    const patience = {
      ...usualPatience,
      parting: 50,
      /** Read whenever the server looks whether it still waits for a client. */
      get straggling() {
        if (isOver) looksSince += 1;
        return isOver ? 0 : 60_000;
      },
    };
    const stations = await startStations(service, { patience });
    const { id, text: key } = await (await aTeam(service)).aKey();
    const authorization = { Authorization: `Bearer ${key}` };
    const reader = rawConnection(stations.origin);
    reader.pause();
    reader.send(wire('GET', `${base}/large/20000000`, authorization));
    const sender = rawConnection(stations.origin);
    sender.send(wire('POST', `${base}/echo`, { ...authorization, 'Content-Length': '100' }, '{'));
    const where = { subject: keyBudget(id), used: 2 };
    await expect.poll(() => service.database.prisma.requestBudget.count({ where })).toBe(1);
    const running = rawConnection(stations.origin);
    running.send(wire('GET', `${base}/wait`, authorization));
    await stations.barrier.reached(1);
    stations.lifecycle.stopping();
    const begin = performance.now();
    const draining = stations.drain(60_000);
    // The time for clients is over, but the server's own work has all the time that was given.
    isOver = true;
    await expect.poll(() => looksSince, { timeout: 15_000 }).toBeGreaterThan(20);
    stations.barrier.open();
    expect((await running.next()).body).toEqual({ text: 'waited' });
    await draining;
    expect(performance.now() - begin).toBeLessThan(20_000);
    reader.hangUp();
  });

  it('waits for a request that came with an expectation, like for any other', async () => {
    const stations = await startStations(service);
    const { text: key } = await (await aTeam(service)).aKey();
    const expecting = rawConnection(stations.origin);
    expecting.send(wire('GET', `${base}/wait`, { Authorization: `Bearer ${key}`, Expect: 'patience' }));
    await stations.barrier.reached(1);
    const draining = stations.drain(10_000);
    expect((await makeClient(stations.origin).get('/healthz')).status).toBe(200);
    stations.barrier.open();
    expect((await expecting.next()).body).toEqual({ text: 'waited' });
    await draining;
  });

  it('waits no longer than it may, also for requests that came behind others or with an expectation', async () => {
    const stations = await startStations(service);
    const { text: key } = await (await aTeam(service)).aKey();
    const stuck = rawConnection(stations.origin);
    const wait = wire('GET', `${base}/wait`, { Authorization: `Bearer ${key}`, Expect: 'patience' });
    stuck.send(wait + wait);
    await stations.barrier.reached(2);
    stations.lifecycle.stopping();
    await stations.drain(300);
    expect(await stuck.untilClosed().catch(() => [])).toEqual([]);
    stations.barrier.open();
  });

  it('a client that gave up keeps nobody waiting', async () => {
    const stations = await startStations(service);
    const { text: key } = await (await aTeam(service)).aKey();
    const gone = rawConnection(stations.origin);
    const wait = wire('GET', `${base}/wait`, { Authorization: `Bearer ${key}` });
    gone.send(wait + wait + wait);
    await stations.barrier.reached(3);
    const draining = stations.drain(60_000);
    gone.hangUp();
    await draining;
    stations.barrier.open();
  });
});

/** Asks once, and reads the answer; gives the code of the failure where there was one. */
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
    '%s: finishes the request that runs, refuses new ones, and ends with 0',
    async (signal) => {
      const { child, origin, lines, ended } = await startProcess();
      const team = await aTeam(service);
      const { text: key } = await team.aKey();
      const kept = rawConnection(origin);
      kept.send(wire('GET', `${base}/me`, { Authorization: `Bearer ${key}` }));
      expect((await kept.next()).status).toBe(200);

      // A request that runs as long as the test wants: it waits for a row that the test holds.
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

  it('SIGTERM under load resets nobody: every request is answered, or its connection was never made', async () => {
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

  it('SIGTERM with connections that clients keep ends without waiting for them to be closed', async () => {
    const { child, origin, ended } = await startProcess();
    const idle = [rawConnection(origin), rawConnection(origin)];
    for (const connection of idle) connection.send(wire('GET', '/healthz'));
    for (const connection of idle) expect((await connection.next()).status).toBe(200);
    child.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
    for (const connection of idle) expect(await connection.untilClosed()).toEqual([]);
  });

  it('refuses a malformed request in its own form', async () => {
    const { child, origin, ended } = await startProcess();
    const connection = rawConnection(origin);
    connection.send('garbage\r\n\r\n');
    const [answer] = await connection.untilClosed();
    expect(answer).toBeProblem('bad_request');
    child.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
  });
});
