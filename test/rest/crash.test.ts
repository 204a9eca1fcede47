import { beforeEach, describe, expect, it } from 'vitest';
import { makeClient, type Client } from '../support/client.ts';
import { useTestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';
import { expectApiHeaders } from './api-headers.ts';
import { insides, useTestApi } from './test-api.ts';

let client: Client;
const service = await useTestService();
const testApi = await useTestApi(service);
beforeEach(async () => {
  const team = await aTeam(service);
  client = makeClient(testApi.baseUrl, team.client.key);
});

describe('a bug of ours', () => {
  it.each(['/crash', '/crash/late', '/crash/oddly', '/crash/output'])(
    '500 internal: %s, without internal details, and logged with its id',
    async (path) => {
      const answer = await client.get(path);
      expect(answer).toBeProblem('internal');
      expect(Object.keys(answer.body).sort()).toEqual(['code', 'request_id', 'status', 'title', 'type']);
      expect(answer.text).not.toContain(insides);
      expect(answer.text).not.toMatch(/insides|secret_table|\.ts/);
      expect(answer.headers.get('ratelimit-remaining')).toBe('119');
      expectApiHeaders(answer);

      const id = answer.headers.get('x-request-id');
      const lines = testApi.logged().filter((line) => line['request_id'] === id);
      expect(lines.map(({ msg }) => msg).sort()).toEqual(['request', 'unexpected error']);
      expect(lines).toContainEqual(expect.objectContaining({ status: 500, code: 'internal', route: path }));
      if (path !== '/crash/output')
        expect(lines.flatMap(({ err }) => JSON.stringify(err) ?? []).join()).toContain('secret_table');
    },
  );

  it('does not affect the next request', async () => {
    await Promise.all(Array.from({ length: 20 }, () => client.get('/crash/late')));
    expect((await client.get('/echo/fixed')).status).toBe(200);
  });
});
