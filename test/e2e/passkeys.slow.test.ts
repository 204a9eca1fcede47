import { describe, expect, it } from 'vitest';
import { expectAccessible, hasBrowser, password, useApp } from './support/app.ts';
import { plugIn } from './support/passkeys.ts';

describe.skipIf(!hasBrowser)('passkeys', () => {
  const app = useApp();

  it('are added after a fresh proof, sign in by button, are renamed and removed', async () => {
    const team = await app.team();
    const { email } = team.owner;
    const page = await app.signedIn(email, '/account', { byForm: true });
    app.expectFailures(page, 403);
    await plugIn(page);
    const panel = page.getByRole('region', { name: 'Passkeys' });
    await panel.getByText('Noch keine Passkeys').waitFor();

    // The session is older than a fresh proof may be.
    const { session } = app.service.database.prisma;
    await session.updateMany({
      where: { person: { email } },
      data: { createdAt: new Date(Date.now() - 3_600_000), provedAt: null },
    });
    await panel.getByRole('button', { name: 'Passkey hinzufügen' }).click();
    const adding = page.getByRole('dialog', { name: 'Passkey hinzufügen' });
    await adding.getByLabel(/^Name/).fill('Laptop');
    await adding.getByRole('button', { name: 'Weiter' }).click();
    const proof = page.getByRole('dialog', { name: 'Bestätigen Sie, dass Sie es sind' });
    await proof.getByLabel(/^Ihr Passwort/).fill(password);
    await expectAccessible(page);
    await proof.getByRole('button', { name: 'Bestätigen', exact: true }).click();
    await panel.getByRole('cell', { name: 'Laptop', exact: true }).waitFor();
    await panel.getByText('Noch nie').waitFor();

    await page.context().clearCookies();
    await page.goto('/sign-in?next=/account');
    // If the browser offers passkeys in the email field, the authenticator may answer before the button is pressed.
    const inside = page.locator('main#main h1').waitFor();
    await Promise.any([page.getByRole('button', { name: 'Mit Passkey anmelden' }).click(), inside]);
    await inside;
    await panel.getByRole('cell', { name: 'Laptop', exact: true }).waitFor();
    expect(await panel.getByText('Noch nie').count()).toBe(0);

    await panel.getByRole('button', { name: 'Aktionen für Laptop' }).click();
    await page.getByRole('menuitem', { name: 'Umbenennen' }).click();
    const renaming = page.getByRole('dialog', { name: 'Passkey umbenennen' });
    await renaming.getByLabel(/^Name/).fill('Büro');
    await renaming.getByRole('button', { name: 'Speichern' }).click();
    await panel.getByRole('cell', { name: 'Büro', exact: true }).waitFor();
    await expectAccessible(page);

    await panel.getByRole('button', { name: 'Aktionen für Büro' }).click();
    await page.getByRole('menuitem', { name: 'Entfernen' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Passkey entfernen' }).click();
    await panel.getByText('Noch keine Passkeys').waitFor();
  });
});
