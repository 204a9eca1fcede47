import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { deliveryLimits, webhookLimits } from '../../src/core/limits.ts';
import { recoverEndpoint } from '../../src/modules/webhooks/manual-deliveries.ts';
import { boundWaiting } from '../../src/modules/webhooks/waiting-cap.ts';
import type { ClaimedDelivery } from '../../src/deliveries/claim.ts';
import { writeOutcomes, type AttemptOutcome } from '../../src/deliveries/outcomes.ts';
import { aDispatcher, anEndpointAt, anEvent, claimDue, deliveriesTo } from '../support/worker.ts';
import { askedBy, explained } from '../support/plans.ts';
import { aConnection, isDistributed } from '../support/postgres.ts';
import { auditEntriesOn } from '../support/logs.ts';
import { patience } from '../support/patience.ts';
import { aReceiver } from '../support/receiver.ts';
import { useTestService } from '../support/service.ts';
import { aTeam, type TestTeam } from '../support/team.ts';
import { waitingFor } from '../support/webhooks.ts';

const service = await useTestService({ own: true });

let team: TestTeam;
let endpoint: string;
beforeEach(async () => {
  team = await aTeam(service);
  ({ id: endpoint } = await anEndpointAt(service, team, 'https://one.test'));
});
afterEach(async () => {
  service.clock.set(new Date());
  await service.database.prisma.webhookWaiting.deleteMany();
});

const day = 24 * 3_600_000;
const retries = webhookLimits.retrySeconds.length;
/** A long answer. */
const long = { excerpt: '🎈'.repeat(1_000), headers: { 'x-long': 'h'.repeat(500) } };

interface Wanted {
  status?: 'ok' | 'failed' | 'gave_up';
  answer?: typeof long;
  /** Later than now, in milliseconds. */
  after?: number;
}

const outcomeOf = (claimed: ClaimedDelivery, { status = 'ok', answer, after = 0 }: Wanted) => {
  const startedAt = new Date(service.clock.now().getTime() + after);
  const code = status === 'ok' ? 200 : 500;
  return {
    claimed: status === 'gave_up' ? { ...claimed, attempt: retries, scheduled: retries } : claimed,
    requestHeaders: {},
    memberDetail: claimed.memberDetail,
    result: { startedAt, ms: 5, code, headers: null, excerpt: null, ...answer, error: null, fault: null },
  } satisfies AttemptOutcome;
};

/** Raises events of a team and claims their deliveries. */
const claimedOf = async (of: TestTeam, count: number): Promise<ClaimedDelivery[]> => {
  await anEvent(service, of, count);
  return (await claimDue(service)).filter(({ tenantId }) => tenantId === of.id);
};

/** Writes the outcomes of new deliveries in one batch; they are reported in the order in which they ended. */
const attempted = async (max: number, count = 1, wanted: Wanted = {}, of = team): Promise<void> => {
  const claimed = await claimedOf(of, count);
  expect(claimed).toHaveLength(count);
  const written = await writeOutcomes(
    service.platform,
    claimed.map((one) => outcomeOf(one, wanted)),
    max,
  );
  expect(written.map((one) => one?.status)).toEqual(Array(count).fill(wanted.status ?? 'ok'));
};

/** The stored history of a team: statuses of its deliveries, and the number of their attempts. */
const historyOf = async ({ id: tenantId }: { id: string }) => {
  const { webhookDelivery, webhookAttempt } = service.database.prisma;
  const deliveries = await webhookDelivery.findMany({ where: { tenantId }, orderBy: { id: 'asc' } });
  return {
    statuses: deliveries.map(({ status }) => status),
    attempts: await webhookAttempt.count({ where: { tenantId } }),
  };
};
const kept = (count: number) => ({ statuses: Array(count).fill('ok'), attempts: count });

const countedAttempts = async (): Promise<number | undefined> => {
  const where = { tenantId: team.id };
  const [row] = await service.database.prisma.webhookTeamDay.findMany({ where, orderBy: { day: 'asc' } });
  return row && Number(row.attempts);
};

it('the outcomes of a batch read no table for each of them, even if PostgreSQL plans for small tables', async ({
  skip,
}) => {
  skip(isDistributed(), 'its statement runs in a cell');
  const client = await aConnection(service.databaseUrl);
  await client.query('analyze webhook_team_day');
  const claimed = await claimedOf(team, 20);
  const [asked] = await askedBy(await team.acting(), ({ platform }) =>
    writeOutcomes(
      platform,
      claimed.map((one) => outcomeOf(one, {})),
    ),
  );
  const { wholeReads } = await explained(client, asked, 'generic');
  expect(Math.max(0, ...wholeReads)).toBeLessThan(2);
});

describe('an attempt beyond its team’s number of the day', () => {
  it('leaves no row, and neither does the delivery that ends with it; sums and the endpoint’s health count it', async () => {
    const max = 3;
    await attempted(max, 5);
    expect(await historyOf(team)).toEqual(kept(3));
    await attempted(max, 1, { status: 'gave_up', after: 1_000 });
    await attempted(max, 2, { after: 2_000, answer: long });
    expect(await historyOf(team)).toEqual(kept(3));
    expect(await waitingFor(service, endpoint)).toEqual([]);
    expect(await countedAttempts()).toBe(3);
    const { webhookEndpoint, webhookEndpointDay } = service.database.prisma;
    const [sums] = await webhookEndpointDay.findMany({ where: { tenantId: team.id } });
    expect(sums).toMatchObject({ delivered: 7, failed: 1 });
    await attempted(max, 1, { status: 'gave_up', after: 3_000 });
    expect((await webhookEndpoint.findFirstOrThrow({ where: { id: endpoint } })).failingSince).not.toBeNull();
  });

  it('is followed by the next one as usual; when the delivery is over, it is deleted with its earlier attempts', async () => {
    const max = 2;
    const [first, second] = await claimedOf(team, 2);
    if (!first || !second) throw new Error('two were to be claimed');
    const write = async (...outcomes: AttemptOutcome[]) =>
      (await writeOutcomes(service.platform, outcomes, max)).map((one) => one?.status);
    expect(await write(outcomeOf(first, { status: 'failed' }))).toEqual(['failed']);
    await attempted(max);
    expect(await write(outcomeOf(second, { status: 'failed' }))).toEqual(['failed']);
    expect(await historyOf(team)).toEqual({ statuses: ['failed', 'failed', 'ok'], attempts: 2 });
    const [, beyond] = await deliveriesTo(service, endpoint);
    expect(beyond).toMatchObject({ attempt: 1, responseCode: 500, nextTryAt: expect.any(Date) });

    service.clock.forward(61_000);
    const again = await claimDue(service);
    expect(again).toHaveLength(2);
    expect(await write(...again.map((one) => outcomeOf(one, {})))).toEqual(['ok', 'ok']);
    expect(await historyOf(team)).toEqual(kept(1));
    expect(await waitingFor(service, endpoint)).toEqual([]);
  });

  it('is stored if it is a ping or a retry by hand', async () => {
    const max = 0;
    const [ping, retry, other] = await claimedOf(team, 3);
    if (!ping || !retry || !other) throw new Error('three were to be claimed');
    const outcomes = [
      outcomeOf({ ...ping, eventType: 'ping' }, { status: 'gave_up' }),
      outcomeOf({ ...retry, resumeStatus: 'gave_up' }, { status: 'gave_up' }),
      outcomeOf(other, {}),
    ];
    await writeOutcomes(service.platform, outcomes, max);
    expect(await historyOf(team)).toEqual({ statuses: ['gave_up', 'gave_up'], attempts: 2 });
  });

  it('does not affect another team, nor the next day', async () => {
    const max = 2;
    await attempted(max, 3);
    const other = await aTeam(service);
    await anEndpointAt(service, other, 'https://two.test');
    await attempted(max, 2, {}, other);
    expect(await historyOf(other)).toEqual(kept(2));
    await attempted(max, 3, { after: day });
    expect(await historyOf(team)).toEqual(kept(4));
  });

  it('may be one of a new endpoint, too, after the first was deleted', async () => {
    const max = 2;
    await attempted(max, 2);
    expect((await team.client.delete(`/webhook-endpoints/${endpoint}`)).status).toBe(200);
    await service.database.prisma.webhookDelivery.deleteMany({ where: { tenantId: team.id } });
    await service.database.prisma.webhookAttempt.deleteMany({ where: { tenantId: team.id } });
    await anEndpointAt(service, team, 'https://three.test');
    await attempted(max);
    expect(await historyOf(team)).toEqual(kept(0));
  });

  it('is sent by the worker like every other one', async () => {
    const receiver = await aReceiver({ answer: () => ({ status: 200, body: '🎈'.repeat(2_000) }) });
    await service.database.prisma.webhookEndpoint.deleteMany({ where: { tenantId: team.id } });
    await anEndpointAt(service, team, `${receiver.url}/${'x'.repeat(1_000)}`);
    await aDispatcher(service);
    const { webhookEndpointDay, webhookTeamDay, webhookWaiting } = service.database.prisma;
    const where = { tenantId: team.id };
    const deliver = async (count: number) => {
      await anEvent(service, team);
      await vi.waitFor(async () => {
        expect(await webhookWaiting.count({ where })).toBe(0);
        expect((await webhookEndpointDay.findFirst({ where }))?.delivered).toBe(count);
      }, patience);
    };
    await deliver(1);
    expect(await countedAttempts()).toBe(1);
    await webhookTeamDay.updateMany({ where, data: { attempts: deliveryLimits.historyAttemptsPerDay } });
    for (const count of [2, 3]) {
      await deliver(count);
      await expect.poll(() => historyOf(team)).toEqual(kept(1));
    }
    expect(receiver.received).toHaveLength(3);
  });
});

describe('deliveries that are given up because too many wait', () => {
  it('stay in the history; an audit entry counts them, one mail is sent, and they can be recovered', async () => {
    const since = new Date(service.clock.now().getTime() - 60_000);
    const other = await aTeam(service);
    await anEndpointAt(service, other, 'https://four.test');
    const crowd = async (of: TestTeam, count: number) => {
      await anEvent(service, of, count);
      await boundWaiting(service.platform, 10);
    };
    const givenUp = (count: number) => ({
      statuses: [...Array(count).fill('gave_up'), ...Array(10).fill('pending')],
      attempts: 0,
    });
    await crowd(team, 25);
    expect(await historyOf(team)).toEqual(givenUp(15));
    await crowd(team, 10);
    expect(await historyOf(team)).toEqual(givenUp(25));
    expect(await waitingFor(service, endpoint)).toHaveLength(10);
    const audited = (await auditEntriesOn(service, team, team.id)).filter(({ action }) => action !== 'team.created');
    expect(audited.map(({ data }) => data)).toEqual(
      expect.arrayContaining([15, 10].map((given_up) => ({ given_up, most_waiting: 10 }))),
    );
    expect(audited).toHaveLength(2);
    expect((await service.mailsTo(team.owner.email)).length).toBe(1);

    await crowd(other, 12);
    expect(await historyOf(other)).toEqual(givenUp(2));

    expect(await recoverEndpoint(await team.acting(), { endpointId: endpoint, since })).toEqual({
      recovered: 25,
      older: 0,
      more: false,
    });
  });

  it('are told to each team by itself, at most once in six hours', async () => {
    onTestFinished(() => service.clock.set(new Date()));
    const [one, two] = [await aTeam(service), await aTeam(service)];
    for (const { id } of [one, two]) await anEndpointAt(service, { id }, 'https://five.test');
    const told = async () => [
      (await service.mailsTo(one.owner.email)).length,
      (await service.mailsTo(two.owner.email)).length,
    ];
    const crowd = async (of: TestTeam) => {
      await anEvent(service, of, 11);
      await boundWaiting(service.platform, 10);
    };
    await crowd(one);
    expect(await told()).toEqual([1, 0]);
    service.clock.forward(5 * 3_600_000 + 3_540_000);
    await crowd(one);
    await crowd(two);
    expect(await told()).toEqual([1, 1]);
    service.clock.forward(120_000);
    await crowd(one);
    await crowd(two);
    expect(await told()).toEqual([2, 1]);
  });
});
