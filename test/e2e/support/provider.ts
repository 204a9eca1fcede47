import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect } from 'vitest';
import { toCamel } from '../../../src/core/spelling.ts';
import { addDomain, redirectUriOf, saveProvider } from '../../../src/modules/company-sign-in/service.ts';
import { startIdentityProvider, type IdentityProvider } from '../../support/identity-provider.ts';
import type { TestTeam } from '../../support/team.ts';
import { hasBrowser, type AppTest } from './app.ts';

/** An identity provider for the tests of a file, and what people do there. */
export const useProvider = (app: AppTest) => {
  let running: IdentityProvider | undefined;
  beforeAll(async () => {
    if (hasBrowser) running = await startIdentityProvider();
  });
  afterAll(() => running?.close());
  const current = () => running ?? expect.fail('the provider is there from beforeAll to afterAll');

  return {
    get provider() {
      return current();
    },
    /** Browsers don't know the authority of the tests. */
    async trustProvider(page: Page): Promise<void> {
      const session = await page.context().newCDPSession(page);
      await session.send('Security.setIgnoreCertificateErrors', { ignore: true });
    },
    /** Fills in the provider's own page. */
    async signInAtProvider(page: Page, login: string): Promise<void> {
      await page.waitForURL(`${current().issuer}/**`);
      await page.locator('input[name=login]').fill(login);
      await page.locator('input[name=password]').fill('any');
      await page.locator('button[type=submit]').click();
    },
    /** Gives a team this provider, and a domain that it has proven. */
    async setUp(team: TestTeam, domain: string): Promise<void> {
      const acting = await team.acting();
      const { issuer, client, register } = current();
      register(redirectUriOf(app.service.platform, team.id));
      await saveProvider(acting, toCamel({ issuer, ...client, role: 'member' as const }));
      await addDomain(acting, domain, { proven: true });
    },
  };
};
