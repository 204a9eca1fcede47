import { describe, expect, it } from 'vitest';
import { openInstallation } from '../../scripts/kit/installation.ts';
import { createFolder } from '../../scripts/kit/system.ts';
import { restartAll } from '../../scripts/try/rolling.ts';
import { proxyNames, type ProxyName } from '../../scripts/kit/proxy.ts';
import { createDatabase } from '../support/postgres.ts';
import { hasProxy } from '../proxy/proxies.ts';
import { noLosses } from './no-losses.ts';

const there = new Set<ProxyName>();
for (const name of proxyNames) if (await hasProxy(name, 'the test of restarts behind it')) there.add(name);

// `npm run try -- rolling` in small.
describe.each(proxyNames)('behind %s, while an API process and the worker are restarted', (proxy) => {
  it.skipIf(!there.has(proxy))(
    'no request fails, and nothing is lost or done twice',
    { timeout: 120_000 },
    async () => {
      await using opened = new AsyncDisposableStack();
      const folder = await createFolder(opened, 'test');
      const { url: databaseUrl } = await createDatabase();
      const installation = await openInstallation(opened, { databaseUrl, folder, workers: 1, proxy });
      const restarted = installation.service.processes.filter(({ name }) => name !== 'api2');
      const until = restartAll(restarted, { rounds: 1 });
      const outcome = await installation.load({ requests: 100, perSecond: 15, clients: 4, until });
      expect(await until).toBe(2);
      expect(outcome.failures).toEqual({});
      expect(outcome.wrongReads).toBe(0);
      expect(installation.service.failures()).toEqual([]);
      expect(await installation.check(outcome.posted)).toMatchObject(noLosses);
    },
  );
});
