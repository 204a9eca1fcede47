import { describe, expect, it } from 'vitest';
import { writeOutcomes, type AttemptOutcome } from '../../src/deliveries/outcomes.ts';
import type { ClaimedDelivery } from '../../src/deliveries/claim.ts';
import { anEndpointAt, anEvent, claimDue } from '../support/worker.ts';
import { useDatabase } from '../support/postgres.ts';
import { useTestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';

// Like a connection that has run the statement several times: with a generic plan.
const url = new URL((await useDatabase()).url);
url.searchParams.set('options', '-c timezone=UTC -c plan_cache_mode=force_generic_plan');
const service = await useTestService({ databaseUrl: url.href });

const delivered = (claimed: ClaimedDelivery): AttemptOutcome => ({
  claimed,
  requestHeaders: {},
  memberDetail: claimed.memberDetail,
  result: { startedAt: service.clock.now(), ms: 5, code: 200, headers: {}, excerpt: '', error: null, fault: null },
});

const max = 1_000;

describe('workers side by side', () => {
  it('that write at the same time to the same endpoints: each outcome is stored', async () => {
    const team = await aTeam(service);
    for (let made = 0; made < 5; made += 1) await anEndpointAt(service, team, `https://127.0.0.1/${made}`);
    await anEvent(service, team, max / 5);
    await service.database.prisma.$executeRawUnsafe('analyze');
    const claimed = await claimDue(service);
    expect(claimed).toHaveLength(max);

    const worker = async () => {
      for (let batch = claimed.splice(0, 10); batch.length > 0; batch = claimed.splice(0, 10)) {
        const written = await writeOutcomes(service.platform, batch.map(delivered));
        claimed.push(...batch.filter((_, index) => written[index]?.status === null));
      }
    };
    await Promise.all([worker(), worker(), worker()]);

    const { webhookDelivery, webhookWaiting } = service.database.prisma;
    const where = { tenantId: team.id };
    const states = await webhookDelivery.groupBy({ by: ['status'], where, _count: true });
    expect(states).toEqual([{ status: 'ok', _count: max }]);
    expect(await webhookWaiting.count()).toBe(0);
  });
});
