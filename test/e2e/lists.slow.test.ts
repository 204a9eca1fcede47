import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { daysToMs, later } from '../../src/core/clock.ts';
import { anAssignment, aCatalogItem, aScoredTraining, aTraining } from '../support/practice.ts';
import { aPerson, renamePerson } from '../support/people.ts';
import { manyInvited, type TestTeam } from '../support/team.ts';
import { expectAccessible, expectNothingSticksOut, filterBy, goWithin, hasBrowser, useApp } from './support/app.ts';

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
    await page.getByLabel('Diese Filter merken als').fill('Inhaber ohne 2FA');
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
    await page.getByRole('button', { name: 'Weitere Angaben' }).first().click();
    await page.locator('main tbody dt').filter({ hasText: 'Rolle' }).waitFor();

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
});
