import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { daysToMs, later } from '../../src/core/clock.ts';
import {
  anAssignment,
  anOwnCombination,
  aCatalogItem,
  anEvaluation,
  aScoredTraining,
  aTraining,
  theTrainings,
} from '../support/practice.ts';
import type { TestTeam } from '../support/team.ts';
import { expectAccessible, filterBy, goWithin, hasBrowser, holdRequests, inFilters, useApp } from './support/app.ts';

const say = {
  team: 'Trainings des Teams',
  own: 'Ihre Trainings',
  state: 'Status',
  who: 'Mitglied',
  free: 'Freies Training',
  unknown: 'Unbekannt',
  evaluation: 'Bewertung',
  points: 'Punktzahl nach Bereich',
  score: /^Punktzahl 63: /,
  dimensions: ['Abschluss', 'Gesprächsführung', 'Bedarfsanalyse', 'Einwandbehandlung', 'Nutzenargumentation'],
} as const;

const tip = {
  issue: '<img src=x onerror=alert(1)> Kein nächster Schritt',
  moment: '„Melden Sie sich einfach.“',
  principle: 'Wer vorschlägt, führt.',
  rewrite: '„Passt Ihnen Donnerstag um zehn?“',
  impact: 'Das Gespräch bekommt ein Datum.',
};

describe.skipIf(!hasBrowser)('trainings', () => {
  const app = useApp();

  const rowsOf = (page: Page, table: string) => page.getByRole('table', { name: table }).locator('tbody tr');
  const idsIn = (page: Page, table: string) =>
    rowsOf(page, table)
      .getByRole('link')
      .evaluateAll((links) => links.map((link) => link.getAttribute('href')?.split('/').at(-1)));
  /** The list shows exactly these ids after it has loaded. */
  const expectIds = (page: Page, table: string, ids: unknown) => expect.poll(() => idsIn(page, table)).toEqual(ids);
  const idsOf = async (team: TestTeam, query: string) =>
    (await team.client.get(`/trainings?${query}`)).data.map(({ id }) => id);

  const aPractisedTeam = async () => {
    const team = await app.team({ members: 1 });
    const person = await app.person(team, 'member');
    const other = team.members[0]?.user_id ?? '';
    const now = app.service.clock.now();
    const evaluation = { ...anEvaluation(), savedAt: now };
    const assignment = await anAssignment(app.service, team, { memberId: person.member_id, title: 'Preisgespräch' });
    await theTrainings(
      app.service,
      team,
      [1, 2, 3, 20].flatMap((daysAgo) => {
        const at = { createdAt: later(now, -daysToMs(daysAgo)), finishedAt: later(now, 500_000 - daysToMs(daysAgo)) };
        return [
          { ...at, userId: person.user_id, status: 'ended' as const, evaluation, assignmentId: assignment },
          { ...at, userId: other, status: 'aborted' as const },
        ];
      }),
    );
    return { team, person, assignment, now };
  };

  /** An evaluation with all possible fields. */
  const aDetailedTraining = async (team: TestTeam, userId: string) => {
    const methodology = await aCatalogItem(app.service, { dimension: 'methodology', nameDe: 'Ruhige Klärung' });
    const situation_id = await aCatalogItem(app.service, { dimension: 'situation', nameDe: 'Preis und Wert' });
    const evaluation = anEvaluation({
      tips: [tip],
      goal: 'partial',
      methodology,
      strongest: 'Hört gut zu.',
      biggest_lever: 'Einen Termin vorschlagen.',
    });
    return aScoredTraining(app.service, team, {
      userId,
      situationId: situation_id,
      externalRef: { crm: 'A-17' },
      evaluation: { ...evaluation, savedAt: app.service.clock.now() },
    });
  };

  it('has one line a row on a wide screen: names are whole, longer texts are cut and whole on hover', async () => {
    const team = await app.team({ ownerName: 'Matthias Hoffmann' });
    const item = (dimension: 'situation' | 'personality' | 'industry', nameDe: string) =>
      aCatalogItem(app.service, { dimension, nameDe });
    await aScoredTraining(app.service, team, {
      userId: team.owner.user_id,
      situationId: await item('situation', 'Einwandbehandlung: „Melden Sie sich später noch einmal“'),
      personalityId: await item('personality', 'Analytisch und faktenorientiert'),
      industryId: await item('industry', 'Banken und Finanzdienstleistungen'),
    });
    const page = await app.signedIn(team.owner.email, '/trainings');
    const row = rowsOf(page, say.team).first();
    const customer = row.getByText('Analytisch und faktenorientiert · Banken und Finanzdienstleistungen');
    await customer.waitFor();
    expect((await row.boundingBox())?.height).toBeLessThan(56);
    expect(await row.getByText('Matthias Hoffmann').getAttribute('tabindex')).toBeNull();
  });

  it('lists the same as the public API, with every filter, which the URL keeps', async () => {
    const { team, person, assignment, now } = await aPractisedTeam();
    const page = await app.signedIn(team.owner.email, '/trainings');
    const rows = rowsOf(page, say.team);
    await rows.nth(7).waitFor();
    await expectIds(page, say.team, await idsOf(team, 'limit=50'));

    await filterBy(page, say.state, { label: 'Bewertet' });
    await expectIds(page, say.team, await idsOf(team, 'status=scored'));
    const score = rows.nth(1).getByRole('button', { name: say.score });
    await score.hover();
    await page.getByRole('list', { name: say.points }).getByRole('listitem').filter({ hasText: '85' }).waitFor();
    await page.mouse.move(0, 0);
    await page.getByRole('list', { name: say.points }).waitFor({ state: 'hidden' });
    const byKeyboard = rows.nth(2).getByRole('button', { name: say.score });
    await byKeyboard.press('Enter');
    await page.getByRole('list', { name: say.points }).waitFor();
    expect(await byKeyboard.evaluate((button) => button.matches(':focus'))).toBe(true);
    await page.keyboard.press('Tab');

    const day = later(now, -daysToMs(10)).toISOString().slice(0, 10);
    await inFilters(page, async (filters) => {
      const who = filters.getByRole('textbox', { name: say.who }).or(filters.getByRole('combobox', { name: say.who }));
      await who.fill('A mem');
      await filters.getByRole('option', { name: person.email }).click();
      await filters.getByLabel('Zeitraum').selectOption('own');
      await filters.getByLabel('Von', { exact: true }).fill(day);
    });
    const query = () => Object.fromEntries(new URL(page.url()).searchParams);
    await expect.poll(query).toEqual({ status: 'scored', user_id: person.user_id, range: 'own', from: day });
    await page.reload();
    await rows.nth(2).waitFor();
    await expectIds(
      page,
      say.team,
      await idsOf(team, `status=scored&user_id=${person.user_id}&since=${day}T00:00:00Z`),
    );

    await page.goto(`/trainings?assignment_id=${assignment}`);
    await page.getByText('Gefiltert nach Aufgabe „Preisgespräch“').waitFor();
    await rows.nth(3).waitFor();
    await expectIds(page, say.team, await idsOf(team, `assignment_id=${assignment}`));
    await page.getByRole('button', { name: 'Filter zurücksetzen' }).click();
    await rows.nth(7).waitFor();
  });

  it('calls no person unknown and no training free while the names load, and keeps known names while it loads older ones', async () => {
    const team = await app.team({ members: 1 });
    const [person] = team.members;
    const situation = await aCatalogItem(app.service, { dimension: 'situation', nameDe: 'Preis und Wert' });
    const further = await aCatalogItem(app.service, { dimension: 'situation', nameDe: 'Erstes Gespräch' });
    const now = app.service.clock.now();
    const many = Array.from({ length: 60 }, (_, index) => ({
      userId: index < 50 ? team.owner.user_id : (person?.user_id ?? ''),
      situationId: index < 50 ? situation : further,
      status: 'ended' as const,
      createdAt: later(now, -index * 1_000),
      finishedAt: now,
    }));
    await theTrainings(app.service, team, many);
    const page = await app.signedIn(team.owner.email, '/');
    const releaseFirst = await holdRequests(page, /\.names/);
    await goWithin(page, '/trainings');
    const rows = rowsOf(page, say.team);
    await rows.nth(49).waitFor();
    const nameless = await rows.nth(49).innerText();
    expect(nameless).not.toContain(say.unknown);
    expect(nameless).not.toContain(say.free);
    releaseFirst();
    await rows.nth(49).getByText('Preis und Wert').waitFor();
    await rows.nth(49).getByText(team.owner.email).waitFor();
    const release = await holdRequests(page, /\.names/);
    await page.getByRole('button', { name: 'Weitere laden' }).click();
    await rows.nth(59).waitFor();
    const known = await rows.nth(49).innerText();
    expect(known).toContain('Preis und Wert');
    expect(known).toContain(team.owner.email);
    const shown = await rows.nth(59).innerText();
    expect(shown).not.toContain(say.unknown);
    expect(shown).not.toContain(say.free);
    release();
    await rows.nth(59).getByText('Erstes Gespräch').waitFor();
    await rows
      .nth(59)
      .getByText(person?.email ?? '')
      .waitFor();
    await expectIds(page, say.team, await idsOf(team, 'limit=200'));
  });

  it('shows a training with its scores, and its texts as plain text', async () => {
    const team = await app.team({ members: 1 });
    const id = await aDetailedTraining(team, team.members[0]?.user_id ?? '');
    const page = await app.signedIn(team.owner.email, `/trainings/${id}`);
    const evaluation = page.getByRole('region', { name: say.evaluation });
    await evaluation.getByText('63', { exact: true }).first().waitFor();
    const bars = await evaluation.getByRole('list', { name: say.points }).getByRole('listitem').allTextContents();
    expect(bars).toEqual(say.dimensions.map((name, index) => `${name}${41 + index * 11}`));
    await evaluation.getByText('Gesprächsziel teilweise erreicht').waitFor();
    await evaluation.getByText('Ruhige Klärung').waitFor();
    await page.getByRole('region', { name: 'Größte Stärke' }).getByText('Hört gut zu.').waitFor();
    await page
      .getByRole('region', { name: 'Größtes Verbesserungspotenzial' })
      .getByText('Einen Termin vorschlagen.')
      .waitFor();
    const tips = page.getByRole('region', { name: 'Tipps' });
    for (const text of Object.values(tip)) await tips.getByText(text).waitFor();
    const details = page.getByRole('region', { name: 'Details' });
    await details.getByText('Preis und Wert').waitFor();
    await details.getByText('"crm": "A-17"').waitFor();
  });

  it('tells a coach whose training it is, their average, tips for them and the trainings before and after, and fills in what follows', async () => {
    const team = await app.team();
    const { member_id, user_id: userId } = await app.person(team, 'member');
    const own = await anOwnCombination(app.service, team);
    const items = {
      situationId: own.situation_id,
      personalityId: own.personality_id,
      industryId: own.industry_id,
    };
    const now = app.service.clock.now();
    const evaluation = { ...anEvaluation({ tips: [tip] }), savedAt: now };
    const ids: string[] = [];
    for (const daysAgo of [3, 2, 1]) {
      const createdAt = later(now, -daysToMs(daysAgo));
      const at = { createdAt, finishedAt: createdAt };
      ids.push(await aScoredTraining(app.service, team, { userId, ...items, ...at, evaluation }));
    }
    // Of somebody else, between them.
    const between = later(now, -daysToMs(1.5));
    const times = { createdAt: between, finishedAt: between };
    const mine = await aScoredTraining(app.service, team, {
      userId: team.owner.user_id,
      ...items,
      ...times,
      evaluation,
    });
    const page = await app.signedIn(team.owner.email, `/trainings/${ids[1]}`);
    await page.getByRole('heading', { level: 1, name: 'Price talk · A member' }).waitFor();
    await page.getByText('Durchschnitt von A member: 63', { exact: true }).waitFor();
    await page.getByRole('heading', { name: 'Tipps für A member' }).waitFor();
    await page.getByRole('link', { name: 'Vorheriges' }).click();
    await page.waitForURL(`**/trainings/${ids[0]}`);
    expect(await page.getByRole('button', { name: 'Vorheriges' }).isDisabled()).toBe(true);
    await page.getByRole('link', { name: 'Nächstes' }).click();
    await page.waitForURL(`**/trainings/${ids[1]}`);
    await page.getByRole('link', { name: 'Nächstes' }).click();
    await page.waitForURL(`**/trainings/${ids[2]}`);
    expect(await page.getByRole('button', { name: 'Nächstes' }).isDisabled()).toBe(true);

    await page.getByRole('button', { name: 'Folgeaufgabe zuweisen' }).click();
    const dialog = page.getByRole('dialog', { name: 'Neue Aufgabe' });
    await expect.poll(() => dialog.getByRole('combobox', { name: 'Situation' }).inputValue()).toBe('Price talk');
    expect(await dialog.getByLabel('Titel').inputValue()).toBe('Price talk');
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'An 1 Person zuweisen' }).click();
    await page.getByText('Aufgabe zugewiesen.').waitFor();
    const [assigned] = (await team.client.get(`/assignments?member_id=${member_id}`)).data;
    expect(assigned).toMatchObject({ ...own, title: 'Price talk', focus_dimension: 'closing' });

    await goWithin(page, `/trainings/${mine}`);
    await page.getByRole('heading', { name: 'Tipps für das nächste Training' }).waitFor();
    await page.getByRole('heading', { level: 1, name: 'Price talk', exact: true }).waitFor();
    expect(await page.getByRole('button', { name: 'Folgeaufgabe zuweisen' }).count()).toBe(0);
  });

  it('shows members only their own, also those that are not scored yet', async () => {
    const { team, person } = await aPractisedTeam();
    const foreign = await aScoredTraining(app.service, team, { userId: team.owner.user_id });
    const unscored = await aTraining(app.service, team, { userId: person.user_id });
    const page = await app.signedIn(person.email, '/trainings');
    await rowsOf(page, say.own).nth(4).waitFor();
    await expectIds(page, say.own, await idsOf(team, `user_id=${person.user_id}`));
    await rowsOf(page, say.own).getByRole('link', { name: say.free }).nth(1).click();
    await page.getByRole('region', { name: say.evaluation }).getByText('63', { exact: true }).first().waitFor();
    await goWithin(page, `/trainings/${unscored}`);
    await page.getByText('Noch keine Bewertung').waitFor();
    app.expectFailures(page, 404);
    await page.goto(`/trainings/${foreign}`);
    await page.getByText('Training nicht gefunden').waitFor();
  });
});
