import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { hoursToMs, later, minutesToMs, secondsToMs } from '../../src/core/clock.ts';
import { listExportLimits } from '../../src/core/limits.ts';
import { beginListExport } from '../../src/modules/list-exports/service.ts';
import { readListExport } from '../../src/platform/list-exports.ts';
import { linesOf, type Answer } from '../support/client.ts';
import { aCrmConnection, aDeal, anObjection } from '../support/crm.ts';
import { allListed } from '../support/pages.ts';
import { aCase, anAssignment, aScoredTraining, aTraining } from '../support/practice.ts';
import { useTestService } from '../support/service.ts';
import { aTeam, manyInvited, type TestTeam } from '../support/team.ts';

const service = await useTestService({ own: true });

/** For each export, with its query: the list that has the same rows. */
const exports = {
  '/exports/members?': '/users?',
  '/exports/trainings?': '/trainings?',
  '/exports/trainings?include=evaluation&': '/trainings?include=evaluation&',
  '/exports/assignments?': '/assignments?',
  '/exports/cases?': '/cases?',
  '/exports/deals?': '/crm/deals?',
  '/exports/objections?': '/crm/objections?',
};

/** A team with some rows in each list, one after the other. */
const aFullTeam = async () => {
  const team = await aTeam(service, { members: 2 });
  const { member_id: memberId, user_id: userId } = team.owner;
  const connectionId = await aCrmConnection(service, team);
  const pause = () => service.clock.forward(minutesToMs(1));
  for (let count = 0; count < 3; count += 1) {
    await anAssignment(service, team, { memberId });
    pause();
    await aScoredTraining(service, team, { userId });
    await aTraining(service, team, { userId });
    pause();
    await aCase(service, team, { userId, fields: { size: 1.5 } });
    await anObjection(service, team, await aDeal(service, team, connectionId));
    pause();
  }
  await team.anInvitedMember();
  return team;
};

/** A whole export: its rows, and where the next one goes on. */
const wholeOf = (answer: Answer) => {
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/x-ndjson; charset=utf-8']);
  // Otherwise nginx keeps the answer until it is whole.
  expect(answer.headers.get('x-accel-buffering')).toBe('no');
  const lines = linesOf(answer.text);
  expect(Object.keys(lines.at(-1) ?? {})).toEqual(['cursor']);
  return { rows: lines.slice(0, -1), cursor: String(lines.at(-1)?.['cursor']) };
};

const exported = async (team: TestTeam, path: string) => wholeOf(await team.client.get(path));

type Row = Record<string, unknown>;
const byChange = (one: Row, other: Row) =>
  String(one['updated_at']).localeCompare(String(other['updated_at'])) ||
  String(one['id']).localeCompare(String(other['id']));

describe('an export', () => {
  it('has every row of its list in the form of the list, the earliest change first, and nothing of another team', async () => {
    const [team, other] = [await aFullTeam(), await aFullTeam()];
    await team.client.patch(`/users/${team.members[0]?.id}`, { role: 'admin' });
    for (const [path, list] of Object.entries(exports)) {
      const rows = await allListed(team.client, list);
      const { rows: found } = await exported(team, path);
      expect(found, path).toEqual(rows.toSorted(byChange));
      expect(found.length, path).toBeGreaterThan(2);
      expect(JSON.stringify(found), path).not.toContain(other.id);
    }
  });

  it('has the rows of all its pages', async () => {
    const team = await aTeam(service);
    const count = 2 * listExportLimits.rowsAtOnce + 50;
    await manyInvited(service, team, count);
    const { rows } = await exported(team, '/exports/members');
    expect(new Set(rows.map(({ id }) => id)).size).toBe(count + 1);
    expect(rows).toHaveLength(count + 1);
    // Free again at once, and the answer is one request.
    const { headers } = await team.client.get('/exports/members');
    expect(headers.get('ratelimit-remaining')).toBe('118');
  });

  it('with the cursor of the last one has what has changed since, from five minutes before its start', async () => {
    const team = await aTeam(service, { members: 3 });
    const [first, second] = team.members;
    service.clock.forward(minutesToMs(10));
    await team.client.patch(`/users/${first?.id}`, { role: 'admin' });
    service.clock.forward(minutesToMs(4));
    const { cursor } = await exported(team, '/exports/members');
    const since = () => exported(team, `/exports/members?cursor=${cursor}`);
    expect((await since()).rows.map(({ id }) => id)).toEqual([first?.id]);
    service.clock.forward(minutesToMs(10));
    await team.client.patch(`/users/${second?.id}`, { role: 'admin' });
    const next = await since();
    expect(next.rows.map(({ id }) => id)).toEqual([first?.id, second?.id]);
    service.clock.forward(minutesToMs(10));
    const { cursor: later } = await exported(team, `/exports/members?cursor=${next.cursor}`);
    expect((await exported(team, `/exports/members?cursor=${later}`)).rows).toEqual([]);
    const time = encodeURIComponent(service.clock.now().toISOString());
    expect((await exported(team, `/exports/members?updated_since=${time}`)).rows).toEqual([]);
    expect((await exported(team, `/exports/members?updated_since=${time}&cursor=${cursor}`)).rows).toEqual([]);
  });

  it.each([
    ['from five minutes before its own start, not that of its last page', undefined, -5],
    ['from later on, if it is asked to', 10, 10],
    ['from no earlier, if it is asked to', -60, -5],
  ])('of several pages is followed by what has changed %s', async (_what, minutes, expected) => {
    const acting = await (await aTeam(service)).acting();
    service.clock.stop();
    const start = service.clock.now();
    onTestFinished(() => service.clock.set(new Date()));
    const asked: Date[] = [];
    /** A page of an export of two pages, an hour after the other one. */
    const page = async (query: Parameters<typeof readListExport>[2]) => {
      const { cursor } = await readListExport(
        acting,
        'things',
        query,
        async ({ updatedSince: since, cursor: next }) => {
          asked.push(since);
          return { data: [], nextCursor: next === undefined ? 'the second page' : null };
        },
      );
      service.clock.forward(hoursToMs(1));
      return cursor;
    };
    const cursor = await page({ cursor: await page({}) });
    await page({ cursor, ...(minutes !== undefined && { updatedSince: later(start, minutesToMs(minutes)) }) });
    expect((asked[2]?.getTime() ?? 0) - start.getTime()).toBe(minutesToMs(expected));
  });

  it('refuses a cursor of another export, of another team, and one that was changed', async () => {
    const [team, other] = [await aTeam(service), await aTeam(service)];
    const { cursor } = await exported(team, '/exports/members');
    const refused = { field: 'cursor', detail: expect.any(String) };
    for (const [{ client }, path] of [
      [other, `/exports/members?cursor=${cursor}`],
      [team, `/exports/cases?cursor=${cursor}`],
      [team, `/exports/members?cursor=${cursor}x`],
      [team, `/users?cursor=${cursor}`],
    ] as const)
      expect(await client.get(path), path).toBeProblem('validation_error', refused);
  });

  it('has a cursor that none of the other exports takes', async () => {
    const team = await aTeam(service);
    const paths = Object.keys(exports).filter((path) => !path.includes('include'));
    expect(paths).toHaveLength(6);
    for (const path of paths) {
      const { cursor } = await exported(team, path);
      const taking = [];
      for (const other of paths)
        if ((await team.client.get(`${other}cursor=${cursor}`)).status === 200) taking.push(other);
      expect(taking).toEqual([path]);
    }
  });

  it('leaves out addresses and names of members while member details are off, and owners of deals', async () => {
    const team = await aFullTeam();
    await team.change({ memberDetail: false });
    const { rows } = await exported(team, '/exports/members');
    expect(rows).toEqual(await allListed(team.client, '/users?').then((all) => all.toSorted(byChange)));
    for (const row of rows) expect(Object.keys(row)).not.toContain('email');
    expect(Object.keys((await exported(team, '/exports/deals')).rows[0] ?? {})).not.toContain('owner_user_id');
  });

  it('is answered to HEAD without a body, and does not hinder the next one', async () => {
    const team = await aTeam(service);
    const { status, text } = await team.client.request('HEAD', '/exports/members');
    expect([status, text]).toEqual([200, '']);
    await expect.poll(async () => (await team.client.get('/exports/members')).status).toBe(200);
  });

  it('hinders another one of its team for as long as it runs, also for longer than its lease, and no longer', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    service.clock.stop();
    onTestFinished(() => service.clock.set(new Date()));
    const [team, other] = [await aTeam(service), await aTeam(service)];
    const end = await beginListExport(await team.acting());
    const where = { subject: `list export of ${team.id}` };
    for (let seconds = 0; seconds < 2 * listExportLimits.leaseSeconds; seconds += 10) {
      service.clock.forward(secondsToMs(10));
      vi.advanceTimersByTime(secondsToMs(10));
      const renewed = later(service.clock.now(), secondsToMs(listExportLimits.leaseSeconds));
      const { prisma } = service.database;
      await expect.poll(async () => (await prisma.rateWindow.findFirst({ where }))?.endsAt).toEqual(renewed);
    }
    const detail = expect.stringContaining('still running');
    expect(await team.client.get('/exports/members')).toBeProblem('rate_limited', { retry_after: 10, detail });
    expect((await other.client.get('/exports/members')).status).toBe(200);
    await end();
    expect((await team.client.get('/exports/members')).status).toBe(200);
  });
});
