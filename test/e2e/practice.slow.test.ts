import { describe, expect, it } from 'vitest';
import { anAssignment } from '../support/practice.ts';
import { goWithin, hasBrowser, useApp } from './support/app.ts';

describe.skipIf(!hasBrowser)('the way from an assignment to its training', () => {
  const app = useApp({ environment: { PRACTICE_URL: 'https://practice.example/{assignment_id}' } });

  it('is the first button of the list, of its panel and of the overview; another one marks it as done', async () => {
    const team = await app.team();
    const person = await app.person(team, 'member');
    const id = await anAssignment(app.service, team, { memberId: person.member_id, title: 'Rückruf üben' });
    const page = await app.signedIn(person.email, '/assignments');
    const expectButtons = async (place: ReturnType<typeof page.locator>) => {
      const link = place.getByRole('link', { name: 'Training starten: Rückruf üben' });
      await link.waitFor();
      expect(await link.getAttribute('href')).toBe(`https://practice.example/${id}`);
      expect(await link.getAttribute('data-variant')).toBe('filled');
      const done = place.getByRole('button', { name: 'Als erledigt markieren: Rückruf üben' });
      expect(await done.getAttribute('data-variant')).toBe('default');
      // Where the platform is known, its training begins the assignment.
      expect(await place.getByRole('button', { name: 'Starten: Rückruf üben', exact: true }).count()).toBe(0);
    };
    await expectButtons(page.getByRole('table', { name: 'Ihre Aufgaben' }));
    await page.getByRole('link', { name: 'Rückruf üben', exact: true }).click();
    await expectButtons(page.getByRole('complementary', { name: 'Rückruf üben' }));
    await page.keyboard.press('Escape');
    await goWithin(page, '/');
    await expectButtons(page.getByRole('region', { name: 'Ihre nächsten Aufgaben' }));
  });
});
