import { describe, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { aCase } from '../support/practice.ts';
import { anEndpoint } from '../support/webhooks.ts';
import { goWithin, hasBrowser, useApp } from './support/app.ts';

const long = 'Donaudampfschifffahrtsgesellschaftskapitänsmützenabzeichen'.repeat(4).slice(0, 190);

describe.skipIf(!hasBrowser)('a text of 190 characters', () => {
  const app = useApp();

  /** A team in which every name is this text. */
  const named = async (text: string) => {
    const team = await app.team();
    const { database } = app.service;
    await database.prisma.person.updateMany({
      where: { users: { some: { tenantId: team.id } } },
      data: { name: text },
    });
    await database.prisma.apiKey.updateMany({ where: { tenantId: team.id }, data: { name: text } });
    await aCase(app.service, team, { userId: team.owner.user_id, title: text, personaId: text });
    await anEndpoint(app.service, team, { description: text });
    const { member_id } = await app.person(team, 'member');
    await team.client.patch(`/users/${member_id}`, { role: 'admin' });
    return team;
  };

  const headingsAt = async (page: Page, width: number) => {
    await page.setViewportSize({ width, height: 900 });
    await page.getByRole('table').first().waitFor();
    await app.settled(page);
    return page.getByRole('columnheader').allTextContents();
  };

  it('is cut in each table and leaves the other columns their place, and a menu its place, on a desktop and on a phone', async () => {
    const [short, wide] = [await named('Kurz'), await named(long)];
    const usual = await app.signedIn(short.owner.email, '/');
    const page = await app.signedIn(wide.owner.email, '/');
    for (const path of ['/audit', '/cases', '/keys', '/webhooks', '/members']) {
      for (const one of [usual, page]) await goWithin(one, path);
      for (const width of [390, 1440]) {
        const where = `${path} at ${width} px`;
        expect(await headingsAt(page, width), where).toEqual(await headingsAt(usual, width));
        const cut = page.getByRole('table').getByText(long).first();
        const { height } = (await cut.boundingBox()) ?? { height: Infinity };
        expect(height, where).toBeLessThan(50);
        await cut.hover();
        await page.getByRole('tooltip').getByText(long).waitFor();
        await page.mouse.move(0, 0);
        await page.getByRole('tooltip').waitFor({ state: 'detached' });
      }
    }

    await page.getByRole('main').getByRole('link', { name: long }).last().click();
    const title = page.getByRole('heading', { level: 1, name: long });
    await title.waitFor();
    const menu = page.getByRole('main').getByRole('button', { name: /^Aktionen für/ });
    for (const width of [1024, 390]) {
      await page.setViewportSize({ width, height: 900 });
      const name = await title.boundingBox();
      expect((await menu.boundingBox())?.y).toBeLessThan((name?.y ?? 0) + (name?.height ?? 0));
    }
  });
});
