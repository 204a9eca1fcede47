import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { daysToMs, later } from '../../src/core/clock.ts';
import {
  aCatalogItem,
  anAssignment,
  anEvaluation,
  dimensions,
  equalScores,
  theTrainings,
} from '../support/practice.ts';
import { renamePerson } from '../support/people.ts';
import type { TestTeam } from '../support/team.ts';
import { choose, expectAccessible, goWithin, hasBrowser, useApp, filterBy, inFilters } from './support/app.ts';

const say = {
  figures: {
    score: 'Durchschnittliche Punktzahl',
    trainings: 'Bewertete Trainings',
    members: 'Mitglieder mit bewertetem Training',
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

/** The value and what is below it of each figure. */
const figuresOf = (page: Page): Promise<string[][]> =>
  Promise.all(
    Object.values(say.figures).map((label) =>
      page
        .locator('dl > div')
        .filter({ has: page.getByText(label, { exact: true }) })
        .getByRole('definition')
        .allInnerTexts(),
    ),
  );

describe.skipIf(!hasBrowser)('analytics', () => {
  const app = useApp();

  interface Practice {
    userId: string | null | undefined;
    daysAgo: number;
    total: number;
    situationId?: string;
    dimensions?: typeof dimensions;
  }

  const scored = (team: TestTeam, practised: readonly Practice[]) => {
    const now = app.service.clock.now();
    return theTrainings(
      app.service,
      team,
      practised.map(({ userId, daysAgo, total, dimensions: points = equalScores(total), ...of }) => {
        const at = later(now, -daysToMs(daysAgo));
        const evaluation = { ...anEvaluation({ total, dimensions: points }), savedAt: now };
        return { ...of, userId: userId ?? '', status: 'ended', createdAt: at, finishedAt: at, evaluation };
      }),
    );
  };

  /** Each member practised twice, weeks apart, and each is better than the one before. */
  const practise = async (team: TestTeam, userIds: readonly (string | null)[], step = 4) => {
    const practised = userIds.flatMap((userId, index) =>
      [3, 38].map((daysAgo) => ({ userId, daysAgo, total: Math.min(100, 50 + index * step), dimensions })),
    );
    await scored(team, practised);
  };

  it('shows the team’s numbers of twelve weeks, compares members, and marks the reader', async () => {
    const team = await app.team({ members: 4 });
    const person = await app.person(team, 'member');
    await practise(team, [...team.members.map(({ user_id }) => user_id), person.user_id]);
    const page = await app.signedIn(person.email, '/analytics');
    await page.getByText('Größtes Verbesserungspotenzial: Abschluss und Gesprächsführung.').waitFor();

    const none = 'in den 12 Wochen davor';
    expect(await figuresOf(page)).toEqual([
      ['58,0', 'Kein Vergleichswert'],
      ['10', `0 ${none}`],
      ['5 von 6', `0 ${none}`],
    ]);

    const bars = await page
      .getByRole('list', { name: 'Durchschnittliche Punktzahl des Teams' })
      .getByRole('listitem')
      .allTextContents();
    expect(bars).toEqual(Object.values(say.dimensionNames).map((name, index) => `${name}${41 + index * 11}`));

    const table = page.getByRole('table', { name: 'Durchschnittliche Punktzahl pro Woche' });
    await table.waitFor();
    const weeks = await table.getByRole('cell').allTextContents();
    expect(weeks).toHaveLength(12);
    expect(weeks.filter((week) => week !== 'keine')).toEqual(['58 (5 Trainings)', '58 (5 Trainings)']);
    await page.getByText('12 Monate', { exact: true }).click();
    await page.getByRole('table', { name: 'Durchschnittliche Punktzahl pro Monat' }).waitFor();
    expect(new URL(page.url()).search).toBe('?period=12_months');

    const rows = page.getByRole('table', { name: say.leaderboard }).getByRole('row');
    await rows.nth(5).waitFor();
    // The heading, then the best member.
    const best = rows.nth(1);
    await best.getByText('A member').waitFor();
    await best.getByText(say.you, { exact: true }).waitFor();
    await best.getByText('66', { exact: true }).waitFor();
    expect(await page.getByText(say.you, { exact: true }).count()).toBe(1);
  });

  it('shows the scores of the chosen period, each compared with as long a time before', async () => {
    const team = await app.team({ members: 6 });
    const users = team.members.map(({ user_id }) => user_id);
    await scored(team, [
      ...users.map((userId) => ({ userId, daysAgo: 3, total: 70 })),
      // Before the last twelve weeks.
      ...[60, 71, 80, 69, 72, 68].map((total, at) => ({ userId: users[at], daysAgo: 110, total })),
      { userId: team.owner.user_id, daysAgo: 110, total: 20 },
    ]);
    const page = await app.signedIn(team.owner.email, '/analytics');
    await page.getByRole('table', { name: say.leaderboard }).waitFor();
    const past = 'in den 12 Wochen davor';
    expect(await figuresOf(page)).toEqual([
      ['70,0', '+7,1 gegenüber den 12 Wochen davor'],
      ['6', `7 ${past}`],
      ['6 von 7', `7 ${past}`],
    ]);
    const areas = page.getByRole('list', { name: 'Durchschnittliche Punktzahl des Teams' }).getByRole('listitem');
    expect((await areas.allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' '))).toContain('Abschluss +7,1 70');
    // A change of less than two points is noise, and has no colour.
    const changes = await page
      .getByRole('table', { name: say.leaderboard })
      .locator('tbody tr')
      .locator('[data-change]')
      .evaluateAll((all) => all.map((one) => `${one.textContent} ${one.getAttribute('data-change')}`));
    expect(changes.toSorted()).toEqual(
      ['+1,0 plain', '+10,0 good', '+2,0 good', '−1,0 plain', '−10,0 warn', '−2,0 warn'].toSorted(),
    );

    await page.getByText('6 Monate', { exact: true }).click();
    await expect
      .poll(() => figuresOf(page))
      .toEqual([
        ['66,2', 'Kein Vergleichswert'],
        ['13', '0 in den 6 Monaten davor'],
        ['7 von 7', '0 in den 6 Monaten davor'],
      ]);
    // The choice is in the address.
    await page.reload();
    await expect.poll(async () => (await figuresOf(page))[1]?.[0]).toBe('13');
  });

  it('splits the scores into a chart for each part, all with one axis, and each opens its own trainings', async () => {
    const team = await app.team({ members: 2 });
    const [anna, ben] = team.members.map(({ user_id }) => user_id);
    const [calls, prices] = [
      await aCatalogItem(app.service, { dimension: 'situation', nameDe: 'Erstanruf' }),
      await aCatalogItem(app.service, { dimension: 'situation', nameDe: 'Preisgespräch' }),
    ];
    await scored(team, [
      { userId: anna, daysAgo: 24, total: 90, situationId: calls },
      { userId: anna, daysAgo: 10, total: 80, situationId: calls },
      { userId: ben, daysAgo: 10, total: 70, situationId: calls },
      { userId: ben, daysAgo: 24, total: 40, situationId: prices },
      { userId: ben, daysAgo: 17, total: 41, situationId: prices },
    ]);
    const page = await app.signedIn(team.owner.email, '/analytics');
    const panel = page.getByRole('region', { name: 'Punktzahl im Zeitverlauf' });
    const whole = panel.getByRole('slider', { name: 'Durchschnittliche Punktzahl pro Woche', exact: true });
    await whole.waitFor();
    await choose(page, 'Aufteilen nach', 'Situation');
    const chartOf = (name: string) => panel.getByRole('group', { name, exact: true });
    await chartOf('Erstanruf').getByText('Ø 80,0 aus 3 Trainings, zuletzt 75 aus 2', { exact: true }).waitFor();
    await chartOf('Preisgespräch').getByText('Ø 40,5 aus 2 Trainings, zuletzt 41 aus 1', { exact: true }).waitFor();
    // They take the place of the chart with all lines.
    expect(await whole.count()).toBe(0);
    const axisOf = (name: string) => chartOf(name).locator('svg').first().locator('text').allTextContents();
    await expect.poll(async () => (await axisOf('Erstanruf')).slice(0, 4)).toEqual(['40', '60', '80', '100']);
    expect(await axisOf('Preisgespräch')).toEqual(await axisOf('Erstanruf'));
    // Behind each line is that of the whole team.
    const headings = chartOf('Erstanruf').getByRole('columnheader');
    expect(await headings.allTextContents()).toEqual(['Woche', 'Erstanruf', 'Ganzes Team']);
    await expectAccessible(page);

    const calling = chartOf('Erstanruf').getByRole('slider');
    expect(await calling.getAttribute('aria-label')).toBe('Erstanruf: Durchschnittliche Punktzahl pro Woche');
    await calling.focus();
    await page.keyboard.press('End');
    while (!(await calling.getAttribute('aria-valuetext'))?.includes('Erstanruf 75 (2 Trainings)')) {
      await page.keyboard.press('ArrowLeft');
    }
    await page.keyboard.press('Enter');
    await page.getByText('2 Treffer').waitFor();
    expect(new URL(page.url()).searchParams.get('situation')).toBe(calls);
    // The split is in the address.
    await page.goBack();
    await chartOf('Erstanruf').waitFor();

    await choose(page, 'Aufteilen nach', 'Rolle des Mitglieds');
    await chartOf('Mitglied').waitFor();
    await panel.getByRole('button', { name: 'Als Tabelle' }).click();
    const table = panel.getByRole('table', { name: 'Durchschnittliche Punktzahl pro Woche', exact: true });
    await expect
      .poll(() => table.getByRole('columnheader').allInnerTexts())
      .toEqual(['Woche', 'Mitglied', 'Ganzes Team']);
  });

  it('filters the leaderboard by name, role, number of trainings and change', async () => {
    const team = await app.team({ admins: 1, members: 10 });
    const [busy, better, worse, ...others] = team.members;
    await renamePerson(app.service, team, busy?.user_id ?? '', 'Zora Quast');
    await scored(team, [
      ...[1, 2, 3, 4, 5].map((daysAgo) => ({ userId: busy?.user_id, daysAgo, total: 80 })),
      { userId: better?.user_id, daysAgo: 110, total: 50 },
      { userId: worse?.user_id, daysAgo: 110, total: 90 },
      ...[better, worse, ...others, ...team.admins].map((one) => ({ userId: one?.user_id, daysAgo: 3, total: 60 })),
    ]);
    const page = await app.signedIn(team.owner.email, '/analytics');
    const board = page.getByRole('region', { name: say.leaderboard });
    const links = board.getByRole('table').getByRole('link');
    const expectOnly = (member: { id: string } | undefined) =>
      expect
        .poll(() => links.evaluateAll((all) => all.map((one) => one.getAttribute('href'))))
        .toEqual([`/members/${member?.id}`]);
    await expect.poll(() => links.count()).toBe(11);
    for (const [label, option, member] of [
      ['Bewertete Trainings', 'ab 5', busy],
      ['Rolle', 'Admin', team.admins[0]],
      ['Veränderung', 'Verbessert', better],
      ['Veränderung', 'Verschlechtert', worse],
    ] as const) {
      await filterBy(page, label, option);
      await expectOnly(member);
      await board.getByRole('button', { name: 'Filter zurücksetzen' }).click();
      await expect.poll(() => links.count()).toBe(11);
    }
    // A row opens the member, and words are found in any order.
    await board.getByRole('searchbox', { name: 'Name suchen' }).fill('quast ZOR');
    await expectOnly(busy);
    await links.click();
    await page.waitForURL(`**/members/${busy?.id}`);

    const member = await app.signedIn((await app.person(team, 'member')).email, '/analytics');
    await member.getByRole('searchbox', { name: 'Name suchen' }).waitFor();
    await inFilters(member, async (filters) => {
      await filters.getByLabel('Veränderung').waitFor();
      expect(await filters.getByLabel('Rolle', { exact: true }).count()).toBe(0);
    });
  });

  it('offers no filters for a short leaderboard, but one that is set can be cleared', async () => {
    const team = await app.team({ admins: 1, members: 4 });
    await practise(
      team,
      [...team.admins, ...team.members].map(({ user_id }) => user_id),
      1,
    );
    const page = await app.signedIn(team.owner.email, '/analytics?role=admin');
    const board = page.getByRole('region', { name: say.leaderboard });
    const links = board.getByRole('table').getByRole('link');
    await expect.poll(() => links.count()).toBe(1);
    await board.getByRole('button', { name: 'Filter zurücksetzen' }).click();
    await expect.poll(() => links.count()).toBe(5);
    expect(await board.getByRole('searchbox').count()).toBe(0);
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

    await team.change({ leaderboard: false });
    await page.reload();
    const board = page.getByRole('region', { name: say.leaderboard });
    await board.getByText('Rangliste ausgeblendet').waitFor();
    expect(await board.getByRole('link', { name: 'Einstellungen öffnen' }).getAttribute('href')).toBe(
      '/settings/privacy',
    );
  });

  it('shows a coach a member’s figures of one time, beside the team’s, and what to do about them', async () => {
    const team = await app.team({ members: 1 });
    const { email, member_id, user_id } = await app.person(team, 'member');
    await practise(team, [user_id, team.members[0]?.user_id ?? null], 60);
    await anAssignment(app.service, team, { memberId: member_id, title: 'Preisgespräch' });
    await anAssignment(app.service, team, { memberId: member_id, title: 'Erledigt', status: 'done' });
    const page = await app.signedIn(team.owner.email, `/members/${member_id}`);
    const areas = page.getByRole('region', { name: 'Punkte je Bereich' });
    await areas.getByText('12 Wochen', { exact: true }).waitFor();
    const closing = areas.getByRole('listitem').filter({ hasText: 'Abschluss' });
    await closing.getByText(/^Team \d/).waitFor();
    await page
      .getByRole('region', { name: 'Punktzahl im Zeitverlauf' })
      .getByText('6 Monate', { exact: true })
      .first()
      .click();
    await areas.getByText('6 Monate', { exact: true }).waitFor();

    // A point opens the member's own trainings.
    const points = page.getByRole('region', { name: 'Punktzahl im Zeitverlauf' }).getByRole('slider').first();
    await points.press('Enter');
    await page.waitForURL(new RegExp(`/trainings\\?user_id=${user_id}&`));
    await page.goBack();

    await page.getByRole('button', { name: 'Erinnern …' }).click();
    const dialog = page.getByRole('dialog', { name: 'A member an 1 Aufgabe erinnern?' });
    await dialog.getByRole('button', { name: '1 Person erinnern' }).click();
    await page.getByText('An 1 Aufgabe erinnert.').waitFor();
    expect((await app.service.mailsTo(email)).map(({ kind }) => kind)).toContain('assignment_reminder');
    await page.getByRole('button', { name: 'Training zuweisen' }).click();
    await page.getByRole('dialog', { name: 'Neue Aufgabe' }).getByText(`A member`).first().waitFor();
    await expectAccessible(page);
  });

  it('compares up to four members side by side, from a member’s page too, and only while the team compares its members', async () => {
    const team = await app.team({ members: 5 });
    await practise(
      team,
      team.members.map(({ user_id }) => user_id),
      10,
    );
    const [first, second, third, , last] = team.members;
    await renamePerson(app.service, team, third?.user_id ?? '', 'Zora Quast');
    const page = await app.signedIn(team.owner.email, `/members/${first?.id}`);
    const theirs = page.getByRole('region', { name: 'Punktzahl im Zeitverlauf' });
    // Between the second and the fourth of five means.
    await theirs.getByText('Mittlere Hälfte des Teams').first().waitFor();
    const ownTable = theirs.getByRole('table', { name: 'Durchschnittliche Punktzahl pro Woche' });
    await ownTable.getByText('60–80').first().waitFor();
    await expectAccessible(page);
    await theirs.getByRole('link', { name: 'Mit anderen vergleichen' }).click();

    const compared = page.getByRole('region', { name: 'Punktzahl im Zeitverlauf' }).getByRole('group');
    const figures = (score: string, last: string) => `Ø ${score} aus 2 Trainings, zuletzt ${last} aus 1`;
    const expectCompared = (...scores: number[]) =>
      expect
        .poll(() => compared.locator('h3 + *').allTextContents())
        .toEqual(scores.map((score) => figures(`${score},0`, String(score))));
    await expectCompared(50);
    const choice = page.getByRole('combobox', { name: 'Mitglieder (höchstens 4)' });
    for (const one of [second, last]) {
      await choice.fill(one?.email ?? '');
      await page.getByRole('option', { name: one?.email ?? '' }).click();
    }
    await expectCompared(50, 60, 90);
    await page.keyboard.press('Escape');
    const names = await compared.first().getByRole('columnheader').allTextContents();
    expect(names).toEqual(['Woche', first?.email, 'Ganzes Team', 'Mittlere Hälfte des Teams']);
    // The choice is in the address.
    await page.reload();
    await expectCompared(50, 60, 90);

    // Four are two and two, their areas are below each other, and each is chosen by name in one line.
    await choice.fill('zora');
    await page.getByRole('option', { name: `Zora Quast · ${third?.email}` }).click();
    await page.keyboard.press('Escape');
    await expectCompared(50, 60, 90, 70);
    await page.locator('.mantine-MultiSelect-pill').getByText('Zora Quast', { exact: true }).waitFor();
    const places = await compared.evaluateAll((all) =>
      all.map((one) => [one.getBoundingClientRect().left, one.getBoundingClientRect().top] as const),
    );
    const [left, right] = [...new Set(places.map(([x]) => x))];
    expect(places.map(([x]) => x)).toEqual([left, right, left, right]);
    expect(new Set(places.map(([, y]) => y)).size).toBe(2);
    const areas = page.getByRole('table', { name: 'Punktzahl nach Bereich und Mitglied' }).locator('tbody tr');
    const texts = await areas.allInnerTexts();
    expect(texts.map((text) => text.split(/\s*\t\s*/))).toEqual(
      [first?.email, second?.email, last?.email, 'Zora Quast', 'Ganzes Team'].map((name) => [
        name,
        ...Object.values(dimensions).map(String),
      ]),
    );
    await expectAccessible(page);

    await team.change({ leaderboard: false });
    await page.reload();
    await page.getByRole('table', { name: 'Durchschnittliche Punktzahl pro Woche' }).waitFor();
    expect(await compared.count()).toBe(0);
    await goWithin(page, `/members/${first?.id}`);
    await ownTable.waitFor();
    expect(await theirs.getByRole('link', { name: 'Mit anderen vergleichen' }).count()).toBe(0);
    expect(await theirs.getByText('Mittlere Hälfte des Teams').count()).toBe(0);
  });
});
