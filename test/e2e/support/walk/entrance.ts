import { expect } from 'vitest';
import type { Page } from 'playwright-core';
import { demandSignIn } from '../../../../src/modules/company-sign-in/service.ts';
import { makeKeyText } from '../../../../src/modules/keys/key-text.ts';
import { fillSignIn, goWithin, type AppTest } from '../app.ts';
import { requestOf } from '../assistants.ts';
import type { Look } from '../looks.ts';
import { mailedPath } from '../mails.ts';
import { alike, saidBy } from '../said.ts';
import type { useProvider } from '../provider.ts';
import { faultsOf, type Inspection } from './walk.ts';

// The pages before the sign-in, and those that somebody sees who may not enter (yet), as one story: most states follow
// from the one before.

const background = `getComputedStyle(document.querySelector('main').parentElement).backgroundImage`;

/** A page before the sign-in has a look of its own, not that of the pages within the app. */
const likeTheEntrance: Inspection = async ({ page }) => {
  expect(await page.getByRole('navigation').count()).toBe(0);
  await page.getByText('Team Customer API', { exact: true }).waitFor();
  expect(await page.evaluate(background)).toContain('radial-gradient');
};

/** Opens one state after the other. Returns what is wrong with them, what they say, and the paths that were open. */
export const walkThroughEntrance = async (
  app: AppTest,
  company: ReturnType<typeof useProvider>,
  look: Look,
  inspections: readonly Inspection[],
): Promise<{ faults: string[]; said: string; paths: readonly string[] }> => {
  const { language } = look;
  const say = (de: string, en: string) => (language === 'de' ? de : en);
  const { prisma } = app.service.database;
  const speak = async (email: string) => prisma.person.update({ where: { email }, data: { language } });
  const name = say('Ein Team mit einem sehr langen Namen für den ganzen Süden', 'A team with a very long name, South');
  const team = await app.team({ name });
  const { email: owner } = team.owner;
  await speak(owner);
  const member = await app.person(team, 'member');
  await speak(member.email);

  const [faults, said, paths] = [new Array<string>(), new Array<string>(), new Set<string>()];
  /** Where the person wants to go. Links keep it. */
  const next = '?next=%2Fmembers';
  /** Waits for the page with this heading, and inspects it. */
  const see = async (page: Page, state: string, heading: string, more: readonly Inspection[] = []) => {
    await page.getByRole('heading', { level: 1, name: heading }).waitFor();
    await app.settled(page);
    const { pathname, search } = new URL(page.url());
    paths.add(pathname);
    // What the pages within the app say is compared in pages-show.slow.test.ts.
    if (more.length > 0)
      said.push(`# ${state}${search === next ? search : ''}\n${alike(await saidBy(page.locator('main').first()))}`);
    faults.push(...(await faultsOf({ ...look, page, path: state }, [...inspections, ...more])));
  };
  const seeEntrance = (page: Page, state: string, heading: string) =>
    see(page, `entrance-${state}`, heading, [likeTheEntrance]);
  const submit = (page: Page) => page.locator('button[type=submit]').click();

  const page = await app.open(`/sign-in${next}`, look);
  app.expectFailures(page, 409, 422);
  await seeEntrance(page, 'sign-in', say('Anmelden', 'Sign in'));
  await fillSignIn(page, owner, 'not the password');
  await page.getByRole('alert').first().waitFor();
  await seeEntrance(page, 'wrong-password', say('Anmelden', 'Sign in'));
  await prisma.person.update({ where: { email: owner }, data: { twoFactorEnabled: true } });
  await fillSignIn(page, owner);
  const twoFactor = say('Zwei-Faktor-Authentifizierung', 'Two-factor authentication');
  await seeEntrance(page, 'second-factor', twoFactor);
  await page.getByRole('button', { name: say('Wiederherstellungscode verwenden', 'Use a recovery code') }).click();
  await seeEntrance(page, 'recovery-code', twoFactor);
  await prisma.person.update({ where: { email: owner }, data: { twoFactorEnabled: false } });

  await goWithin(page, `/sign-in/company${next}`);
  await seeEntrance(page, 'company', say('Mit dem Firmenkonto anmelden', 'Sign in with your company account'));
  await page.locator('input[name=email]').fill('x@unknown.example');
  await submit(page);
  await expect.poll(() => page.locator('input[name=email]').getAttribute('aria-invalid')).toBe('true');
  await seeEntrance(page, 'company-unknown', say('Mit dem Firmenkonto anmelden', 'Sign in with your company account'));
  await goWithin(page, `/sign-in/company/return/${team.id}?error=access_denied&state=x`);
  await seeEntrance(page, 'company-failed', say('Anmeldung fehlgeschlagen', 'Sign-in failed'));

  await goWithin(page, '/reset-password');
  await seeEntrance(page, 'reset', say('Passwort zurücksetzen', 'Reset your password'));
  await page.locator('input[name=email]').fill(owner);
  await submit(page);
  await seeEntrance(page, 'reset-sent', say('E-Mail gesendet', 'Check your email'));
  await goWithin(page, await mailedPath(app, owner, 'password_reset'));
  await seeEntrance(page, 'reset-link', say('Neues Passwort festlegen', 'Set a new password'));
  await page.locator('input[type=password]').fill('short');
  await submit(page);
  await page.getByText(say('Zu kurz: mindestens 10 Zeichen.', 'Too short: at least 10 characters.')).first().waitFor();
  await seeEntrance(page, 'reset-short', say('Neues Passwort festlegen', 'Set a new password'));
  const noLonger = say('Dieser Link ist nicht mehr gültig', 'This link is no longer valid');
  await page.goto('/reset-password/x');
  await seeEntrance(page, 'reset-expired', noLonger);

  await goWithin(page, '/report-key');
  await seeEntrance(page, 'report-key', say('Gefundenen API-Schlüssel melden', 'Report an API key that you found'));
  await submit(page);
  await expect.poll(() => page.locator('input[name=key]').getAttribute('aria-invalid')).toBe('true');
  await seeEntrance(page, 'report-empty', say('Gefundenen API-Schlüssel melden', 'Report an API key that you found'));
  await page.locator('input[name=key]').fill('svck_live_');
  await submit(page);
  await page.getByText(say('kein vollständiger Schlüssel', 'not a complete key')).first().waitFor();
  await seeEntrance(page, 'report-refused', say('Gefundenen API-Schlüssel melden', 'Report an API key that you found'));
  await page.locator('input[name=key]').fill(makeKeyText().text);
  await submit(page);
  await seeEntrance(page, 'report-sent', say('Danke für Ihre Meldung', 'Thank you for your report'));

  const join = say(`Einladung in das Team „${name}“`, `Join the team “${name}”`);
  const { email: invited = '' } = await team.anInvitedMember();
  await goWithin(page, await mailedPath(app, invited, 'invitation'));
  await seeEntrance(page, 'invitation', join);
  const { email: known } = (await app.team()).owner;
  await team.anInvitedMember({ email: known });
  await page.goto(await mailedPath(app, known, 'invitation'));
  await seeEntrance(page, 'invitation-known', join);
  await page.goto('/invitations/x');
  await seeEntrance(
    page,
    'invitation-expired',
    say('Diese Einladung ist nicht mehr gültig', 'This invitation is no longer valid'),
  );

  // Somebody else is signed in.
  const inside = await app.signedIn(member.email, '/', look);
  app.expectFailures(inside, 403, 404);
  await see(inside, 'member-overview', say('Übersicht', 'Overview'));
  await goWithin(inside, '/members');
  await see(inside, 'member-closed-page', say('Diese Seite ist Admins vorbehalten', 'This page is for admins'));
  await goWithin(inside, '/nowhere');
  await see(inside, 'no-page', say('Seite nicht gefunden', 'Page not found'));
  await goWithin(inside, await mailedPath(app, invited, 'invitation'));
  await seeEntrance(inside, 'invitation-other', join);

  // An assistant asks for consent.
  const { path } = requestOf(app, 'http://127.0.0.1:4711/callback', say('Mein Assistent', 'My assistant'));
  await goWithin(inside, path);
  await see(inside, 'assistant', say('Assistenten verbinden', 'Connect an assistant'));
  await inside.goto(path.replace('127.0.0.1', 'elsewhere.example'));
  await see(inside, 'assistant-invalid', say('Assistenten verbinden', 'Connect an assistant'));

  // An admin tests the company account.
  const tested = await app.team();
  const domain = `${crypto.randomUUID()}.example`;
  await company.setUp(tested, domain);
  company.provider.accounts.set(domain, { email: `vera@${domain}`, email_verified: true, name: 'Vera Kauf' });
  const admin = await app.signedIn(tested.owner.email, '/settings/company-account', look);
  await company.trustProvider(admin);
  await admin.getByRole('button', { name: say('Anmeldung testen', 'Test sign-in') }).click();
  await company.signInAtProvider(admin, domain);
  await seeEntrance(admin, 'company-test', say('Die Anmeldung funktioniert', 'Signing in works'));

  // Teams that demand more than a password, and a team that has ended.
  await demandSignIn(await tested.acting(), { demand: 'company' }, 'operator');
  const closedOut = await app.person(tested, 'member');
  const strict = await app.team({ name });
  await demandSignIn(await strict.acting(), { demand: 'second_factor' }, 'operator');
  const without = await app.person(strict, 'member');
  for (const [state, { email }, heading] of [
    ['closed-company', closedOut, say('Ihr Team verlangt das Firmenkonto', 'Your team requires the company account')],
    [
      'closed-second-factor',
      without,
      say('Ihr Team verlangt die Zwei-Faktor-Authentifizierung', 'Your team requires two-factor authentication'),
    ],
  ] as const) {
    await speak(email);
    const closed = await app.open(`/sign-in${next}`, look);
    await fillSignIn(closed, email);
    await seeEntrance(closed, state, heading);
  }
  await team.change({ status: 'ended' });
  const ended = await app.signedIn(owner, `/?team=${team.id}`, look);
  await ended.getByText(say('Dieses Team', 'This team')).first().waitFor();
  await see(ended, 'team-ended', name);
  return { faults, said: said.join('\n\n'), paths: [...paths] };
};
