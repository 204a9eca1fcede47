import { describe, expect, it } from 'vitest';
import type { MaintenanceState } from '../../src/server/http/request-context.ts';
import { expectAccessible, hasBrowser, useApp } from './support/app.ts';

const title = 'Maintenance in progress';

describe.skipIf(!hasBrowser)('during maintenance', () => {
  const state: { current: MaintenanceState['current'] } = { current: undefined };
  const app = useApp({ maintenance: state });
  const language = 'en';

  it('the app shows it, keeps the input of forms, and continues by itself', async () => {
    const team = await app.team();
    const page = await app.signedIn(team.owner.email, '/account', { language });
    const name = page.getByRole('textbox', { name: 'Name', exact: true });
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
    await page.getByRole('link', { name: 'Overview' }).click();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
  });

  it('a person who opens the app sees it, and can sign in afterwards', async () => {
    const page = await app.open('/sign-in', { language });
    app.expectFailures(page, 503);
    state.current = { retryAfterSeconds: 30 };
    await page.reload();
    const cover = page.getByRole('heading', { name: title });
    await cover.waitFor();
    state.current = undefined;
    await cover.waitFor({ state: 'detached' });
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  });
});
