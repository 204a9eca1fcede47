import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { daysToMs, later } from '../../src/core/clock.ts';
import { aCatalogItem, aScoredTraining, aTraining } from '../support/practice.ts';
import { aPerson } from '../support/people.ts';
import type { TestTeam } from '../support/team.ts';
import { expectAccessible, expectNothingSticksOut, goWithin, hasBrowser, useApp } from './support/app.ts';

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

  it('loses no column in compact rows, which are 36 px high at most, and has the score of a training in higher rows too', async () => {
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
        const all = ['Training', 'Mitglied', 'Persönlichkeit', 'Status', 'Punktzahl', 'Begonnen', 'Dauer'];
        await expect.poll(() => headings(page), { message: `at ${width}` }).toEqual(all);
        await fold(page);
        await expectNothingSticksOut(page, page.url(), width);
      }
    }
    await page.getByRole('cell', { name: '12:34 min' }).first().waitFor();

    // Higher rows still have the score in a column of its own.
    await compact(page, false);
    for (const _ of ['as it is', 'the other way']) {
      await expectNothingSticksOut(page, page.url(), 1024);
      await page.getByRole('columnheader', { name: 'Punktzahl' }).waitFor();
      expect(await page.locator('[data-column=Punktzahl]').count()).toBe(0);
      await fold(page);
    }
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
