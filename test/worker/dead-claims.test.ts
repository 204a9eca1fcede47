import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { later, seconds } from '../../src/core/clock.ts';
import { leaseMs } from '../../src/webhooks/claim.ts';
import { endLeasesOfTheDead, holdClaims, newClaimId, newHolder } from '../../src/webhooks/dead-claims.ts';
import { aDispatcher, anEndpointAt, anEvent, waitingFor } from '../support/deliveries.ts';
import { startReceiver } from '../support/receiver.ts';
import { startTestService } from '../support/service.ts';
import type { TestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';
import type { TestTeam } from '../support/team.ts';

let service: TestService;
let team: TestTeam;
beforeAll(async () => {
  service = await startTestService();
  team = await aTeam(service);
});
afterAll(() => service.close());
beforeEach(async () => {
  await service.database.prisma.webhookWaiting.deleteMany();
  await service.database.prisma.webhookEndpoint.updateMany({ data: { status: 'disabled' } });
});

/** An endpoint with so many deliveries, all of which a holder claimed so many seconds ago. */
const aClaimedEndpoint = async (url: string, deliveries: number, holder: number, claimedSecondsAgo: number) => {
  const { id } = await anEndpointAt(service, team, url);
  await anEvent(service, team, deliveries);
  await service.database.prisma.webhookWaiting.updateMany({
    where: { endpointId: id },
    data: {
      claimId: newClaimId(holder),
      hasJob: true,
      dueAt: later(service.clock.now(), leaseMs - seconds(claimedSecondsAgo)),
    },
  });
  return id;
};

/** A holder that is alive while the test runs. */
const aLivingHolder = async (): Promise<number> => {
  const holder = newHolder();
  const client = new pg.Client({ connectionString: service.databaseUrl });
  await client.connect();
  onTestFinished(() => client.end());
  await holdClaims(client, holder);
  return holder;
};

const endLeases = (endpointId: string) => endLeasesOfTheDead(service.platform, { tenantId: team.id, endpointId });

const dueNow = async (endpointId: string): Promise<number> => {
  const now = service.clock.now();
  return (await waitingFor(service, endpointId)).filter(({ dueAt }) => dueAt <= now).length;
};

describe('the claims of a worker that is gone', () => {
  it('end some seconds after they were made, and those of other endpoints stay', async () => {
    const dead = newHolder();
    const id = await aClaimedEndpoint('https://receiver.example.com/1', 3, dead, 10);
    await service.database.prisma.webhookEndpoint.update({
      where: { tenantId_id: { tenantId: team.id, id } },
      data: { status: 'disabled' },
    });
    const another = await aClaimedEndpoint('https://receiver.example.com/2', 3, dead, 10);
    expect(await endLeases(id)).toBe(true);
    expect(await endLeases(id)).toBe(false);
    expect([await dueNow(id), await dueNow(another)]).toEqual([3, 0]);
  });

  it('stay while they are new: the worker may only just have started', async () => {
    const id = await aClaimedEndpoint('https://receiver.example.com/', 3, newHolder(), 1);
    expect(await endLeases(id)).toBe(false);
    expect(await dueNow(id)).toBe(0);
  });

  it('keep their endpoint’s other deliveries waiting no longer: they are sent long before the leases end', async () => {
    const receiver = await startReceiver();
    onTestFinished(() => receiver.close());
    const perEndpoint = 8;
    await aClaimedEndpoint(receiver.url, perEndpoint, newHolder(), 10);
    await anEvent(service, team, 5);
    const begin = performance.now();
    await aDispatcher(service, { perEndpoint });
    await receiver.untilReceived(perEndpoint + 5);
    expect(performance.now() - begin).toBeLessThan(leaseMs - seconds(10) - seconds(5));
  });
});

it('the claims of a worker that lives stay until their leases end', async () => {
  const id = await aClaimedEndpoint('https://receiver.example.com/', 3, await aLivingHolder(), 25);
  expect(await endLeases(id)).toBe(false);
  expect(await dueNow(id)).toBe(0);
});

it('a worker’s own claims are of a holder that lives', async () => {
  const { promise: over, resolve: letGo } = Promise.withResolvers<{ status: number }>();
  const receiver = await startReceiver({ answer: () => over });
  onTestFinished(() => receiver.close());
  const { id } = await anEndpointAt(service, team, receiver.url);
  await aDispatcher(service);
  await anEvent(service, team);
  await receiver.untilReceived(1);
  const holders = () => service.database.prisma.$queryRaw<{ holder: string }[]>`
    select lpad(to_hex(objid::bigint), 8, '0') as holder from pg_locks
     where locktype = 'advisory' and classid = 7402118
       and database = (select oid from pg_database where datname = current_database())`;
  await expect.poll(holders).toHaveLength(1);
  const [row] = await waitingFor(service, id);
  expect(row?.claimId?.slice(0, 8)).toBe((await holders())[0]?.holder);
  letGo({ status: 200 });
});
