import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { Locator, Page } from 'playwright-core';
import { expectSound, hasBrowser, openAnew, useApp, type Language } from './support/app.ts';
import { aLivelyTeam } from './support/lively-team.ts';
import { looksOfDialogs, photograph } from './support/looks.ts';

// The dialogs, menus and other states of the app's pages, in a team as customers have it. With APP_PHOTOGRAPHS=folder
// it saves screenshots of them and of the pages.

/** What a person does to open a dialog. Names are given in both languages. */
interface Hands {
  page: Page;
  dialog: Locator;
  press: (de: string | RegExp, en?: string | RegExp) => Promise<void>;
  /** Chooses from the menu of a row: the one with this position, or the first with this text. */
  choose: (row: number | string, de: string, en: string) => Promise<void>;
  say: (de: string, en: string) => string;
  fill: (de: string, en: string, text: string) => Promise<void>;
  select: (rows: number) => Promise<void>;
}

interface State {
  /** In the name of its screenshot. */
  name: string;
  /** It opens within the page, not on top of it. */
  inPage?: true;
  open?: (hands: Hands) => Promise<unknown>;
}

const wholePage: State = { name: 'page' };

/** On a phone, there is one button with a menu. */
const inviteOne = async ({ page, press, say }: Hands): Promise<void> => {
  await press('Einladen', 'Invite');
  const entry = page.getByRole('menuitem', { name: say('Eine Person einladen', 'Invite one person') });
  if ((page.viewportSize()?.width ?? 0) < 768) await entry.click();
};

const inviteMany = async ({ page, press, say }: Hands): Promise<void> => {
  if ((page.viewportSize()?.width ?? 0) >= 768) return press('Mehrere Personen einladen', 'Invite multiple people');
  await press('Einladen', 'Invite');
  await page.getByRole('menuitem', { name: say('Mehrere Personen', 'Invite multiple people') }).click();
};

/** On a phone, which has no choice of columns, the menu of the account stands for it. */
const chooseColumns = ({ page, press }: Hands): Promise<void> =>
  (page.viewportSize()?.width ?? 0) < 768 ? press('Ihr Konto', 'Your account') : press('Spalten', 'Columns');

/** The states by the path of their page. */
const states: Readonly<Record<string, readonly State[]>> = {
  '/': [
    { name: 'palette', open: ({ page }) => page.keyboard.press('Control+k') },
    {
      name: 'palette-hits',
      open: async ({ page }) => {
        await page.keyboard.press('Control+k');
        await page.getByRole('dialog').getByRole('combobox').fill('an');
        await page.getByRole('option').first().waitFor();
      },
    },
    { name: 'shortcuts', open: ({ page }) => page.keyboard.press('?') },
    { name: 'account-menu', open: ({ press }) => press('Ihr Konto', 'Your account') },
  ],
  '/members': [
    { name: 'invite', open: inviteOne },
    { name: 'invite-many', open: inviteMany },
    { name: 'columns', open: chooseColumns },
    {
      name: 'invite-review',
      open: async (hands) => {
        const { press, dialog, fill } = hands;
        await inviteMany(hands);
        await fill('Liste', 'List', 'a@example.com\nnobody\n"Karl, K" <k@example.com>;admin;de\nb@example.com;chef');
        await press('Prüfen', 'Review');
        await dialog.getByRole('table').waitFor();
      },
    },
    // Of a row so far down that the menu does not cover the box in the head of the table in part.
    { name: 'row-menu', open: ({ page }) => page.locator('main tbody button[aria-haspopup=menu]').nth(5).click() },
    { name: 'role', open: ({ choose }) => choose(5, 'Zum Admin machen …', 'Make an admin …') },
    {
      name: 'permission',
      open: ({ choose }) => choose(1, 'Berechtigung für API-Schlüssel entziehen …', 'Revoke permission for API keys …'),
    },
    { name: 'transfer', open: ({ choose }) => choose(5, 'Team übergeben …', 'Transfer team …') },
    { name: 'remove', open: ({ choose }) => choose(5, 'Aus dem Team entfernen …', 'Remove from team …') },
    { name: 'selection', inPage: true, open: ({ select }) => select(3) },
    {
      name: 'remove-many',
      open: async ({ select, press }) => {
        await select(12);
        await press('Aus dem Team entfernen', 'Remove from team');
      },
    },
    {
      name: 'assign',
      open: async ({ select, press }) => {
        await select(3);
        await press('Aufgabe zuweisen', 'Create assignment');
      },
    },
  ],
  '/members?status=former': [
    { name: 'erase', open: ({ choose }) => choose(0, 'Daten der Person löschen …', 'Erase the person’s data …') },
  ],
  '/members?search=zzzz': [],
  '/analytics': [
    {
      name: 'split',
      inPage: true,
      open: async ({ page, say }) => {
        await page.getByLabel(say('Aufteilen nach', 'Split by'), { exact: true }).first().click();
        await page.getByRole('listbox').getByRole('option').first().click();
      },
    },
    {
      name: 'table',
      inPage: true,
      open: ({ page }) =>
        page
          .getByText(/^(Als Tabelle|As a table|Tabelle|Table)$/)
          .first()
          .click(),
    },
  ],
  '/trainings': [],
  '/trainings/:id': [],
  '/members/:id': [],
  '/assignments': [
    { name: 'new', open: ({ press }) => press('Neue Aufgabe', 'New assignment') },
    { name: 'menu', open: ({ page }) => page.locator('button[aria-haspopup=menu]').nth(4).click() },
    { name: 'one', open: ({ page }) => page.locator('main table a[href*=assignment_id]').first().click() },
    {
      name: 'due',
      open: ({ choose, say }) => choose(say('Offen', 'Open'), 'Fälligkeit ändern …', 'Change due date …'),
    },
    { name: 'delete', open: ({ choose }) => choose(0, 'Löschen …', 'Delete …') },
    { name: 'selection', inPage: true, open: ({ select }) => select(3) },
    {
      name: 'withdraw-many',
      open: async ({ select, press }) => {
        await select(8);
        await press(/^Zurückziehen \(/, /^Withdraw \(/);
      },
    },
    {
      name: 'delete-many',
      open: async ({ select, press }) => {
        await select(8);
        await press(/^Löschen \(/, /^Delete \(/);
      },
    },
  ],
  '/cases': [
    { name: 'new', open: ({ press }) => press('Neuer Fall', 'New case') },
    { name: 'one', open: ({ page }) => page.locator('main table a[href*=case_id]').first().click() },
    { name: 'delete', open: ({ choose }) => choose(0, 'Löschen …', 'Delete …') },
  ],
  '/catalog': [
    { name: 'new', open: ({ press }) => press('Neue Situation', 'New situation') },
    {
      name: 'rules',
      open: async ({ page, press }) => {
        // On a phone, the button is in the details of the row.
        const details = page.getByRole('button', { name: /^(Weitere Angaben|More details)/ }).first();
        if (await details.isVisible()) await details.click();
        await press(/^Regeln: /, /^Rules: /);
      },
    },
  ],
  '/keys': [
    { name: 'new', open: ({ press }) => press('Neuer Schlüssel', 'New key') },
    {
      name: 'new-custom',
      open: async ({ press, dialog }) => {
        await press('Neuer Schlüssel', 'New key');
        await dialog.getByRole('radio').last().click();
      },
    },
    {
      name: 'new-empty',
      open: async ({ press }) => {
        await press('Neuer Schlüssel', 'New key');
        await press('Schlüssel anlegen', 'Create key');
      },
    },
  ],
  '/keys/:id': [
    { name: 'rotate', open: ({ press }) => press('Rotieren', 'Rotate') },
    { name: 'revoke', open: ({ press }) => press('Widerrufen', 'Revoke') },
  ],
  '/webhooks': [{ name: 'new', open: ({ press }) => press('Neuer Endpunkt', 'New endpoint') }],
  '/webhooks/:id': [
    { name: 'edit', open: ({ press }) => press('Bearbeiten', 'Edit') },
    { name: 'recover', open: ({ press }) => press('Verpasste Ereignisse nachholen …', 'Recover missed events …') },
    { name: 'delete', open: ({ press }) => press(/^(Endpunkt )?[Ll]öschen( …)?$/, /^Delete( endpoint)?( …)?$/) },
  ],
  '/webhooks/:id/deliveries/:deliveryId': [],
  '/webhooks/events/:id': [],
  '/requests/:id': [],
  '/live': [],
  '/crm': [{ name: 'connect', open: ({ press }) => press('CRM verbinden', 'Connect a CRM') }],
  '/crm?view=deals': [],
  '/crm?view=objections': [],
  '/crm/:id': [
    { name: 'edit', open: ({ press }) => press('Bearbeiten', 'Edit') },
    { name: 'token', open: ({ press }) => press('Token erneuern …', 'Renew token …') },
  ],
  '/requests': [{ name: 'details', inPage: true, open: ({ press }) => press(/^Details zu /, /^Details (of|on|for) /) }],
  '/audit': [{ name: 'details', inPage: true, open: ({ press }) => press(/^Details: /) }],
  '/settings': [
    {
      name: 'privacy',
      inPage: true,
      open: ({ press }) => press('Was sich beim Ausschalten ändert', 'What happens when this is off'),
    },
    { name: 'provider', open: ({ press }) => press('Anbieter löschen', 'Delete provider') },
    { name: 'domain', open: ({ press }) => press(/^nordlicht.example entfernen$/, /^Remove nordlicht.example$/) },
    { name: 'hide', open: ({ page }) => page.getByRole('switch').first().press('Space') },
  ],
  '/account': [
    { name: 'second-factor', open: ({ press }) => press('Einrichten', 'Set up') },
    { name: 'passkey', open: ({ press }) => press('Passkey hinzufügen', 'Add a passkey') },
    { name: 'sign-out', open: ({ press }) => press('Überall abmelden', 'Sign out everywhere') },
  ],
};

const handsOn = (page: Page, language: Language): Hands => {
  const dialog = page.getByRole('dialog');
  const said = (de: string | RegExp, en: string | RegExp = de) => (language === 'de' ? de : en);
  const press = async (de: string | RegExp, en?: string | RegExp) => {
    const within = (await dialog.count()) > 0 ? dialog : page;
    await within
      .getByRole('button', { name: said(de, en), exact: true })
      .first()
      .click();
  };
  return {
    page,
    dialog,
    press,
    choose: async (row, de, en) => {
      const menus = 'button[aria-haspopup=menu]';
      const withText = page.locator('main tbody tr').filter({ has: page.getByText(String(row), { exact: true }) });
      const menu =
        typeof row === 'number' ? page.locator(`main tbody ${menus}`).nth(row) : withText.locator(menus).first();
      await menu.click();
      await page.getByRole('menuitem', { name: said(de, en), exact: true }).click();
    },
    say: (de, en) => (language === 'de' ? de : en),
    fill: (de, en, text) => dialog.getByLabel(said(de, en)).first().fill(text),
    select: async (rows) => {
      const boxes = page.locator('main tbody input[type=checkbox]');
      await boxes.first().check();
      if (rows > 1) await boxes.nth(rows - 1).click({ modifiers: ['Shift'] });
      // Not a row that the bar above the list covers in part.
      await page.evaluate('scrollTo(0, 0)');
    },
  };
};

describe.skipIf(!hasBrowser)('every dialog', () => {
  const app = useApp({ own: true });

  it.each(looksOfDialogs)(
    'is accessible at $width px, $scheme, in $language',
    async (look) => {
      const { owner, addresses } = await aLivelyTeam(app, look.language);
      const page = await app.signedIn(owner, '/', look);
      const hands = handsOn(page, look.language);
      /** What is wrong with any of them, so that one run finds all. */
      const wrong: string[] = [];
      for (const [path, opened] of Object.entries(states)) {
        const [route = '', query] = path.split('?');
        const address = `${addresses[route] ?? route}${query === undefined ? '' : `?${query}`}`;
        for (const [at, { name, inPage, open }] of [wholePage, ...opened].entries()) {
          // The first state is opened in the page as it is.
          if (at !== 1) {
            await openAnew(page, address);
            await app.settled(page);
            await page.locator('main .mantine-Skeleton-root').first().waitFor({ state: 'detached' });
          }
          try {
            await open?.(hands);
            if (open && inPage !== true) await page.locator('[role=dialog], [role=menu]').first().waitFor();
            if (open) await app.settled(page);
            await expectSound(page);
            await photograph(page, path, { ...look, ...(open && { state: name, again: () => open(hands) }) });
          } catch (error) {
            wrong.push(`${path}, ${name}: ${inspect(error)}`);
          }
        }
      }
      expect(wrong).toEqual([]);
    },
    1_200_000,
  );

  it.each(looksOfDialogs)(
    'and every page of a new team is accessible at $width px, $scheme, in $language',
    async (look) => {
      const team = await app.team();
      await app.service.database.prisma.apiKey.deleteMany({ where: { tenantId: team.id } });
      const page = await app.signedIn(team.owner.email, '/', look);
      for (const path of Object.keys(states).filter((one) => !/[:?]/.test(one))) {
        await openAnew(page, path);
        await app.settled(page);
        await expectSound(page);
        await photograph(page, path, { ...look, state: 'new-team', whole: true });
      }
    },
    300_000,
  );
});
