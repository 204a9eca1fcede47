import { describe, expect, it } from 'vitest';
import { hoursToMs } from '../../src/core/clock.ts';
import { added, aScimUser, directoryWith, expectScimError } from '../support/scim.ts';
import { expectAccessible, filterBy, hasBrowser, inFilters, password, useApp } from './support/app.ts';

const language = 'en';

describe.skipIf(!hasBrowser)('the directory in the app', () => {
  const app = useApp();

  it('is connected in the settings: a key that needs the password again, the address; then the page says who came, what was refused and what to do', async () => {
    const team = await app.team({ members: 1 });
    const { prisma } = app.service.database;
    await prisma.apiKey.deleteMany({ where: { tenantId: team.id } });
    const page = await app.signedIn(team.owner.email, '/', { language });
    await prisma.session.updateMany({
      where: { person: { email: team.owner.email } },
      data: { createdAt: new Date(Date.now() - hoursToMs(1)), provedAt: null },
    });
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog').getByRole('combobox').fill('scim');
    await page.getByRole('option').filter({ hasText: 'Directory (SCIM)' }).click();
    await page.waitForURL('**/settings/directory');
    const section = page.getByRole('region', { name: 'Directory (SCIM)' });
    await section.getByText('No requests yet').waitFor();
    await section.getByText('Nobody yet').waitFor();
    await expectAccessible(page);

    app.expectFailures(page, 403);
    await section.getByRole('button', { name: 'Create key' }).click();
    await page.getByRole('dialog').getByLabel('Your password').fill(password);
    await page.getByRole('dialog').getByRole('button', { name: 'Confirm' }).click();
    const dialog = page.getByRole('dialog', { name: 'Your new key' });
    const key = await dialog.getByTestId('secret').innerText();
    await dialog.getByText(`${app.service.origin}/scim/v2/ServiceProviderConfig`).waitFor();
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'I have saved the key' }).click();
    await dialog.waitFor({ state: 'detached' });
    await section.getByRole('link', { name: 'Directory', exact: true }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/settings/directory');
    expect(await page.content()).not.toContain(key.slice(-43));

    const address = await section.getByText(/\/scim\/v2$/).innerText();
    expect(address).toBe(`${app.service.origin}/scim/v2`);
    const directory = directoryWith(app.service, key);
    const user = aScimUser();
    await added(directory, user);
    expectScimError(await directory.post('/Users', user), 409, 'uniqueness');
    await app.service.requestLog.write();
    await page.reload();
    await section.getByText('Requests arrive').waitFor();
    await section.getByText('1 person', { exact: true }).waitFor();
    await section.getByText('Errors of the last 7 days').waitFor();
    await section.getByText('Another person of the team has this userName.').waitFor();
    await section.getByText(/Let your directory look the person up/).waitFor();
    await expectAccessible(page);

    await page.goto('/settings/company-account');
    await page.getByText('Directory connected').waitFor();
    await page.getByRole('link', { name: 'To the directory' }).click();
    await section.getByRole('link', { name: 'Members from the directory' }).click();
    const table = page.getByRole('table', { name: 'Members' });
    await table.getByText(user.userName).first().waitFor();
    await filterBy(page, 'Directory', 'unknown');
    await table.getByText(team.owner.email).first().waitFor();
    expect(await table.getByText('from the directory').count()).toBe(0);
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await table.getByText('from the directory').waitFor();
    await expectAccessible(page);
    await table.getByRole('link', { name: /Vera Kauf/ }).click();
    await page.getByText(/so overwrites changes made in the app/).waitFor();
    await expectAccessible(page);
  });

  it('shows admins without the right to make keys its state, and who can open what is closed; teams without one have no filter for it', async () => {
    const team = await app.team();
    const { email } = await app.person(team, 'admin');
    const page = await app.signedIn(email, '/settings/directory', { language });
    const section = page.getByRole('region', { name: 'Directory (SCIM)' });
    await section.getByText(/The team’s owner grants it: /).waitFor();
    expect(await section.getByRole('button', { name: /key$/ }).count()).toBe(0);
    await page.goto('/members');
    await page.getByRole('table', { name: 'Members' }).getByRole('row').nth(1).waitFor();
    await app.settled(page);
    await inFilters(page, async (filters) => {
      await filters.getByLabel('Role', { exact: true }).waitFor();
      expect(await filters.getByLabel('Directory', { exact: true }).count()).toBe(0);
    });
  });
});
