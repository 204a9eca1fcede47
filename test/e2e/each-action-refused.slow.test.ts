import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { hasBrowser, openAnew, useApp } from './support/app.ts';
import { handsOn, walks, type Step } from './support/refused-actions.ts';

// Each action of the app is refused once, and the page says so.

const procedureOf = (action: string): string => action.split(': ')[1] ?? '';

interface Refusal {
  procedure: string;
  /** What the page is to say. It differs from step to step, because a message in the corner of the page stays for a while. */
  title: string;
}

/** Refuses the calls of one procedure at a time, and lets all others through. */
const refuseCalls = async (page: Page): Promise<(refusal: Refusal | undefined) => void> => {
  let refused: Refusal | undefined;
  await page.route(/\/trpc\/(app|api|entrance)\//, async (route) => {
    const [, , router, name] = new URL(route.request().url()).pathname.split('/');
    if (route.request().method() !== 'POST' || `${router}.${name}` !== refused?.procedure) return route.fallback();
    const { title } = refused;
    const problem = { code: 'forbidden', status: 403, title, detail: title, request_id: 'a request id' };
    const json = { error: { message: title, code: -32603, data: { problem } } };
    return route.fulfill({ status: 403, json });
  });
  return (refusal) => {
    refused = refusal;
  };
};

const withoutIds = (text: string): string =>
  text
    .replaceAll(/[\w.+-]+@[\w.-]*\w/g, 'EMAIL')
    .replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'ID')
    .replaceAll(/\w{3}, \d+ \w{3,4} \d{4}/g, 'DAY');

/** The titles of the dialogs in which actions are confirmed: each says what it is about to change. */
const titles: Readonly<Record<string, readonly string[]>> = {
  members: [
    'pages/members/invite-one.tsx: app.members.invite: Invite',
    'pages/members/invite-many.tsx: app.members.invite: Invite multiple people',
    'pages/members/member-actions.tsx: api.members.changeRole: Make Mia an admin?',
    'pages/members/member-actions.tsx: app.members.setRights: Grant Mia permission for API keys?',
    'pages/members/member-actions.tsx: app.members.handOver: Transfer team',
    'pages/members/member-actions.tsx: api.members.remove: Remove Mia from the team?',
    'pages/members/member-actions.tsx: app.members.resend: Resend the invitation?',
    'pages/members/member-actions.tsx: app.members.withdraw: Withdraw the invitation to EMAIL?',
    'pages/members/member-selection.tsx: app.members.changeRoleMany: Make 1 member an admin?',
    'pages/members/member-selection.tsx: app.members.removeMany: Remove 1 member from the team?',
    'pages/members/member-selection.tsx: app.members.resendMany: Resend 1 invitation?',
    'pages/members/member-selection.tsx: app.members.withdrawMany: Withdraw 1 invitation?',
    'pages/members/former-members.tsx: app.formerMembers.erase: Erase the data of Former?',
    'pages/members/waiting-invitations.tsx: app.members.cancelWaiting: Waiting invitations',
    'pages/members/waiting-invitations.tsx: app.members.cancelWaiting: Waiting invitations',
  ],
  'more members than one call takes': [
    'pages/assignments/new-assignment.tsx: app.assigning.createMany: New assignment',
  ],
  assignments: [
    'pages/assignments/new-assignment.tsx: app.assigning.create: New assignment',
    'pages/assignments/assignment-form.tsx: app.assigning.change: Edit assignment',
    'pages/assignments/assignment-parts.tsx: app.assigning.finish: Mark assignment as done?',
    'pages/assignments/reminding.tsx: app.assigning.remindMany: Remind Mia of 1 assignment?',
    'pages/assignments/team-assignments.tsx: app.assigning.remove: Delete “Given”?',
    'pages/assignments/team-assignments.tsx: app.assigning.setDueDates: Change due date',
    'pages/assignments/team-assignments.tsx: app.assigning.removeMany: Delete 1 assignment?',
    'pages/assignments/team-assignments.tsx: app.assigning.revokeMany: Withdraw 1 assignment?',
    'pages/assignments/team-assignments.tsx: app.assigning.reopenMany: Withdraw 1 assignment?',
  ],
  cases: [
    'pages/cases/case-dialog.tsx: api.cases.create: New team case',
    'pages/cases/case-dialog.tsx: api.cases.change: Shared',
    'pages/cases/case-dialog.tsx: app.ownCases.create: New case',
    'pages/cases/case-dialog.tsx: app.ownCases.change: Own',
    'pages/cases/cases.tsx: api.cases.remove: Delete “Shared”?',
    'pages/cases/cases.tsx: app.ownCases.remove: Delete “Own”?',
    'pages/cases/cases.tsx: app.ownCases.share: Share “Own” with the team?',
  ],
  'the catalog': [
    'pages/catalog/items.tsx: app.catalog.createItem: New situation',
    'pages/catalog/items.tsx: app.catalog.changeItem: Edit item',
    'pages/catalog/rules-dialog.tsx: app.catalog.setRules: Rules: Price talk',
    'pages/catalog/items.tsx: app.policy.setTeam: Block all listed items?',
  ],
  keys: [
    'pages/keys/new-key.tsx: app.keys.create: New API key',
    'pages/keys/new-key.tsx: app.keys.rotate: Rotate “test”',
    'pages/keys/key.tsx: app.keys.revoke: Revoke “test”?',
  ],
  webhooks: [
    'pages/webhooks/endpoint-form.tsx: api.webhooks.create: New endpoint',
    'pages/webhooks/endpoint-form.tsx: api.webhooks.change: Edit endpoint',
    'pages/webhooks/endpoint.tsx: api.webhooks.change: Disable endpoint?',
    'pages/webhooks/deliveries.tsx: api.webhooks.recover: Recover missed events',
    'pages/webhooks/endpoint.tsx: api.webhooks.remove: Delete endpoint?',
    'pages/webhooks/renewal.tsx: app.webhookHistory.renew: Renew signing secret',
    'pages/webhooks/renewal.tsx: api.webhooks.test: Renew signing secret',
    'pages/webhooks/renewal.tsx: api.webhooks.recover: Renew signing secret',
    'pages/webhooks/renewal.tsx: api.webhooks.remove: Renew signing secret',
  ],
  'the CRM': [
    'pages/crm/connect-form.tsx: app.crm.tryConnection: Connect a CRM',
    'pages/crm/connect-form.tsx: app.crm.connect: Connect a CRM',
    'pages/crm/connection-forms.tsx: app.crm.change: Edit connection',
    'pages/crm/connection-forms.tsx: app.crm.renewToken: Renew token',
    'pages/crm/connection.tsx: app.crm.disconnect: Disconnect the CRM?',
  ],
  'the settings': [
    'pages/settings/privacy.tsx: app.team.setPrivacy: Hide member-level data?',
    'pages/settings/company-account.tsx: app.companySignIn.switch: Disable the company account?',
    'pages/settings/company-account.tsx: app.companySignIn.remove: Delete the provider?',
    'pages/settings/company-account.tsx: app.companySignIn.removeDomain: Remove unproven.ID.example?',
    'pages/settings/required-sign-in.tsx: app.companySignIn.demand: Require a second factor from DAY?',
  ],
  'the account': [
    'pages/account/sign-ins.tsx: entrance.account.signOutEverywhere: Sign out everywhere?',
    'pages/account/second-factor.tsx: entrance.account.startTwoFactor: Set up two-factor authentication',
    'pages/account/second-factor.tsx: entrance.account.confirmTwoFactor: Set up two-factor authentication',
    'pages/account/passkeys.tsx: entrance.account.newPasskeyQuestion: Add a passkey',
    'pages/account/passkeys.tsx: entrance.account.addPasskey: Add a passkey',
    'pages/account/passkeys.tsx: entrance.account.renamePasskey: Rename the passkey',
    'pages/account/passkeys.tsx: entrance.account.removePasskey: Remove the passkey?',
    'session/proof-dialog.tsx: entrance.account.prove: Add a passkey',
  ],
  'a second factor': [
    'pages/account/second-factor.tsx: entrance.account.newBackupCodes: New recovery codes',
    'pages/account/second-factor.tsx: entrance.account.stopTwoFactor: Disable two-factor authentication',
  ],
  'a session of a company account': ['session/proof-dialog.tsx: entrance.account.startCompanyProof: Confirm it’s you'],
};

const dropDrafts = `for (const key of Object.keys(sessionStorage)) if (key.startsWith('draft:')) sessionStorage.removeItem(key)`;

describe.skipIf(!hasBrowser)('a refusal is shown of every action:', () => {
  const app = useApp();

  const open = async (page: Page, { at, loads }: Step, isSignedIn: boolean): Promise<void> => {
    if (at === undefined) return;
    await page.evaluate(dropDrafts);
    await (!isSignedIn || loads ? page.goto(at) : openAnew(page, at));
    if (isSignedIn) await app.settled(page);
  };

  it.each(walks.map((walk) => [walk.name, walk] as const))(
    '%s',
    async (_name, walk) => {
      const { email, steps } = await walk.begin(app);
      const opening = { language: 'en', unused: true } as const;
      const page = await (email === undefined ? app.open('/sign-in', opening) : app.signedIn(email, '/', opening));
      app.expectFailures(page, 401, 403);
      const refuse = await refuseCalls(page);
      /** What the dialogs are called in which the actions were confirmed. */
      const asked: string[] = [];
      /** What is wrong with any of them, so that one run finds all. */
      const wrong: string[] = [];
      for (const [at, [action, step]] of steps.entries()) {
        const title = `Refused in step ${at} of this test`;
        refuse({ procedure: procedureOf(action), title });
        try {
          await open(page, step, email !== undefined);
          let dialog = '';
          await step.does(handsOn(page, (of) => (dialog = of)));
          await page.getByRole('alert').filter({ hasText: title }).first().waitFor();
          if (dialog !== '') asked.push(`${action}: ${withoutIds(dialog)}`);
          // Its button can be pressed again. A call that waits for a proof is still under way.
          if (!action.startsWith('session/proof-dialog.tsx'))
            await page.locator('button[data-loading]').waitFor({ state: 'detached' });
        } catch (error) {
          wrong.push(
            `${action}: ${String(error).slice(0, 400)}\n${(await page.locator('body').innerText()).slice(0, 600)}`,
          );
        }
        refuse(undefined);
      }
      expect(wrong).toEqual([]);
      expect(asked).toEqual(titles[walk.name] ?? []);
    },
    600_000,
  );
});
