import { describe, expect, it } from 'vitest';
import { pauseBefore } from '../../../src/modules/crm/providers/http.ts';
import type { CrmRequest } from '../../../src/modules/crm/providers/provider.ts';

const aRequest = (host: string, token: string, gapMs?: number): CrmRequest => ({
  method: 'GET',
  url: new URL(`https://${host}/deals?${Math.random()}`),
  headers: { Authorization: `Bearer ${token}` },
  ...(gapMs !== undefined && { gapMs }),
});

describe('the pause before a request', () => {
  it('counts all requests of the process with the same token to the same host', () => {
    const pause = (host: string, token: string) => pauseBefore(aRequest(host, token, 100_000));
    expect(pause('a.example', 'one')).toBe(0);
    const second = pause('a.example', 'one');
    expect(second).toBeGreaterThan(50_000);
    expect(second).toBeLessThanOrEqual(100_000);
    expect(pause('a.example', 'one')).toBeGreaterThan(150_000);
    expect(pause('a.example', 'two')).toBe(0);
    expect(pause('b.example', 'one')).toBe(0);
  });

  it('is none where the CRM has no limit', () => {
    for (let count = 0; count < 3; count += 1) expect(pauseBefore(aRequest('c.example', 'one'))).toBe(0);
  });
});
