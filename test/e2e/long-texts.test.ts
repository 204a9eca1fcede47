import { describe, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { aCase } from '../support/cases.ts';
import { anEndpoint } from '../support/webhooks.ts';
import { expectAccessible, hasBrowser, useApp } from './support/app.ts';

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

  const headings = async (page: Page) => {
    await page.getByRole('table').first().waitFor();
    await app.settled(page);
    return page.getByRole('columnheader').allTextContents();
  };

  it.each([1440, 390])(
    'is cut in every table and leaves the other columns their place, at a width of %i',
    async (width) => {
      const [short, wide] = [await named('Kurz'), await named(long)];
      for (const path of ['/audit', '/cases', '/keys', '/members', '/webhooks']) {
        const usual = await headings(await app.signedIn(short.owner.email, path, { width }));
        const page = await app.signedIn(wide.owner.email, path, { width });
        expect([path, await headings(page)]).toEqual([path, usual]);
        await expectAccessible(page);
        const cut = page.getByRole('table').getByText(long).first();
        const { height } = (await cut.boundingBox()) ?? { height: Infinity };
        expect(height).toBeLessThan(50);
        await cut.hover();
        await page.getByRole('tooltip').getByText(long).waitFor();
      }
    },
  );
});
