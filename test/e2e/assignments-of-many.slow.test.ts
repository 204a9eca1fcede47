import { describe, expect, it } from 'vitest';
import { anOwnCombination, block } from '../support/practice.ts';
import { manyInvited } from '../support/team.ts';
import { choose, expectAccessible, goWithin, hasBrowser, useApp } from './support/app.ts';

const say = {
  give: 'Aufgabe zuweisen',
  recipients: 'Empfänger',
  selection: 'Aktionen für die Auswahl',
  selectAll: 'Alle geladenen Zeilen auswählen',
} as const;

describe.skipIf(!hasBrowser)('many assignments', () => {
  const app = useApp();

  it('show their recipients as a number, which unfolds to names; each can be taken out, also by keyboard', async () => {
    const team = await app.team({ seats: 60 });
    await manyInvited(app.service, team, 51);
    const page = await app.signedIn(team.owner.email, '/members');
    await page.getByRole('checkbox', { name: say.selectAll }).click();
    await page.getByRole('toolbar', { name: say.selection }).getByRole('button', { name: say.give }).click();
    const dialog = page.getByRole('dialog');
    const names = dialog.getByRole('button', { name: / entfernen$/ }).filter({ hasText: '@' });
    const chip = (people: number) => dialog.getByRole('button', { name: `${people} Personen`, exact: true });
    await chip(50).waitFor();
    expect(await names.count()).toBe(0);
    // On a small screen: all names are within reach, and so is the rest of the form.
    await page.setViewportSize({ width: 390, height: 844 });
    await chip(50).click();
    await expect.poll(() => names.count()).toBe(50);
    await names.nth(48).focus();
    const before = await names.nth(49).getAttribute('aria-label');
    await page.keyboard.press('Enter');
    await chip(49).waitFor();
    // The focus is on the next one.
    expect(await page.locator(':focus').getAttribute('aria-label')).toBe(before);
    await names.last().and(page.locator(':focus')).waitFor();
    await dialog.getByRole('button', { name: 'An 49 Personen zuweisen' }).waitFor();
    await dialog.getByRole('button', { name: 'Alle entfernen' }).click();
    await expect.poll(() => names.count()).toBe(0);
    await dialog.getByRole('combobox', { name: say.recipients }).and(page.locator(':focus')).waitFor();
  });

  it('are given to all who are selected, also more than fifty, until the reader stops it, with the reasons of those who could not get them', async () => {
    const team = await app.team({ members: 1, seats: 200 });
    const combination = await anOwnCombination(app.service, team);
    const [first] = team.members;
    await block(app.service, {
      tenantId: team.id,
      itemId: combination.personality_id,
      ...(first && { memberId: first.id }),
    });
    await manyInvited(app.service, team, 118);
    const page = await app.signedIn(team.owner.email, '/members');
    const bar = page.getByRole('toolbar', { name: say.selection });
    await page.getByRole('checkbox', { name: say.selectAll }).click();
    await bar.getByRole('button', { name: 'Alle 120 auswählen' }).click();
    await bar.getByText('120 ausgewählt').waitFor();
    await bar.getByRole('button', { name: say.give }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: '120 Personen', exact: true }).waitFor();
    await choose(page, 'Situation', 'Price talk');
    await choose(page, 'Persönlichkeit', 'Sceptic');
    await choose(page, 'Branche', 'Energy');
    await expectAccessible(page);
    // The second part waits until the reader has stopped.
    const arrived = Promise.withResolvers<void>();
    const goesOn = Promise.withResolvers<void>();
    let parts = 0;
    await page.route(/assigning\.createMany/, async (route) => {
      parts += 1;
      if (parts === 2) {
        arrived.resolve();
        await goesOn.promise;
      }
      await route.continue();
    });
    await dialog.getByRole('button', { name: 'An 120 Personen zuweisen' }).click();
    await dialog.waitFor({ state: 'hidden' });
    await arrived.promise;
    await page.getByText('50 von 120 erledigt').waitFor();
    await page.getByRole('button', { name: 'Anhalten' }).click();
    goesOn.resolve();
    await page.getByText('99 Aufgaben zugewiesen.').waitFor();
    const failures = page.getByRole('alert').filter({ hasText: 'Bei 1 von 100 war das nicht möglich' });
    await failures.getByText('Diese Auswahl ist für die Person gesperrt.').waitFor();
    expect(parts).toBe(2);
    const given = await app.service.database.prisma.assignment.findMany({ where: { tenantId: team.id } });
    expect(new Set(given.map(({ memberId }) => memberId)).size).toBe(99);
    // Those who have not had it yet are still selected.
    await bar.getByText('20 ausgewählt').waitFor();

    // From the list of assignments: those who have it are left out, and the page names who could not get it.
    await page.unroute(/assigning\.createMany/);
    await goWithin(page, '/assignments');
    await page.getByRole('button', { name: 'Neue Aufgabe' }).click();
    await dialog.getByRole('button', { name: 'Alle, auf die Filter zutreffen' }).click();
    await dialog.getByRole('button', { name: '120 Personen hinzufügen' }).click();
    await choose(page, 'Situation', 'Price talk');
    await choose(page, 'Persönlichkeit', 'Sceptic');
    await choose(page, 'Branche', 'Energy');
    await dialog.getByRole('radiogroup', { name: '99 Personen haben diese Aufgabe bereits offen' }).waitFor();
    await dialog.getByRole('button', { name: 'An 21 Personen zuweisen' }).click();
    await page.getByText('20 Aufgaben zugewiesen.').waitFor();
    const refused = page.getByRole('alert').filter({ hasText: 'Bei 1 von 21 war das nicht möglich' });
    await refused.getByText(first?.email ?? '').waitFor();
    expect(await app.service.database.prisma.assignment.count({ where: { tenantId: team.id } })).toBe(119);
  });
});
