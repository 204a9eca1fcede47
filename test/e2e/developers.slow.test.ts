import { describe, expect, it } from 'vitest';
import { expectSound, hasBrowser, useApp } from './support/app.ts';

describe.skipIf(!hasBrowser)('the documentation in a browser', () => {
  const app = useApp();

  it('sends a request from the reference with a key, and shows the answer', async () => {
    const team = await app.team();
    const { text: key } = await team.aKey();
    const page = await app.open('/developers/en/reference/me', { language: 'en' });
    await page.getByRole('button', { name: 'Try it' }).click();
    await page.getByLabel('API key').fill(key);
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText(/^200/).waitFor();
    expect(await page.locator('form.try pre').textContent()).toContain(team.id);
    await expectSound(page);

    await page.goto('/developers/en/reference/cases');
    await page
      .getByRole('heading', { name: 'Change a case', level: 2 })
      .evaluate((heading) => heading.scrollIntoView());
    await page.locator('.contents a[data-current]').getByText('Change a case').waitFor();
    await page.locator('figure[data-try="POST /cases"]').getByRole('button', { name: 'Try it' }).click();
    const body = page.getByLabel('Body');
    const example: object = JSON.parse(await body.inputValue());
    await body.fill(JSON.stringify({ ...example, user_id: team.owner.user_id }));
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText(/^201/).waitFor();
    expect((await team.client.get('/cases')).data).toHaveLength(1);
  });

  it('finds pages while the reader types, with the keyboard only, and changes the theme', async () => {
    const page = await app.open('/developers/en', { language: 'en', scheme: 'light' });
    await page.keyboard.press('/');
    await page.keyboard.type('idempot');
    await page.locator('.suggestions a').first().waitFor();
    await page.keyboard.press('ArrowDown');
    await expectSound(page);
    await page.keyboard.press('Enter');
    await page.waitForURL(/idempotency/);
    await page.keyboard.press('Control+k');
    await page.locator('form.search input:focus').waitFor();
    await page.getByRole('button', { name: 'Light or dark' }).click();
    await page.reload();
    expect(await page.evaluate('document.documentElement.dataset.theme')).toBe('dark');
  });

  it('opens its navigation on a narrow screen without JavaScript', async () => {
    const page = await app.open('/developers/de', { language: 'de', width: 390 });
    expect(await page.locator('#pages').isVisible()).toBe(false);
    await page.getByRole('button', { name: 'Menü' }).click();
    await expectSound(page);
    await page.locator('#pages').getByRole('link', { name: 'Fehler', exact: true }).click();
    await page.waitForURL(/errors/);
  });

  it('has the font of the app, and a reference with one line for each operation on a wide screen, and whole tables on a phone', async () => {
    const page = await app.open('/developers/en/reference', { language: 'en', width: 1440 });
    await page.evaluate('document.fonts.ready');
    expect(await page.evaluate(`[...document.fonts].map(({ family, status }) => [family, status])`)).toEqual([
      ['Inter Variable', 'loaded'],
    ]);
    // Loaded once, and not only when the stylesheet asks for it, which would move the text.
    const loads = `performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('.woff2')).map((one) => one.initiatorType)`;
    expect(await page.evaluate(loads)).toEqual(['link']);
    const row = page.getByRole('row').filter({ hasText: 'GET /webhook-endpoints/{endpoint_id}/deliveries' });
    expect((await row.boundingBox())?.height).toBeLessThan(50);
    // The navigation shows where the reader is.
    const current = await page.locator('#pages [aria-current]').boundingBox();
    expect((current?.y ?? 900) + (current?.height ?? 0)).toBeLessThan(900);
    await expectSound(page);
    await page.setViewportSize({ width: 390, height: 900 });
    const scope = await page.locator('td[data-column="Scope"]').first().boundingBox();
    expect((scope?.x ?? 0) + (scope?.width ?? 0)).toBeLessThanOrEqual(390);
    await expectSound(page);
  });
});
