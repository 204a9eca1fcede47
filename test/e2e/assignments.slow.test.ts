import { describe, expect, it } from 'vitest';
import { daysToMs, later } from '../../src/core/clock.ts';
import { anAssignment, anOwnCombination, aCatalogItem, aRule, block } from '../support/practice.ts';
import { choose, hasBrowser, useApp } from './support/app.ts';

const say = {
  create: 'Neue Aufgabe',
  give: 'Aufgabe zuweisen',
  recipients: 'Empfänger',
  situation: 'Situation',
  note: 'Hinweis',
  remove: 'Löschen …',
  none: 'Noch keine Aufgaben',
} as const;

describe.skipIf(!hasBrowser)('assignments', () => {
  const app = useApp();

  const named = (name: string) => ({ nameDe: name, nameEn: name });

  it('can be given in the app with combinations that the recipient may have, and the API shows them', async () => {
    const team = await app.team();
    const { email, member_id } = await app.person(team, 'member');
    const own = { tenantId: team.id };
    const combination = await anOwnCombination(app.service, team);
    const other = await aCatalogItem(app.service, { ...own, dimension: 'situation', ...named('Blocked talk') });
    await aCatalogItem(app.service, { ...own, dimension: 'personality', ...named('Misfit') });
    const { situation_id: situation, personality_id: item } = combination;
    await aRule(app.service, { ...own, kind: 'only', situation, item });
    await block(app.service, { ...own, itemId: other, memberId: member_id });

    const page = await app.signedIn(team.owner.email, '/assignments');
    await page.getByText(say.none).waitFor();
    await page.getByRole('button', { name: say.create }).click();
    await choose(page, say.recipients, email);
    await page.keyboard.press('Escape');
    const situationField = page.getByRole('dialog').getByRole('combobox', { name: say.situation });
    // Once the choices for this recipient are loaded.
    await situationField.and(page.locator(':enabled')).waitFor();
    await page.getByRole('button', { name: say.give }).click();
    await expect.poll(() => situationField.getAttribute('aria-invalid')).toBe('true');
    await situationField.and(page.locator(':focus')).waitFor();
    await page.getByLabel(say.situation).first().click();
    await page.getByRole('option', { name: 'Price talk' }).waitFor();
    expect(await page.getByRole('option', { name: 'Blocked talk' }).count()).toBe(0);
    await page.getByRole('option', { name: 'Price talk' }).click();
    await page.getByLabel('Persönlichkeit').first().click();
    await page.getByRole('option', { name: 'Sceptic' }).waitFor();
    expect(await page.getByRole('option', { name: 'Misfit' }).count()).toBe(0);
    await page.getByRole('option', { name: 'Sceptic' }).click();
    await choose(page, 'Branche', 'Energy');
    await page.getByLabel('Titel').fill('Name the price first');
    await page.getByLabel(say.note).fill('Then be silent.');
    await page.getByLabel('Fällig am').fill('2027-01-15');
    await page.getByLabel('Schwerpunkt').selectOption({ label: 'Einwandbehandlung' });
    await page.getByRole('button', { name: say.give }).click();
    await page.getByRole('link', { name: 'Name the price first' }).waitFor();
    await page.getByText('Aufgabe zugewiesen.').waitFor();

    const { data } = await team.client.get('/assignments');
    expect(data).toMatchObject([
      {
        status: 'open',
        title: 'Name the price first',
        note: 'Then be silent.',
        due_date: '2027-01-15',
        focus_dimension: 'objection_handling',
        member_email: email,
        ...combination,
      },
    ]);
  });

  it('offer several recipients only items that all of them may have', async () => {
    const team = await app.team();
    const [one, two] = [await app.person(team, 'member'), await app.person(team, 'member')];
    const own = { tenantId: team.id, dimension: 'situation' as const };
    await aCatalogItem(app.service, { ...own, ...named('For both') });
    const itemId = await aCatalogItem(app.service, { ...own, ...named('For one') });
    await block(app.service, { tenantId: team.id, itemId, memberId: two.member_id });

    const page = await app.signedIn(team.owner.email, '/assignments');
    await page.getByRole('button', { name: say.create }).click();
    await choose(page, say.recipients, one.email);
    await page.keyboard.press('Escape');
    await page.getByLabel(say.situation).first().click();
    await page.getByRole('option', { name: 'For one' }).waitFor();
    await page.keyboard.press('Escape');
    await choose(page, say.recipients, two.email);
    await page.keyboard.press('Escape');
    await page.getByLabel(say.situation).first().click();
    await page.getByRole('option', { name: 'For both' }).waitFor();
    expect(await page.getByRole('option', { name: 'For one' }).count()).toBe(0);
  });

  it('that are overdue say for how many days; several get a reminder, or another due day', async () => {
    const team = await app.team();
    const person = await app.person(team, 'member');
    const dueDate = later(new Date(app.service.clock.now().toISOString().slice(0, 10)), -daysToMs(12));
    for (const title of ['One', 'Two']) {
      await anAssignment(app.service, team, { memberId: person.member_id, title, dueDate });
    }
    const page = await app.signedIn(team.owner.email, '/assignments?overdue=true');
    await page.getByText('12 Tage überfällig').nth(1).waitFor();
    await page.getByLabel('Alle geladenen Zeilen auswählen').check();
    await page.getByRole('button', { name: 'Erinnern (2)' }).click();
    const question = page.getByRole('dialog', { name: '1 Person an 2 Aufgaben erinnern?' });
    await question.getByRole('button', { name: 'Erinnerungen senden' }).click();
    await page.getByText('An 2 Aufgaben erinnert.').waitFor();
    const mails = await app.service.mailsTo(person.email);
    expect(mails.map(({ kind }) => kind)).toEqual(['assignment_reminder']);

    await page.getByLabel('Alle geladenen Zeilen auswählen').check();
    await page.getByRole('button', { name: 'Fälligkeit ändern' }).click();
    const dialog = page.getByRole('dialog', { name: '2 Fälligkeiten ändern' });
    await dialog.getByRole('button', { name: 'In 14 Tagen' }).click();
    await dialog.getByRole('button', { name: '2 Fälligkeiten ändern' }).click();
    await page.getByText('Fälligkeit von 2 Aufgaben geändert.').waitFor();
    await page.getByText('Keine Aufgaben entsprechen den Filtern').waitFor();
  });

  it('can be opened by URL, changed, completed and deleted', async () => {
    const team = await app.team();
    const { member_id: memberId } = await app.person(team, 'member');
    const id = await anAssignment(app.service, team, { memberId, title: 'Practise closing' });
    const page = await app.signedIn(team.owner.email, `/assignments?assignment_id=${id}`);
    const panel = page.getByRole('complementary', { name: 'Practise closing' });
    await panel.getByRole('button', { name: 'Bearbeiten' }).click();
    const dialog = page.getByRole('dialog', { name: 'Aufgabe bearbeiten' });
    await dialog.getByLabel(say.note).fill('Ask for the order.');
    await dialog.getByRole('button', { name: 'Speichern' }).click();
    await panel.getByText('Ask for the order.').waitFor();
    await panel.getByRole('button', { name: 'Als erledigt markieren' }).click();
    await panel.getByText('Erledigt', { exact: true }).waitFor();
    expect((await team.client.get(`/assignments/${id}`)).body).toMatchObject({
      status: 'done',
      note: 'Ask for the order.',
    });

    await app.settled(page);
    await page.keyboard.press('Escape');
    await panel.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: `Aktionen für Practise closing` }).click();
    await page.getByRole('main').getByRole('menuitem', { name: say.remove }).waitFor();
    await page.getByRole('menuitem', { name: say.remove }).click();
    await page.getByRole('button', { name: 'Aufgabe löschen' }).click();
    await page.getByText(say.none).waitFor();
    expect((await team.client.get(`/assignments/${id}`)).status).toBe(404);
  });
});
