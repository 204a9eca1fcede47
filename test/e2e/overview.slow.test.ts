import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { daysToMs, hoursToMs, later, minutesToMs } from '../../src/core/clock.ts';
import { anAssignment, aScoredTraining, aTraining } from '../support/practice.ts';
import { theRequests } from '../support/logs.ts';
import { aPerson } from '../support/people.ts';
import { anEndpoint } from '../support/webhooks.ts';
import { expectAccessible, expectNothingSticksOut, goWithin, hasBrowser, useApp, type AppTest } from './support/app.ts';
import { readPdf } from './support/pdf.ts';

const say = {
  seats: 'Belegte Plätze',
  scores: 'Punktzahl der letzten 12 Wochen',
  attention: 'Handlungsbedarf',
  oneOverdue: '1 überfällige Aufgabe',
  activity: 'Letzte Aktivität',
  steps: [
    'Mitglieder einladen',
    'Aufgabe zuweisen',
    'Teamauswertung öffnen',
    'API-Schlüssel öffnen',
    'Webhooks öffnen',
  ],
  begun: 'In Arbeit',
} as const;

/** A team with few rows of every kind, whose numbers the tests know. */
const aBusyTeam = async ({ service, team: aTeam }: AppTest) => {
  const team = await aTeam({ members: 2 });
  await team.anInvitedMember();
  // The chart has weeks of UTC, the list of trainings days of Berlin: these two hours are in different weeks.
  const current = service.clock.now();
  if (current.getUTCDay() === 0 && current.getUTCHours() >= 22) service.clock.forward(hoursToMs(2));
  const now = service.clock.now();
  const [memberId = ''] = team.members.map(({ id }) => id);
  const [anna = '', ben = ''] = team.members.map(({ user_id }) => user_id ?? '');
  await aScoredTraining(service, team, { userId: anna });
  await aScoredTraining(service, team, { userId: ben });
  await aScoredTraining(service, team, { userId: ben, createdAt: later(now, -daysToMs(7)) });
  await aTraining(service, team, { userId: ben, status: 'ended', createdAt: now, finishedAt: now });
  await anAssignment(service, team, { memberId, dueDate: new Date('2026-01-02') });
  await anAssignment(service, team, { memberId, status: 'in_progress' });
  await anAssignment(service, team, { memberId, status: 'done' });
  const key = await team.aKey({ expiresAt: later(now, daysToMs(3)) });
  const paused = await anEndpoint(service, team, {
    status: 'disabled_failures',
    failingSince: later(now, -daysToMs(4)),
  });
  await anEndpoint(service, team);
  await theRequests(service, team, key.id, [{}, { status: 404 }, { status: 500 }]);
  return { team, key, paused };
};

const slippingName = (number: number): string => `Maximiliane Freifrau von Hohenstein-Sondershausen ${number}`;

/** A team of which fourteen people with long names have not practised and have overdue assignments, from one to four. */
const aTeamThatSlips = async ({ service, team: aTeam }: AppTest) => {
  const team = await aTeam({ name: 'Vertrieb Süd-West für Energie und Wärme' });
  const now = service.clock.now();
  const longAgo = later(now, -daysToMs(80));
  for (let number = 1; number <= 14; number += 1) {
    const { memberId, userId } = await aPerson(team, { name: slippingName(number) });
    await aScoredTraining(service, team, { userId, createdAt: later(longAgo, daysToMs(number)) });
    for (let given = 0; given < 4 - (number % 4); given += 1) {
      await anAssignment(service, team, { memberId, dueDate: new Date('2026-01-02') });
    }
  }
  await service.database.prisma.member.updateMany({ where: { tenantId: team.id }, data: { joinedAt: longAgo } });
  await aScoredTraining(service, team, { userId: team.owner.user_id });
  return team;
};

/** The width of an A4 sheet between its margins, in pixels. */
const sheetWidth = 703;

/** The colours of the texts that are shown, each with one of them. */
const coloursShown = `(() => {
  const shown = new Map();
  const texts = document.createTreeWalker(document.querySelector('main'), NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const { parentElement: element, data } = texts.currentNode;
    if (data.trim() !== '' && element.checkVisibility()) shown.set(getComputedStyle(element).color, data);
  }
  return [...shown];
})()`;

const numberOf = (page: Page, label: string) =>
  page.locator('dl > div').filter({ hasText: label }).getByRole('definition').first();

/** A time zone in which it is about noon now, so that two hours later is the same day. */
const zoneAtNoon = (now: Date): string => {
  const hours = 12 - now.getUTCHours();
  // The signs of these names are the other way round: `Etc/GMT-2` is two hours ahead.
  return `Etc/GMT${hours < 0 ? '+' : '-'}${Math.abs(hours)}`;
};

describe.skipIf(!hasBrowser)('the overview', () => {
  const app = useApp();

  it('shows admins the numbers of their team and the score of each week, and leads to matters that need attention and to trainings', async () => {
    const { team, key, paused } = await aBusyTeam(app);
    const page = await app.signedIn(team.owner.email, '/');
    expect(await numberOf(page, say.seats).textContent()).toBe('4 von 50');
    await page.getByText('1 offene Einladung').waitFor();
    expect(await numberOf(page, 'Aktive Endpunkte').textContent()).toBe('1');
    expect(await numberOf(page, 'Bewertete Trainings').textContent()).toBe('2');
    expect(await numberOf(page, 'Aktive API-Schlüssel').textContent()).toBe('2');
    expect(await numberOf(page, 'Offene Aufgaben').textContent()).toBe('2');
    await page.getByText('Davon 1 überfällig', { exact: true }).waitFor();
    expect(await numberOf(page, 'Anfragen in 7 Tagen').textContent()).toBe('3');
    await page.getByText('0 in den 7 Tagen davor · 2 abgelehnt oder fehlgeschlagen', { exact: true }).waitFor();

    const attention = page.getByRole('region', { name: say.attention });
    await attention.getByText('Pausiert').waitFor();
    await attention.getByText('Läuft ab', { exact: true }).waitFor();
    expect(await attention.getByRole('link', { name: 'test', exact: true }).getAttribute('href')).toBe(
      `/keys/${key.id}`,
    );
    const activity = page.getByRole('region', { name: say.activity });
    await activity.getByText('Schlüssel angelegt: test').first().waitFor();
    await activity.getByRole('heading', { name: 'Heute' }).waitFor();
    expect(await activity.getByRole('link', { name: 'Protokoll öffnen' }).getAttribute('href')).toBe('/audit');
    const endpoint = attention.getByRole('link', { name: 'https://example.com/', exact: true });
    expect(await endpoint.getAttribute('href')).toBe(`/webhooks/${paused}`);

    // There is no hole beside the chart, and the numbers of the people are in one row or in rows of three and two,
    // those of the programs in another.
    await page.getByRole('region', { name: say.scores }).locator('svg').first().waitFor();
    const edgesOf = async (panel: string) => {
      const box = await page.getByRole('region', { name: panel }).boundingBox();
      return { top: box?.y, height: box?.height };
    };
    await expect.poll(() => edgesOf(say.attention)).toEqual(await edgesOf(say.scores));
    const perRow = () =>
      page.evaluate(`Object.values(Object.groupBy(
        [...document.querySelectorAll('main section > dl > div')], (stat) => stat.offsetTop)).map((row) => row.length)`);
    expect(await perRow()).toEqual([5, 3]);
    await page.setViewportSize({ width: 1024, height: 900 });
    await expect.poll(perRow).toEqual([3, 2, 3]);

    // The chart shows each week with its number of trainings, and a click opens these.
    const region = page.getByRole('region', { name: say.scores });
    const cells = region.getByRole('table', { name: 'Durchschnittliche Punktzahl pro Woche' }).getByRole('cell');
    await expect
      .poll(async () => (await cells.allTextContents()).slice(-3))
      .toEqual(['keine', '63 (1 Training)', '63 (2 Trainings)']);
    expect(await cells.count()).toBe(12);
    const chart = region.getByRole('slider');
    const { width = 0 } = (await chart.boundingBox()) ?? {};
    await chart.click({ position: { x: width - 4, y: 40 } });
    await page.getByText('2 Treffer').waitFor();
    await page.goBack();

    await attention.getByRole('link', { name: say.oneOverdue, exact: true }).click();
    await page.getByRole('row').filter({ hasText: 'überfällig' }).last().waitFor();
    expect(await page.getByRole('row').count()).toBe(2);

    // There is no link to a list that is closed; the number and the chart are still shown.
    await team.change({ memberDetail: false });
    await page.goto('/');
    await attention.getByText(say.oneOverdue).waitFor();
    expect(await attention.getByRole('link', { name: say.oneOverdue, exact: true }).count()).toBe(0);
    await chart.waitFor();
    expect(await chart.getAttribute('data-opens')).toBeNull();
  });

  it('names members who have not practised for 14 days, and leads to them', async () => {
    const team = await app.team({ members: 2 });
    const { prisma } = app.service.database;
    const joinedAt = later(app.service.clock.now(), -daysToMs(30));
    const [idle] = team.members;
    await prisma.member.updateMany({ where: { tenantId: team.id, id: idle?.id ?? '' }, data: { joinedAt } });
    const page = await app.signedIn(team.owner.email, '/');
    const attention = page.getByRole('region', { name: say.attention });
    await attention.getByText(idle?.email ?? '').waitFor();
    await attention.getByRole('link', { name: '1 Mitglied hat seit 14 Tagen nicht geübt', exact: true }).click();
    await page
      .getByRole('row')
      .filter({ hasText: idle?.email ?? '' })
      .waitFor();
    expect(await page.getByRole('row').count()).toBe(2);
  });

  it('names those with the most overdue assignments, and who has not practised for the longest, with links to their pages', async () => {
    const team = await aTeamThatSlips(app);
    const page = await app.signedIn(team.owner.email, '/');
    const attention = page.getByRole('region', { name: say.attention });
    const textOf = (name: string) => attention.getByRole('listitem').filter({ hasText: name }).innerText();
    const late = attention.getByRole('link', { name: slippingName(4), exact: true });
    await late.waitFor();
    expect(await textOf('überfällige Aufgaben')).toMatch(
      /Vor allem .* 12 \(4\), .* 8 \(4\) und .* 4 \(4\)\. Die älteste seit \d+ Tagen\./,
    );
    expect(await textOf('nicht geübt')).toMatch(/ 1, .* 2, .* 3 und 11 weitere/);
    await late.click();
    await page.getByRole('heading', { level: 1, name: slippingName(4) }).waitFor();
  });

  it.each([
    { language: 'de', scheme: 'dark', width: 1440 },
    { language: 'en', scheme: 'light', width: 1024 },
    { language: 'de', scheme: 'light', width: 390 },
  ] as const)(
    'is printed as one sheet, black on white, with who slips and their figures: in $language, $scheme, from a window of $width px',
    async ({ language, scheme, width }) => {
      const team = await aTeamThatSlips(app);
      const page = await app.signedIn(team.owner.email, '/', { language, scheme, width });
      const say = (de: string, en: string) => (language === 'de' ? de : en);
      await page
        .getByRole('region', { name: say('Punktzahl der', 'Score of the') })
        .locator('svg')
        .first()
        .waitFor();
      await app.settled(page);
      await page.evaluate('window.print = () => { window.wasPrinted = true; }');
      await page.getByRole('button', { name: say('Aktionen für Übersicht', 'Actions for Overview') }).click();
      await page.getByRole('menuitem', { name: say('Drucken', 'Print') }).click();
      expect(await page.evaluate('window.wasPrinted')).toBe(true);

      const { pages, text } = readPdf(await page.pdf({ format: 'A4', preferCSSPageSize: true }));
      expect(pages).toBe(1);
      const written = [
        say('Team: Vertrieb Süd-West für Energie und Wärme', 'Team: Vertrieb Süd-West für Energie und Wärme'),
        say('Zeitraum: 12 Wochen', 'Period: 12 weeks'),
        say('Stand: ', 'As of: ') +
          new Intl.DateTimeFormat(say('de-DE', 'en-GB'), { dateStyle: 'medium', timeZone: 'Europe/Berlin' }).format(),
        say('Schwächster Bereich', 'Weakest area'),
        say('Punktzahl der letzten 12 Wochen', 'Score of the last 12 weeks'),
        say('35 überfällige Aufgaben', '35 overdue assignments'),
        say('14 Mitglieder haben seit 14 Tagen nicht geübt', '14 members have not practised for 14 days'),
        say('und 4 weitere', 'and 4 more'),
      ];
      for (const one of written) expect(text).toContain(one.replaceAll(/\s/g, ''));
      for (let number = 1; number <= 10; number += 1) {
        expect(text).toContain(slippingName(number).replaceAll(' ', ''));
      }
      for (const one of [
        'Programme',
        'Programs',
        'Letzte Aktivität',
        'Recent activity',
        'Erste Schritte',
        'Get started',
      ]) {
        expect(text).not.toContain(one.replaceAll(' ', ''));
      }

      await page.emulateMedia({ media: 'print', colorScheme: scheme });
      await page.setViewportSize({ width: sheetWidth, height: 900 });
      await expectNothingSticksOut(page, 'the sheet', sheetWidth);
      const shown = z.array(z.tuple([z.string(), z.string()])).parse(await page.evaluate(coloursShown));
      expect(shown.map(([colour]) => colour).toSorted()).toEqual(['rgb(0, 0, 0)', 'rgb(51, 51, 51)']);
      expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe('rgb(255, 255, 255)');
    },
  );

  it('shows on a phone what needs attention, then the numbers, then the first steps in a line that opens', async () => {
    const { team } = await aBusyTeam(app);
    const page = await app.signedIn(team.owner.email, '/', { width: 390 });
    const boxOf = async (locator: ReturnType<Page['locator']>) =>
      (await locator.boundingBox()) ?? expect.fail('hidden');
    const attention = await boxOf(page.getByRole('region', { name: say.attention }));
    const numbers = await boxOf(page.getByRole('region', { name: 'Ihr Team' }));
    expect(attention.y).toBeLessThan(400);
    expect(attention.y + attention.height).toBeLessThanOrEqual(numbers.y);
    await app.service.database.prisma.webhookEndpoint.deleteMany({ where: { tenantId: team.id } });
    await page.reload();
    const steps = page.getByText('Erste Schritte: 5 von 6 erledigt');
    const below = await boxOf(steps);
    expect(below.y).toBeGreaterThan(numbers.y);
    expect(below.height).toBeLessThan(40);
    const open = page.getByRole('link', { name: 'Webhooks öffnen' });
    expect(await open.isVisible()).toBe(false);
    await steps.click();
    await open.waitFor();
  });

  it('has the first steps that the reader may take: nothing about keys for admins without that right', async () => {
    const team = await app.team();
    const admin = await app.person(team, 'admin');
    const page = await app.signedIn(admin.email, '/');
    const steps = page.getByRole('region', { name: /^Erste Schritte/ });
    await steps.getByText('Erste Schritte: 1 von 3 erledigt').waitFor();
    expect(await steps.getByRole('link').allInnerTexts()).toEqual(['Aufgabe zuweisen', 'Teamauswertung öffnen']);
    expect(await steps.getByText(/Schlüssel|Webhook|Berechtigung/).count()).toBe(0);

    await aScoredTraining(app.service, team, { userId: admin.user_id });
    await page.reload();
    await page.getByRole('region', { name: 'Ihr Team' }).waitFor();
    expect(await steps.count()).toBe(0);
    // Those who may manage keys still have those steps.
    const owners = await app.signedIn(team.owner.email, '/');
    await owners.getByText('Erste Schritte: 4 von 6 erledigt').waitFor();
    // They stay hidden.
    await owners.getByRole('button', { name: 'Ausblenden' }).click();
    await owners.reload();
    await owners.getByRole('region', { name: 'Ihr Team' }).waitFor();
    expect(await owners.getByText(/^Erste Schritte/).count()).toBe(0);
  });

  it.each([
    {
      role: 'owner',
      figures: ['members.count', 'members.list', 'overview.show', 'teamAnalytics.scores'],
    },
    { role: 'member', figures: ['assigning.mine', 'myTrainings.list', 'progress.mine', 'progress.trend'] },
  ] as const)(
    'loads every figure of the $role again each half minute while it is visible, and when the reader returns',
    async ({ role, figures }) => {
      const { team } = await aBusyTeam(app);
      const { email } = role === 'owner' ? team.owner : await app.person(team, 'member');
      // Its clock stays ahead, so no other test may use this browser.
      const page = await app.signedIn(email, '/account', { unused: true });
      await page.clock.install();
      // The person, and the words for the audit log, are no figures.
      const others = new Set(['entrance.who', 'audit.actions']);
      let called: string[] = [];
      let unanswered = 0;
      page.on('request', (request) => {
        const [, name] = /\/trpc\/\w+\/([\w.]+)/.exec(request.url()) ?? [];
        if (name === undefined || others.has(name)) return;
        called.push(name);
        unanswered += 1;
        void request.response().finally(() => (unanswered -= 1));
      });
      const calls = () => (unanswered === 0 ? called.toSorted() : []);
      await page.goto('/');
      await expect.poll(() => new Set(calls())).toEqual(new Set(figures));

      // From here on only the test moves the clock, or a slow machine would load the figures twice.
      called = [];
      await page.clock.pauseAt(later(new Date(), minutesToMs(1)));
      await expect.poll(() => new Set(calls())).toEqual(new Set(figures));
      called = [];
      await page.clock.fastForward(30_000);
      await expect.poll(calls).toEqual(figures);

      called = [];
      const become = (state: 'hidden' | 'visible') =>
        page.evaluate(`Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true });
          document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))`);
      await become('hidden');
      await page.clock.fastForward('05:00');
      expect(called).toEqual([]);
      await become('visible');
      await expect.poll(calls).toEqual(figures);
    },
  );

  it('shows times that go on while the page is open', async () => {
    const team = await app.team();
    // Its clock stays ahead, so no other test may use this browser.
    const page = await app.signedIn(team.owner.email, '/', { unused: true, timeZone: zoneAtNoon(new Date()) });
    await page.clock.install();
    await page.reload();
    const time = page.getByRole('region', { name: say.activity }).locator('time').first();
    await time.waitFor();
    expect(await time.innerText()).not.toMatch(/Stunde/);
    await page.clock.fastForward('02:00:00');
    await time.filter({ hasText: 'vor 2 Stunden' }).waitFor();
  });

  it('and other pages of a new team, without any data, are clear and lead to the first steps, on a phone too', async () => {
    const team = await app.team();
    const page = await app.signedIn(team.owner.email, '/');
    const scores = page.getByRole('region', { name: say.scores });
    await scores.getByText('Keine bewerteten Trainings in diesem Zeitraum.').waitFor();
    expect(await scores.locator('svg').count()).toBe(0);
    // Something has begun, but there are no numbers yet.
    const firstRegion = page.getByRole('main').getByRole('region').first();
    expect(await firstRegion.innerText()).toMatch(/^Erste Schritte: 1 von 6 erledigt/);
    await page.setViewportSize({ width: 390, height: 900 });
    await page.reload();
    await page.getByRole('link', { name: 'Mitglieder einladen' }).waitFor();
    expect(await firstRegion.innerText()).toMatch(/^Erste Schritte: 1 von 6 erledigt/);
    await page.setViewportSize({ width: 1440, height: 900 });

    await goWithin(page, '/analytics');
    const board = page.getByRole('region', { name: 'Rangliste' });
    await board.getByText('Noch nicht genügend Daten').waitFor();
    await board.getByText(/ab 5 aktiven Mitgliedern/).waitFor();
    expect(await numberOf(page, 'Durchschnittliche Punktzahl').textContent()).toBe('–');

    // Each list without rows takes little room.
    await goWithin(page, `/members/${team.owner.member_id}`);
    for (const [panel, none] of [
      ['Fortschritt', 'Noch keine Bewertung'],
      ['Letzte Trainings', 'Noch kein Training'],
      ['Aufgaben', 'Noch keine Aufgabe'],
      ['Fälle im Team', 'Noch kein Fall'],
    ] as const) {
      const region = page.getByRole('region', { name: panel, exact: true });
      await region.getByText(none).waitFor();
      expect((await region.boundingBox())?.height, panel).toBeLessThan(120);
    }

    await app.service.database.prisma.apiKey.deleteMany({ where: { tenantId: team.id } });
    await page.goto('/');
    const steps = page.getByRole('region', { name: 'Erste Schritte' });
    const links = await Promise.all(say.steps.map((name) => steps.getByRole('link', { name }).getAttribute('href')));
    expect(links).toEqual(['/members', '/assignments', '/analytics', '/keys', '/webhooks']);
    expect(await page.getByText(say.seats).count()).toBe(0);
  });

  it('shows a member their progress, and lets them finish an assignment that they began by the link in the mail', async () => {
    const team = await app.team();
    const person = await app.person(team, 'member');
    const id = await anAssignment(app.service, team, {
      memberId: person.member_id,
      title: 'Rückruf üben',
      note: '<b>Ruhig</b> bleiben',
      dueDate: new Date('2026-01-02'),
    });
    const training = await aScoredTraining(app.service, team, { userId: person.user_id });
    const path = `/assignments?assignment_id=${id}`;
    const page = await app.signedIn(person.email, path, { byForm: true, scheme: 'dark' });
    const statusNow = async () => (await team.client.get(`/assignments/${id}`)).body['status'];
    const panel = page.getByRole('complementary', { name: 'Rückruf üben' });
    // The way to practise comes before the button that says that it is over.
    await panel
      .getByText(/Die Aufgabe gilt als erledigt, sobald Sie ein zugehöriges Training abgeschlossen haben/)
      .waitFor();
    const buttons = panel.getByRole('button', { name: 'Rückruf üben' });
    expect(await buttons.evaluateAll((all) => all.map((one) => [one.textContent, one.dataset['variant']]))).toEqual([
      ['Starten', 'filled'],
      ['Als erledigt markieren', 'default'],
    ]);
    await panel.getByRole('button', { name: 'Starten' }).click();
    await page.getByText('Aufgabe in Arbeit.').waitFor();
    await panel.getByText(say.begun, { exact: true }).waitFor();
    expect(await statusNow()).toBe('in_progress');

    await goWithin(page, '/');
    const progress = page.getByRole('region', { name: 'Ihr Fortschritt' });
    await progress.getByText('63', { exact: true }).first().waitFor();
    await progress.getByRole('listitem').filter({ hasText: 'Abschluss' }).getByText('41').waitFor();
    const latest = page.getByRole('table', { name: 'Ihre letzten Trainings' });
    expect(await latest.getByRole('link').first().getAttribute('href')).toBe(`/trainings/${training}`);

    const next = page.getByRole('region', { name: 'Ihre nächsten Aufgaben' });
    await next.getByText('Überfällig, fällig am').waitFor();
    await next.getByText('<b>Ruhig</b> bleiben').waitFor();
    await next.getByText(say.begun).waitFor();
    await expectAccessible(page);
    await next.getByRole('button', { name: 'Als erledigt markieren: Rückruf üben' }).click();
    const question = page.getByRole('dialog', { name: 'Aufgabe als erledigt markieren?' });
    await question.getByText('Rückruf üben').waitFor();
    await expectAccessible(page);
    expect(await statusNow()).toBe('in_progress');
    await question.getByRole('button', { name: 'Als erledigt markieren' }).click();
    await page.getByText('Aufgabe als erledigt markiert.').waitFor();
    await next.getByText('Keine offenen Aufgaben').waitFor();
    expect(await statusNow()).toBe('done');
  });
});
