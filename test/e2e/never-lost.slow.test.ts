import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fillSignIn, hasBrowser, holdRequests, password, useApp } from './support/app.ts';
import { anotherBuild, startFront, type Front } from './support/front.ts';

const script = `document.querySelector('script[src*="/start-"]').getAttribute('src')`;

describe.skipIf(!hasBrowser)('unsent input is kept', () => {
  const app = useApp();
  let front: Front;
  let next: Awaited<ReturnType<typeof anotherBuild>>;
  beforeAll(async () => {
    if (hasBrowser) [front, next] = await Promise.all([startFront(app.service.origin), anotherBuild()]);
  });
  afterAll(async () => {
    if (!hasBrowser) return;
    await front.stop();
    await next.remove();
  });

  it('while the server is down, after a deployment, and when the session ends elsewhere', async () => {
    const team = await app.team();
    const page = await app.signedIn(team.owner.email, '/account', { language: 'en' });
    await page.goto(`${front.origin}/account`);
    app.expectOutage(page);
    const heading = (name: string) => page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
    const link = (name: string) => page.getByRole('link', { name, exact: true });
    const name = page.getByRole('textbox', { name: 'Name', exact: true });
    await name.fill('Half filled in');

    // A page whose code loads slowly: the click has an effect at once, and the former page stays until then.
    const release = await holdRequests(page, '**/assets/analytics-*');
    await link('Analytics').click();
    await page.locator('[data-progress]').waitFor({ state: 'attached' });
    expect(await name.inputValue()).toBe('Half filled in');
    release();
    await heading('Analytics');
    await page.goBack();
    await page.getByText('Your draft was restored.').waitFor();

    // The server is down: a form can't be sent, and a page that was not open before can't be loaded.
    await front.stop();
    await name.press('Enter');
    await page.getByText('The server can’t be reached at the moment', { exact: true }).waitFor();
    await page.getByText(/Showing data from \d\d:\d\d/).waitFor();
    await link('Webhooks').click();
    await page.getByText('This section could not be loaded').waitFor();
    await link('Overview').waitFor();

    // The server is back, and the page recovers without any action of the person.
    await front.start('dist/web');
    await heading('Webhooks');
    await page.getByText('The server can’t be reached at the moment', { exact: true }).waitFor({ state: 'detached' });
    await page.goBack();
    await page.getByText('Your draft was restored.').waitFor();
    expect(await name.inputValue()).toBe('Half filled in');

    // A deployment: the files of the open version no longer exist.
    const former = await page.evaluate(script);
    await front.stop();
    await front.start(next.folder);
    // As if more than 20 seconds had passed since the last reload.
    await page.evaluate(`sessionStorage.removeItem('version-loaded-at')`);
    await link('Members').click();
    await heading('Members');
    expect(await page.evaluate(script)).not.toBe(former);
    await page.goBack();
    await page.getByText('Your draft was restored.').waitFor();
    expect(await name.inputValue()).toBe('Half filled in');

    // The draft of an interrupted dialog is offered, even if the session has ended elsewhere meanwhile.
    await link('Members').click();
    await page.getByRole('button', { name: 'Invite', exact: true }).click();
    const email = page.getByRole('dialog').getByLabel('Email');
    await email.fill('mia@example.com');
    await page.reload();
    const goOn = page.getByRole('button', { name: 'Continue', exact: true });
    await goOn.click();
    expect(await email.inputValue()).toBe('mia@example.com');
    const { email: owner } = team.owner;
    // A running request of the page would be the one that is refused.
    await app.settled(page);
    await app.service.database.prisma.session.deleteMany({ where: { person: { email: owner } } });
    await email.press('Enter');
    await page
      .getByRole('status', { name: 'Your session has ended' })
      .getByText(/Your input is kept/)
      .waitFor();
    expect(await page.evaluate('JSON.stringify({ ...sessionStorage })')).not.toContain(password);
    await fillSignIn(page, owner);
    await goOn.click();
    expect(await email.inputValue()).toBe('mia@example.com');
    expect(new URL(page.url()).pathname).toBe('/members');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Discard', exact: true }).click();

    // A page that is probably opened next is loaded before the click.
    await link('Settings').hover();
    await expect
      .poll(() => page.evaluate(`performance.getEntries().some(({ name }) => name.includes('/assets/settings-'))`))
      .toBe(true);

    // Back in the window after another deployment, the person is told, and the next page is opened in that version.
    await front.stop();
    await front.start('dist/web');
    for (const state of ['hidden', 'visible']) {
      await page.evaluate(`new Promise((done) => {
        Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true });
        document.dispatchEvent(new Event('visibilitychange'));
        requestAnimationFrame(() => requestAnimationFrame(done));
      })`);
    }
    await page.getByText('New version available').waitFor();
    await link('Overview').click();
    await heading('Overview');
    expect(await page.evaluate(script)).toBe(former);
  });
});
