import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { makeId } from '../../src/core/ids.ts';
import { writeArchive } from '../../src/modules/export/service.ts';

it.each([1, 2])('an export whose page %i can’t be read fails, and nothing else does', async (failing) => {
  const away = new Error('the database is away');
  let pages = 0;
  const out = new PassThrough().resume();
  const writing = writeArchive(
    {
      run: async () => {
        pages += 1;
        if (pages === failing) throw away;
        return [];
      },
      tenantId: makeId(),
      madeAt: new Date(),
      snapshot: false,
    },
    out,
  );
  await expect(writing).rejects.toBe(away);
  expect(out.destroyed).toBe(true);
});
