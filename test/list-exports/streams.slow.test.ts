import { once } from 'node:events';
import { request as open, type IncomingMessage } from 'node:http';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { listExportLimits } from '../../src/core/limits.ts';
import { linesOf } from '../support/client.ts';
import { startTestService, useTestService, type TestService } from '../support/service.ts';
import { aTeam, type TestTeam } from '../support/team.ts';

// Exports that are too large for the buffers of the system, with clients that do not read or leave.

const maintenance: { current: { retryAfterSeconds: number } | undefined } = { current: undefined };
const service = await useTestService({ own: true, maintenance });

const cases = 500;

/** A team with cases of 120 kB each. */
const aLargeTeam = async (): Promise<TestTeam> => {
  const team = await aTeam(service, { rateLimit: 100_000 });
  await service.database.prisma.$executeRaw`
    insert into "case" (tenant_id, id, user_id, title, fields, external_ref, private, bytes, created_at, updated_at)
    select ${team.id}::uuid, gen_random_uuid(), ${team.owner.user_id}::uuid, 'Case ' || n, long, long, false,
           2 * octet_length(long), at, at
      from generate_series(1, ${cases}::int) as n,
           (select '{"a":"' || repeat('x', 60000) || '"}' as long, now() as at) as one`;
  return team;
};

interface Held {
  response: IncomingMessage;
  /** Reads the rest: what came, and whether it ended as an answer ends. */
  rest: () => Promise<{ text: string; isWhole: boolean }>;
}

/** An export whose client reads nothing after the headers. */
const hold = async ({ baseUrl }: Pick<TestService, 'baseUrl'>, key: string): Promise<Held> => {
  const asked = open(`${baseUrl}/exports/cases`, { headers: { Authorization: `Bearer ${key}` }, agent: false }).end();
  const [response]: IncomingMessage[] = await once(asked, 'response');
  if (!response) throw new Error('no response');
  onTestFinished(() => void response.destroy());
  expect(response.statusCode).toBe(200);
  return {
    response,
    async rest() {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      await once(response, 'end').catch(() => {});
      return { text: Buffer.concat(parts).toString(), isWhole: response.complete };
    },
  };
};

/** Waits until an export has stopped reading, because its client reads nothing. Returns how many pages it has read. */
const stopped = async (run: { mock: { calls: unknown[] } }): Promise<number> => {
  let [before, unchanged] = [-1, 0];
  await expect
    .poll(() => {
      unchanged = run.mock.calls.length === before ? unchanged + 1 : 0;
      before = run.mock.calls.length;
      return unchanged;
    })
    .toBeGreaterThan(5);
  return before;
};

const lastLine = (all: string) => linesOf(all).at(-1) ?? {};

const logOf = (team: TestTeam) =>
  service.logged().filter((line) => line['tenant_id'] === team.id && line['route'] === '/exports/cases');

describe('an export whose client reads slowly', () => {
  it('waits for it, without a transaction, and the team can’t begin another one, also in another process', async () => {
    const [team, other] = [await aLargeTeam(), await aTeam(service)];
    const { text: key } = await team.aKey();
    const run = vi.spyOn(service.database, 'run');
    onTestFinished(() => run.mockRestore());
    const held = await hold(service, key);
    const pages = await stopped(run);
    expect(pages).toBeLessThan(cases / 10);
    const states = await service.database.prisma.$queryRaw<{ count: bigint }[]>`
      select count(*) from pg_stat_activity
       where datname = current_database() and xact_start is not null and pid <> pg_backend_pid()`;
    expect(Number(states[0]?.count)).toBe(0);

    const refused = { retry_after: listExportLimits.retrySeconds, detail: expect.stringContaining('export') };
    const second = await team.client.get('/exports/members');
    expect(second).toBeProblem('rate_limited', refused);
    expect(second.headers.get('retry-after')).toBe(String(listExportLimits.retrySeconds));
    expect((await other.client.get('/exports/members')).status).toBe(200);
    expect((await team.client.get('/users')).status).toBe(200);

    const process2 = await startTestService({ databaseUrl: service.databaseUrl });
    onTestFinished(() => process2.close());
    const there = (path: string) =>
      fetch(`${process2.baseUrl}${path}`, { headers: { Authorization: `Bearer ${key}` } });
    expect((await there('/exports/members')).status).toBe(429);
    // As if the first process had been killed.
    process2.clock.forward(1_000 * listExportLimits.leaseSeconds);
    expect((await there('/exports/members')).status).toBe(200);

    const { text: all, isWhole } = await held.rest();
    expect([isWhole, linesOf(all).length, Object.keys(lastLine(all))]).toEqual([true, cases + 1, ['cursor']]);
    expect(logOf(team).at(-1)).toMatchObject({ status: 200, waited_ms: expect.any(Number) });
  });

  it('ends when its client leaves, and another one can begin', async () => {
    const team = await aLargeTeam();
    const { response } = await hold(service, (await team.aKey()).text);
    response.destroy();
    await expect.poll(async () => (await team.client.get('/exports/members')).status).toBe(200);
    await expect.poll(() => logOf(team).at(-1)).toMatchObject({ status: 499 });
  });
});

describe('an export breaks off without a last line', () => {
  it.each([
    {
      when: 'its key is revoked',
      code: 'unauthorized',
      act: (team: TestTeam, keyId: string) =>
        service.database.prisma.apiKey.updateMany({
          where: { tenantId: team.id, id: keyId },
          data: { revokedAt: service.clock.now() },
        }),
    },
    {
      when: 'member details are switched off',
      code: 'privacy_restricted',
      act: (team: TestTeam) => team.change({ memberDetail: false }),
    },
    { when: 'the team ends', code: 'api_disabled', act: (team: TestTeam) => team.change({ status: 'suspended' }) },
    {
      when: 'maintenance begins',
      code: 'unavailable',
      act: async () => {
        maintenance.current = { retryAfterSeconds: 1 };
        onTestFinished(() => void (maintenance.current = undefined));
      },
    },
  ])('when $when', async ({ code, act }) => {
    const team = await aLargeTeam();
    const { id, text: key } = await team.aKey();
    const run = vi.spyOn(service.database, 'run');
    onTestFinished(() => run.mockRestore());
    const held = await hold(service, key);
    await stopped(run);
    await act(team, id);
    const { text: all, isWhole } = await held.rest();
    expect(isWhole).toBe(false);
    expect(linesOf(all).length).toBeLessThan(cases);
    expect(all).not.toContain('"cursor"');
    await expect.poll(() => logOf(team).at(-1)).toMatchObject({ status: 499, code });
  });
});

it('a connection that is lost leaves whole rows, from whose last one the rest is exported', async () => {
  const team = await aLargeTeam();
  const { response } = await hold(service, (await team.aKey()).text);
  let begun = '';
  for await (const part of response) {
    begun += String(part);
    if (begun.length > 3_000_000) break;
  }
  const rows = linesOf(begun.slice(0, begun.lastIndexOf('\n') + 1));
  const since = String(rows.at(-1)?.['updated_at']);
  await expect.poll(async () => (await team.client.get('/exports/members')).status).toBe(200);
  const rest = await fetch(`${service.baseUrl}/exports/cases?updated_since=${since}`, {
    headers: { Authorization: `Bearer ${team.client.key}` },
  });
  const all = new Set([...rows, ...linesOf(await rest.text())].map(({ id }) => id));
  all.delete(undefined);
  expect(all.size).toBe(cases);
});
