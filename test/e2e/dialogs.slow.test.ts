import { describe, expect, it } from 'vitest';
import { manyInvited } from '../support/team.ts';
import { escapeDialog, expectAccessible, goWithin, hasBrowser, useApp } from './support/app.ts';
import { framed } from './support/inspections/frame.ts';
import { expectUnmoved, recordPlaces } from './support/inspections/still.ts';

describe.skipIf(!hasBrowser)('a dialog', () => {
  const app = useApp();

  it('moves nothing behind it, and only its content scrolls, where scrollbars take room, on a desktop and on a phone', async () => {
    const team = await app.team();
    await manyInvited(app.service, team, 14);
    const page = await app.signedIn(team.owner.email, '/', { language: 'en', scrollbars: true });
    await recordPlaces(page);
    for (const width of [1440, 390] as const) {
      const look = { page, width, scheme: 'light', language: 'en' } as const;
      await page.setViewportSize({ width, height: 900 });
      await goWithin(page, '/members');
      await app.settled(page);
      await page.evaluate('scrollTo(0, 120)');
      expect(await page.evaluate('innerWidth - document.documentElement.clientWidth')).toBeGreaterThan(10);

      await page.evaluate(`document.querySelector('[data-creates]').click()`);
      // On a phone the button has a menu.
      const one = page.getByRole('menuitem', { name: 'Invite one person' });
      if (width === 390) await one.waitFor();
      await expectUnmoved(page);
      if (width === 390) await one.click();
      await page.getByRole('dialog', { name: 'Invite' }).waitFor();
      await expectUnmoved(page);
      await escapeDialog(page);
      await expectUnmoved(page);

      await goWithin(page, '/keys');
      await page.getByRole('button', { name: 'New key' }).click();
      await page.getByRole('dialog').getByLabel('Name').waitFor();
      await framed({ ...look, path: '/keys', state: 'new' });
      await escapeDialog(page);
    }
  });

  it('asks before Escape or a click beside it drops what was entered', async () => {
    const team = await app.team();
    const page = await app.signedIn(team.owner.email, '/members', { language: 'en' });
    const open = () => page.getByRole('button', { name: 'Invite', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Invite' });
    const email = dialog.getByLabel('Email');
    const question = page.getByRole('alertdialog', { name: 'Discard your input?' });

    await open();
    await email.waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });

    await open();
    await email.fill('mia@example.com');
    await page.keyboard.press('Escape');
    await question.waitFor();
    await expectAccessible(page);
    // A second Escape leads back to the field.
    await page.keyboard.press('Escape');
    await question.waitFor({ state: 'detached' });
    await expect.poll(() => page.evaluate('document.activeElement.value')).toBe('mia@example.com');
    expect(await email.inputValue()).toBe('mia@example.com');

    await page.mouse.click(5, 450);
    await question.getByRole('button', { name: 'Keep editing' }).click();
    await question.waitFor({ state: 'detached' });
    await page.keyboard.press('Escape');
    await question.getByRole('button', { name: 'Discard' }).click();
    await dialog.waitFor({ state: 'detached' });

    await open();
    expect(await email.inputValue()).toBe('');
  });

  it('gives the focus back to the button that opened it, on each page', async () => {
    const team = await app.team();
    const page = await app.signedIn(team.owner.email, '/', { language: 'en' });
    for (const [path, name] of [
      ['/members', 'Invite'],
      ['/assignments', 'New assignment'],
      ['/cases', 'New case'],
      ['/catalog', 'New situation'],
      ['/keys', 'New key'],
      ['/webhooks', 'New endpoint'],
      ['/crm', 'Connect a CRM'],
    ] as const) {
      await goWithin(page, path);
      const button = page.getByRole('button', { name, exact: true }).first();
      await button.click();
      await page.getByRole('dialog').waitFor();
      await escapeDialog(page);
      await button.and(page.locator(':focus')).waitFor();
    }
  });

  it('does not open by itself: a draft from before is offered on the page, and says that it was restored', async () => {
    const team = await app.team();
    const page = await app.signedIn(team.owner.email, '/members', { language: 'en' });
    await page.getByRole('button', { name: 'Invite multiple people' }).click();
    const list = page.getByRole('dialog').getByRole('textbox', { name: 'List' });
    await list.fill('mia@example.com');
    await page.reload();

    const notice = page.getByRole('status').filter({ hasText: 'Unsent draft' });
    await notice.getByText('Invite multiple people').waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);
    await notice.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('dialog').getByText('Your draft was restored.').waitFor();
    expect(await list.inputValue()).toBe('mia@example.com');

    await page.reload();
    await notice.getByRole('button', { name: 'Discard' }).click();
    await notice.waitFor({ state: 'detached' });
    await page.reload();
    await app.settled(page);
    expect(await notice.count()).toBe(0);
  });
});
