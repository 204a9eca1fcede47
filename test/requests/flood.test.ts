import { describe, expect, it, vi } from 'vitest';
import { secondsToMs } from '../../src/core/clock.ts';
import { limits, requestLogLimits } from '../../src/core/limits.ts';
import { inTheApp } from '../support/app-caller.ts';
import { keyBudget, spend } from '../support/budgets.ts';
import { makeClient, type Client } from '../support/client.ts';
import { patience } from '../support/patience.ts';
import { anAnswer } from '../support/logs.ts';
import { useTestService } from '../support/service.ts';
import { aTeam, type TestTeam } from '../support/team.ts';

const single = requestLogLimits.refusalsPerMinute;
const minute = secondsToMs(60);
const service = await useTestService({ own: true });
const services = [service, await useTestService({ databaseUrl: service.databaseUrl })];

/** Starts a new minute of the log's clock, so that a flood is within one minute. */
const beginMinute = () => {
  for (const { clock } of services) clock.set(new Date((Math.floor(clock.now().getTime() / minute) + 1) * minute));
};

/** Writes everything that is still in memory: the minute of the counting rows has ended. */
const writeAll = async () => {
  for (const { clock, requestLog } of services) {
    clock.forward(minute);
    await requestLog.write();
  }
};

const rowsOf = async ({ id }: TestTeam) =>
  (await service.database.prisma.requestLogEntry.findMany({ where: { tenantId: id } })).toSorted((a, b) =>
    a.id < b.id ? -1 : 1,
  );

const sumsOf = async ({ id }: TestTeam) => {
  const { _sum } = await service.database.prisma.apiKeyDay.aggregate({
    where: { tenantId: id },
    _sum: { requests: true, limited: true, refused: true, failed: true },
  });
  return _sum;
};

const atOnce = (client: Client, count: number) => Promise.all(Array.from({ length: count }, () => client.get('/me')));

const floodOf = (team: TestTeam, keyId: string, count: number, said = {}) => {
  for (let n = 0; n < count; n += 1)
    service.requestLog.note(
      anAnswer(team, keyId, { status: 429, code: 'rate_limited', route: undefined, refusedAtGate: true, ...said }),
    );
};

describe('requests that the gate refuses', () => {
  it('beyond a few a minute share one row that counts them, and the sums of the day stay exact', async () => {
    const team = await aTeam(service);
    const { id, text } = await team.aKey();
    beginMinute();
    await spend(service, keyBudget(id), limits.requestsPerKeyPerMinute);
    const clients = services.map(({ baseUrl }) => makeClient(baseUrl, text));
    for (const client of clients)
      for (const answer of await atOnce(client, 150)) expect(answer).toBeProblem('rate_limited');
    await vi.waitFor(async () => {
      await writeAll();
      expect(await sumsOf(team)).toEqual({ requests: 300, limited: 300, refused: 0, failed: 0 });
    }, patience);
    const rows = await rowsOf(team);
    // Each process has a limited number of single rows and one that counts; on a busy machine the log's minute may end
    // in between.
    expect(rows.length).toBeLessThanOrEqual(2 * 2 * (single + 1));
    expect(rows.reduce((sum, { count }) => sum + count, 0)).toBe(300);
    expect(new Set(rows.map(({ route }) => route))).toEqual(new Set(['/me']));
    expect(new Set(rows.map(({ requestId }) => requestId)).size).toBe(rows.length);
  });

  it('have their route, and the row that counts has it only if it is the same for all', async () => {
    const team = await aTeam(service);
    const { id } = await team.aKey();
    beginMinute();
    floodOf(team, id, single + 5, { route: '/cases' });
    await writeAll();
    expect(new Set((await rowsOf(team)).map(({ route }) => route))).toEqual(new Set(['/cases']));
    service.clock.forward(minute);
    floodOf(team, id, single + 5, { route: '/cases' });
    floodOf(team, id, 5, { route: '/users' });
    await writeAll();
    expect((await rowsOf(team)).filter(({ count }) => count > 1)).toMatchObject([
      { route: '/cases', count: 5 },
      { route: null, count: 10 },
    ]);
  });

  it('of a suspended team do so too, separately for each kind of answer', async () => {
    const team = await aTeam(service);
    const { id } = await team.aKey();
    beginMinute();
    floodOf(team, id, 5_000);
    floodOf(team, id, 3_000, { status: 403, code: 'api_disabled' });
    floodOf(team, id, 2_000, { status: 499, code: undefined });
    await writeAll();
    const rows = await rowsOf(team);
    expect(rows).toHaveLength(3 * (single + 1));
    expect(rows.map(({ count }) => count).filter((count) => count > 1)).toEqual([
      5_000 - single,
      3_000 - single,
      2_000 - single,
    ]);
    expect(await sumsOf(team)).toEqual({ requests: 10_000, limited: 5_000, refused: 5_000, failed: 0 });
  });

  it('have separate rows for each minute; counting rows are written when the minute is over, or at the end', async () => {
    const team = await aTeam(service);
    const { id } = await team.aKey();
    beginMinute();
    floodOf(team, id, 100);
    await service.requestLog.write();
    expect(await rowsOf(team)).toHaveLength(single);
    service.clock.forward(minute);
    floodOf(team, id, 50);
    await service.requestLog.write();
    expect((await rowsOf(team)).map(({ count }) => count).filter((count) => count > 1)).toEqual([100 - single]);
    await service.requestLog.end();
    expect((await sumsOf(team)).requests).toBe(150);
    expect(await rowsOf(team)).toHaveLength(2 * (single + 1));
  });

  it('are shown with their number, and found by the request id of the first of them', async () => {
    const team = await aTeam(service);
    const { id } = await team.aKey();
    beginMinute();
    floodOf(team, id, single);
    const [first, other] = [anAnswer(team, id), anAnswer(team, id)];
    for (const { requestId } of [first, other])
      floodOf(team, id, 1, { requestId, method: requestId === first.requestId ? 'POST' : 'GET' });
    await writeAll();
    const { list } = (await inTheApp(team)).requests;
    const counts = (await list({})).data.map(({ count }) => count);
    expect(counts.toSorted((a, b) => b - a)).toEqual([2, ...Array.from({ length: single }, () => 1)]);
    expect((await list({ request_id: first.requestId })).data).toMatchObject([{ count: 2, method: 'POST' }]);
    expect((await list({ request_id: other.requestId })).data).toEqual([]);
    expect((await list({ code: 'rate_limited' })).data).toHaveLength(single + 1);
  });

  it('admitted requests have a row each, whatever the answer', async () => {
    const team = await aTeam(service);
    const { text } = await team.aKey();
    beginMinute();
    const client = makeClient(service.baseUrl, text);
    for (let n = 0; n < 3 * single; n += 1) await client.get('/users?limit=x');
    await vi.waitFor(async () => {
      await service.requestLog.write();
      expect(await rowsOf(team)).toHaveLength(3 * single);
    }, patience);
  });

  it('a sum that would exceed an integer does not change, and does not prevent other keys’ rows', async () => {
    const [team, other] = [await aTeam(service), await aTeam(service)];
    const [id, otherId] = [(await team.aKey()).id, (await other.aKey()).id];
    beginMinute();
    floodOf(team, id, 1);
    floodOf(team, (await team.aKey()).id, 1);
    await service.requestLog.write();
    await service.database.prisma.apiKeyDay.updateMany({
      where: { tenantId: team.id },
      data: { requests: 2_147_483_600, limited: 2_147_483_600 },
    });
    floodOf(team, id, 1_000);
    service.requestLog.note(anAnswer(other, otherId));
    await writeAll();
    const { usage, list } = (await inTheApp(team)).keys;
    const { days } = await usage({ days: 7 });
    const max = Math.max(...days.map(({ requests }) => requests));
    expect(max).toBeGreaterThan(4_294_967_000);
    expect(max).toBeLessThanOrEqual(2 * 2_147_483_647);
    expect((await list({})).data).not.toEqual([]);
    expect(await rowsOf(team)).toHaveLength(single + 2);
    expect(await rowsOf(other)).toHaveLength(1);
  });
});
