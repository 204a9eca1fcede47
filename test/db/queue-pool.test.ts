import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { openQueuePool } from '../../src/db/queue-pool.ts';
import { eventually } from '../support/eventually.ts';
import { startTestService } from '../support/service.ts';
import type { TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ own: true });
});
afterAll(() => service.close());

const newJobs = 'jobs:insert';

/** The payloads that a pool's connection gets, by channel. */
const listening = async (options: { calm: boolean }) => {
  const pool = openQueuePool(service.databaseUrl, options);
  const client = await pool.connect();
  onTestFinished(async () => {
    client.release(true);
    await pool.end();
  });
  const payloads: Record<string, string[]> = { [newJobs]: [], other: [] };
  client.on('notification', ({ channel, payload = '' }) => payloads[channel]?.push(payload));
  await client.query(`listen "${newJobs}"; listen other`);
  return payloads;
};

const notify = (channel: string, payload: string) =>
  service.database.prisma.$executeRaw`select pg_notify(${channel}, ${payload})`;
const announce = (count: number) => notify(newJobs, JSON.stringify({ r: '0.5', count }));

it('a calm pool gets the first announcement of new jobs at once, and of those that follow only the one with the most', async () => {
  const [calm, usual] = [await listening({ calm: true }), await listening({ calm: false })];
  await announce(2);
  await eventually(() => expect(calm[newJobs]).toEqual(['{"r":"0.5","count":2}']));
  const begin = performance.now();
  while (performance.now() < begin + 30) {
    await announce(1);
    await announce(7);
    await announce(3);
    await notify('other', 'x');
  }
  await notify('other', 'last');
  await eventually(() => {
    expect(calm['other']?.at(-1)).toBe('last');
    expect(usual['other']).toEqual(calm['other']);
    expect(calm[newJobs]?.at(-1)).toBe('{"r":"0.5","count":7}');
  });
  expect(usual[newJobs]?.length).toBe(1 + 3 * ((usual['other']?.length ?? 0) - 1));
  expect(calm[newJobs]?.length).toBeLessThan(usual[newJobs]?.length ?? 0);
});
