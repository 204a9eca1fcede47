import type { Locator, Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { daysToMs, later } from '../../src/core/clock.ts';
import { anAssignment, aCatalogItem, aScoredTraining, aTraining } from '../support/practice.ts';
import { theRequests } from '../support/logs.ts';
import { aPerson, renamePerson } from '../support/people.ts';
import { manyInvited, type TestTeam } from '../support/team.ts';
import { aDelivery, anAttempt, anEndpoint } from '../support/webhooks.ts';
import {
  escapeDialog,
  expectAccessible,
  expectNothingSticksOut,
  expectSound,
  fillSignIn,
  filterBy,
  goWithin,
  hasBrowser,
  useApp,
} from './support/app.ts';

describe.skipIf(!hasBrowser)('a list', () => {
  const app = useApp();

  /** A team with members and trainings, with long names and values of every kind. */
  const aTeamThatPractises = async () => {
    const team = await app.team({ seats: 50 });
    const named = (name: string) => ({ tenantId: team.id, nameDe: name, nameEn: name });
    const practice = {
      situationId: await aCatalogItem(app.service, { dimension: 'situation', ...named('Preisgespräch zum Quartal') }),
      personalityId: await aCatalogItem(app.service, { dimension: 'personality', ...named('Skeptischer Einkäufer') }),
      industryId: await aCatalogItem(app.service, { dimension: 'industry', ...named('Energieversorgung') }),
    };
    const now = app.service.clock.now();
    for (let number = 0; number < 6; number += 1) {
      const { userId } = await aPerson(team, { role: 'member', name: 'Maximiliane Freifrau von Hohenstein' });
      const createdAt = later(now, -daysToMs(number + 1));
      const finishedAt = later(createdAt, 754_000);
      await aScoredTraining(app.service, team, { userId, ...practice, createdAt, finishedAt });
      await aTraining(app.service, team, { userId, ...practice, status: 'aborted', createdAt });
    }
    return team;
  };

  let team: TestTeam;
  beforeAll(async () => {
    if (hasBrowser) team = await aTeamThatPractises();
  });

  const headings = async (page: Page): Promise<string[]> => {
    const texts = await page.locator('main thead th').allInnerTexts();
    return texts.map((text) => text.trim());
  };

  /** The rows as they are at this width, once the table has followed it. */
  const atWidth = async (page: Page, width: number): Promise<void> => {
    await page.setViewportSize({ width, height: 900 });
    await expectNothingSticksOut(page, page.url(), width);
  };

  const compact = async (page: Page, isWanted: boolean): Promise<void> => {
    await page.getByRole('button', { name: 'Kompakte Zeilen' }).click();
    await page
      .locator(`[data-density=${isWanted ? 'compact' : 'comfortable'}] tbody tr`)
      .first()
      .waitFor();
  };

  const fold = (page: Page) => page.getByRole('button', { name: /^(Einklappen|Navigation ausklappen)$/ }).click();

  it('loses no column in compact rows of a wide window, which are 36 px high at most, and has the score of a training in higher rows too', async () => {
    const page = await app.signedIn(team.owner.email, '/');
    for (const path of ['/trainings', '/members', '/keys']) {
      await goWithin(page, path);
      await page.locator('main tbody tr').first().waitFor();
      for (const width of [1440, 1024]) {
        await atWidth(page, width);
        const before = await headings(page);
        await compact(page, true);
        await expectNothingSticksOut(page, path, width);
        expect(await headings(page), `${path} at ${width}`).toEqual(
          expect.arrayContaining(before.filter((heading) => heading !== 'Details')),
        );
        const heights = await page
          .locator('main tbody tr')
          .evaluateAll((rows) => rows.map((row) => row.getBoundingClientRect().height));
        expect(Math.max(...z.array(z.number()).parse(heights)), `${path} at ${width}`).toBeLessThanOrEqual(36);
        await compact(page, false);
      }
    }
    await goWithin(page, '/trainings');
    await page.locator('main tbody tr').first().waitFor();
    await compact(page, true);
    // With the navigation folded, and unfolded.
    for (const width of [1440, 1024]) {
      await atWidth(page, width);
      for (const _ of ['as it is', 'the other way']) {
        const all = ['Training', 'Mitglied', 'Status', 'Punktzahl', 'Begonnen', 'Dauer'];
        if (width === 1440) await page.getByRole('cell', { name: '12:34 min' }).first().waitFor();
        await expect
          .poll(() => headings(page), { message: `at ${width}` })
          .toEqual(expect.arrayContaining(width === 1440 ? all : all.slice(0, 3)));
        await fold(page);
        await expectNothingSticksOut(page, page.url(), width);
      }
    }

    // Higher rows still have the score in a column of its own.
    await compact(page, false);
    for (const _ of ['as it is', 'the other way']) {
      await expectNothingSticksOut(page, page.url(), 1024);
      await page.getByRole('columnheader', { name: 'Punktzahl' }).waitFor();
      expect(await page.locator('[data-column=Punktzahl]').count()).toBe(0);
      await fold(page);
    }
  });

  it('has at least 14 people and 12 assignments in a window of 1440 × 900, and a compact row the name alone, with the address as its title', async () => {
    const many = await app.team({ members: 20, seats: 100 });
    for (const [at, { id, user_id }] of many.members.entries()) {
      await renamePerson(app.service, many, user_id ?? '', `Maximiliane Freifrau von Hohenstein ${at}`);
      const dueDate = later(app.service.clock.now(), -daysToMs(3 + at));
      await anAssignment(app.service, many, { memberId: id, title: `Preisgespräch zum Quartal ${at}`, dueDate });
    }
    const page = await app.signedIn(many.owner.email, '/members');
    const whole = async (): Promise<number> => {
      await page.locator('main tbody tr').nth(12).waitFor();
      const ends = await page
        .locator('main tbody tr')
        .evaluateAll((rows) => rows.map((row) => row.getBoundingClientRect().bottom));
      return z
        .array(z.number())
        .parse(ends)
        .filter((end) => end <= 900).length;
    };
    expect(await whole()).toBeGreaterThanOrEqual(14);
    await compact(page, true);
    expect(await whole()).toBeGreaterThanOrEqual(17);
    const email = many.members[0]?.email ?? '';
    const cell = page.getByRole('cell').filter({ hasText: email });
    await cell.hover();
    expect(await cell.getAttribute('title')).toContain(email);
    await compact(page, false);
    await goWithin(page, '/assignments');
    expect(await whole()).toBeGreaterThanOrEqual(12);
  });

  it('can be sorted by role and by status at any length, and moves nothing when rows are selected or a filter is set', async () => {
    const long = await app.team({ admins: 1, seats: 200 });
    await manyInvited(app.service, long, 60);
    const page = await app.signedIn(long.owner.email, '/members');
    const rows = page.locator('main tbody tr');
    await page.getByRole('button', { name: 'Weitere laden' }).waitFor();
    const cells = rows.first().getByRole('cell');
    await page.getByRole('button', { name: 'Rolle' }).click();
    await page.getByRole('button', { name: 'Rolle' }).click();
    await cells.filter({ hasText: /^Mitglied$/ }).waitFor();
    await page.getByRole('button', { name: 'Status' }).click();
    await cells.filter({ hasText: /^Aktiv$/ }).waitFor();

    const top = async () => (await rows.first().boundingBox())?.y;
    const before = await top();
    await rows.first().getByRole('checkbox').check();
    await page.getByRole('toolbar', { name: 'Aktionen für die Auswahl' }).waitFor();
    expect(await top()).toBe(before);
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await filterBy(page, 'Rolle', 'admin');
    await page.getByRole('button', { name: 'Rolle Admin' }).waitFor();
    await rows.nth(1).waitFor({ state: 'detached' });
    expect(await top()).toBe(before);
  });

  it('keeps filters under a name in this browser, which the address has, and lets a chip or a view be taken back', async () => {
    const page = await app.signedIn(team.owner.email, '/members');
    const rows = page.locator('main tbody tr');
    await rows.nth(6).waitFor();
    const views = page.getByRole('button', { name: 'Ansichten', exact: true });
    await views.click();
    await page.getByRole('dialog').getByRole('button', { name: 'Ohne zweiten Faktor' }).click();
    await page.waitForURL(/\?without=second_factor$/);
    const chip = page.getByRole('button', { name: 'Anmeldung Ohne zweiten Faktor' });
    await chip.waitFor();
    await filterBy(page, 'Rolle', 'owner');
    await rows.nth(1).waitFor({ state: 'detached' });

    // Filters of one's own.
    await views.click();
    await page.getByLabel('Als Ansicht speichern').fill('Inhaber ohne 2FA');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Inhaber ohne 2FA' }).waitFor();
    await chip.click();
    await page.waitForURL(/\?role=owner$/);
    await page
      .getByRole('button', { name: /^Filter · 1$/ })
      .and(page.locator(':focus'))
      .waitFor();
    await page.goto('/members');
    await rows.nth(6).waitFor();
    await views.click();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Inhaber ohne 2FA', exact: true }).click();
    await page.waitForURL((url) => url.search === '?role=owner&without=second_factor');
    await rows.nth(1).waitFor({ state: 'detached' });

    // On a phone they are in the same line, and the next one has the tools.
    await page.setViewportSize({ width: 390, height: 844 });
    const box = async (name: string | RegExp) => (await page.getByRole('button', { name }).boundingBox())?.y;
    expect(await box('Ansichten')).toBe(await box(/^Filter · 2$/));
    expect(await box('Ansichten')).toBe((await page.getByLabel('Name oder E-Mail').boundingBox())?.y);
    await expectNothingSticksOut(page, '/members', 390);
    await page.getByRole('button', { name: 'Ansichten' }).click();
    await page.getByRole('button', { name: 'Ansicht „Inhaber ohne 2FA“ löschen' }).click();
    await page.getByRole('button', { name: 'Inhaber ohne 2FA', exact: true }).waitFor({ state: 'detached' });
  });

  it('keeps no views of one person for another who signs in with the same browser', async () => {
    const other = await app.person(team, 'admin');
    const page = await app.signedIn(team.owner.email, '/members?role=owner');
    const views = page.getByRole('button', { name: 'Ansichten', exact: true });
    await views.click();
    await page.getByLabel('Als Ansicht speichern').fill('Nur für mich');
    await page.keyboard.press('Enter');
    const own = page.getByRole('button', { name: 'Nur für mich', exact: true });
    await own.waitFor();
    const changeTo = async (email: string): Promise<void> => {
      await page.getByRole('button', { name: 'Ihr Konto' }).click();
      await page.getByRole('menuitem', { name: 'Abmelden' }).click();
      await fillSignIn(page, email);
      await page.getByRole('heading', { level: 1, name: 'Übersicht' }).waitFor();
      await goWithin(page, '/members?role=owner');
    };

    await changeTo(other.email);
    await views.click();
    await page.getByRole('dialog').getByRole('button', { name: 'Offene Einladungen' }).waitFor();
    expect(await own.count()).toBe(0);
    await page.keyboard.press('Escape');
    await changeTo(team.owner.email);
    await own.waitFor();
  });

  it('shows the columns that the reader chooses, in this browser, and others in the details of each row', async () => {
    const page = await app.signedIn(team.owner.email, '/members', { width: 1024 });
    await page.locator('main tbody tr').first().waitFor();
    const heading = (name: string) => page.getByRole('columnheader', { name, exact: true });
    expect(await heading('2FA').count()).toBe(0);

    const button = page.getByRole('button', { name: 'Spalten' });
    await button.focus();
    await page.keyboard.press('Enter');
    const entry = (name: string) => page.getByRole('menuitemcheckbox', { name, exact: true });
    await entry('2FA').waitFor();
    // The first column always stays.
    expect(await entry('Person').count()).toBe(0);
    await expectAccessible(page);
    const isTicked = (name: string) => entry(name).getAttribute('aria-checked');
    expect([await isTicked('Rolle'), await isTicked('2FA'), await isTicked('Beigetreten')]).toEqual([
      'true',
      'false',
      'false',
    ]);
    await entry('2FA').focus();
    await page.keyboard.press('Enter');
    await expect.poll(() => isTicked('2FA')).toBe('true');
    await entry('Beigetreten').click();
    await entry('Rolle').click();
    await expect.poll(() => isTicked('Rolle')).toBe('false');
    await page.keyboard.press('Escape');
    await button.and(page.locator(':focus')).waitFor();

    await heading('2FA').waitFor();
    await heading('Beigetreten').waitFor();
    expect(await heading('Rolle').count()).toBe(0);
    await page
      .getByRole('button', { name: /^Details: / })
      .first()
      .click();
    await page.getByRole('complementary').getByRole('term').filter({ hasText: 'Rolle' }).waitFor();

    // Another list has its own columns, and this one still has them after a reload.
    await goWithin(page, '/trainings');
    await page.locator('main tbody tr').first().waitFor();
    expect(await headings(page)).toContain('Status');
    await page.goto('/members');
    await heading('2FA').waitFor();
    expect(await heading('Rolle').count()).toBe(0);

    await button.click();
    await page.getByRole('menuitem', { name: 'Standardspalten' }).click();
    await heading('Rolle').waitFor();
    expect(await heading('2FA').count()).toBe(0);
  });

  it('opens a row beside it by Enter or a click on its empty part, walks by j and k, and closes by Escape and by Back', async () => {
    const page = await app.signedIn(team.owner.email, '/members');
    const rows = page.locator('main tbody tr');
    const panel = page.getByRole('complementary');
    const opened = () => new URL(page.url()).searchParams.get('peek');
    const idOf = async (row: number) =>
      (await rows.nth(row).getByRole('link').first().getAttribute('href'))?.replace('/members/', '');
    const buttonOf = (row: number) => rows.nth(row).getByRole('button', { name: /^Details: / });
    const isFocused = (one: Locator) => one.and(page.locator(':focus')).waitFor();
    await rows.nth(6).waitFor();
    await app.settled(page);
    const ids = [await idOf(0), await idOf(1), await idOf(2)];

    // By keys: the focus goes to the panel and back to the row.
    for (const key of ['j', 'j', 'Enter']) await page.keyboard.press(key);
    await isFocused(panel);
    expect(opened()).toBe(ids[1]);
    await page.keyboard.press('j');
    await expect.poll(opened).toBe(ids[2]);
    await isFocused(panel);
    for (const key of ['k', 'k']) await page.keyboard.press(key);
    await expect.poll(opened).toBe(ids[0]);
    // It stays at the first row.
    await page.keyboard.press('k');
    await panel.getByRole('term').filter({ hasText: 'Letztes Training' }).waitFor();
    expect(opened()).toBe(ids[0]);
    expect(await buttonOf(0).getAttribute('aria-expanded')).toBe('true');
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await panel.waitFor({ state: 'detached' });
    await isFocused(buttonOf(0));
    expect(opened()).toBeNull();

    // By a click, but not by one that selects text, ticks the row, or follows a link.
    const role = (row: number) => rows.nth(row).getByRole('cell').nth(2);
    await role(2).click();
    await expect.poll(opened).toBe(ids[2]);
    const box = (await role(1).boundingBox()) ?? expect.fail('the row is shown');
    await page.mouse.move(box.x + 13, box.y + box.height / 2);
    await page.mouse.down();
    await page.mouse.move(box.x + 60, box.y + box.height / 2);
    await page.mouse.up();
    expect(await page.evaluate('getSelection().toString()')).not.toBe('');
    await page.evaluate('getSelection().empty()');
    await rows.nth(1).getByRole('checkbox').check();
    expect(opened()).toBe(ids[2]);

    // A dialog over the panel, the panel, and the selection close one after the other.
    await panel.getByRole('button', { name: 'Training zuweisen' }).click();
    await page.getByRole('dialog').waitFor();
    await escapeDialog(page);
    await panel.waitFor();
    await page.keyboard.press('Escape');
    await panel.waitFor({ state: 'detached' });
    const bar = page.getByRole('toolbar', { name: 'Aktionen für die Auswahl' });
    await bar.waitFor();
    await page.keyboard.press('Escape');
    await bar.waitFor({ state: 'detached' });

    // Back closes it, however many rows were shown; the address opens it again.
    await role(2).click();
    await panel.waitFor();
    await page.keyboard.press('k');
    await expect.poll(opened).toBe(ids[1]);
    await page.goBack();
    await panel.waitFor({ state: 'detached' });
    expect(new URL(page.url()).pathname).toBe('/members');
    await isFocused(buttonOf(1));
    await page.goto(`/members?role=member&peek=${ids[1]}`);
    await panel.getByRole('button', { name: 'Training zuweisen' }).waitFor();
    await rows.nth(5).waitFor();
    await panel.getByRole('link', { name: 'Seite öffnen' }).click();
    await page.getByRole('heading', { level: 1, name: 'Maximiliane' }).waitFor();
    await page.goBack();
    await panel.waitFor();
    await panel.getByRole('button', { name: 'Schließen' }).click();
    await panel.waitFor({ state: 'detached' });

    // On a phone it is the page.
    await page.setViewportSize({ width: 390, height: 844 });
    await rows.nth(1).dispatchEvent('click');
    await page.getByRole('heading', { level: 1, name: 'Maximiliane' }).waitFor();
    await page.goto(`/members?peek=${ids[1]}`);
    await page.waitForURL(`**/members/${ids[1]}`);
  });

  it('shows in the panel what the page of each row begins with, also of a row that it has not loaded', async () => {
    const { service } = app;
    const own = await app.team();
    const { member_id: memberId, user_id: userId } = await app.person(own, 'member');
    await own.client.patch(`/users/${memberId}`, { role: 'admin' });
    const training = await aScoredTraining(service, own, { userId });
    const assignment = await anAssignment(service, own, { memberId, title: 'Preisgespräch' });
    const endpointId = await anEndpoint(service, own);
    const deliveryId = await aDelivery(service, own, { endpointId, status: 'gave_up' });
    await anAttempt(service, own, { deliveryId, code: 500 });
    const { id: key } = await own.aKey();
    await theRequests(service, own, key, [{ status: 404, code: 'not_found', route: '/cases/{case_id}' }]);

    const page = await app.signedIn(own.owner.email, '/');
    const panel = page.getByRole('complementary');
    for (const [path, name, without, texts] of [
      ['/audit', 'Rolle geändert', 'actor_kind=operator', ['Mitglied → Admin', 'IP-Adresse', 'Akteur']],
      ['/trainings', '', 'score=high', ['63', 'Folgeaufgabe zuweisen', 'Situation']],
      ['/assignments', 'Preisgespräch', 'overdue=true', ['Als erledigt markieren', 'Bearbeiten', 'Fällig']],
      [`/webhooks/${endpointId}`, '', 'status=ok', ['Jetzt erneut versuchen', 'Versuch 1', 'thanks']],
      ['/requests', 'GET /cases/{case_id}', 'status=2xx', ['not_found', 'Schlüssel', 'Wiederholen']],
    ] as const) {
      await goWithin(page, path);
      const button = page.getByRole('button', { name: `Details: ${name}` });
      await button.first().waitFor();
      await app.settled(page);
      await button.first().click();
      for (const text of texts) await panel.getByText(text).first().waitFor();
      await app.settled(page);
      await expectSound(page);
      // A filter takes the row away; the link still shows it.
      const { search } = new URL(page.url());
      await page.goto(`${path}${search}&${without}`);
      for (const text of texts) await panel.getByText(text).first().waitFor();
      await app.settled(page);
      expect(await button.count()).toBe(0);
      await page.keyboard.press('Escape');
      await panel.waitFor({ state: 'detached' });
    }

    // What has no page fills the screen of a phone.
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto(`/assignments?assignment_id=${assignment}`);
    await panel.getByRole('button', { name: 'Als erledigt markieren' }).waitFor();
    const whole = await page.getByRole('main').boundingBox();
    expect((await panel.boundingBox())?.width).toBe(whole?.width);
    await expectSound(page);
    await page.goto(`/trainings?peek=${training}`);
    await page.waitForURL(`**/trainings/${training}`);
  });
});
