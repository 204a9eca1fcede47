import { expect, it, vi } from 'vitest';
import { ApiError, ConnectionError } from '../../src/packages/client/errors.ts';
import { errorOf, onAClock, refused, scripted } from './scripted.ts';

const row = (id: string, updated_at = '2026-11-20T08:00:00.000Z') => `${JSON.stringify({ id, updated_at })}\n`;
const end = '{"cursor":"next"}\n';
const headers = { 'Content-Type': 'application/x-ndjson', Date: 'Fri, 20 Nov 2026 09:00:00 GMT' };

const whole = (text: string) => () => new Response(text, { headers });

/** An answer whose connection is lost after this text. */
const cut = (text: string) => () =>
  new Response(
    new ReadableStream({
      start: (controller) => controller.enqueue(new TextEncoder().encode(text)),
      pull: (controller) => controller.error(new TypeError('terminated')),
    }),
    { headers },
  );

const queriesOf = (asked: { url: string }[]) => asked.map(({ url }) => Object.fromEntries(new URL(url).searchParams));

const idsOf = async (rows: AsyncIterable<{ id: string }>) => {
  const ids: string[] = [];
  for await (const { id } of rows) ids.push(id);
  return ids;
};

/** Reads all rows, with the pauses in between. */
const read = async (rows: AsyncIterable<{ id: string }>) => {
  const reading = idsOf(rows);
  const settled = Promise.allSettled([reading]);
  await vi.advanceTimersByTimeAsync(20_000);
  await settled;
  return reading;
};

it('gives each row, also one that comes in parts, and then the cursor', async () => {
  const { api, asked } = await scripted([
    (response) => {
      const bytes = Buffer.from(`${row('1')}${row('ü')}${row('3')}${end}`);
      const half = bytes.indexOf('ü') + 1;
      response.writeHead(200, headers).write(bytes.subarray(0, half), () => response.end(bytes.subarray(half)));
    },
  ]);
  const rows = api.exports.trainings({ include: 'evaluation', cursor: 'before', updated_since: new Date(0) });
  expect(rows.cursor).toBeUndefined();
  expect(await idsOf(rows)).toEqual(['1', 'ü', '3']);
  expect(rows.cursor).toBe('next');
  expect(asked[0]?.path).toMatch(/\/exports\/trainings\?include=evaluation&cursor=before&updated_since=1970-01-01T/);
});

it('goes on after it broke off: from the last row, but from five minutes before its start if that is earlier', async () => {
  const late = row('3', '2026-11-20T08:59:00.000Z');
  const { api, asked } = onAClock([
    cut(`${row('1')}${row('2')}{"id":"cut`),
    cut(`${row('2')}${late}`),
    whole(`${late}${end}`),
  ]);
  const errors: string[] = [];
  const rows = api.exports.cases({ cursor: 'c' }, { retries: 1, onRetry: (error) => void errors.push(error.message) });
  expect(await read(rows)).toEqual(['1', '2', '2', '3', '3']);
  expect(rows.cursor).toBe('next');
  expect(queriesOf(asked)).toEqual([
    { cursor: 'c' },
    { cursor: 'c', updated_since: '2026-11-20T08:00:00.000Z' },
    { cursor: 'c', updated_since: '2026-11-20T08:55:00.000Z' },
  ]);
  expect(errors).toEqual(['The export broke off.', 'The export broke off.']);
});

it('takes an answer without its last line for one that broke off, and gives up when no row comes', async () => {
  const { api, asked } = onAClock([whole(row('1')), whole(''), whole(''), whole('')]);
  const rows = api.exports.members({}, { retries: 2 });
  expect(await errorOf(read(rows))).toBeInstanceOf(ConnectionError);
  expect([asked.length, rows.cursor]).toEqual([3, undefined]);
});

it('throws a refusal, and waits while another export of the team runs', async () => {
  const runs = refused(429, 'rate_limited', { 'Retry-After': '10' });
  const { api, asked } = onAClock([runs, whole(`${row('1')}${end}`), refused(403, 'privacy_restricted')]);
  expect(await read(api.exports.deals())).toEqual(['1']);
  expect(asked.map(({ at }) => at)).toEqual([0, 11_000]);
  expect(await errorOf(read(api.exports.deals()))).toBeInstanceOf(ApiError);
});

it('ends when its signal is aborted, goes on when nothing comes for too long, and leaves nothing open', async () => {
  const cancelled: string[] = [];
  const waits = (name: string) => () =>
    new Response(
      new ReadableStream({
        start: (controller) => controller.enqueue(new TextEncoder().encode(row('1'))),
        cancel: () => void cancelled.push(name),
      }),
      { headers },
    );
  const { api } = onAClock([waits('aborted'), waits('left'), waits('late'), whole(end)]);
  const controller = new AbortController();
  const aborted = (async () => {
    for await (const _row of api.exports.members({}, { signal: controller.signal }))
      controller.abort(new Error('stop'));
  })();
  expect(String(await errorOf(aborted))).toBe('Error: stop');
  for await (const _row of api.exports.members()) break;
  expect(await read(api.exports.members({}, { timeoutMs: 1_000 }))).toEqual(['1']);
  expect(cancelled).toEqual(['aborted', 'left', 'late']);
  expect(vi.getTimerCount()).toBe(0);
});
