import { describe, expect, it } from 'vitest';
import { hubSpotPositions } from '../../../src/modules/crm/providers/hubspot.ts';
import { pipedrivePositions } from '../../../src/modules/crm/providers/pipedrive.ts';
import { everythingSince } from './a-run.ts';
import { aHubSpot, aPipedrive } from './accounts.ts';

// What is equal for all CRMs, such as retries and the place in a malformed answer, is tested with the feed:
// test/crm/feed-sync.test.ts.

const since = new Date('2026-11-20T08:00:00Z');

describe.each([
  {
    name: 'HubSpot',
    anAccount: aHubSpot,
    anotherForm: '{"deals":[]}',
    foreign: 'hubspot-0.e30',
    ofChanges: hubSpotPositions.write({ part: 'archived' }),
  },
  {
    name: 'Pipedrive',
    anAccount: aPipedrive,
    anotherForm: '{"data":{"id":1}}',
    foreign: 'anything',
    ofChanges: pipedrivePositions.write({ part: 'deleted' }),
  },
])('failures of $name', ({ anAccount, anotherForm, foreign, ofChanges }) => {
  it('have the reason that the token is not valid; with a valid one there are none', async () => {
    const { run } = await anAccount();
    const { provider } = await run({ token: 'expired' });
    for (const tried of [
      () => provider.tryCredentials(),
      () => everythingSince(provider, undefined),
      () => everythingSince(provider, since),
    ]) {
      await expect(tried()).rejects.toMatchObject({ kind: 'credentials_refused', status: 401 });
    }
    await (await run({ notePrefix: 'Einwand:' })).provider.tryCredentials();
  });

  it('end a run with an answer of another form as malformed', async () => {
    const { crm, run } = await anAccount();
    crm.instead = () => ({ status: 200, body: anotherForm });
    const { provider } = await run();
    await expect(provider.fetchChanges(undefined, undefined)).rejects.toMatchObject({ kind: 'malformed' });
    await expect(provider.fetchChanges(since, undefined)).rejects.toMatchObject({ kind: 'malformed' });
  });

  it('include positions that the provider did not write, or wrote for another run', async () => {
    const { run } = await anAccount();
    const { provider } = await run();
    await expect(provider.fetchChanges(since, foreign)).rejects.toMatchObject({ kind: 'malformed' });
    await expect(provider.fetchChanges(undefined, ofChanges)).rejects.toMatchObject({ kind: 'malformed' });
  });
});
