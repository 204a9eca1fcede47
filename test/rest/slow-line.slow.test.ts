import { connect } from 'node:net';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { startTestService } from '../support/service.ts';
import type { TestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';
import { readSlowly, wire } from './raw-http.ts';
import { startStations } from './stations.ts';

const base = '/api/public/v1';
const mib = 1024 * 1024;

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ own: true });
});
afterAll(() => service.close());

it('a page of 1 MiB can be read over a line of 400 kbit/s, with the default limits', async () => {
  const authorization = `Bearer ${(await aTeam(service)).client.key ?? ''}`;
  const stations = await startStations(service);
  onTestFinished(() => stations.close());
  const { port } = new URL(stations.origin);
  const slow = connect(Number(port), '127.0.0.1');
  slow.on('readable', () => {});
  slow.write(wire('GET', `${base}/large/${mib}`, { Authorization: authorization }));
  expect(await readSlowly(slow, 50_000, mib)).toBeGreaterThanOrEqual(mib);
});
