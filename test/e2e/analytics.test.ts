import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { daysToMs, later } from '../../src/core/clock.ts';
import type { TestTeam } from '../support/team.ts';
import { anEvaluation, theTrainings } from '../support/trainings.ts';
import { expectAccessible, hasBrowser, useApp } from './support/app.ts';

const say = {
  totals: {
    avg_score: 'Durchschnittliche Punktzahl',
    scored: 'Bewertete Trainings',
    sessions: 'Abgeschlossene Trainings',
    active_members: 'Aktive Mitglieder',
  },
  dimensionNames: {
    closing: 'Abschluss',
    conversation_control: 'Gesprächsführung',
    needs_analysis: 'Bedarfsanalyse',
    objection_handling: 'Einwandbehandlung',
    value_argument: 'Nutzenargumentation',
  },
  leaderboard: 'Rangliste',
  you: 'Sie',
  more: 'Weitere anzeigen',
} as const;

const numberOf = (page: Page, label: string) =>
  page
    .locator('dl > div')
    .filter({ has: page.getByText(label, { exact: true }) })
    .getByRole('definition')
    .first();

describe.skipIf(!hasBrowser)('analytics', () => {
  const app = useApp();
  const written = (value: unknown) => (typeof value === 'number' ? value.toLocaleString('de-DE') : '–');

  /** Each member practised twice, weeks apart, and each is better than the one before. */
  const practise = async (team: TestTeam, userIds: readonly (string | null)[], step = 4) => {
    const now = app.service.clock.now();
    const sessions = userIds.flatMap((userId, index) =>
      [3, 38].map((daysAgo) => ({
        userId: userId ?? '',
        status: 'ended' as const,
        createdAt: later(now, -daysToMs(daysAgo)),
        finishedAt: later(now, -daysToMs(daysAgo)),
        evaluation: { ...anEvaluation({ total: Math.min(100, 50 + index * step) }), savedAt: now },
      })),
    );
    await theTrainings(app.service, team, sessions);
  };

  it('shows the numbers of the public API, compares members, and marks the reader', async () => {
    const team = await app.team({ members: 4 });
    const person = await app.person(team, 'member');
    await practise(team, [...team.members.map(({ user_id }) => user_id), person.user_id]);
    const page = await app.signedIn(person.email, '/analytics');
    const { body } = await team.client.get('/analytics/team');
    await page.getByText('Größtes Verbesserungspotenzial: Abschluss und Gesprächsführung.').waitFor();

    const shown: Record<string, string | null> = {};
    for (const [total, label] of Object.entries(say.totals)) shown[total] = await numberOf(page, label).textContent();
    const totals = Object.entries(body['totals'] ?? {}).map(([total, value]) => [total, written(value)]);
    expect(shown).toEqual(Object.fromEntries(totals));

    const bars = await page
      .getByRole('list', { name: 'Durchschnittliche Punktzahl des Teams' })
      .getByRole('listitem')
      .allTextContents();
    expect(body['dimensions']).toEqual([
      { dimension: 'closing', value: 41 },
      { dimension: 'conversation_control', value: 52 },
      { dimension: 'needs_analysis', value: 63 },
      { dimension: 'objection_handling', value: 74 },
      { dimension: 'value_argument', value: 85 },
    ]);
    expect(bars).toEqual(Object.values(say.dimensionNames).map((name, index) => `${name}${41 + index * 11}`));

    const table = page.getByRole('table', { name: 'Durchschnittliche Punktzahl pro Woche' });
    await table.waitFor();
    const weeks = await table.getByRole('cell').allTextContents();
    const trend = Array.isArray(body['trend']) ? body['trend'] : [];
    expect(trend).toHaveLength(12);
    const ofFive = (score: unknown) => (score === null ? 'keine' : `${written(score)} (5 Trainings)`);
    expect(weeks).toEqual(trend.map(({ score }) => ofFive(score)));
    await page.getByText('12 Monate', { exact: true }).click();
    await page.getByRole('table', { name: 'Durchschnittliche Punktzahl pro Monat' }).waitFor();

    const rows = page.getByRole('table', { name: say.leaderboard }).getByRole('row');
    await rows.nth(5).waitFor();
    const { members } = body;
    expect(members).toHaveLength(5);
    // The heading, then the best member.
    const best = rows.nth(1);
    await best.getByText('A member').waitFor();
    await best.getByText(say.you, { exact: true }).waitFor();
    expect(members).toContainEqual({ sessions: 2, avg_score: 66, trend_delta: 0 });
    await best.getByText('66', { exact: true }).waitFor();
    expect(await page.getByText(say.you, { exact: true }).count()).toBe(1);
  });

  it('shows the best fifty and the reader first, the others on request, and why nobody is ranked once that is switched off', async () => {
    const team = await app.team({ members: 53, seats: 60 });
    await practise(team, [team.owner.user_id, ...team.members.map(({ user_id }) => user_id)], 1);
    const page = await app.signedIn(team.owner.email, '/analytics');
    const rows = page.getByRole('table', { name: say.leaderboard }).locator('tbody tr');
    await expect.poll(() => rows.count()).toBe(51);
    await rows.last().getByText(say.you, { exact: true }).waitFor();
    await page.getByRole('button', { name: say.more }).click();
    await expect.poll(() => rows.count()).toBe(54);
    expect(await page.getByRole('button', { name: say.more }).count()).toBe(0);

    // A row opens the member, and words are found in any order.
    const [one] = team.members;
    const [name = ''] = (one?.email ?? '').split('@');
    await page.getByRole('searchbox', { name: 'Name suchen' }).fill(`${name.slice(-3)} ${name.slice(0, 3)}`);
    await rows.getByRole('link', { name }).waitFor();
    expect(await rows.getByRole('link', { name }).getAttribute('href')).toBe(`/members/${one?.id}`);

    // A point opens the trainings behind it.
    const chart = page.getByRole('slider', { name: 'Durchschnittliche Punktzahl pro Woche' });
    await chart.focus();
    await page.keyboard.press('End');
    await page.keyboard.press('ArrowLeft');
    while (!/\d+ \(54 Trainings\)/.test((await chart.getAttribute('aria-valuetext')) ?? '')) {
      await page.keyboard.press('ArrowRight');
    }
    await page.keyboard.press('Enter');

    await page.getByText('54 Treffer').waitFor();
    await page.goBack();

    await team.change({ leaderboard: false });
    await page.reload();
    const board = page.getByRole('region', { name: say.leaderboard });
    await board.getByText('Rangliste ausgeblendet').waitFor();
    expect(await board.getByRole('link', { name: 'Einstellungen öffnen' }).getAttribute('href')).toBe('/settings');
  });

  it('compares up to four members side by side, from a member’s page too, and only while the team compares its members', async () => {
    const team = await app.team({ members: 5 });
    await practise(
      team,
      team.members.map(({ user_id }) => user_id),
      10,
    );
    const [first, second, , , last] = team.members;
    const page = await app.signedIn(team.owner.email, `/members/${first?.id}`);
    const theirs = page.getByRole('region', { name: 'Punktzahl im Zeitverlauf' });
    // Between the second and the fourth of five means.
    await theirs.getByText('Mittlere Hälfte des Teams').first().waitFor();
    const ownTable = theirs.getByRole('table', { name: 'Durchschnittliche Punktzahl pro Woche' });
    await ownTable.getByText('60–80').first().waitFor();
    await expectAccessible(page);
    await theirs.getByRole('link', { name: 'Mit anderen vergleichen' }).click();

    const compared = page.getByRole('region', { name: 'Mitglieder im Vergleich' });
    await expect.poll(() => compared.getByRole('definition').allTextContents()).toEqual(['50,0', '2 Trainings']);
    const choice = page.getByRole('combobox', { name: 'Mitglieder (höchstens 4)' });
    for (const one of [second, last]) {
      await choice.fill(one?.email ?? '');
      await page.getByRole('option', { name: one?.email ?? '' }).click();
    }
    await expect
      .poll(() => compared.getByRole('definition').allTextContents())
      .toEqual(['50,0', '2 Trainings', '60,0', '2 Trainings', '90,0', '2 Trainings']);
    await page.keyboard.press('Escape');
    const names = await page
      .getByRole('table', { name: 'Durchschnittliche Punktzahl pro Woche' })
      .getByRole('columnheader')
      .allTextContents();
    expect(names.slice(-2)).toEqual(['Ganzes Team', 'Mittlere Hälfte des Teams']);
    expect(names).toHaveLength(1 + 3 + 2);
    // The choice is in the address.
    await page.reload();
    await compared.getByText('90,0').waitFor();

    await team.change({ leaderboard: false });
    await page.reload();
    await page.getByRole('table', { name: 'Durchschnittliche Punktzahl pro Woche' }).waitFor();
    expect(await compared.count()).toBe(0);
    await page.goto(`${app.service.origin}/members/${first?.id}`);
    await ownTable.waitFor();
    expect(await theirs.getByRole('link', { name: 'Mit anderen vergleichen' }).count()).toBe(0);
    expect(await theirs.getByText('Mittlere Hälfte des Teams').count()).toBe(0);
  });
});
