import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { hoursToMs, later } from '../../src/core/clock.ts';
import { makeId } from '../../src/core/ids.ts';
import { expectRefusal, inTheApp } from '../support/app-caller.ts';
import { anAnswer, theRequests } from '../support/logs.ts';
import { useTestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';

const service = await useTestService({ own: true });

type List = Awaited<ReturnType<typeof inTheApp>>['requests']['list'];
type Wanted = Parameters<List>[0];

/** Every page of a list, one after the other. */
const pagesOf = async (list: List, wanted: Wanted) => {
  const pages = [await list(wanted)];
  for (let last = pages[0]; last?.next_cursor; last = pages.at(-1))
    pages.push(await list({ ...wanted, cursor: last.next_cursor }));
  return pages;
};
const allOf = async (list: List, wanted: Wanted) => (await pagesOf(list, wanted)).flatMap(({ data }) => data);

describe('requests.list', () => {
  it('returns the team’s requests page by page, the newest first, each once, and no other team’s', async () => {
    const [team, other] = [await aTeam(service), await aTeam(service)];
    await theRequests(
      service,
      team,
      (await team.aKey()).id,
      Array.from({ length: 7 }, (_, at) => ({ status: 200 + at })),
    );
    await theRequests(service, other, (await other.aKey()).id, [{}]);
    const { requests } = await inTheApp(team);
    const pages = await pagesOf(requests.list, { limit: 3 });
    expect(pages.map(({ data }) => data.map(({ status }) => status))).toEqual([
      [206, 205, 204],
      [203, 202, 201],
      [200],
    ]);
  });

  it('finds by key, request id, status, code, route, method and time, alone and together', async () => {
    const team = await aTeam(service);
    const [a, b] = [(await team.aKey()).id, (await team.aKey()).id];
    const requestId = randomUUID();
    await theRequests(service, team, a, [
      { status: 200, route: '/users' },
      { status: 404, route: undefined, code: 'not_found' },
      { status: 422, route: '/users', code: 'validation_error', method: 'POST' },
    ]);
    await theRequests(service, team, b, [
      { status: 503, route: '/cases', code: 'unavailable' },
      { status: 404, route: '/cases/{case_id}', code: 'not_found', requestId },
      { status: 304, route: '/openapi.v1.json', method: 'HEAD' },
    ]);
    const { list } = (await inTheApp(team)).requests;
    const found = async (wanted: Wanted) => (await allOf(list, wanted)).map(({ status }) => status);
    expect(await found({ key_id: a })).toEqual([422, 404, 200]);
    expect(await found({ status: '4xx' })).toEqual([404, 422, 404]);
    expect(await found({ status: '2xx' })).toEqual([200]);
    expect(await found({ status: '5xx' })).toEqual([503]);
    expect(await found({ status: 304 })).toEqual([304]);
    expect(await found({ code: 'not_found' })).toEqual([404, 404]);
    expect(await found({ code: 'not_found', key_id: b })).toEqual([404]);
    expect(await found({ route: '/users' })).toEqual([422, 200]);
    expect(await found({ method: 'HEAD' })).toEqual([304]);
    expect(await found({ method: 'POST', key_id: b })).toEqual([]);
    expect(await found({ request_id: requestId })).toEqual([404]);
    expect(await found({ request_id: requestId.toUpperCase() })).toEqual([404]);
    expect(await found({ request_id: requestId, key_id: a })).toEqual([]);
    expect(await found({ request_id: makeId() })).toEqual([]);
    expect(await found({ key_id: makeId() })).toEqual([]);
  });

  it('includes the time of since and excludes that of until', async () => {
    const team = await aTeam(service);
    const { id } = await team.aKey();
    const now = service.clock.now();
    const times = [-3, -2, -1].map((ago) => later(now, hoursToMs(ago)));
    for (const [at, time] of times.entries()) {
      service.clock.set(time);
      // The time of its id is now, as if the clock of its process were wrong: the list also searches ids that are off
      // by up to 15 minutes.
      service.requestLog.note(anAnswer(team, id, { status: 200 + at }));
    }
    service.clock.set(now);
    await service.requestLog.write();
    await service.database.prisma.$executeRaw`
      update request_log_entry set id = overlay(id::text placing
        left(regexp_replace(lpad(to_hex((extract(epoch from created_at) * 1000)::bigint + 60000), 12, '0'), '^(.{8})', '\\1-'), 13)
        from 1 for 13)::uuid where tenant_id = ${team.id}::uuid`;
    const { list } = (await inTheApp(team)).requests;
    const exact = (await allOf(list, {})).toReversed().map(({ created_at }) => created_at);
    const found = async (wanted: Wanted) => (await allOf(list, wanted)).map(({ status }) => status);
    expect(await found({ since: exact[1] })).toEqual([202, 201]);
    expect(await found({ until: exact[1] })).toEqual([200]);
    expect(await found({ since: exact[1], until: exact[2] })).toEqual([201]);
  });

  it('examines a limited number of rows, returns that there are more, and finds rare ones in the end', async () => {
    const team = await aTeam(service);
    const { id } = await team.aKey();
    await theRequests(service, team, id, [{ status: 500 }]);
    await theRequests(
      service,
      team,
      id,
      Array.from({ length: 11_000 }, () => ({})),
    );
    const { list } = (await inTheApp(team)).requests;
    for (const wanted of [{ status: '5xx' as const }, { status: 500, key_id: id }]) {
      const pages = await pagesOf(list, wanted);
      expect(pages.map(({ data }) => data.length)).toEqual([0, 0, 1]);
    }
  });

  it('finds by a request id that a client sends every time', async () => {
    const team = await aTeam(service);
    const { id } = await team.aKey();
    const requestId = randomUUID();
    await theRequests(service, team, id, [{}, ...Array.from({ length: 5_200 }, () => ({ requestId })), {}]);
    const { list } = (await inTheApp(team)).requests;
    const [first] = await pagesOf(list, { request_id: requestId, limit: 200 });
    expect(first?.data.map(({ request_id }) => request_id)).toEqual(Array.from({ length: 200 }, () => requestId));
    expect(await allOf(list, { request_id: requestId, limit: 200 })).toHaveLength(5_200);
  });

  it('accepts a cursor only for the same filter', async () => {
    const team = await aTeam(service);
    await theRequests(service, team, (await team.aKey()).id, [{}, {}]);
    const { list } = (await inTheApp(team)).requests;
    const { next_cursor } = await list({ limit: 1 });
    const refusal = { code: 'validation_error', members: { field: 'cursor' } };
    await expectRefusal(list({ limit: 1, cursor: next_cursor ?? '', method: 'GET' }), refusal);
    expect((await list({ limit: 1, cursor: next_cursor ?? '' })).data).toHaveLength(1);
  });
});
