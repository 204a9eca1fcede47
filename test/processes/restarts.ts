import { describe, expect, it } from 'vitest';
import { openInstallation } from '../../scripts/kit/installation.ts';
import type { ProxyName } from '../../scripts/kit/proxy.ts';
import { createFolder } from '../../scripts/kit/system.ts';
import { restartAll } from '../../scripts/try/rolling.ts';
import { hasProxy } from '../proxy/proxies.ts';
import { createDatabase } from '../support/postgres.ts';
import { noLosses } from './no-losses.ts';

/** `npm run try -- rolling` in small, behind each of the given proxies. */
export const testRestartsBehind = async (names: readonly ProxyName[]): Promise<void> => {
  const there = new Set<ProxyName>();
  for (const name of names) if (await hasProxy(name, 'the test of restarts behind it')) there.add(name);

  describe.each(names)('behind %s, while an API process and the worker are restarted', (proxy) => {
    it.skipIf(!there.has(proxy))('no request fails, and nothing is lost or done twice', async () => {
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
    });
  });
};
