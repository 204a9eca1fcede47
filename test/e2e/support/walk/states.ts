import type { Locator, Page } from 'playwright-core';
import type { Language } from '../app.ts';

// The states of the app's pages: the pages, and the dialogs, menus and other parts that a person opens on them.

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

export interface State {
  path: string;
  /** Absent for the page itself. */
  name?: string;
  open?: (hands: Hands) => Promise<unknown>;
  /** The file below src/web that has the dialog or menu. Not of what opens within the page. */
  of?: string;
  /** It opens within the page, not on top of it. */
  inPage?: true;
  /** It opens on top of the page, but changes the page, too. */
  leaves?: true;
}

type Opened = Omit<State, 'path'> & Required<Pick<State, 'name' | 'open'>>;

const isPhone = (page: Page): boolean => (page.viewportSize()?.width ?? 0) < 768;

/** On a phone, there is one button with a menu. */
const inviteOne = async ({ page, press, say }: Hands): Promise<void> => {
  await press('Einladen', 'Invite');
  const entry = page.getByRole('menuitem', { name: say('Eine Person einladen', 'Invite one person') });
  if (isPhone(page)) await entry.click();
};

const inviteMany = async ({ page, press, say }: Hands): Promise<void> => {
  if (!isPhone(page)) return press('Mehrere Personen einladen', 'Invite multiple people');
  await press('Einladen', 'Invite');
  await page.getByRole('menuitem', { name: say('Mehrere Personen', 'Invite multiple people') }).click();
};

/** Opens the first row of the list: beside it, or on a phone as a page. */
const peek: Opened = {
  name: 'peek',
  inPage: true,
  open: ({ page }) => page.locator('main tbody tr').first().dispatchEvent('click'),
};

/** On a phone, which has no choice of columns, the menu of the account stands for it. */
const chooseColumns = ({ page, press }: Hands): Promise<void> =>
  isPhone(page) ? press('Ihr Konto', 'Your account') : press('Spalten', 'Columns');

/** What can be open on the page of a path. */
const opened: Readonly<Record<string, readonly Opened[]>> = {
  '/': [
    { name: 'palette', of: 'search/palette.tsx', open: ({ page }) => page.keyboard.press('Control+k') },
    {
      name: 'palette-hits',
      of: 'search/palette.tsx',
      open: async ({ page }) => {
        await page.keyboard.press('Control+k');
        await page.getByRole('dialog').getByRole('combobox').fill('an');
        await page.getByRole('option').first().waitFor();
      },
    },
    { name: 'shortcuts', of: 'search/shortcut-list.tsx', open: ({ page }) => page.keyboard.press('?') },
    { name: 'account-menu', of: 'layout/menus.tsx', open: ({ press }) => press('Ihr Konto', 'Your account') },
    {
      name: 'menu',
      of: 'kit/list/row-actions.tsx',
      open: ({ press }) => press('Aktionen für Übersicht', 'Actions for Overview'),
    },
  ],
  '/members': [
    { name: 'invite', of: 'pages/members/members.tsx', open: inviteOne },
    { name: 'invite-many', of: 'pages/members/members.tsx', open: inviteMany },
    { name: 'columns', of: 'kit/list/list-tools.tsx', open: chooseColumns },
    {
      name: 'invite-review',
      of: 'pages/members/members.tsx',
      open: async (hands) => {
        const { press, dialog, fill } = hands;
        await inviteMany(hands);
        await fill('Liste', 'List', 'a@example.com\nnobody\n"Karl, K" <k@example.com>;admin;de\nb@example.com;chef');
        await press('Prüfen', 'Review');
        await dialog.getByRole('table').waitFor();
      },
    },
    // Of a row so far down that the menu does not cover the box in the head of the table in part.
    {
      name: 'row-menu',
      of: 'kit/list/row-actions.tsx',
      open: ({ page }) => page.locator('main tbody button[aria-haspopup=menu]').nth(5).click(),
    },
    {
      name: 'role',
      of: 'pages/members/member-actions.tsx',
      open: ({ choose }) => choose(5, 'Zum Admin machen …', 'Make an admin …'),
    },
    {
      name: 'permission',
      of: 'pages/members/member-actions.tsx',
      open: ({ choose }) => choose(1, 'Berechtigung für API-Schlüssel entziehen …', 'Revoke permission for API keys …'),
    },
    {
      name: 'transfer',
      of: 'pages/members/members.tsx',
      open: ({ choose }) => choose(5, 'Team übergeben …', 'Transfer team …'),
    },
    {
      name: 'remove',
      of: 'pages/members/member-actions.tsx',
      open: ({ choose }) => choose(5, 'Aus dem Team entfernen …', 'Remove from team …'),
    },
    peek,
    { name: 'waiting', of: 'pages/members/waiting-invitations.tsx', open: ({ press }) => press('Anzeigen', 'Show') },
    { name: 'selection', inPage: true, open: ({ select }) => select(3) },
    {
      name: 'remove-many',
      of: 'pages/members/member-selection.tsx',
      leaves: true,
      open: async ({ select, press }) => {
        await select(12);
        await press('Aus dem Team entfernen', 'Remove from team');
      },
    },
    {
      name: 'assign',
      of: 'pages/assignments/new-assignment.tsx',
      leaves: true,
      open: async ({ select, press }) => {
        await select(3);
        await press('Aufgabe zuweisen', 'Create assignment');
      },
    },
  ],
  '/members?status=former': [
    {
      name: 'erase',
      of: 'pages/members/former-members.tsx',
      open: ({ choose }) => choose(0, 'Daten der Person löschen …', 'Erase the person’s data …'),
    },
  ],
  // Over no row, which they would cover in part.
  '/members?search=zzzz': [
    { name: 'filters', of: 'kit/list/filter-bar.tsx', open: ({ press }) => press('Filter', 'Filters') },
    { name: 'views', of: 'kit/list/filter-bar.tsx', open: ({ press }) => press('Ansichten', 'Views') },
  ],
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
  '/trainings': [peek],
  '/trainings/:id': [],
  '/members/:id': [
    {
      name: 'transfer',
      of: 'pages/members/member.tsx',
      open: async ({ page, say }) => {
        await page.locator('main button[aria-haspopup=menu]').first().click();
        await page.getByRole('menuitem', { name: say('Team übergeben …', 'Transfer team …') }).click();
      },
    },
  ],
  '/assignments': [
    {
      name: 'new',
      of: 'pages/assignments/new-assignment.tsx',
      open: ({ press }) => press('Neue Aufgabe', 'New assignment'),
    },
    {
      name: 'new-by-filter',
      of: 'pages/assignments/new-assignment.tsx',
      open: async ({ press, dialog, say }) => {
        await press('Neue Aufgabe', 'New assignment');
        await press('Alle, auf die Filter zutreffen', 'Everybody who matches filters');
        await press(/ hinzufügen$/, /^Add /);
        await press(/^\d+ Person/, /^\d+ p/);
        await dialog
          .getByRole('button', { name: say('entfernen', 'Remove') })
          .nth(1)
          .waitFor();
      },
    },
    {
      name: 'menu',
      of: 'kit/list/row-actions.tsx',
      open: ({ page }) => page.locator('button[aria-haspopup=menu]').nth(4).click(),
    },
    peek,
    {
      name: 'edit',
      of: 'pages/assignments/team-assignments.tsx',
      leaves: true,
      open: async ({ page, press }) => {
        await page.locator('main table a[href*=assignment_id]').first().click();
        await press('Bearbeiten', 'Edit');
      },
    },
    {
      name: 'due',
      of: 'pages/assignments/team-assignments.tsx',
      open: ({ choose, say }) => choose(say('Offen', 'Open'), 'Fälligkeit ändern …', 'Change due date …'),
    },
    {
      name: 'remind',
      of: 'pages/assignments/team-assignments.tsx',
      open: async ({ choose, dialog, say }) => {
        await choose(say('Offen', 'Open'), 'Per E-Mail erinnern …', 'Remind by email …');
        await dialog.getByRole('listitem').first().waitFor();
      },
    },
    {
      name: 'delete',
      of: 'pages/assignments/team-assignments.tsx',
      open: ({ choose }) => choose(0, 'Löschen …', 'Delete …'),
    },
    { name: 'selection', inPage: true, open: ({ select }) => select(3) },
    {
      name: 'withdraw-many',
      of: 'pages/assignments/team-assignments.tsx',
      leaves: true,
      open: async ({ select, press }) => {
        await select(8);
        await press(/^Zurückziehen \(/, /^Withdraw \(/);
      },
    },
    {
      name: 'delete-many',
      of: 'kit/list/bulk-actions.tsx',
      leaves: true,
      open: async ({ select, press }) => {
        await select(8);
        await press(/^Löschen \(/, /^Delete \(/);
      },
    },
  ],
  '/assignments?view=mine': [
    peek,
    {
      name: 'finish',
      of: 'pages/assignments/assignment-parts.tsx',
      open: ({ press }) => press(/^Als erledigt markieren: /, /^Mark as done: /),
    },
  ],
  '/cases': [
    { name: 'new', of: 'pages/cases/case-dialog.tsx', open: ({ press }) => press('Neuer Fall', 'New case') },
    {
      name: 'one',
      of: 'pages/cases/case-dialog.tsx',
      leaves: true,
      open: ({ page }) => page.locator('main table a[href*=case_id]').first().click(),
    },
    { name: 'delete', of: 'pages/cases/cases.tsx', open: ({ choose }) => choose(0, 'Löschen …', 'Delete …') },
  ],
  '/catalog': [
    { name: 'block-all', of: 'pages/catalog/catalog.tsx', open: ({ press }) => press('Alle sperren', 'Block all') },
    { name: 'new', of: 'pages/catalog/items.tsx', open: ({ press }) => press('Neue Situation', 'New situation') },
    {
      name: 'rules',
      of: 'pages/catalog/rules-dialog.tsx',
      leaves: true,
      open: async ({ page, press }) => {
        // On a phone, the button is in the details of the row.
        const details = page.getByRole('button', { name: /^(Weitere Angaben|More details)/ }).first();
        if (await details.isVisible()) await details.click();
        await press(/^Regeln: /, /^Rules: /);
      },
    },
  ],
  '/keys': [
    { name: 'new', of: 'pages/keys/new-key.tsx', open: ({ press }) => press('Neuer Schlüssel', 'New key') },
    {
      name: 'new-custom',
      of: 'pages/keys/new-key.tsx',
      open: async ({ press, dialog }) => {
        await press('Neuer Schlüssel', 'New key');
        await dialog.getByRole('radio').last().click();
      },
    },
    {
      name: 'new-empty',
      of: 'pages/keys/new-key.tsx',
      open: async ({ press }) => {
        await press('Neuer Schlüssel', 'New key');
        await press('Schlüssel anlegen', 'Create key');
      },
    },
  ],
  '/keys/:id': [
    { name: 'rotate', of: 'pages/keys/key.tsx', open: ({ press }) => press('Rotieren', 'Rotate') },
    { name: 'revoke', of: 'pages/keys/key.tsx', open: ({ press }) => press('Widerrufen', 'Revoke') },
  ],
  '/webhooks': [
    {
      name: 'new',
      of: 'pages/webhooks/endpoint-form.tsx',
      open: ({ press }) => press('Neuer Endpunkt', 'New endpoint'),
    },
  ],
  '/webhooks/:id': [
    { name: 'edit', of: 'pages/webhooks/endpoint-form.tsx', open: ({ press }) => press('Bearbeiten', 'Edit') },
    {
      name: 'recover',
      of: 'pages/webhooks/deliveries.tsx',
      open: ({ press }) => press('Verpasste Ereignisse nachholen …', 'Recover missed events …'),
    },
    {
      name: 'renew',
      of: 'pages/webhooks/renewal.tsx',
      open: ({ press }) => press('Signaturgeheimnis erneuern …', 'Renew signing secret …'),
    },
    {
      ...peek,
      open: ({ page, say }) =>
        page
          .getByRole('table', { name: say('Zustellungen', 'Deliveries') })
          .locator('tbody tr')
          .first()
          .dispatchEvent('click'),
    },
    { name: 'disable', of: 'pages/webhooks/endpoint.tsx', open: ({ press }) => press('Deaktivieren …', 'Disable …') },
    {
      name: 'delete',
      of: 'kit/page/page.tsx',
      open: ({ press }) => press(/^(Endpunkt )?[Ll]öschen( …)?$/, /^Delete( endpoint)?( …)?$/),
    },
  ],
  '/webhooks/:id/deliveries/:deliveryId': [],
  '/webhooks/events/:id': [],
  '/requests/:id': [],
  '/live': [],
  '/crm': [{ name: 'connect', of: 'pages/crm/crm.tsx', open: ({ press }) => press('CRM verbinden', 'Connect a CRM') }],
  '/crm?view=deals': [],
  '/crm?view=objections': [],
  '/crm/:id': [
    { name: 'edit', of: 'pages/crm/connection.tsx', open: ({ press }) => press('Bearbeiten', 'Edit') },
    { name: 'token', of: 'pages/crm/connection.tsx', open: ({ press }) => press('Token erneuern …', 'Renew token …') },
  ],
  '/requests': [peek],
  '/audit': [peek],
  '/settings': [],
  '/settings/privacy': [
    {
      name: 'privacy',
      inPage: true,
      open: ({ press }) => press('Was sich beim Ausschalten ändert', 'What happens when this is off'),
    },
    {
      name: 'hide',
      of: 'pages/settings/privacy.tsx',
      open: ({ page }) => page.getByRole('switch').first().press('Space'),
    },
  ],
  '/settings/reminders': [],
  '/settings/company-account': [
    {
      name: 'provider',
      of: 'pages/settings/company-account.tsx',
      open: ({ press }) => press('Anbieter löschen', 'Delete provider'),
    },
    {
      name: 'domain',
      of: 'pages/settings/company-account.tsx',
      open: ({ press }) => press(/^nordlicht.example entfernen$/, /^Remove nordlicht.example$/),
    },
  ],
  '/settings/required-sign-in': [],
  '/settings/directory': [],
  '/settings/plan': [],
  '/settings/limits': [],
  '/settings/export': [],
  // As a link that lacks what an assistant adds.
  '/assistants/connect': [],
  '/account': [
    {
      name: 'second-factor',
      of: 'pages/account/second-factor.tsx',
      open: ({ press }) => press('Einrichten', 'Set up'),
    },
    {
      name: 'passkey',
      of: 'pages/account/passkeys.tsx',
      open: ({ press }) => press('Passkey hinzufügen', 'Add a passkey'),
    },
    {
      name: 'sign-out',
      of: 'pages/account/sign-ins.tsx',
      open: ({ press }) => press('Überall abmelden', 'Sign out everywhere'),
    },
  ],
};

/** Each page, and then what can be open on it. */
export const states: readonly State[] = Object.entries(opened).flatMap(([path, all]) => [
  { path },
  ...all.map((state) => ({ path, ...state })),
]);

/** The pages, without those that are the same with another query. */
export const pageStates: readonly State[] = states.filter(
  ({ path, open }) => open === undefined && !path.includes('?'),
);

export const handsOn = (page: Page, language: Language): Hands => {
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
