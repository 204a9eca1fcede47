import { afterAll, beforeAll, expect, it } from 'vitest';
import { newId } from '../../src/core/ids.ts';
import { aCombination } from '../support/assignments.ts';
import { createDatabase } from '../support/postgres.ts';
import type { TestDatabase } from '../support/postgres.ts';
import { startTestService } from '../support/service.ts';
import type { TestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';
import { openWire } from '../support/wire.ts';
import type { Wire } from '../support/wire.ts';

let database: TestDatabase;
let wire: Wire;
let service: TestService;
beforeAll(async () => {
  database = await createDatabase();
  wire = await openWire(database.url);
  service = await startTestService({ databaseUrl: wire.url });
});
afterAll(async () => {
  await service.close();
  await wire.close();
  await database.drop();
});

it('POST /assignments asks the database for nothing that it knows', async () => {
  const team = await aTeam(service);
  await service.database.prisma.webhookEndpoint.create({
    data: {
      tenantId: team.id,
      id: newId(),
      url: 'https://example.com/',
      events: ['assignment.created'],
      status: 'active',
      apiVersion: '2026-11',
      secret: Uint8Array.from([1]),
      createdAt: new Date(),
    },
  });
  const body = { member_id: team.owner.member_id, title: 'Practise', ...(await aCombination(service)) };
  const post = () => team.client.post('/assignments', body);
  for (let warmed = 0; warmed < 10; warmed += 1) await post();
  wire.takeRoundTrips();
  expect((await post()).status).toBe(201);
  expect(wire.takeRoundTrips().map((trip) => trip.join('; '))).toEqual([
    expect.stringContaining('from gate('),
    expect.stringMatching(/^begin/i),
    expect.stringMatching(/from team where .* for share/s),
    expect.stringContaining('from member'),
    expect.stringContaining('from catalog_item'),
    expect.stringMatching(/^insert into assignment/),
    expect.stringMatching(/^with event as \(insert into webhook_event .* from webhook_endpoint/s),
    expect.stringMatching(/^insert into webhook_delivery/),
    expect.stringMatching(/^insert into audit_entry/),
    expect.stringMatching(/^commit/i),
  ]);
});
