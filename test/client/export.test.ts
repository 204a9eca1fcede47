import { expect, it, vi } from 'vitest';
import { exportCases, open, row } from './cases/export.ts';
import { errorOf, typescript } from './scripted.ts';

exportCases(typescript);

// What only the client for TypeScript has: signals that end a request.

it('ends when its signal is aborted, and leaves nothing open', async () => {
  const { api, left } = await typescript.onAClock([open(row('1'))]);
  const controller = new AbortController();
  const aborted = (async () => {
    for await (const _row of api.exports.members({}, { signal: controller.signal }))
      controller.abort(new Error('stop'));
  })();
  expect(String(await errorOf(aborted))).toBe('Error: stop');
  expect([left(), vi.getTimerCount()]).toEqual([1, 0]);
});
