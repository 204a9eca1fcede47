import { expect, it } from 'vitest';
import { aHubSpot } from './accounts.ts';
import { everythingSince } from './a-run.ts';

const since = new Date('2026-11-20T08:00:00Z');
const after = new Date('2026-11-20T10:00:00Z');

it('changes from HubSpot are complete beyond the 10,000 rows of a search, also if all changed in one millisecond', async () => {
  const { crm, run } = await aHubSpot();
  for (let number = 1; number <= 25_000; number += 1) crm.addDeal(String(number), {}, after);
  const { provider, requests } = await run();
  const { deals, times } = await everythingSince(provider, since);
  expect(deals.size).toBe(25_000);
  expect(new Set(times.values())).toEqual(new Set([1]));
  // HubSpot allows five searches a second, and an account has other apps too.
  const searches = requests.filter(({ url }) => url.pathname.endsWith('/search'));
  expect(searches.length).toBeGreaterThan(124);
  for (const { gapMs = 0 } of searches) expect(gapMs).toBeGreaterThanOrEqual(200);
});
