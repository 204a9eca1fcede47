import { describe, expect, it } from 'vitest';
import { anOwnCombination, block } from '../support/practice.ts';
import { manyInvited } from '../support/team.ts';
import { choose, expectAccessible, hasBrowser, useApp } from './support/app.ts';

const say = {
  give: 'Aufgabe zuweisen',
  recipients: 'Empfänger',
  selection: 'Aktionen für die Auswahl',
  selectAll: 'Alle geladenen Zeilen auswählen',
  tooMany: 'Höchstens 50 Empfänger auf einmal.',
} as const;

describe.skipIf(!hasBrowser)('many assignments', () => {
  const app = useApp();

  it('can’t have more recipients at once than the server accepts', async () => {
    const team = await app.team({ seats: 60 });
    await manyInvited(app.service, team, 51);
    const page = await app.signedIn(team.owner.email, '/members');
    await page.getByRole('checkbox', { name: say.selectAll }).click();
    await page.getByRole('toolbar', { name: say.selection }).getByRole('button', { name: say.give }).click();
    const recipients = page.getByRole('dialog').getByRole('combobox', { name: say.recipients });
    const offered = page.getByRole('listbox', { name: say.recipients }).getByRole('option');
    await recipients.click();
    await page.getByText(say.tooMany).waitFor();
    expect(await offered.count()).toBe(0);
    // Without the last of the fifty, one more can be chosen.
    await recipients.press('Backspace');
    await expect.poll(() => offered.count()).toBe(1);
    await page.getByText(say.tooMany).waitFor({ state: 'detached' });
    await recipients.press('ArrowDown');
    await recipients.press('Enter');
    await page.getByText(say.tooMany).waitFor();
    expect(await offered.count()).toBe(0);
    // With a mouse on a small screen: below so many recipients, the list is still in the window, and a wheel shows all
    // who are chosen.
    const chosen = page.getByRole('dialog').locator('.mantine-MultiSelect-pillsList');
    const [width, height] = [390, 844];
    await page.setViewportSize({ width, height });
    await recipients.press('Backspace');
    await expect.poll(() => offered.count()).toBe(1);
    const isInWindow = async () => {
      const box = await offered.boundingBox();
      return box !== null && box.y >= 0 && box.y + box.height <= height;
    };
    await expect.poll(isInWindow).toBe(true);
    await offered.click();
    await page.getByText(say.tooMany).waitFor();
    await chosen.hover();
    await page.mouse.wheel(0, -5_000);
    await expect.poll(() => chosen.evaluate((list) => list.scrollTop)).toBe(0);
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
    await dialog.getByText('120 Mitglieder sind ausgewählt.').waitFor();
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
    await dialog.getByRole('button', { name: say.give }).click();
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
  });
});
