import { describe, expect, it } from 'vitest';
import { anEndpoint } from '../support/webhooks.ts';
import { expectAccessible, hasBrowser, useApp } from './support/app.ts';

const say = {
  noApi: 'Ihr Tarif enthält keinen API-Zugang',
  create: 'Neuer Endpunkt',
  test: 'Testereignis senden',
  edit: 'Bearbeiten',
  recover: 'Verpasste Ereignisse nachholen …',
} as const;

describe.skipIf(!hasBrowser)('a team’s people', () => {
  const app = useApp();

  it('on basic see why webhooks are off, and find no action that would be refused', async () => {
    const team = await app.team();
    const endpointId = await anEndpoint(app.service, team);
    await team.change({ plan: 'basic' });
    const page = await app.signedIn(team.owner.email, '/webhooks', { width: 390 });
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
