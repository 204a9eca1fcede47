import { describe, expect, it } from 'vitest';
import { later } from '../../src/core/clock.ts';
import type { AnsweredRequest } from '../../src/modules/requests/writer.ts';
import { expectRefusal, inTheApp } from '../support/app-caller.ts';
import { anAnswer } from '../support/logs.ts';
import { useTestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';

const quarterMs = 900_000;
const service = await useTestService({ own: true });

describe('requests.volume', () => {
  it('counts the requests of each interval by outcome, and follows the filters of the page', async () => {
    const team = await aTeam(service);
    const [a, b] = [(await team.aKey()).id, (await team.aKey()).id];
    const other = await aTeam(service);
    const now = service.clock.now();
    const start = new Date(Math.floor(now.getTime() / quarterMs) * quarterMs - 8 * quarterMs);
    const at = (quarters: number) => later(start, quarters * quarterMs);
    const note = async (quarters: number, keyId: string, answer: Partial<AnsweredRequest>, of = team) => {
      service.clock.set(later(at(quarters), 60_000));
      service.requestLog.note(anAnswer(of, keyId, answer));
      await service.requestLog.write();
      service.clock.set(now);
    };
    await note(-1, a, { status: 200 });
    await note(0, a, { status: 200, route: '/users' });
    await note(1, a, { status: 429, code: 'rate_limited' });
    await note(1, b, { status: 404, code: 'not_found', route: '/cases' });
    await note(2, a, { status: 500, code: 'internal' });
    await note(3, a, { status: 503, code: 'unavailable', method: 'POST' });
    await note(4, a, { status: 200 });
    await note(1, (await other.aKey()).id, { status: 200 }, other);

    const { requests } = await inTheApp(team);
    const window = { starts: [at(0), at(2)].map((time) => time.toISOString()), end: at(4).toISOString() };
    const none = { answered: 0, refused: 0, limited: 0, failed: 0 };
    expect((await requests.volume(window)).data).toEqual([
      { answered: 1, refused: 1, limited: 1, failed: 0 },
      { ...none, failed: 2 },
    ]);
    const sumWith = async (filter: object) => {
      const { data } = await requests.volume({ ...window, ...filter });
      return data.reduce((sum, one) => sum + one.answered + one.refused + one.limited + one.failed, 0);
    };
    for (const [filter, count] of [
      [{ key_id: b }, 1],
      [{ key_id: 'no id' }, 0],
      [{ status: '4xx' }, 2],
      [{ status: 429 }, 1],
      [{ code: 'internal' }, 1],
      [{ route: '/cases' }, 1],
      [{ method: 'POST' }, 1],
    ] as const)
      expect(await sumWith(filter), JSON.stringify(filter)).toBe(count);
    for (const starts of [[], window.starts.toReversed(), Array(121).fill(window.end)])
      await expectRefusal(requests.volume({ ...window, starts }), 'BAD_REQUEST');
  });
});
