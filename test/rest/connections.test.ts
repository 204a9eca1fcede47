import { expect, it, onTestFinished } from 'vitest';
import { useTestService } from '../support/service.ts';
import { rawConnection, wire } from './raw-http.ts';
import { startTestApi } from './test-api.ts';

const service = await useTestService();

it('beyond MAX_CONNECTIONS a connection is closed at once, until another one ends', async () => {
  const testApi = await startTestApi(service, { environment: { MAX_CONNECTIONS: '3' } });
  onTestFinished(() => testApi.close());
  const ask = async () => {
    const connection = rawConnection(testApi.origin);
    onTestFinished(() => connection.hangUp());
    connection.send(wire('GET', '/healthz'));
    const answer = await connection.next().catch(() => undefined);
    return { connection, status: answer?.status };
  };
  const kept = [await ask(), await ask(), await ask()];
  expect(kept.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect((await ask()).status).toBeUndefined();
  kept[0]?.connection.hangUp();
  await expect.poll(async () => (await ask()).status).toBe(200);
});
