import { expect, it } from 'vitest';
import { ApiError, ConnectionError } from '../../../src/packages/client/errors.ts';
import { errorOf, problem, raw, scripted, type Kit } from '../scripted.ts';

const headers = { 'Content-Type': 'application/x-ndjson', Date: 'Fri, 20 Nov 2026 09:00:00 GMT' };

export const row = (id: string, updated_at = '2026-11-20T08:00:00.000Z') => `${JSON.stringify({ id, updated_at })}\n`;
const end = '{"cursor":"next"}\n';

const whole = (text: string) => raw(200, text, headers);
/** An answer whose connection is lost after this text. */
const cut = (text: string) => ({ ...whole(text), isCut: true });
/** An answer of which no more comes. */
export const open = (text: string) => ({ ...whole(text), isOpen: true });

const queriesOf = (asked: readonly { path: string }[]) =>
  asked.map(({ path }) => Object.fromEntries(new URL(path, 'http://x').searchParams));

const idsOf = async (rows: AsyncIterable<{ id: string }>) => {
  const ids: string[] = [];
  for await (const { id } of rows) ids.push(id);
  return ids;
};

/** Reads all rows, with the pauses in between. */
const read = async (rows: AsyncIterable<{ id: string }>, pass: (milliseconds: number) => Promise<unknown>) => {
  const reading = idsOf(rows);
  const settled = Promise.allSettled([reading]);
  await pass(7_200_000);
  await settled;
  return reading;
};

/** How a client reads an export, and goes on when it broke off. */
export const exportCases = (kit: Kit): void => {
  it('gives each row, also one that comes in parts, and then the cursor', async () => {
    const text = `${row('1')}${row('ü')}${row('3')}${end}`;
    const splitAt = Buffer.from(text).indexOf('ü') + 1;
    const { api, asked } = await scripted(kit, [{ ...whole(text), splitAt }]);
    const rows = api.exports.trainings({ include: 'evaluation', cursor: 'before', updated_since: new Date(0) });
    expect(rows.cursor).toBeUndefined();
    expect(await idsOf(rows)).toEqual(['1', 'ü', '3']);
    expect(rows.cursor).toBe('next');
    expect(asked[0]?.path).toContain('/exports/trainings?');
    const updated_since = '1970-01-01T00:00:00.000Z';
    expect(queriesOf(asked)).toEqual([{ include: 'evaluation', cursor: 'before', updated_since }]);
  });

  it('goes on after it broke off: from the last row, but from five minutes before its start if that is earlier', async () => {
    const late = row('3', '2026-11-20T08:59:00.000Z');
    const clock = await kit.onAClock([
      cut(`${row('1')}${row('2')}{"id":"cut`),
      cut(`${row('2')}${late}`),
      whole(`${late}${end}`),
    ]);
    const errors: string[] = [];
    const onRetry = (error: Error) => void errors.push(error.message);
    const rows = clock.api.exports.cases({ cursor: 'c' }, { retries: 1, onRetry });
    expect(await read(rows, clock.pass)).toEqual(['1', '2', '2', '3', '3']);
    expect(rows.cursor).toBe('next');
    expect(queriesOf(clock.asked)).toEqual([
      { cursor: 'c' },
      { cursor: 'c', updated_since: '2026-11-20T08:00:00.000Z' },
      { cursor: 'c', updated_since: '2026-11-20T08:55:00.000Z' },
    ]);
    expect(errors).toEqual(['The export broke off.', 'The export broke off.']);
  });

  it('takes an answer without its last line for one that broke off, and gives up when no row comes', async () => {
    for (const [own, ofClient] of [
      [{ retries: 2 }, {}],
      [{}, { retries: 2 }],
    ]) {
      const clock = await kit.onAClock([whole(row('1')), whole(''), whole(''), whole(end)], ofClient);
      const rows = clock.api.exports.members({}, own);
      expect(await errorOf(read(rows, clock.pass))).toBeInstanceOf(ConnectionError);
      expect([clock.asked.length, rows.cursor]).toEqual([3, undefined]);
    }
  });

  it('throws a refusal, and waits while another export of the team runs', async () => {
    const runs = problem(429, 'rate_limited', { 'Retry-After': '10' });
    const used = problem(429, 'rate_limited', { 'Retry-After': '3600' });
    const refused = problem(403, 'privacy_restricted');
    const clock = await kit.onAClock([runs, whole(`${row('1')}${end}`), refused, used, whole(end)]);
    expect(await read(clock.api.exports.deals(), clock.pass)).toEqual(['1']);
    expect(clock.asked.map(({ at }) => at)).toEqual([0, 11_000]);
    expect(await errorOf(read(clock.api.exports.deals(), clock.pass))).toMatchObject({ code: 'privacy_restricted' });
    expect(await errorOf(read(clock.api.exports.deals(), clock.pass))).toBeInstanceOf(ApiError);
    expect(clock.asked.length).toBe(4);
  });

  it('goes on when nothing comes for too long, and leaves nothing open', async () => {
    const clock = await kit.onAClock([open(row('1')), open(row('1')), whole(end)]);
    for await (const _row of clock.api.exports.members()) break;
    await expect.poll(clock.left).toBe(1);
    expect(await read(clock.api.exports.members({}, { timeoutMs: 1_000 }), clock.pass)).toEqual(['1']);
    await expect.poll(clock.left).toBe(2);
  });
};
