import { describe, expect, it } from 'vitest';
import type { MaintenanceState } from '../../src/http/exchange.ts';
import { expectAccessible, hasBrowser, languages, useApp } from './support/app.ts';

const words = {
  de: { title: 'Wir führen gerade Wartungsarbeiten durch', overview: 'Übersicht', name: 'Name' },
  en: { title: 'We are carrying out maintenance', overview: 'Overview', name: 'Name' },
} as const;

describe.skipIf(!hasBrowser).each(languages)('during maintenance (%s)', (language) => {
  const state: { current: MaintenanceState['current'] } = { current: undefined };
  const app = useApp({ maintenance: state });
  const { title, overview } = words[language];

  it('the app says so, keeps what was filled in, and goes on by itself', async () => {
    const team = await app.team();
    const page = await app.signedIn(team.owner.email, '/account', { language });
    const name = page.getByRole('textbox', { name: words[language].name, exact: true });
    await name.fill('Half filled in');
    app.expectFailures(page, 503);
    state.current = { retryAfterSeconds: 30 };
    await name.press('Enter');
    const cover = page.getByRole('heading', { name: title });
    await cover.waitFor();
    await expectAccessible(page);

    state.current = undefined;
    await cover.waitFor({ state: 'detached' });
    expect(await name.inputValue()).toBe('Half filled in');
    await page.getByRole('link', { name: overview }).click();
    await page.getByRole('heading', { name: overview }).waitFor();
  });

  it('somebody who opens the app is told, and can sign in afterwards', async () => {
    const page = await app.open('/sign-in', { language });
    app.expectFailures(page, 503);
    state.current = { retryAfterSeconds: 30 };
    await page.reload();
    const cover = page.getByRole('heading', { name: title });
    await cover.waitFor();
    state.current = undefined;
    await cover.waitFor({ state: 'detached' });
    await page.getByRole('heading', { name: language === 'de' ? 'Anmelden' : 'Sign in' }).waitFor();
  });
});
