import pino from 'pino';
import { describe, expect, it, vi } from 'vitest';
import { systemClock } from '../../src/core/clock.ts';
import type { Database } from '../../src/db/database.ts';
import { sqlState } from '../../src/db/sqlstate.ts';
import { makeRequestLog } from '../../src/modules/requests/writer.ts';
import { aConnection, untilLockWaits } from '../support/postgres.ts';
import { anAnswer } from '../support/logs.ts';
import { useTestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';

const service = await useTestService({ own: true });

/** A log on the service's database whose statements fail as the test says. */
const aLog = (parts: Partial<Database['parts']> = {}) => {
  const lines: Record<string, unknown>[] = [];
  const log = pino({ level: 'info', base: null }, { write: (line) => void lines.push(JSON.parse(line)) });
  let failure: Error | undefined;
  let failures = 0;
  let losesAnswer = false;
  const statements = vi.fn<() => void>();
  const database: Database = {
    ...service.database,
    parts: { ...service.database.parts, ...parts },
    run: async (query, parameters) => {
      statements();
      failures -= 1;
      if (failure && failures >= 0) throw failure;
      const rows = await service.database.run(query, parameters);
      if (!losesAnswer) return rows;
      losesAnswer = false;
      throw away;
    },
  };
  const requestLog = makeRequestLog({ database, clock: systemClock, log, maxWaiting: 500 });
  return {
    requestLog,
    lines,
    statements,
    failWith: (error: Error | undefined, times = Infinity) => {
      failure = error;
      failures = times;
    },
    loseNextAnswer: () => (losesAnswer = true),
  };
};

const away = Object.assign(new Error('nobody there'), { code: 'ECONNREFUSED' });

const locked = Object.assign(new Error('locked'), { code: sqlState.lockNotAvailable });

const kept = async (tenantId: string) => {
  const { requestLogEntry, apiKeyDay } = service.database.prisma;
  const { _sum } = await apiKeyDay.aggregate({ where: { tenantId }, _sum: { requests: true } });
  return [await requestLogEntry.count({ where: { tenantId } }), _sum.requests ?? 0];
};

const aKey = async () => {
  const team = await aTeam(service);
  return { team, id: (await team.aKey()).id };
};

/** Two groups of teams in one part of the database, with a team each. */
const twoGroups = (...teams: readonly { id: string }[]): Partial<Database['parts']> => {
  const run: ReturnType<Database['ofTeam']> = (action) => action();
  return {
    groups: () => teams.length,
    divide: async (items, teamOf) =>
      teams.map(({ id }) => ({ items: items.filter((item) => teamOf(item) === id), run, part: 'the only one' })),
  };
};

describe('the request log', () => {
  it('writes many at once, by itself from 100 on, and sends no query if there are none', async () => {
    const { team, id } = await aKey();
    const { requestLog, statements } = aLog();
    await requestLog.write();
    expect(statements).not.toHaveBeenCalled();
    for (let n = 0; n < 99; n += 1) requestLog.note(anAnswer(team, id));
    expect(statements).not.toHaveBeenCalled();
    requestLog.note(anAnswer(team, id));
    await expect.poll(() => kept(team.id)).toEqual([100, 100]);
    for (let n = 0; n < 30; n += 1) requestLog.note(anAnswer(team, id));
    await requestLog.write();
    expect(await kept(team.id)).toEqual([130, 130]);
    // One for each batch. Prisma writes the last uses of the keys.
    expect(statements).toHaveBeenCalledTimes(2);
  });

  it('of a distributed database writes full batches by itself, and the others when told', async () => {
    const [one, other] = [await aKey(), await aKey()];
    const { requestLog, statements } = aLog(twoGroups(one.team, other.team));
    for (let n = 0; n < 149; n += 1) requestLog.note(anAnswer(one.team, one.id));
    for (let n = 0; n < 50; n += 1) requestLog.note(anAnswer(other.team, other.id));
    expect(statements).not.toHaveBeenCalled();
    requestLog.note(anAnswer(one.team, one.id));
    await expect.poll(() => kept(one.team.id)).toEqual([100, 100]);
    expect(await kept(other.team.id)).toEqual([0, 0]);
    await requestLog.write();
    expect([await kept(one.team.id), await kept(other.team.id)]).toEqual([
      [150, 150],
      [50, 50],
    ]);
    expect(statements).toHaveBeenCalledTimes(3);
  });

  it.each([
    ['asks the other groups of a part that is away no more', away, { failed: 1, others: 0 }],
    ['writes the other groups of a part, of which one is locked', locked, { failed: 2, others: 1 }],
  ])('of a distributed database %s, and keeps what was not written', async (_, failure, expected) => {
    const [one, other] = [await aKey(), await aKey()];
    const { requestLog, statements, failWith } = aLog(twoGroups(one.team, other.team));
    for (const { team, id } of [one, other]) requestLog.note(anAnswer(team, id));
    failWith(failure, 1);
    await requestLog.write();
    expect(statements).toHaveBeenCalledTimes(expected.failed);
    expect([await kept(one.team.id), await kept(other.team.id)]).toEqual([
      [0, 0],
      [expected.others, expected.others],
    ]);
    await requestLog.write();
    expect([await kept(one.team.id), await kept(other.team.id)]).toEqual([
      [1, 1],
      [1, 1],
    ]);
  });

  it('writes requests that are added while a batch is being written', async () => {
    const { team, id } = await aKey();
    const { requestLog } = aLog();
    requestLog.note(anAnswer(team, id));
    const first = requestLog.write();
    requestLog.note(anAnswer(team, id));
    await Promise.all([first, requestLog.write()]);
    expect(await kept(team.id)).toEqual([2, 2]);
  });

  it('leaves out the requests of a key that is deleted at that moment, and writes the others', async () => {
    const [deleted, other] = [await aKey(), await aKey()];
    const { requestLog, lines } = aLog();
    requestLog.note(anAnswer(deleted.team, deleted.id));
    requestLog.note(anAnswer(other.team, other.id));
    const deleting = await aConnection(service.databaseUrl);
    await deleting.query('begin');
    await deleting.query('delete from api_key where tenant_id = $1', [deleted.team.id]);
    const written = requestLog.write();
    await untilLockWaits(service, { query: '%request_log_entry%' });
    await deleting.query('commit');
    await written;
    expect([await kept(deleted.team.id), await kept(other.team.id)]).toEqual([
      [0, 0],
      [1, 1],
    ]);
    expect(lines).toEqual([]);
  });

  it('keeps a limited number while the database is unavailable, drops and counts the rest, and logs that once', async () => {
    const { team, id } = await aKey();
    const { requestLog, lines, statements, failWith } = aLog();
    failWith(away);
    requestLog.note(anAnswer(team, id));
    await requestLog.write();
    for (let n = 0; n < 506; n += 1) requestLog.note(anAnswer(team, id));
    await requestLog.write();
    expect(statements).toHaveBeenCalledTimes(2);
    expect(lines).toHaveLength(1);
    failWith(undefined);
    await requestLog.write();
    expect(await kept(team.id)).toEqual([500, 500]);
    expect(lines.slice(1)).toEqual([expect.objectContaining({ dropped: 7, msg: 'the request log is written again' })]);
  });

  it('counts a batch once, even if the answer to its first try was lost', async () => {
    const { team, id } = await aKey();
    const { requestLog, lines, loseNextAnswer } = aLog();
    loseNextAnswer();
    requestLog.note(anAnswer(team, id));
    await requestLog.write();
    await requestLog.write();
    expect(await kept(team.id)).toEqual([1, 1]);
    expect(lines).toMatchObject([{ level: 40 }, { level: 30, dropped: 0 }]);
  });

  it('drops refused entries instead of retrying forever', async () => {
    const { team, id } = await aKey();
    const { requestLog, lines } = aLog();
    requestLog.note(anAnswer(team, 'no key'));
    await requestLog.write();
    expect(lines).toMatchObject([{ dropped: 1, level: 50 }]);
    requestLog.note(anAnswer(team, id));
    await requestLog.write();
    expect(await kept(team.id)).toEqual([1, 1]);
  });

  it('reports at the end what is lost', async () => {
    const { team, id } = await aKey();
    const { requestLog, lines, failWith } = aLog();
    failWith(away);
    requestLog.note(anAnswer(team, id));
    await requestLog.end();
    expect(lines.at(-1)).toMatchObject({ lost: 1 });
  });

  it('is written and counted by several processes at once, in any order of keys', async () => {
    const { team, id } = await aKey();
    const ids = [id, (await team.aKey()).id, (await team.aKey()).id];
    const logs = [aLog(), aLog()];
    for (let round = 0; round < 20; round += 1) {
      for (const [at, { requestLog }] of logs.entries())
        for (const key of at === 0 ? ids : ids.toReversed()) requestLog.note(anAnswer(team, key));
      await Promise.all(logs.map(({ requestLog }) => requestLog.write()));
    }
    expect(logs.flatMap(({ lines }) => lines)).toEqual([]);
    expect(await kept(team.id)).toEqual([120, 120]);
    const { requestQuarterHour } = service.database.prisma;
    const { _sum } = await requestQuarterHour.aggregate({ where: { tenantId: team.id }, _sum: { requests: true } });
    expect(_sum.requests).toBe(120);
  });

  it('stores texts unchanged, whatever is in them', async () => {
    const { team, id } = await aKey();
    const route = '/odd/{"quoted"}/back\\slash,comma NULL';
    service.requestLog.note(anAnswer(team, id, { route }));
    await service.requestLog.write();
    const [entry] = await service.database.prisma.requestLogEntry.findMany({ where: { tenantId: team.id } });
    expect(entry).toMatchObject({ route, code: null, durationMs: 3 });
  });
});
