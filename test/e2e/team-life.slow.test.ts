import { describe, expect, it } from 'vitest';
import { aFeed, aFeedConnection } from '../support/crm.ts';
import { aScoredTraining } from '../support/practice.ts';
import { aDelivery, anAttempt, anEndpoint } from '../support/webhooks.ts';
import { expectAccessible, goWithin, hasBrowser, useApp } from './support/app.ts';

const say = {
  noApi: 'Ihr Tarif enthält keinen API-Zugang',
  name: 'Nordlicht Energie',
} as const;

describe.skipIf(!hasBrowser)('a team’s people', () => {
  const app = useApp();

  it('on the plan basic see why they have no API, and find no action that would be refused', async () => {
    const team = await app.team();
    const endpointId = await anEndpoint(app.service, team);
    const feed = await aFeed([{}]);
    const connectionId = await aFeedConnection(team, feed);
    await team.change({ plan: 'basic' });
    const page = await app.signedIn(team.owner.email, '/webhooks', { width: 390 });
    const button = (name: string) => page.getByRole('button', { name });
    await page.getByText(say.noApi).waitFor();
    await page.getByText('https://example.com/').waitFor();
    expect(await button('Neuer Endpunkt').count()).toBe(0);
    await goWithin(page, `/webhooks/${endpointId}`);
    await page.getByText(say.noApi).waitFor();
    await button('Bearbeiten').waitFor();
    for (const name of ['Testereignis senden', 'Verpasste Ereignisse nachholen …']) {
      expect(await button(name).count()).toBe(0);
    }
    await expectAccessible(page);
    await page.setViewportSize({ width: 1440, height: 900 });
    await goWithin(page, '/crm');
    await page.getByText(say.noApi).waitFor();
    await page.getByText('Nicht geplant').waitFor();
    await page.getByText(`${new URL(feed.url).host}/crm`, { exact: true }).waitFor();
    expect(await button('CRM verbinden').isDisabled()).toBe(true);
    await expectAccessible(page);
    await goWithin(page, `/crm/${connectionId}`);
    await page.getByText(say.noApi).waitFor();
    expect(await button('Jetzt abgleichen').isDisabled()).toBe(true);
    await goWithin(page, '/keys');
    await page.getByRole('note', { name: say.noApi }).waitFor();
    expect(await button('Neuer Schlüssel').count()).toBe(0);
    await goWithin(page, '/settings/plan');
    await page.getByText('Nicht enthalten', { exact: true }).waitFor();
  });

  it('have what they need on a phone: the name of the team, low rows, and the time and state of each', async () => {
    const team = await app.team({ members: 2 });
    await team.anInvitedMember();
    await aScoredTraining(app.service, team, { userId: team.members[0]?.user_id ?? '' });
    await app.service.database.prisma.team.update({ where: { id: team.id }, data: { name: say.name } });
    const endpointId = await anEndpoint(app.service, team);
    const deliveryId = await aDelivery(app.service, team, { endpointId, status: 'ok' });
    await anAttempt(app.service, team, { deliveryId, code: 200 });
    const page = await app.signedIn(team.owner.email, '/members', { width: 390 });
    const name = page.locator('header').getByText(say.name);
    await name.waitFor();
    expect(await name.evaluate((text) => text.scrollWidth - text.clientWidth)).toBeLessThanOrEqual(0);
    await page.getByRole('button', { name: 'Ihr Konto' }).click();
    await page.getByRole('menuitem', { name: 'English' }).click();
    await page.getByRole('heading', { name: 'Members' }).waitFor();
    await page.getByRole('button', { name: 'Your account' }).click();
    await page.getByRole('menuitem', { name: 'Dark theme' }).click();
    await expect.poll(() => page.locator('html').getAttribute('data-mantine-color-scheme')).toBe('dark');

    const rows = page.getByRole('table').first().locator('tbody tr');
    await rows.nth(3).waitFor();
    const active = rows.filter({ hasText: 'Active' });
    expect(await active.count()).toBe(3);
    for (const row of await active.all()) expect((await row.boundingBox())?.height).toBeLessThanOrEqual(84);
    for (const path of ['/trainings', `/webhooks/${endpointId}`, '/live?view=deliveries']) {
      await goWithin(page, path);
      await rows.first().locator('time').waitFor();
      if (path === '/trainings') {
        const area = page.getByRole('dialog').getByText('Needs analysis');
        await rows
          .getByRole('button', { name: /^Score / })
          .first()
          .click();
        expect((await area.boundingBox())?.x).toBeGreaterThan(0);
        await page.keyboard.press('Escape');
      } else await rows.first().getByText('Delivered').waitFor();
    }
    await rows.first().getByRole('link').first().waitFor();
  });
});
