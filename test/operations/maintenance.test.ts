import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { maintenanceLimits } from '../../src/core/limits.ts';
import { cliOnDatabase } from '../cli/on-database.ts';
import { useTestService } from '../support/service.ts';

const service = await useTestService({ own: true });

describe('maintenance', () => {
  it('is polled at least every 500 ms, as docs/operations.md says', async () => {
    expect(maintenanceLimits.pollMs).toBeLessThanOrEqual(500);
    const operations = await readFile(new URL('../../docs/operations.md', import.meta.url), 'utf8');
    expect(operations).toContain(`Within ${maintenanceLimits.pollMs} ms every process`);
  });

  it('can be turned on and off on the command line repeatedly', async () => {
    const cli = await cliOnDatabase(service.databaseUrl);
    const off = { maintenance: false, since: null, retry_after_seconds: null };
    expect(await cli.json(State, ['maintenance', 'status'])).toEqual(off);
    const on = await cli.json(State, ['maintenance', 'on']);
    expect(on).toEqual({ maintenance: true, since: expect.any(String), retry_after_seconds: 30 });
    const longer = await cli.json(State, ['maintenance', 'on', '--retry-after', '600']);
    expect(longer).toEqual({ ...on, retry_after_seconds: 600 });
    expect(await cli.json(State, ['maintenance', 'status'])).toEqual(longer);
    expect(await cli.json(State, ['maintenance', 'off'])).toEqual(off);
    expect(await cli.json(State, ['maintenance', 'off'])).toEqual(off);
  });
});

const State = z.strictObject({
  maintenance: z.boolean(),
  since: z.iso.datetime().nullable(),
  retry_after_seconds: z.int().nullable(),
});
