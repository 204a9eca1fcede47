import type { Locator, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { anAssignment } from '../support/practice.ts';
import { hasBrowser, openAnew, useApp } from './support/app.ts';

describe.skipIf(!hasBrowser)('an entry of a menu', () => {
  const app = useApp();

  /** The texts of the entries that open a dialog, and of those that do something at once. Links are left out. */
  const triedEntries = async (page: Page, path: string, button: (page: Page) => Locator) => {
    const tried = { opensDialog: new Array<string>(), actsAtOnce: new Array<string>() };
    const openMenu = async () => {
      await openAnew(page, path);
      await app.settled(page);
      await button(page).click();
      await page.getByRole('menuitem').first().waitFor();
      return page.locator('button[role=menuitem]');
    };
    const texts = await (await openMenu()).allInnerTexts();
    for (const [at, text] of texts.entries()) {
      // They end the session, and change the language of the other entries.
      if (text === 'Abmelden' || text === 'English') continue;
      await (await openMenu()).nth(at).click();
      await page.getByRole('menu').waitFor({ state: 'detached' });
      const dialog = page.getByRole('dialog');
      if (text.endsWith('…')) await dialog.waitFor();
      await app.settled(page);
      ((await dialog.isVisible()) ? tried.opensDialog : tried.actsAtOnce).push(text);
    }
    return tried;
  };

  it('ends with an ellipsis if it opens a dialog, and only then', async () => {
    const team = await app.team({ members: 1 });
    const member_id = team.members[0]?.id ?? '';
    for (const title of ['One', 'Two', 'Three', 'Four', 'Five']) {
      await anAssignment(app.service, team, { memberId: member_id, title });
    }
    await team.client.post('/cases', { user_id: team.owner.user_id, title: 'Case' });
    const page = await app.signedIn(team.owner.email, '/');
    const rowMenu = (at: number) => (shown: Page) => shown.locator('main tbody button[aria-haspopup=menu]').nth(at);
    const account = (shown: Page) => shown.getByRole('button', { name: 'Ihr Konto' });
    const all = [
      await triedEntries(page, '/', account),
      await triedEntries(page, '/members', rowMenu(1)),
      await triedEntries(page, '/assignments?status=unfinished', rowMenu(0)),
      await triedEntries(page, '/cases', rowMenu(0)),
    ];
    await page.setViewportSize({ width: 390, height: 844 });
    all.push(
      await triedEntries(page, '/', account),
      await triedEntries(page, '/members', (shown) => shown.locator('[data-creates]')),
    );
    const opensDialog = all.flatMap((one) => one.opensDialog);
    const actsAtOnce = all.flatMap((one) => one.actsAtOnce);
    expect(opensDialog).toEqual(
      expect.arrayContaining(['Tastenkürzel …', 'Fälligkeit ändern …', 'Mehrere Personen einladen …']),
    );
    expect(actsAtOnce).toEqual(expect.arrayContaining(['Zurückziehen', 'Dunkles Design']));
    expect(opensDialog.filter((text) => !text.endsWith(' …'))).toEqual([]);
    expect(actsAtOnce.filter((text) => text.endsWith('…'))).toEqual([]);
  });
});
