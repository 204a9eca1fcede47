import { describe, expect, it } from 'vitest';
import { daysToMs, later } from '../../src/core/clock.ts';
import { anAssignment, anOwnCombination, aCatalogItem, aRule, aTraining, block } from '../support/practice.ts';
import { choose, expectAccessible, hasBrowser, useApp } from './support/app.ts';

const say = {
  create: 'Neue Aufgabe',
  give: /^An \d+ Person(en)? zuweisen$/,
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
    const situationField = page.getByRole('dialog').getByRole('combobox', { name: say.situation });
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
    await page.getByLabel(say.situation).first().click();
    await page.getByRole('option', { name: 'For one' }).waitFor();
    await page.keyboard.press('Escape');
    await choose(page, say.recipients, two.email);
    await page.getByLabel(say.situation).first().click();
    await page.getByRole('option', { name: 'For both' }).waitFor();
    expect(await page.getByRole('option', { name: 'For one' }).count()).toBe(0);
  });

  it('are given to everybody who matches filters, without single people and those who have the same one open', async () => {
    const team = await app.team({ members: 7 });
    const { situation_id: situationId, ...rest } = await anOwnCombination(app.service, team);
    const same = { situationId, personalityId: rest.personality_id, industryId: rest.industry_id };
    const joinedAt = later(app.service.clock.now(), -daysToMs(90));
    await app.service.database.prisma.member.updateMany({ where: { tenantId: team.id }, data: { joinedAt } });
    const [busy, holder, former, ...others] = team.members;
    await aTraining(app.service, team, { userId: busy?.user_id ?? '' });
    await anAssignment(app.service, team, { memberId: holder?.id ?? '', ...same });
    await anAssignment(app.service, team, { memberId: former?.id ?? '', ...same, status: 'done' });

    const page = await app.signedIn(team.owner.email, '/assignments');
    await page.getByRole('button', { name: say.create }).click();
    const dialog = page.getByRole('dialog', { name: say.create });
    // A dimension that depends on another one says so, and is not closed.
    await dialog.getByRole('combobox', { name: 'Branche' }).click();
    await page.getByRole('listbox', { name: 'Branche' }).getByText('Zuerst Situation auswählen').waitFor();
    await page.keyboard.press('Tab');
    await dialog.getByRole('button', { name: 'Alle, auf die Filter zutreffen' }).click();
    await dialog.getByRole('combobox', { name: 'Rolle' }).selectOption({ label: 'Mitglied' });
    await dialog.getByRole('combobox', { name: 'Übung' }).selectOption({ label: 'Seit 14 Tagen nicht geübt' });
    await dialog.getByRole('button', { name: '6 Personen hinzufügen' }).click();
    const chip = dialog.getByRole('button', { name: 'Mitglied, Seit 14 Tagen nicht geübt: 6 Personen' });
    await chip.click();
    await expectAccessible(page);
    const [leftOut] = others;
    await dialog.getByRole('button', { name: `${leftOut?.email} entfernen` }).click();
    await dialog.getByRole('button', { name: 'An 5 Personen zuweisen' }).waitFor();
    for (const [field, item] of [
      ['Situation', 'Price talk'],
      ['Persönlichkeit', 'Sceptic'],
      ['Branche', 'Energy'],
    ] as const) {
      await choose(page, field, item);
    }
    const already = dialog.getByRole('radiogroup', { name: '1 Person hat diese Aufgabe bereits offen' });
    await already.waitFor();
    await already.getByText('Allen zuweisen (5)').waitFor();
    await dialog.getByRole('button', { name: 'An 4 Personen zuweisen' }).waitFor();
    await already.getByRole('radio', { name: /^Nur wer zu dieser Situation noch keine hatte/ }).check();
    await dialog.getByRole('button', { name: 'An 3 Personen zuweisen' }).waitFor();
    await already.getByRole('radio', { name: /^Nur wer sie nicht schon offen hat/ }).check();
    await dialog.getByRole('button', { name: 'In 14 Tagen' }).click();
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'An 4 Personen zuweisen' }).click();
    await page.getByText('4 Aufgaben zugewiesen.').waitFor();
    const given = await app.service.database.prisma.assignment.findMany({
      where: { tenantId: team.id, dueDate: { not: null } },
    });
    const recipients = [former, ...others.slice(1)].map((one) => one?.id);
    expect(given.map(({ memberId }) => memberId).toSorted()).toEqual(recipients.toSorted());
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
    const question = page.getByRole('dialog', { name: 'A member an 2 Aufgaben erinnern?' });
    await question.getByText('1 E-Mail wird gesendet.').waitFor();
    const preview = question.getByRole('region', { name: 'Vorschau der E-Mail' });
    const shown = await preview.innerText();
    await expectAccessible(page);
    await question.getByRole('button', { name: '1 Person erinnern' }).click();
    await page.getByText('An 2 Aufgaben erinnert.').waitFor();
    const mails = await app.service.mailsTo(person.email);
    expect(mails.map(({ kind }) => kind)).toEqual(['assignment_reminder']);
    const words = (text = '') => text.split(/\s+/).filter(Boolean);
    expect(words(shown)).toEqual(words(`${mails[0]?.body.subject} ${mails[0]?.body.text}`));

    // What has come of it: of the list, and of one of them.
    const reminded = 'In den letzten 14 Tagen erinnert: 1 Person. Seitdem geübt:';
    await page.getByText(`${reminded} 0 von 1.`).waitFor();
    await page.getByRole('columnheader', { name: 'Zuletzt erinnert' }).waitFor();
    await aTraining(app.service, team, { userId: person.user_id });
    await page.reload();
    await page.getByText(`${reminded} 1 von 1.`).waitFor();
    await page.getByRole('link', { name: 'One' }).click();
    const detail = page.getByRole('complementary', { name: 'One' });
    await detail.getByText(`von ${team.owner.email}, seitdem geübt`).waitFor();
    await page.keyboard.press('Escape');
    await detail.waitFor({ state: 'detached' });

    // There is no second reminder within a day.
    await page.getByLabel('Alle geladenen Zeilen auswählen').check();
    await page.getByRole('button', { name: 'Erinnern (2)' }).click();
    await question.getByText('Es wird keine E-Mail gesendet.').waitFor();
    await question.getByText('An 2 Aufgaben wurde in den letzten 24 Stunden schon erinnert.').waitFor();
    await question.getByRole('button', { name: 'Abbrechen' }).click();
    await question.waitFor({ state: 'detached' });

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
