import { describe, it } from 'vitest';
import { makeBrowser } from '../support/people.ts';
import { expectSound, hasBrowser, password, useApp } from './support/app.ts';
import { looks } from './support/looks.ts';

// What every-page.slow.test.ts and every-dialog.slow.test.ts do not open. The other files of this folder check more states of
// the app on their way.

describe.skipIf(!hasBrowser)('it is accessible:', () => {
  const app = useApp();

  it('the account on a phone, with long names', async () => {
    const ownerName = 'Dr. Maximiliane von Hohenstein-Wittelsbach zu Oberkirchen';
    const team = await app.team({ name: 'Nord', ownerName });
    const other = await app.team({ name: 'Ein Team mit einem sehr langen Namen für den ganzen Süden des Landes' });
    const { email } = team.owner;
    await other.anActiveMember({ email });
    for (const userAgent of ['Mozilla/5.0 (iPhone; CPU iPhone OS 19_0) Version/19.0 Safari/604.1', 'curl/8']) {
      await makeBrowser(app.service, { userAgent }).signIn(email, password);
    }
    const page = await app.signedIn(email, '/account', { scheme: 'dark', width: 390 });
    await page.getByRole('table', { name: 'Ihre Teams' }).waitFor();
    await page.getByRole('table', { name: 'Sitzungen' }).waitFor();
    await expectSound(page);
  });

  it.each(looks)('the documentation at $width px, $scheme, in $language', async (look) => {
    const page = await app.open('/developers', look);
    for (const path of [
      'overview',
      'quick-start',
      'errors',
      'security',
      'webhook-events',
      'reference/assignments',
      'search?q=webhook',
    ]) {
      await page.goto(`/developers/${look.language}/${path}`);
      await expectSound(page);
    }
  });
});
