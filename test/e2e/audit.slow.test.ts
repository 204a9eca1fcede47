import { describe, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { recordAll } from '../../src/modules/audit/service.ts';
import { anEndpoint } from '../support/webhooks.ts';
import { hasBrowser, openAnew, useApp, filterBy, inFilters } from './support/app.ts';

const say = {
  log: 'Protokoll',
  removed: 'Webhook-Endpunkt gelöscht',
  more: 'Weitere laden',
  empty: 'Keine Einträge entsprechen den Filtern',
  further: 'Ältere Einträge durchsuchen',
} as const;

describe.skipIf(!hasBrowser)('the audit log', () => {
  const app = useApp();

  const rows = (page: Page) => page.getByRole('table', { name: say.log }).locator('tbody').getByRole('row');

  it('shows who did what to what, with links to the request, the key and the member', async () => {
    const team = await app.team();
    const { email, member_id } = await app.person(team, 'member');
    const { headers } = await team.client.patch(`/users/${member_id}`, { role: 'admin' });
    const requestId = headers.get('x-request-id') ?? '';
    const page = await app.signedIn(team.owner.email, '/audit');
    const row = rows(page).filter({ hasText: 'Rolle geändert' }).first();
    expect(await row.getByRole('link', { name: 'test' }).getAttribute('href')).toMatch(/^\/keys\//);
    await page.getByRole('button', { name: 'Details: Rolle geändert' }).click();
    const details = page.getByRole('complementary', { name: 'Rolle geändert' });
    await details.getByText(requestId).waitFor();
    for (const [name, value] of [
      ['Rolle', 'Mitglied → Admin'],
      ['IP-Adresse', '127.0.0.1'],
    ] as const) {
      expect(
        await details
          .locator('dt', { hasText: new RegExp(`^${name}$`) })
          .locator('xpath=following-sibling::dd')
          .textContent(),
      ).toBe(value);
    }
    expect(await details.getByRole('link', { name: 'Anfrage ansehen' }).getAttribute('href')).toBe(
      `/requests?request_id=${requestId}`,
    );
    await details.getByRole('link', { name: 'Alle Einträge zu diesem Objekt' }).click();
    await page.waitForURL(/target_id=/);
    await rows(page).nth(2).waitFor({ state: 'detached' });
    await rows(page).nth(1).waitFor();
    expect(await rows(page).count()).toBe(2);
    await row.getByRole('link', { name: 'A member' }).click();
    await page.waitForURL(/\/members\?search=/);
    await page.getByRole('row').filter({ hasText: email }).waitFor();
  });

  it('has a long name of a target in one line, and what it is below', async () => {
    const team = await app.team();
    const { email, member_id } = await app.person(team, 'member');
    const name = 'Maximiliane Freifrau von Hohenstein';
    await app.service.database.prisma.person.update({ where: { email }, data: { name } });
    await team.client.patch(`/users/${member_id}`, { role: 'admin' });
    const page = await app.signedIn(team.owner.email, '/audit');
    const cell = rows(page).filter({ hasText: 'Rolle geändert' }).first().getByRole('cell').filter({ hasText: name });
    const whole = await cell.boundingBox();
    const first = await cell.locator('[data-first]').boundingBox();
    const second = await cell.locator('[data-second]').boundingBox();
    expect(await cell.innerText()).toMatch(/Hohenstein\s+Mitglied$/);
    expect(first?.height).toBeLessThan(30);
    expect((second?.y ?? 0) + (second?.height ?? 100)).toBeLessThanOrEqual((whole?.y ?? 0) + (whole?.height ?? 0));
  });

  it('shows what a person did and what concerns them, from their page and by a filter, also after they left', async () => {
    const team = await app.team({ members: 1 });
    const admin = await app.person(team, 'admin');
    const [member] = team.members;
    const page = await app.signedIn(admin.email, `/members/${member?.id ?? ''}`);
    await page.getByRole('button', { name: /^Aktionen für/ }).click();
    await page.getByRole('menuitem', { name: 'Zum Admin machen …' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Zum Admin machen' }).click();
    await page.getByText('Rolle geändert').first().waitFor();

    await openAnew(page, `/members/${admin.member_id}`);
    const actions = page.getByRole('region', { name: 'Aktionen dieses Mitglieds' });
    await actions.getByText('Rolle geändert').waitFor();
    await actions.getByRole('link', { name: 'Alle ansehen' }).click();
    await page.waitForURL(`**/audit?actor_id=${admin.user_id}`);
    await rows(page).nth(1).waitFor({ state: 'detached' });
    expect(await rows(page).innerText()).toContain('Rolle geändert');
    const expectPerson = (on: Page) =>
      on
        .getByRole('button', { name: /^Person/ })
        .filter({ hasText: 'A admin' })
        .waitFor();
    await expectPerson(page);

    await page.getByRole('button', { name: 'Filter zurücksetzen' }).first().click();
    await inFilters(page, async (filters) => {
      await filters.getByLabel('Objekt').selectOption('member');
      await filters.getByRole('combobox', { name: 'Mitglied', exact: true }).click();
      await filters.getByRole('option', { name: member?.email ?? '' }).click();
    });
    await page.waitForURL(/target_id=/);
    await rows(page).nth(2).waitFor({ state: 'detached' });
    await rows(page).filter({ hasText: 'Rolle geändert' }).waitFor();

    await page.close();
    await team.client.delete(`/users/${admin.member_id}`);
    const owners = await app.signedIn(team.owner.email, `/audit?actor_id=${admin.user_id}`);
    await rows(owners).filter({ hasText: 'Rolle geändert' }).waitFor();
    await expectPerson(owners);
  });

  it('has its filters in the URL', async () => {
    const team = await app.team({ members: 2 });
    const endpoint = await anEndpoint(app.service, team);
    await team.client.delete(`/webhook-endpoints/${endpoint}`);
    const page = await app.signedIn(team.owner.email, '/audit?action=nonsense');
    // A deleted object has no page, so no link.
    const gone = rows(page).filter({ hasText: say.removed });
    await gone.waitFor();
    expect(await gone.getByRole('link').count()).toBe(1);

    await filterBy(page, 'Akteur', 'key');
    await rows(page).nth(1).waitFor({ state: 'detached' });
    await rows(page).first().waitFor();
    expect(await rows(page).textContent()).toContain(say.removed);
    await filterBy(page, 'Aktion', { label: 'Mitglied hinzugefügt oder eingeladen' });
    await page.getByText(say.empty).waitFor();
    await page.reload();
    await page.getByText(say.empty).waitFor();
    await page.getByRole('button', { name: 'Filter zurücksetzen' }).last().click();
    await page.waitForURL((url) => url.search === '');
    await rows(page).nth(3).waitFor();
  });

  it('has further pages, filters by time, and offers to search further back if none of the newest entries matches', async () => {
    const team = await app.team();
    const acting = await team.acting();
    const old = {
      ...acting,
      platform: { ...acting.platform, clock: { now: () => new Date('2026-03-29T00:30:00+01:00') } },
    };
    const target = { type: 'team', id: team.id } as const;
    const actions = Array.from({ length: 60 }, () => ({ action: 'team.changed' as const, target }));
    await app.service.database.transaction(async (tx) => recordAll(tx, old, actions));
    const ofService = { ...old, actor: { kind: 'service' as const } };
    await app.service.database.transaction(async (tx) =>
      recordAll(tx, ofService, [{ action: 'team.changed', target }]),
    );
    const page = await app.signedIn(team.owner.email, '/audit');
    await page.getByRole('button', { name: say.more }).click();
    await page.getByRole('button', { name: say.more }).waitFor({ state: 'detached' });
    expect(await rows(page).count()).toBe(63);

    await filterBy(page, 'Zeitraum', '7d');
    await rows(page).nth(2).waitFor({ state: 'detached' });
    await rows(page).nth(1).waitFor();
    expect(await rows(page).count()).toBe(2);
    // Both days are included, in the team's time zone.
    await page.goto('/audit?range=own&from=2026-03-29&to=2026-03-29');
    await page.getByRole('button', { name: say.more }).waitFor();
    expect(await rows(page).count()).toBe(50);
    await page.getByText('So., 29. März 2026 – So., 29. März 2026').waitFor();
    await page.goto('/audit?range=own&to=2026-03-28');
    await page.getByText(say.empty).waitFor();

    await app.service.database.prisma.$executeRaw`
      insert into audit_entry (tenant_id, id, actor_kind, action, target_type, created_at)
      select ${team.id}::uuid, gen_random_uuid(), 'key', 'key.created', 'team', now() from generate_series(1, 11000)`;
    await page.goto('/audit?actor_kind=service');
    await page.getByText('Keine Treffer unter den neuesten Einträgen').waitFor();
    expect(await page.getByRole('table', { name: say.log }).count()).toBe(0);
    await page.getByRole('button', { name: say.further }).click();
    await page.getByRole('button', { name: 'Details: Einstellungen des Teams geändert' }).waitFor();
    await page.getByRole('button', { name: say.further }).waitFor({ state: 'detached' });
    expect(await page.getByRole('button', { name: say.more }).count()).toBe(0);
  });
});
