import type { Locator, Page } from 'playwright-core';
import { daysToMs, later } from '../../../src/core/clock.ts';
import type { EventType } from '../../../src/core/events.ts';
import { makeId } from '../../../src/core/ids.ts';
import { exchangeCode } from '../../../src/modules/assistants/tokens.ts';
import { makeKeyText } from '../../../src/modules/keys/key-text.ts';
import { removeMember } from '../../../src/modules/members/service.ts';
import { anAssignment, aCatalogItem, anOwnCombination, aCase, aRule, block } from '../../support/practice.ts';
import { makeBrowser, aPerson } from '../../support/people.ts';
import { aCrmConnection } from '../../support/crm.ts';
import { anEmail, manyInvited, type TestTeam } from '../../support/team.ts';
import { totp } from '../../support/authenticators.ts';
import { aDelivery, anEndpoint, anEvent } from '../../support/webhooks.ts';
import { choose as chooseOption, fillSignIn, password, typeToConfirm, type AppTest } from './app.ts';
import { requestOf } from './assistants.ts';
import { mailedPath } from './mails.ts';
import { plugIn } from './passkeys.ts';

// How each action of the app is done, up to the request that the server then refuses. An action is named by the file of
// the app and the procedure that it calls there; test/web/refused-actions.test.ts compares the names with the sources.

/** What a person does on a page. */
interface Hands {
  page: Page;
  /** The open dialog. */
  dialog: Locator;
  /** Presses the last button with this name: that of a dialog comes after those of the page. */
  press: (name: string | RegExp) => Promise<void>;
  fill: (label: string | RegExp, text: string) => Promise<void>;
  /** Chooses from the menu of the row with this name. */
  choose: (row: string, item: string) => Promise<void>;
  /** Selects the row with this text. */
  select: (row: string) => Promise<void>;
}

/** What a person does on a page. `onPress` gets the dialog of each button that is pressed, before it is. */
export const handsOn = (page: Page, onPress?: (dialog: Locator) => Promise<void>): Hands => {
  return {
    page,
    dialog: page.getByRole('dialog').last(),
    press: async (name) => {
      const button = page.getByRole('button', { name, exact: true }).last();
      await button.waitFor();
      const dialog = page.getByRole('dialog').filter({ has: button });
      if (onPress && (await dialog.count()) > 0) await onPress(dialog);
      await button.click();
    },
    // Panels have labels, too.
    fill: (label, text) => page.getByLabel(label).and(page.locator('input, textarea')).last().fill(text),
    choose: async (row, item) => {
      await page
        .getByRole('button', { name: `Actions for ${row}`, exact: true })
        .first()
        .click();
      await page.getByRole('menuitem', { name: item, exact: true }).click();
    },
    select: (row) => page.getByRole('row').filter({ hasText: row }).getByRole('checkbox').first().check(),
  };
};

export interface Step {
  /** The page on which the action begins; if it is absent, the one that is open. */
  at?: string;
  /** The page is loaded anew, because the step before has changed more than the page. */
  loads?: true;
  does: (hands: Hands) => Promise<unknown>;
}

type Steps = readonly (readonly [action: string, step: Step])[];

interface Walk {
  name: string;
  /** The actions of its steps. */
  actions: readonly string[];
  begin: (app: AppTest) => Promise<{
    /** Who is signed in; nobody if it is absent. */
    email?: string;
    steps: Steps;
  }>;
}

const walk = <World extends { email: string | undefined }>(
  name: string,
  given: (app: AppTest) => Promise<World>,
  actions: Readonly<Record<string, (world: World) => Step | readonly Step[]>>,
): Walk => ({
  name,
  actions: Object.keys(actions),
  begin: async (app) => {
    const world = await given(app);
    const steps = Object.entries(actions).flatMap(([action, stepsOf]) =>
      [stepsOf(world)].flat().map((step) => [action, step] as const),
    );
    return { steps, ...(world.email !== undefined && { email: world.email }) };
  },
});

const aTeamOf = async (app: AppTest, options: Parameters<AppTest['team']>[0] = {}) => {
  const team = await app.team(options);
  return { team, email: team.owner.email };
};

const members = walk(
  'members',
  async (app) => {
    const { team, email } = await aTeamOf(app, { name: 'Refused', seats: 100, language: 'en' });
    const invited = (await team.anInvitedMember()).email ?? '';
    await aPerson(team, { name: 'Mia' });
    const former = await aPerson(team, { name: 'Former' });
    await removeMember(await team.acting(), former.memberId);
    const waiting = anEmail('waiting');
    const now = app.service.clock.now();
    await app.service.database.prisma.waitingInvitation.create({
      data: {
        tenantId: team.id,
        id: makeId(),
        email: waiting,
        role: 'member',
        invitedBy: team.owner.user_id,
        dueAt: later(now, daysToMs(1)),
        createdAt: now,
      },
    });
    return { email, invited, waiting };
  },
  {
    'pages/members/invite-one.tsx: app.members.invite': () => ({
      at: '/members',
      does: async ({ dialog, press, fill }) => {
        await press('Invite');
        await fill(/^Email/, anEmail());
        await dialog.getByLabel('Role').selectOption('admin');
        await dialog.getByLabel('Invitation language').selectOption('en');
        await press('Send invitation');
      },
    }),
    'pages/members/invite-many.tsx: app.members.invite': () => ({
      at: '/members',
      does: async ({ press, fill }) => {
        await press('Invite multiple people');
        await fill(/^List/, `name,email,role,lang,external_id\nNina Neu,${anEmail()},admin,en,E-1`);
        await press('Review');
        await press('Invite 1 person');
      },
    }),
    'pages/members/member-actions.tsx: api.members.changeRole': () => ({
      at: '/members',
      does: async ({ choose, press }) => {
        await choose('Mia', 'Make an admin …');
        await press('Make an admin');
      },
    }),
    'pages/members/member-actions.tsx: app.members.setRights': () => ({
      at: '/members',
      does: async ({ choose, press }) => {
        await choose('Mia', 'Grant permission for API keys …');
        await press('Grant permission');
      },
    }),
    'pages/members/member-actions.tsx: app.members.handOver': () => ({
      at: '/members',
      does: async ({ choose, fill, press }) => {
        await choose('Mia', 'Transfer team …');
        await fill('Enter the team name to confirm', 'Refused');
        await press('Transfer team');
      },
    }),
    'pages/members/member-actions.tsx: api.members.remove': () => ({
      at: '/members',
      does: async ({ choose, press }) => {
        await choose('Mia', 'Remove from team …');
        await press('Remove');
      },
    }),
    'pages/members/member-actions.tsx: app.members.resend': ({ invited }) => ({
      at: '/members',
      does: async ({ choose, press }) => {
        await choose(invited, 'Resend invitation …');
        await press('Resend');
      },
    }),
    'pages/members/member-actions.tsx: app.members.withdraw': ({ invited }) => ({
      at: '/members',
      does: async ({ choose, press }) => {
        await choose(invited, 'Withdraw invitation …');
        await press('Withdraw');
      },
    }),
    'pages/members/member-selection.tsx: app.members.changeRoleMany': () => ({
      at: '/members',
      does: async ({ page, dialog, select, press }) => {
        await select('Mia');
        await press('Change role');
        await page.getByRole('menuitem', { name: 'Make admins …' }).click();
        await dialog.waitFor();
        await press('Change role');
      },
    }),
    'pages/members/member-selection.tsx: app.members.removeMany': () => ({
      at: '/members',
      does: async ({ select, press }) => {
        await select('Mia');
        await press('Remove from team');
        await press('Remove');
      },
    }),
    'pages/members/member-selection.tsx: app.members.resendMany': ({ invited }) => ({
      at: '/members',
      does: async ({ select, press }) => {
        await select(invited);
        await press('Resend invitations');
        await press('Resend');
      },
    }),
    'pages/members/member-selection.tsx: app.members.withdrawMany': ({ invited }) => ({
      at: '/members',
      does: async ({ select, press }) => {
        await select(invited);
        await press('Withdraw invitations');
        await press('Withdraw');
      },
    }),
    'pages/members/former-members.tsx: app.formerMembers.erase': () => ({
      at: '/members?status=former',
      does: async ({ page, choose, press }) => {
        await choose('Former', 'Erase the person’s data …');
        await typeToConfirm(page, 'Former');
        await press('Erase permanently');
      },
    }),
    'pages/members/waiting-invitations.tsx: app.members.cancelWaiting': ({ waiting }) => [
      {
        at: '/members',
        does: async ({ press }) => {
          await press('Show');
          await press(`Delete the invitation to ${waiting}`);
        },
      },
      {
        at: '/members',
        does: async ({ page, press }) => {
          await press('Show');
          await press('Delete all');
          await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click();
        },
      },
    ],
  },
);

const manyMembers = walk(
  'more members than one call takes',
  async (app) => {
    const { team, email } = await aTeamOf(app, { seats: 200 });
    await anOwnCombination(app.service, team);
    await manyInvited(app.service, team, 60);
    return { email };
  },
  {
    'pages/assignments/new-assignment.tsx: app.assigning.createMany': () => ({
      at: '/members',
      does: async ({ page, press }) => {
        await page.getByRole('checkbox', { name: 'Select all' }).click();
        await press(/^Select all \d+$/);
        await press('Create assignment');
        await chooseOption(page, 'Situation', 'Price talk');
        await chooseOption(page, 'Personality', 'Sceptic');
        await chooseOption(page, 'Industry', 'Energy');
        await press(/^Assign to \d+ people$/);
      },
    }),
  },
);

const assignments = walk(
  'assignments',
  async (app) => {
    const { team, email } = await aTeamOf(app);
    const mia = await aPerson(team, { name: 'Mia' });
    await anOwnCombination(app.service, team);
    const id = await anAssignment(app.service, team, {
      memberId: mia.memberId,
      title: 'Given',
      note: 'Be calm.',
      dueDate: new Date('2026-01-02'),
      focusDimension: 'objection_handling',
    });
    await anAssignment(app.service, team, { memberId: team.owner.member_id, title: 'Own' });
    return { email, mia: mia.email, id };
  },
  {
    'pages/assignments/new-assignment.tsx: app.assigning.create': ({ mia }) => ({
      at: '/assignments',
      does: async ({ page, dialog, press, fill }) => {
        await press('New assignment');
        await chooseOption(page, 'Recipients', mia);
        await chooseOption(page, 'Situation', 'Price talk');
        await chooseOption(page, 'Personality', 'Sceptic');
        await chooseOption(page, 'Industry', 'Energy');
        await fill('Note', 'Be calm.');
        await press('In 14 days');
        await dialog.getByLabel('Focus').selectOption('Objection handling');
        await press('Assign to 1 person');
      },
    }),
    'pages/assignments/assignment-form.tsx: app.assigning.change': ({ id }) => ({
      at: `/assignments?assignment_id=${id}`,
      does: async ({ page, press }) => {
        await page.getByRole('complementary', { name: 'Given' }).waitFor();
        await press('Edit');
        await press('Save');
      },
    }),
    'pages/assignments/assignment-parts.tsx: app.assigning.begin': () => ({
      at: '/assignments?view=mine',
      does: ({ press }) => press('Start: Own'),
    }),
    'pages/assignments/assignment-parts.tsx: app.assigning.finish': () => ({
      at: '/assignments?view=mine',
      does: async ({ press }) => {
        await press('Mark as done: Own');
        await press('Mark as done');
      },
    }),
    'pages/assignments/team-assignments.tsx: app.assigning.change': ({ id }) => [
      { at: '/assignments', does: ({ choose }) => choose('Given', 'Mark as done') },
      { at: '/assignments', does: ({ choose }) => choose('Given', 'Withdraw') },
      {
        at: `/assignments?assignment_id=${id}`,
        does: async ({ page, press }) => {
          await page.getByRole('complementary', { name: 'Given' }).waitFor();
          await press('Mark as done');
        },
      },
    ],
    'pages/assignments/reminding.tsx: app.assigning.remindMany': () => ({
      at: '/assignments',
      does: async ({ choose, press }) => {
        await choose('Given', 'Remind by email …');
        await press('Remind 1 person');
      },
    }),
    'pages/assignments/team-assignments.tsx: app.assigning.remove': () => ({
      at: '/assignments',
      does: async ({ choose, press }) => {
        await choose('Given', 'Delete …');
        await press('Delete assignment');
      },
    }),
    'pages/assignments/team-assignments.tsx: app.assigning.setDueDates': () => ({
      at: '/assignments',
      does: async ({ choose, press }) => {
        await choose('Given', 'Change due date …');
        await press('In 30 days');
        await press('Change due date');
      },
    }),
    'pages/assignments/team-assignments.tsx: app.assigning.removeMany': () => ({
      at: '/assignments',
      does: async ({ select, press }) => {
        await select('Given');
        await press(/^Delete \(/);
        await press('Delete');
      },
    }),
    'pages/assignments/team-assignments.tsx: app.assigning.revokeMany': () => ({
      at: '/assignments',
      does: async ({ select, press }) => {
        await select('Given');
        await press(/^Withdraw \(/);
        await press('Withdraw');
      },
    }),
    // They are withdrawn, but can't be reopened.
    'pages/assignments/team-assignments.tsx: app.assigning.reopenMany': () => ({
      at: '/assignments',
      does: async ({ page, select, press }) => {
        await select('Given');
        await press(/^Withdraw \(/);
        await press('Withdraw');
        await page.getByRole('button', { name: 'Undo', exact: true }).click();
      },
    }),
  },
);

const cases = walk(
  'cases',
  async (app) => {
    const { team, email } = await aTeamOf(app);
    const { service } = app;
    const userId = team.owner.user_id;
    const details = { personaId: 'persona-17', fields: { size: 240 }, externalRef: { crm: 'A-17' } };
    const shared = await aCase(service, team, { userId, title: 'Shared', ...details });
    const own = await aCase(service, team, { userId, title: 'Own', private: true, ...details });
    return { email, shared, own };
  },
  {
    'pages/cases/case-dialog.tsx: api.cases.create': ({ email }) => ({
      at: '/cases',
      does: async ({ page, dialog, press, fill }) => {
        await press('New case');
        await dialog.getByLabel('Member').first().click();
        await page.getByRole('option', { name: email }).click();
        await fill('Title', 'Refused');
        await fill('Persona', 'persona-18');
        await press('Create case');
      },
    }),
    'pages/cases/case-dialog.tsx: api.cases.change': ({ shared }) => ({
      at: `/cases?case_id=${shared}`,
      does: async ({ dialog, press }) => {
        await dialog.waitFor();
        await press('Save');
      },
    }),
    'pages/cases/case-dialog.tsx: app.ownCases.create': () => ({
      at: '/cases?view=mine',
      does: async ({ press, fill }) => {
        await press('New case');
        await fill('Title', 'Refused');
        await fill('Persona', 'persona-18');
        await press('Create case');
      },
    }),
    'pages/cases/case-dialog.tsx: app.ownCases.change': ({ own }) => ({
      at: `/cases?view=mine&case_id=${own}`,
      does: async ({ dialog, press }) => {
        await dialog.waitFor();
        await press('Save');
      },
    }),
    'pages/cases/cases.tsx: api.cases.remove': () => ({
      at: '/cases',
      does: async ({ choose, press }) => {
        await choose('Shared', 'Delete …');
        await press('Delete case');
      },
    }),
    'pages/cases/cases.tsx: app.ownCases.remove': () => ({
      at: '/cases?view=mine',
      does: async ({ choose, press }) => {
        await choose('Own', 'Delete …');
        await press('Delete case');
      },
    }),
    'pages/cases/cases.tsx: app.ownCases.share': () => ({
      at: '/cases?view=mine',
      does: async ({ choose, press }) => {
        await choose('Own', 'Share with the team …');
        await press('Share with the team');
      },
    }),
  },
);

const catalog = walk(
  'the catalog',
  async (app) => {
    const { team, email } = await aTeamOf(app);
    const { memberId } = await aPerson(team, {});
    const { situation_id: situation, personality_id: item } = await anOwnCombination(app.service, team);
    await aRule(app.service, { tenantId: team.id, kind: 'never', situation, item });
    for (const nameEn of ['Price list', 'Price sheet']) {
      const other = await aCatalogItem(app.service, { tenantId: team.id, dimension: 'situation', nameEn });
      await block(app.service, { tenantId: team.id, itemId: other });
    }
    return { email, memberId };
  },
  {
    'pages/catalog/items.tsx: app.catalog.createItem': () => ({
      at: '/catalog',
      does: async ({ page, press, fill }) => {
        await press('New situation');
        await fill('Name (German)', 'Abgelehnt');
        await fill('Name (English)', 'Refused');
        await chooseOption(page, 'Icon', 'phone-call');
        await press('Save');
      },
    }),
    'pages/catalog/items.tsx: app.catalog.changeItem': () => ({
      at: '/catalog?search=Price',
      does: async ({ press }) => {
        await press('Edit: Price talk');
        await press('Save');
      },
    }),
    'pages/catalog/rules-dialog.tsx: app.catalog.setRules': () => ({
      at: '/catalog?search=Price',
      does: async ({ page, dialog, press }) => {
        await press('Rules: Price talk');
        await dialog.getByRole('group', { name: 'Industries' }).getByLabel('Never with').first().click();
        await page.getByRole('option', { name: 'Energy' }).click();
        await page.keyboard.press('Escape');
        await press('Save');
      },
    }),
    'pages/catalog/items.tsx: app.policy.setTeam': () => [
      {
        at: '/catalog?search=Price',
        does: ({ page }) => page.getByRole('switch', { name: 'Allow Price talk' }).press('Space'),
      },
      {
        at: '/catalog?search=Price',
        does: async ({ dialog, press }) => {
          await press('Block all');
          await dialog.waitFor();
          await press('Block all');
        },
      },
      {
        at: '/catalog?search=Price',
        does: async ({ dialog, press }) => {
          await press('Allow all');
          await dialog.waitFor();
          await press('Allow all');
        },
      },
    ],
    'pages/catalog/items.tsx: app.policy.setMember': ({ memberId }) => ({
      at: `/catalog?search=Price&member=${memberId}`,
      does: ({ page }) => page.getByRole('switch', { name: 'Allow Price talk' }).press('Space'),
    }),
  },
);

const keys = walk(
  'keys',
  async (app) => {
    const { team, email } = await aTeamOf(app);
    return { email, id: (await team.aKey()).id };
  },
  {
    'pages/keys/new-key.tsx: app.keys.create': () => ({
      at: '/keys',
      does: async ({ dialog, press, fill }) => {
        await press('New key');
        await fill('Name', 'Refused');
        await dialog.getByRole('radio').first().check();
        await press('Create key');
      },
    }),
    'pages/keys/new-key.tsx: app.keys.rotate': ({ id }) => ({
      at: `/keys/${id}`,
      does: async ({ press }) => {
        await press('Rotate');
        await press('Create new key');
      },
    }),
    'pages/keys/key.tsx: app.keys.revoke': ({ id }) => ({
      at: `/keys/${id}`,
      does: async ({ page, press }) => {
        await press('Revoke');
        await typeToConfirm(page, 'test');
        await press('Revoke');
      },
    }),
  },
);

const webhooks = walk(
  'webhooks',
  async (app) => {
    const { team, email } = await aTeamOf(app);
    const { service } = app;
    const active = await anEndpoint(service, team);
    const disabled = await anEndpoint(service, team, { status: 'disabled' });
    const eventId = await anEvent(service, team);
    const delivery = await aDelivery(service, team, { endpointId: active, eventId, status: 'gave_up' });
    /** The first endpoint of a renewal whose new secret was accepted. */
    const renewed = async (events: EventType[]) => {
      const first = await anEndpoint(service, team, { events });
      await anEndpoint(service, team, { events, lastSuccessAt: service.clock.now() });
      return first;
    };
    const handingOver = await renewed(['member.joined']);
    await aDelivery(service, team, { endpointId: handingOver, status: 'failed' });
    return {
      email,
      endpoint: `/webhooks/${active}`,
      disabled: `/webhooks/${disabled}`,
      handingOver: `/webhooks/${handingOver}`,
      renewed: `/webhooks/${await renewed(['member.removed'])}`,
      delivery,
    };
  },
  {
    'pages/webhooks/endpoint-form.tsx: api.webhooks.create': () => ({
      at: '/webhooks',
      does: async ({ dialog, press, fill }) => {
        await press('New endpoint');
        await fill('URL', 'https://hooks.example.com/');
        await dialog.getByRole('checkbox', { name: 'member.joined' }).check();
        await press('Create endpoint');
      },
    }),
    'pages/webhooks/endpoint-form.tsx: api.webhooks.change': ({ endpoint }) => ({
      at: endpoint,
      does: async ({ dialog, press }) => {
        await press('Edit');
        await dialog.getByRole('checkbox', { name: 'training.completed' }).waitFor();
        await press('Save');
      },
    }),
    'pages/webhooks/endpoint.tsx: api.webhooks.change': ({ endpoint, disabled }) => [
      {
        at: endpoint,
        does: async ({ press }) => {
          await press('Disable …');
          await press('Disable');
        },
      },
      { at: disabled, does: ({ press }) => press('Reactivate') },
    ],
    'pages/webhooks/endpoint.tsx: api.webhooks.test': ({ endpoint }) => ({
      at: endpoint,
      does: ({ press }) => press('Send test event'),
    }),
    'pages/webhooks/check-up.tsx: api.webhooks.check': ({ endpoint }) => ({
      at: endpoint,
      does: ({ press }) => press('Start check'),
    }),
    'pages/webhooks/deliveries.tsx: api.webhooks.recover': ({ endpoint }) => ({
      at: endpoint,
      does: async ({ press }) => {
        await press('Recover missed events …');
        await press('Recover');
      },
    }),
    'pages/webhooks/deliveries.tsx: app.webhookHistory.retryMany': ({ endpoint }) => ({
      at: endpoint,
      does: async ({ select, press }) => {
        await select('training.completed');
        await press('Retry now');
      },
    }),
    'pages/webhooks/delivery.tsx: api.webhooks.retry': ({ endpoint, delivery }) => ({
      at: `${endpoint}/deliveries/${delivery}`,
      does: ({ press }) => press('Retry now'),
    }),
    'pages/webhooks/words.tsx: app.webhookHistory.replay': ({ endpoint, delivery }) => ({
      at: `${endpoint}/deliveries/${delivery}`,
      does: ({ press }) => press('Replay event'),
    }),
    'pages/webhooks/endpoint.tsx: api.webhooks.remove': ({ endpoint }) => ({
      at: endpoint,
      does: async ({ page, press }) => {
        await press('Delete …');
        await typeToConfirm(page, 'https://example.com/');
        await press('Delete endpoint');
      },
    }),
    'pages/webhooks/renewal.tsx: app.webhookHistory.renew': ({ endpoint }) => ({
      at: endpoint,
      does: async ({ press }) => {
        await press('Renew signing secret …');
        await press('Create second endpoint');
      },
    }),
    'pages/webhooks/renewal.tsx: api.webhooks.test': ({ renewed }) => ({
      at: renewed,
      does: async ({ press }) => {
        await press('Continue …');
        await press('Send test events');
      },
    }),
    'pages/webhooks/renewal.tsx: api.webhooks.recover': ({ handingOver }) => ({
      at: handingOver,
      does: async ({ press }) => {
        await press('Continue …');
        await press('Delete first endpoint');
      },
    }),
    'pages/webhooks/renewal.tsx: api.webhooks.remove': ({ renewed }) => ({
      at: renewed,
      does: async ({ press }) => {
        await press('Continue …');
        await press('Delete first endpoint');
      },
    }),
  },
);

const crm = walk(
  'the CRM',
  async (app) => {
    const { team, email } = await aTeamOf(app);
    const stored = { label: 'Sales', credentials: Uint8Array.of(0) };
    const active = await aCrmConnection(app.service, team, stored);
    const paused = await aCrmConnection(app.service, team, { ...stored, label: 'Idle', status: 'paused' });
    return { email, active: `/crm/${active}`, paused: `/crm/${paused}` };
  },
  {
    'pages/crm/connect-form.tsx: app.crm.tryConnection': () => ({
      at: '/crm',
      does: async ({ press, fill }) => {
        await press('Connect a CRM');
        await fill('Access token', 'refused');
        await press('Test credentials');
      },
    }),
    'pages/crm/connect-form.tsx: app.crm.connect': () => ({
      at: '/crm',
      does: async ({ press, fill }) => {
        await press('Connect a CRM');
        await fill('Access token', 'refused');
        await press('Connect');
      },
    }),
    'pages/crm/connection-forms.tsx: app.crm.change': ({ active }) => ({
      at: active,
      does: async ({ press }) => {
        await press('Edit');
        await press('Save');
      },
    }),
    'pages/crm/connection-forms.tsx: app.crm.renewToken': ({ active }) => ({
      at: active,
      does: async ({ press, fill }) => {
        await press('Renew token …');
        await fill('Access token', 'refused');
        await press('Test and save');
      },
    }),
    'pages/crm/connection.tsx: app.crm.syncNow': ({ active }) => ({
      at: active,
      does: ({ press }) => press('Sync now'),
    }),
    'pages/crm/connection.tsx: app.crm.pause': ({ active }) => ({ at: active, does: ({ press }) => press('Pause') }),
    'pages/crm/connection.tsx: app.crm.resume': ({ paused }) => ({ at: paused, does: ({ press }) => press('Resume') }),
    'pages/crm/connection.tsx: app.crm.disconnect': ({ active }) => ({
      at: active,
      does: async ({ page, press }) => {
        await press('Disconnect …');
        await typeToConfirm(page, 'Sales');
        await press('Disconnect');
      },
    }),
  },
);

/** A team with a company account, whose provider is never asked. */
const withProvider = async (app: AppTest, team: TestTeam): Promise<void> => {
  const { prisma } = app.service.database;
  const now = app.service.clock.now();
  const issuer = 'https://login.example.com/tenant';
  await prisma.companySignIn.create({
    // Nobody signs in with it, so its secret is none.
    data: {
      tenantId: team.id,
      issuer,
      clientId: 'app',
      clientSecret: Uint8Array.of(0),
      createdAt: now,
      updatedAt: now,
    },
  });
  const domain = (name: string, provenAt: Date | null) =>
    prisma.companyDomain.create({
      data: { tenantId: team.id, domain: `${name}.${team.id}.example`, provenAt, createdAt: now },
    });
  await domain('proven', now);
  await domain('unproven', null);
};

const settings = walk(
  'the settings',
  async (app) => {
    const { team, email } = await aTeamOf(app);
    await withProvider(app, team);
    return { email, app, unproven: `unproven.${team.id}.example` };
  },
  {
    'pages/settings/settings.tsx: app.team.change': () => ({
      at: '/settings',
      does: async ({ page }) => {
        const section = page.getByRole('region', { name: 'Team', exact: true });
        await section.getByLabel('Name').fill('Refused');
        await section.getByRole('button', { name: 'Save' }).click();
      },
    }),
    'pages/settings/privacy.tsx: app.team.setPrivacy': () => ({
      at: '/settings/privacy',
      does: async ({ page, press }) => {
        await page.getByRole('switch').first().press('Space');
        await press('Hide data');
      },
    }),
    'pages/settings/reminders.tsx: app.team.change': () => ({
      at: '/settings/reminders',
      does: ({ page }) => page.getByRole('switch').press('Space'),
    }),
    'pages/settings/export.tsx: app.teamExport.allow': () => ({
      at: '/settings/export',
      does: ({ press }) => press('Export data'),
    }),
    'pages/settings/directory.tsx: app.keys.create': () => ({
      at: '/settings/directory',
      does: async ({ press }) => {
        await press('Create another key');
        await press('Create key');
      },
    }),
    'pages/settings/company-account.tsx: app.companySignIn.save': () => ({
      at: '/settings/company-account',
      does: async ({ press }) => {
        await press('Edit');
        await press('Check and save');
      },
    }),
    'pages/settings/company-account.tsx: app.companySignIn.switch': () => ({
      at: '/settings/company-account',
      does: async ({ dialog, press }) => {
        await press('Disable');
        await dialog.waitFor();
        await press('Disable');
      },
    }),
    'pages/settings/company-account.tsx: app.companySignIn.remove': () => ({
      at: '/settings/company-account',
      does: async ({ page, press }) => {
        await press('Delete provider');
        await typeToConfirm(page, 'https://login.example.com/tenant');
        await press('Delete');
      },
    }),
    'pages/settings/company-account.tsx: app.companySignIn.addDomain': () => ({
      at: '/settings/company-account',
      does: async ({ press, fill }) => {
        await fill('New domain', 'new.example');
        await press('Add domain');
      },
    }),
    'pages/settings/company-account.tsx: app.companySignIn.proveDomain': ({ unproven }) => ({
      at: '/settings/company-account',
      does: ({ press }) => press(`Check ${unproven}`),
    }),
    'pages/settings/company-account.tsx: app.companySignIn.removeDomain': ({ unproven }) => ({
      at: '/settings/company-account',
      does: async ({ press }) => {
        await press(`Remove ${unproven}`);
        await press('Remove');
      },
    }),
    'pages/settings/company-account.tsx: entrance.account.startCompanyTest': () => ({
      at: '/settings/company-account',
      does: ({ press }) => press('Test sign-in'),
    }),
    'session/company-account.tsx: entrance.entrance.startCompanySignIn': () => ({
      at: '/settings/required-sign-in',
      does: ({ press }) => press('Sign in with it'),
    }),
    'pages/settings/required-sign-in.tsx: app.companySignIn.demand': ({ app, email }) => ({
      at: '/settings/required-sign-in',
      does: async ({ page, press }) => {
        const { prisma } = app.service.database;
        await prisma.person.update({ where: { email }, data: { twoFactorEnabled: true } });
        await prisma.session.updateMany({ where: { person: { email } }, data: { way: 'second_factor' } });
        await page.reload();
        await page.getByRole('radio', { name: /^Two-factor authentication/ }).check();
        await press('Continue …');
        await press('Schedule');
      },
    }),
  },
);

/** Where an assistant waits for its code. */
const callback = 'http://127.0.0.1:1/callback';

const account = walk(
  'the account',
  async (app) => {
    const { email } = await aTeamOf(app);
    const elsewhere = makeBrowser(app.service);
    await elsewhere.signIn(email, password);
    return { email, app, request: requestOf(app, callback, 'Helper') };
  },
  {
    'pages/account/account.tsx: entrance.account.changePassword': () => ({
      at: '/account',
      does: async ({ press, fill }) => {
        await fill('Current password', password);
        await fill('New password', 'another long enough password');
        await press('Change password');
      },
    }),
    'pages/account/sign-ins.tsx: entrance.account.endSession': () => ({
      at: '/account',
      does: ({ press }) => press('Sign out Firefox'),
    }),
    'pages/account/sign-ins.tsx: entrance.account.signOutEverywhere': () => ({
      at: '/account',
      does: async ({ dialog, press }) => {
        await press('Sign out everywhere');
        await dialog.waitFor();
        await press('Sign out everywhere');
      },
    }),
    'pages/account/second-factor.tsx: entrance.account.startTwoFactor': () => ({
      at: '/account',
      does: async ({ press, fill }) => {
        await press('Set up');
        await fill('Your password', password);
        await press('Continue');
      },
    }),
    'pages/account/second-factor.tsx: entrance.account.confirmTwoFactor': () => ({
      at: '/account',
      does: async ({ press, fill }) => {
        await press('Set up');
        await fill('Your password', password);
        await press('Continue');
        await fill('Code from the app', '123456');
        await press('Enable');
      },
    }),
    'pages/account/passkeys.tsx: entrance.account.newPasskeyQuestion': () => ({
      at: '/account',
      does: async ({ page, dialog, press, fill }) => {
        await plugIn(page);
        await press('Add a passkey');
        await dialog.waitFor();
        await fill(/^Name/, 'Laptop');
        await press('Continue');
      },
    }),
    // The passkey is made in the browser, but not stored.
    'pages/account/passkeys.tsx: entrance.account.addPasskey': () => ({
      at: '/account',
      does: async ({ dialog, press, fill }) => {
        await press('Add a passkey');
        await dialog.waitFor();
        await fill(/^Name/, 'Laptop');
        await press('Continue');
      },
    }),
    'pages/account/passkeys.tsx: entrance.account.renamePasskey': () => ({
      at: '/account',
      does: async ({ page, dialog, choose, press, fill }) => {
        await press('Add a passkey');
        await dialog.waitFor();
        await fill(/^Name/, 'Laptop');
        await press('Continue');
        await page.getByRole('cell', { name: 'Laptop', exact: true }).waitFor();
        await page.getByRole('dialog').waitFor({ state: 'detached' });
        await choose('Laptop', 'Rename …');
        await press('Save');
      },
    }),
    'pages/account/passkeys.tsx: entrance.account.removePasskey': () => ({
      at: '/account',
      does: async ({ choose, press }) => {
        await choose('Laptop', 'Remove …');
        await press('Remove passkey');
      },
    }),
    'pages/assistants/connect.tsx: entrance.assistants.connect': ({ request }) => ({
      at: request.path,
      does: ({ press }) => press('Allow access'),
    }),
    'pages/account/account.tsx: entrance.assistants.disconnect': ({ app, request }) => ({
      at: request.path,
      does: async ({ page, press }) => {
        await page.route(`${callback}*`, (route) => route.fulfill({ contentType: 'text/html', body: '<h1>' }));
        await press('Allow access');
        await page.waitForURL(`${callback}*`);
        const code = new URL(page.url()).searchParams.get('code') ?? '';
        await exchangeCode(app.service.platform, { ...request, code, redirectUri: callback });
        await page.goto('/account');
        await press('Disconnect Helper');
      },
    }),
    // The session is older than a fresh proof may be.
    'session/proof-dialog.tsx: entrance.account.prove': ({ app, email }) => ({
      at: '/account',
      does: async ({ page, dialog, press, fill }) => {
        await app.service.database.prisma.session.updateMany({
          where: { person: { email } },
          data: { createdAt: new Date(Date.now() - 3_600_000), provedAt: null },
        });
        await press('Add a passkey');
        await dialog.waitFor();
        await fill(/^Name/, 'Other');
        await press('Continue');
        const proof = page.getByRole('dialog', { name: 'Confirm it’s you' });
        await proof.getByLabel(/^Your password/).fill(password);
        await proof.getByRole('button', { name: 'Confirm', exact: true }).click();
      },
    }),
    'pages/account/weekly-mail.tsx: app.overview.setWeeklyMail': () => ({
      at: '/account',
      // The proof is still asked for.
      loads: true,
      does: ({ page }) => page.getByRole('switch').press('Space'),
    }),
    'pages/account/account.tsx: entrance.account.changeMe': () => [
      {
        at: '/account',
        does: async ({ page, press }) => {
          await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Refused');
          await press('Save name');
        },
      },
      {
        at: '/account',
        does: ({ page }) => page.getByRole('radiogroup').getByText('Deutsch', { exact: true }).click(),
      },
    ],
    'session/own-language.ts: entrance.account.changeMe': () => [
      { at: '/', loads: true, does: ({ press }) => press('Deutsch') },
      {
        at: '/',
        loads: true,
        does: async ({ page }) => {
          await page.keyboard.press('Control+k');
          await page.getByRole('dialog').getByRole('combobox').fill('Language: Deutsch');
          await page.getByRole('option', { name: 'Language: Deutsch' }).click();
        },
      },
    ],
    'session/sign-out.ts: entrance.entrance.signOut': () => [
      {
        at: '/',
        loads: true,
        does: async ({ page, press }) => {
          await press('Your account');
          await page.getByRole('menuitem', { name: 'Sign out' }).click();
        },
      },
      {
        at: '/',
        does: async ({ page }) => {
          await page.keyboard.press('Control+k');
          await page.getByRole('dialog').getByRole('combobox').fill('Sign out');
          await page.getByRole('option', { name: 'Sign out' }).first().click();
        },
      },
    ],
    // Last, because nobody is signed in afterwards.
    'pages/entrance/sign-in.tsx: entrance.entrance.signInWithPasskey': () => ({
      at: '/account',
      does: async ({ page }) => {
        await page.context().clearCookies();
        await page.goto('/sign-in');
        // If the browser offers passkeys in the email field, the authenticator may answer before the button is pressed.
        await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
      },
    }),
  },
);

const secondFactor = walk(
  'a second factor',
  async (app) => {
    const { email } = await aTeamOf(app);
    const elsewhere = makeBrowser(app.service);
    await elsewhere.signIn(email, password);
    return { email, elsewhere };
  },
  {
    'pages/account/second-factor.tsx: entrance.account.newBackupCodes': ({ elsewhere }) => ({
      at: '/account',
      does: async ({ page, press, fill }) => {
        const { data } = await elsewhere.mutate('entrance/account.startTwoFactor', { password });
        await elsewhere.mutate('entrance/account.confirmTwoFactor', { code: totp(String(data['secret'])) });
        await page.reload();
        await press('New recovery codes');
        await fill('Your password', password);
        await press('Generate new recovery codes');
      },
    }),
    'pages/account/second-factor.tsx: entrance.account.stopTwoFactor': () => ({
      at: '/account',
      does: async ({ press, fill }) => {
        await press('Disable');
        await fill('Your password', password);
        await press('Disable');
      },
    }),
    'pages/entrance/second-step.tsx: entrance.entrance.proveSecondFactor': ({ email }) => ({
      at: '/',
      does: async ({ page, press, fill }) => {
        await page.context().clearCookies();
        await page.goto('/sign-in');
        await fillSignIn(page, email);
        await fill('Code from your authenticator app', '123456');
        await press('Confirm');
      },
    }),
  },
);

const companySession = walk(
  'a session of a company account',
  async (app) => {
    const team = await app.team();
    await withProvider(app, team);
    const { email, member_id: memberId } = await app.person(team, 'admin', ['schnittstellen']);
    return { email, memberId, app, team };
  },
  {
    'session/proof-dialog.tsx: entrance.account.startCompanyProof': ({ app, email, memberId, team }) => ({
      at: '/settings/company-account',
      does: async ({ page, press, fill }) => {
        await app.service.database.prisma.session.updateMany({
          where: { person: { email } },
          data: { way: 'company', companyTeamId: team.id, companyMemberId: memberId, provedAt: null },
        });
        await page.reload();
        await fill('New domain', 'new.example');
        await press('Add domain');
        await press('Confirm with your company account');
      },
    }),
  },
);

/** Nobody is signed in any more, and the page is in English again. */
const signOutHere = async (page: Page): Promise<void> => {
  await page.context().clearCookies();
  await page.evaluate(`localStorage.setItem('language', 'en')`);
};

const entrance = walk(
  'the entrance',
  async (app) => {
    const { team, email: known } = await aTeamOf(app);
    const invitationTo = async () => {
      const { email } = await team.anInvitedMember();
      return mailedPath(app, email ?? '', 'invitation');
    };
    const reset = async () => {
      const { email } = await aPerson(team, {});
      await makeBrowser(app.service).mutate('entrance/entrance.requestReset', { email });
      return mailedPath(app, email, 'password_reset');
    };
    const { prisma } = app.service.database;
    await prisma.person.update({ where: { email: known }, data: { language: 'en' } });
    const invitations = [await invitationTo(), await invitationTo(), await invitationTo()] as const;
    const resets = [await reset(), await reset()] as const;
    return { email: undefined, known, invitations, resets, teamId: team.id };
  },
  {
    'pages/entrance/sign-in.tsx: entrance.entrance.signIn': ({ known }) => ({
      at: '/sign-in',
      does: ({ page }) => fillSignIn(page, known),
    }),
    'pages/entrance/reset-password.tsx: entrance.entrance.requestReset': ({ known }) => ({
      at: '/reset-password',
      does: async ({ press, fill }) => {
        await fill('Email', known);
        await press('Send link');
      },
    }),
    'pages/entrance/reset-password.tsx: entrance.entrance.resetPassword': ({ resets: [path] }) => ({
      at: path,
      does: async ({ press, fill }) => {
        await fill('New password', 'another long enough password');
        await press('Set password');
      },
    }),
    // The password is set, but does not sign in.
    'pages/entrance/reset-password.tsx: entrance.entrance.signIn': ({ resets: [, path] }) => ({
      at: path,
      does: async ({ page, press, fill }) => {
        await fill('New password', 'another long enough password');
        await press('Set password');
        await page.getByRole('heading', { name: 'Password changed' }).waitFor();
      },
    }),
    'pages/entrance/report-key.tsx: entrance.entrance.reportKey': () => ({
      at: '/report-key',
      does: async ({ press, fill }) => {
        await fill('API key', makeKeyText().text);
        await press('Report key');
      },
    }),
    'pages/entrance/company-sign-in.tsx: entrance.entrance.startCompanySignIn': ({ known }) => ({
      at: '/sign-in/company',
      does: async ({ press, fill }) => {
        await fill('Work email', known);
        await press('Continue');
      },
    }),
    'pages/entrance/company-sign-in.tsx: entrance.entrance.finishCompanySignIn': ({ teamId }) => ({
      at: `/sign-in/company/return/${teamId}?code=refused`,
      does: () => Promise.resolve(),
    }),
    'pages/entrance/invitation.tsx: entrance.entrance.acceptInvitation': ({ invitations: [path] }) => ({
      at: path,
      does: async ({ press, fill }) => {
        await fill(/^Your name/, 'Nina');
        await fill(/^Password/, 'another long enough password');
        await press('Accept invitation');
      },
    }),
    // The person is in the team, but their language is not stored.
    'pages/entrance/invitation.tsx: entrance.account.changeMe': ({ invitations: [, path] }) => ({
      at: path,
      does: async ({ press, fill }) => {
        await fill(/^Your name/, 'Nina');
        await fill(/^Password/, 'another long enough password');
        await press('Accept invitation');
      },
    }),
    'pages/entrance/card.tsx: entrance.entrance.signOut': ({ known, invitations: [, , path] }) => ({
      at: '/sign-in',
      does: async ({ page, press }) => {
        await signOutHere(page);
        await page.goto(`/sign-in?next=${encodeURIComponent(path)}`);
        await fillSignIn(page, known);
        await press('Sign out');
      },
    }),
  },
);

export const walks: readonly Walk[] = [
  members,
  manyMembers,
  assignments,
  cases,
  catalog,
  keys,
  webhooks,
  crm,
  settings,
  account,
  secondFactor,
  companySession,
  entrance,
];

/** Actions that no walk does, with the reason. */
export const notWalked: Readonly<Record<string, string>> = {};
