import { describe, expect, it } from 'vitest';
import { anEndpoint } from '../support/webhooks.ts';
import { expectAccessible, hasBrowser, languages, useApp } from './support/app.ts';

const words = {
  de: {
    suspended: 'Dieses Team ist gesperrt',
    ended: 'Dieses Team wurde beendet',
    deletion: /^Am \d{1,2}\. \S+ \d{4} werden alle Daten des Teams gelöscht\./,
    noApi: 'Ihr Tarif enthält die API nicht',
    create: 'Neuer Endpunkt',
    test: 'Test senden',
    edit: 'Bearbeiten',
    recover: 'Verpasstes nachholen …',
  },
  en: {
    suspended: 'This team is suspended',
    ended: 'This team has ended',
    deletion: /^All data of the team will be deleted on \d{1,2} \S+ \d{4}\./,
    noApi: 'Your plan does not include the API',
    create: 'New endpoint',
    test: 'Send test',
    edit: 'Edit',
    recover: 'Recover missed events …',
  },
} as const;

describe.skipIf(!hasBrowser).each(languages)('a team’s people (%s)', (language) => {
  const app = useApp();
  const say = words[language];

  it('see that their team is suspended, and when the data of one that ended is deleted', async () => {
    const team = await app.team();
    await team.change({ status: 'suspended' });
    const page = await app.signedIn(team.owner.email, '/', { language });
    await page.getByText(say.suspended).waitFor();
    await team.change({ status: 'ended' });
    await page.reload();
    await page.getByText(say.ended).waitFor();
    await page.getByText(say.deletion).waitFor();
    await expectAccessible(page);
  });

  it('on basic read why webhooks are off, and find nothing that would be refused', async () => {
    const team = await app.team();
    const endpointId = await anEndpoint(app.service, team);
    await team.change({ plan: 'basic' });
    const page = await app.signedIn(team.owner.email, '/webhooks', { language, width: 390 });
    await page.getByText(say.noApi).waitFor();
    await page.getByText('https://example.com/').waitFor();
    expect(await page.getByRole('button', { name: say.create }).count()).toBe(0);
    await page.goto(`${new URL(page.url()).origin}/webhooks/${endpointId}`);
    await page.getByText(say.noApi).waitFor();
    await page.getByRole('button', { name: say.edit }).waitFor();
    for (const name of [say.test, say.recover]) expect(await page.getByRole('button', { name }).count()).toBe(0);
    await expectAccessible(page);
  });
});
