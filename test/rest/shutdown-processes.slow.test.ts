import { Agent, get } from 'node:http';
import { describe, expect, it } from 'vitest';
import { startServiceProcess } from '../support/production-service.ts';
import { makeClient } from '../support/client.ts';
import { useTestService } from '../support/service.ts';
import { anEmail, aTeam } from '../support/team.ts';
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

const startProcess = async () => {
  const started = await startServiceProcess({
    databaseUrl: service.databaseUrl,
    role: 'api',
  });
  return { ...started, origin: started.origin ?? '' };
};

describe('node src/main.ts api', () => {
  it('SIGTERM finishes the running request, answers others until its port is closed, and ends with 0', async () => {
    const { child, origin, logged, complaints, ended } = await startProcess();
    const team = await aTeam(service);
    const { text: key } = await team.aKey();
    // A request that runs as long as the test wants: it waits for a row that the test has locked.
    const email = anEmail();
    const running = await service.database.transaction(async (tx) => {
      await tx.$queryRaw`select id from team where id = ${team.id}::uuid for update`;
      const inviting = makeClient(`${origin}${base}`, key).post('/users', { email });
      await untilLockWaits(service);
      child.kill('SIGTERM');
      const agent = new Agent({ keepAlive: false });
      await expect.poll(() => ask(`${origin}/readyz`, agent)).toBe('ECONNREFUSED');
      expect(child.exitCode).toBeNull();
      return { inviting };
    });
    const answer = await running.inviting;
    expect(answer.status).toBe(201);
    expect(answer.body['email']).toBe(email);
    expect(await ended).toBe(0);
    expect(logged().map(({ msg }) => msg)).toEqual(expect.arrayContaining(['started', 'stopping', 'stopped']));
    expect(logged().filter(({ level }) => level === 'error')).toEqual([]);
    expect(complaints()).toBe('');
  });

  it('SIGTERM under load resets no connection: every request is answered, or its connection was never made', async () => {
    const { child, origin, ended } = await startProcess();
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
    expect(await ended).toBe(0);
    stopped.abort();
    await Promise.all(clients);
    agent.destroy();
    expect(codes.filter((code) => code !== 'ECONNREFUSED')).toEqual([]);
  });

  it('SIGINT with keep-alive connections ends without waiting for clients to close them', async () => {
    const { child, origin, ended } = await startProcess();
    const idle = [rawConnection(origin), rawConnection(origin)];
    for (const connection of idle) connection.send(wire('GET', '/healthz'));
    for (const connection of idle) expect((await connection.next()).status).toBe(200);
    child.kill('SIGINT');
    expect(await ended).toBe(0);
    for (const connection of idle) expect(await connection.untilClosed()).toEqual([]);
  });
});
