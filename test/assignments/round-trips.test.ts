import { afterAll, beforeAll, expect, it } from 'vitest';
import { aCombination } from '../support/assignments.ts';
import type { TestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';
import { anEndpoint } from '../support/webhooks.ts';
import { startWiredService } from '../support/wired-service.ts';
import type { Wire } from '../support/wire.ts';

let wire: Wire;
let service: TestService;
let close: () => Promise<void>;
beforeAll(async () => {
  ({ service, wire, close } = await startWiredService());
});
afterAll(() => close());

it('POST /assignments reads nothing from the database that it already has', async () => {
  const team = await aTeam(service);
  await anEndpoint(service, team, { events: ['assignment.created'] });
  const body = { member_id: team.owner.member_id, title: 'Practise', ...(await aCombination(service)) };
  const post = () => team.client.post('/assignments', body);
  for (let warmed = 0; warmed < 10; warmed += 1) await post();
  wire.takeRoundTrips();
  expect((await post()).status).toBe(201);
  const trips = wire.takeRoundTrips().map((trip) => trip.join('; '));
  // The workers are notified after the commit, and no request waits for that. Whether the team has room is read once in a few seconds.
  const others = /graphile_worker\.add_jobs|team_usage/;
  expect(trips.filter((trip) => !others.test(trip))).toEqual([
    expect.stringContaining('from gate('),
    expect.stringMatching(/^begin/i),
    expect.stringMatching(/from team where .* for share/s),
    expect.stringContaining('from member'),
    expect.stringContaining('from catalog_item'),
    expect.stringMatching(/^insert into assignment /),
    expect.stringMatching(/^with event as \(insert into webhook_event .* from webhook_endpoint/s),
    expect.stringMatching(/^insert into audit_entry/),
    expect.stringMatching(/^commit/i),
  ]);
});
