import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { daysToMs, later } from '../../src/core/clock.ts';
import { mailLimits } from '../../src/core/limits.ts';
import { demandSignIn } from '../../src/modules/company-sign-in/service.ts';
import { aCatalogItem, anAssignment } from '../support/practice.ts';
import { aPerson } from '../support/people.ts';
import { manyInvited, type TestTeam } from '../support/team.ts';
import { escapeDialog, expectAccessible, goWithin, hasBrowser, typeToConfirm, useApp } from './support/app.ts';

describe.skipIf(!hasBrowser)('requiring a second factor', () => {
  const app = useApp();

  /** Everybody of the team with this address now has a second factor, and showed it when signing in. */
  const withSecondFactor = async (email: string): Promise<void> => {
    const { prisma } = app.service.database;
    await prisma.person.update({ where: { email }, data: { twoFactorEnabled: true } });
    await prisma.session.updateMany({ where: { person: { email } }, data: { way: 'second_factor' } });
  };

  const mailsTo = (team: TestTeam) =>
    app.service.database.prisma.mail.count({ where: { tenantId: team.id, kind: 'second_factor_demanded' } });

  it('says whom it concerns, mails and warns them, can be called off, and leads those whom it shuts out to what they need', async () => {
    const team = await app.team({ members: 2 });
    const { email } = await app.person(team, 'member');
    const page = await app.signedIn(team.owner.email, '/settings/required-sign-in', { language: 'en' });
    const choice = page.getByRole('radio', { name: /^Two-factor authentication/ });
    await choice.waitFor();
    expect(await choice.isDisabled()).toBe(true);
    const setUp = page.getByRole('link', { name: 'Set up' });
    expect(await setUp.first().getAttribute('href')).toBe('/account');

    await withSecondFactor(team.owner.email);
    await page.reload();
    await choice.check();
    await page.getByText('1 of 4 ready').waitFor();
    await page.getByText('3 have neither a second factor nor a passkey.').waitFor();
    await page.getByRole('radio', { name: 'on another day' }).check();
    const day = page.getByLabel('From this day, midnight in your time zone');
    const [first = '', last = ''] = [await day.getAttribute('min'), await day.getAttribute('max')].map(String);
    for (const [value, isPossible] of [
      ['2020-01-01', false],
      [first, true],
      ['2099-01-01', false],
      [last, true],
      ['', false],
    ] as const) {
      await day.fill(value);
      await expect.poll(() => page.getByRole('button', { name: 'Continue …' }).isEnabled()).toBe(isPossible);
    }
    await page.getByRole('radio', { name: /\(in 7 days\)$/ }).check();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Continue …' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText(/^3 of 4 members have to set it up by then/).waitFor();
    await expectAccessible(page);
    // A fresh proof is not needed: the sign-in was a moment ago.
    await dialog.getByRole('button', { name: 'Schedule', exact: true }).click();
    await page.getByText('Scheduled: Two-factor authentication, passkey or company account').waitFor();
    await expect.poll(() => choice.isChecked()).toBe(false);
    expect(await mailsTo(team)).toBe(3);
    expect((await app.service.mailsTo(email)).map(({ kind }) => kind)).toEqual(['second_factor_demanded']);

    // The list behind the number.
    await page.getByRole('link', { name: 'Show them' }).first().click();
    await page.getByText('3 matches', { exact: true }).waitFor();
    expect(new URL(page.url()).search).toBe('?without=second_factor');
    expect(await page.getByText(team.owner.email).count()).toBe(0);

    // Those who are concerned see it on every page; those who are ready don't.
    const warning = (one: Page) => one.getByRole('status').filter({ hasText: 'will soon require a second factor' });
    expect(await warning(page).count()).toBe(0);
    const theirs = await app.signedIn(email, '/', { language: 'en' });
    await warning(theirs).getByRole('link', { name: 'Set it up now' }).waitFor();
    await expectAccessible(theirs);

    await goWithin(page, '/settings/required-sign-in');
    await page.getByRole('button', { name: 'Call off …' }).click();
    await dialog.getByText(/an email that there is nothing left to do, at most one a day\.$/).waitFor();
    await dialog.getByRole('button', { name: 'Call off', exact: true }).click();
    await page.getByText('Policy called off.').waitFor();
    expect((await app.service.mailsTo(email)).map(({ kind }) => kind)).toContain('second_factor_called_off');
    await theirs.reload();
    await app.settled(theirs);
    expect(await warning(theirs).count()).toBe(0);

    await demandSignIn(await team.acting(), { demand: 'second_factor' }, 'operator');
    app.expectFailures(theirs, 401);
    await theirs.reload();
    await theirs.getByRole('heading', { name: 'Your team requires two-factor authentication' }).waitFor();
    await page.reload();
    await page.getByText('1 of 4 ready').waitFor();
  });

  it('at once needs the number of those whom it shuts out, and once more if they are many', async () => {
    const team = await app.team({ members: 11 });
    const page = await app.signedIn(team.owner.email, '/settings/required-sign-in', { language: 'en' });
    await withSecondFactor(team.owner.email);
    await app.service.database.prisma.rateWindow.create({
      data: {
        subject: `notices of ${team.id}`,
        endsAt: later(app.service.clock.now(), daysToMs(1)),
        used: mailLimits.noticesPerTeam - 4,
      },
    });
    await page.reload();
    await page.getByRole('radio', { name: /^Two-factor authentication/ }).check();
    await page.getByRole('radio', { name: 'now' }).check();
    await page.getByRole('button', { name: 'Continue …' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText(/^11 of 12 members are shut out at once/).waitFor();
    await dialog.getByText(/^4 of them get an email today that says how, the others on the following days/).waitFor();
    await typeToConfirm(page, '11');
    await dialog.getByRole('button', { name: 'Require now' }).click();
    await dialog.getByRole('alert').filter({ hasText: 'Really shut out 11 members now?' }).waitFor();
    expect(await app.service.database.prisma.team.findFirst({ where: { id: team.id } })).toMatchObject({
      signInDemand: 'none',
    });
    await dialog.getByRole('button', { name: 'Require now' }).click();
    await page.getByText('Sign-in policy saved.').waitFor();
    expect(await app.service.database.prisma.team.findFirst({ where: { id: team.id } })).toMatchObject({
      signInDemand: 'second_factor',
    });
    expect(await mailsTo(team)).toBe(4);
  });
});

describe.skipIf(!hasBrowser)('an action on many', () => {
  const app = useApp();

  it('removes 227 people, most of them invited, and not the owner among them, only after their number was typed and a second question', async () => {
    const team = await app.team({ members: 27, seats: 300 });
    await manyInvited(app.service, team, 200);
    const [first] = team.members;
    await anAssignment(app.service, team, { memberId: first?.id ?? '' });
    const page = await app.signedIn(team.owner.email, '/members', { language: 'en' });
    await page.getByText('228 entries', { exact: true }).waitFor();
    await page.getByRole('checkbox', { name: 'Select all' }).click();
    await page.getByRole('button', { name: 'Select all 228' }).click();
    await page.getByText('228 selected').waitFor();
    await page.getByRole('button', { name: 'Remove from team' }).click();
    const dialog = page.getByRole('dialog', { name: 'Remove 227 members from the team?' });
    await dialog.getByText(/ and 222 more$/).waitFor();
    await dialog.getByText('Withdrawn: 1 open assignment.').waitFor();
    const remove = dialog.getByRole('button', { name: 'Remove', exact: true });
    await typeToConfirm(page, '227');
    // The second click of a double click does not answer the second question.
    await remove.dblclick();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    const present = () =>
      app.service.database.prisma.member.count({ where: { tenantId: team.id, status: { not: 'ended' } } });
    expect(await present()).toBe(228);

    const opener = page.getByRole('button', { name: 'Remove from team' });
    await expect.poll(() => opener.evaluate((button) => button.matches(':focus'))).toBe(true);
    await opener.press('Enter');
    await page.getByRole('dialog').waitFor();
    await escapeDialog(page);
    await expect.poll(() => opener.evaluate((button) => button.matches(':focus'))).toBe(true);

    await opener.click();
    await typeToConfirm(page, '227');
    await remove.click();
    await dialog.getByRole('alert').filter({ hasText: 'Really remove 227 members from the team?' }).waitFor();
    await expectAccessible(page);
    await remove.click();
    await page.getByText('227 members removed.').waitFor();
    expect(await present()).toBe(1);
  });
});

describe.skipIf(!hasBrowser)('what can be undone', () => {
  const app = useApp();

  it('offers it in the confirmation: blocking an item, withdrawing assignments', async () => {
    const team = await app.team();
    const { memberId } = await aPerson(team, {});
    const item = await aCatalogItem(app.service, {
      dimension: 'situation',
      nameEn: 'Cold call',
      nameDe: 'Kaltakquise',
      tenantId: team.id,
    });
    const page = await app.signedIn(team.owner.email, '/catalog', { language: 'en' });
    const { prisma } = app.service.database;
    const blocks = () => prisma.teamPolicyBlock.count({ where: { tenantId: team.id, itemId: item } });
    const undo = page.getByRole('button', { name: 'Undo', exact: true });

    await page.getByLabel('Search items').fill('Cold call');
    await page.waitForURL(/search=Cold/); // until then rows move
    await page
      .locator('label')
      .filter({ has: page.getByRole('switch', { name: 'Allow Cold call' }) })
      .click();
    await page.getByText('1 item blocked.').waitFor();
    expect(await blocks()).toBe(1);
    await undo.click();
    await page.getByText('Undone.').waitFor();
    expect(await blocks()).toBe(0);

    for (const status of ['open', 'in_progress'] as const) {
      await anAssignment(app.service, team, { memberId, title: `It is ${status}`, status });
    }
    await goWithin(page, '/assignments');
    await page.getByText('It is in_progress').waitFor();
    await page.getByRole('checkbox', { name: 'Select all' }).click();
    await page.getByRole('button', { name: 'Withdraw (2)' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Withdraw', exact: true }).click();
    await page.getByText('2 assignments withdrawn.').waitFor();
    const statuses = async () =>
      (await prisma.assignment.findMany({ where: { tenantId: team.id } })).map(({ status }) => status).toSorted();
    expect(await statuses()).toEqual(['revoked', 'revoked']);
    await undo.click();
    await page.getByText('Undone.').last().waitFor();
    await expect.poll(statuses).toEqual(['in_progress', 'open']);
  });
});
