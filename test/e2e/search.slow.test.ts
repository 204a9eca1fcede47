import { describe, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { publicEventId } from '../../src/deliveries/message.ts';
import { anAssignment } from '../support/practice.ts';
import { aLoggedRequest } from '../support/logs.ts';
import { anEndpoint } from '../support/webhooks.ts';
import { escapeDialog, hasBrowser, useApp } from './support/app.ts';

const w = {
  field: 'Seiten, Aktionen, Mitglieder und IDs suchen',
  live: 'Live-Ansicht',
} as const;

const paste = (page: Page, text: string) =>
  page.evaluate(`{
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', ${JSON.stringify(text)});
    document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true }));
  }`);

describe.skipIf(!hasBrowser)('the search and the keyboard', () => {
  const app = useApp();

  it('find actions, settings and the documentation, also with a wrong letter', async () => {
    const team = await app.team();
    const page = await app.signedIn(team.owner.email, '/');
    const search = async (text: string) => {
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox', { name: w.field }).fill(text);
    };
    for (const [text, option, address] of [
      ['sso', 'Firmenkonto Einstellung', '/settings/company-account'],
      ['webhok', 'Webhooks Seite', '/webhooks'],
      ['2fa', 'Passwort, Passkeys und 2FA', '/account'],
      ['mfa', 'Anmelderichtlinie', '/settings/required-sign-in'],
      ['scim', 'Verzeichnis (SCIM) Einstellung', '/settings/directory'],
      ['overdue', 'Überfällige Aufgaben', '/assignments?overdue=true'],
      ['inaktiv', 'Wer hat seit 14 Tagen nicht geübt?', '/members?inactive=true'],
      ['schnellstrat', 'Schnellstart'],
      ['hmac', '„hmac“ in der Dokumentation suchen'],
    ] as const) {
      await search(text);
      const found = page.getByRole('option', { name: option }).first();
      await found.waitFor();
      if (address === undefined) await page.keyboard.press('Escape');
      else {
        await found.click();
        await page.waitForURL((url) => `${url.pathname}${url.search}` === address);
      }
    }
    await search('einladen');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Einladen' }).waitFor();
    await escapeDialog(page);
    await search('dark');
    await page.keyboard.press('Enter');
    await page.locator('html[data-mantine-color-scheme=dark]').waitFor();
    await search('sign out');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Anmelden' }).waitFor();
  });

  it('show all assignments with a text and say how many; to a member and under hidden data only the reader’s own', async () => {
    const team = await app.team({ members: 1 });
    const members = [team.owner.member_id, team.members[0]?.id ?? ''];
    for (let n = 0; n < 12; n += 1) {
      await anAssignment(app.service, team, { memberId: members[n % 2] ?? '', title: `Quarter-end price talk ${n}` });
    }
    await anAssignment(app.service, team, { memberId: team.owner.member_id, title: 'Other' });
    const page = await app.signedIn(team.owner.email, '/');
    const showAll = async (name: string) => {
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox', { name: w.field }).fill('talk quarter');
      await page.getByRole('option', { name }).click();
      await page.waitForURL(/\/assignments\?/);
    };
    await showAll('Alle 12 Aufgaben mit „talk quarter“ anzeigen');
    await page.getByText('12 Treffer').waitFor();
    expect(await page.getByRole('searchbox', { name: 'Aufgaben suchen' }).inputValue()).toBe('talk quarter');
    await team.change({ memberDetail: false });
    await page.goto('/');
    await app.settled(page);
    await showAll('Alle Aufgaben mit „talk quarter“ anzeigen');
    await expect.poll(() => page.getByRole('table').locator('tbody tr').count()).toBe(6);
  });

  it('open a pasted id’s object, a person by name, and pages by letters, and can be switched off', async () => {
    const team = await app.team();
    const { service } = app;
    await anEndpoint(service, team, { events: ['member.joined'] });
    await anEndpoint(service, team);
    const { email } = await team.anInvitedMember();
    const event = await service.database.prisma.webhookEvent.findFirstOrThrow({ where: { tenantId: team.id } });
    const page = await app.signedIn(team.owner.email, '/');

    await paste(page, `  "${publicEventId(event.id)}",`);
    await page.getByRole('heading', { level: 1, name: 'member.joined' }).waitFor();
    await page.getByText('Gesendet', { exact: true }).waitFor();
    await page.getByText('Nicht abonniert', { exact: true }).waitFor();
    expect(new URL(page.url()).pathname).toBe(`/webhooks/events/${publicEventId(event.id)}`);

    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: w.field }).fill(email ?? '');
    await page
      .getByRole('option', { name: email ?? '' })
      .first()
      .waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: email ?? '' }).waitFor();

    await page.keyboard.press('?');
    const keys = page.getByRole('dialog', { name: 'Tastenkürzel' }).getByRole('definition');
    await keys.first().waitFor();
    const listed = await keys.allInnerTexts();
    expect(new Set(listed).size).toBe(listed.length);
    await escapeDialog(page);
    await page.keyboard.press('g');
    await page.keyboard.press('m');
    await page.getByRole('heading', { level: 1, name: 'Mitglieder' }).waitFor();
    await page.getByRole('row').nth(2).waitFor();
    for (const key of ['j', 'j']) await page.keyboard.press(key);
    await page.keyboard.press('Enter');
    const panel = page.getByRole('complementary', { name: email ?? '' });
    await panel.waitFor();
    await page.goBack();
    await panel.waitFor({ state: 'detached' });
    await page.keyboard.press('/');
    await page.keyboard.type('gl?');
    await page.waitForURL((url) => url.searchParams.get('search') === 'gl?');
    await page.keyboard.press('Tab');

    await page.locator('h1').click();
    await page.keyboard.press('c');
    await page.getByRole('dialog', { name: 'Einladen' }).waitFor();
    await escapeDialog(page);
    await page.keyboard.press('?');
    await page.getByRole('switch', { name: 'Tastenkürzel verwenden' }).press('Space');
    await escapeDialog(page);
    for (const key of ['g', 't', '?']) await page.keyboard.press(key);
    await page.getByRole('button', { name: 'Suchen' }).click();
    await page.getByRole('combobox', { name: w.field }).fill(w.live);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: w.live }).waitFor();

    const first = await aLoggedRequest(service, team);
    const rows = page.getByRole('row', { name: 'GET /users' });
    await rows.first().waitFor();
    await page.getByRole('button', { name: 'Pausieren' }).click();
    expect(await rows.count()).toBe(1);
    await paste(page, first);
    await page.getByText(first).first().waitFor();
    expect(new URL(page.url()).pathname).toMatch(/^\/requests\/./);
  });
});
