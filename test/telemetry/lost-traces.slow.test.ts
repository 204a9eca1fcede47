import { expect, it, vi } from 'vitest';
import { makeClient } from '../support/client.ts';
import { useTestService } from '../support/service.ts';
import { startCollector } from './collector.ts';
import { startObserved } from '../support/observed-service.ts';

const service = await useTestService({ own: true });

it('traces that could not be sent are logged, and the service continues', async () => {
  const collector = await startCollector();
  await collector.close();
  const observed = await startObserved(service.databaseUrl, 'api', { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
  await makeClient(observed.baseUrl).get('/me');
  await vi.waitFor(() => expect(observed.logged().map(({ msg }) => msg)).toContain('traces could not be sent'), {
    timeout: 30_000,
    interval: 100,
  });
  expect((await makeClient(observed.baseUrl).get('/me')).status).toBe(401);
});
