import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { publicModules, publicRouter } from '../../src/modules/public-router.ts';
import { apiKeyProcedure, keyRouter, route } from '../../src/platform/trpc/procedures.ts';
import { useTestApi } from '../rest/test-api.ts';
import { makeClient, type Client } from '../support/client.ts';
import { useTestService } from '../support/service.ts';
import { aTeam, anEmail } from '../support/team.ts';

// A trial: a v2 that differs from v1 in one operation, `GET /me`, and shares everything else.

const Identity = z.object({ team_id: z.string(), scopes: z.array(z.string()) }).meta({ id: 'Me' });

const account = keyRouter({
  me: apiKeyProcedure
    .meta(
      route('GET /me', {
        operationId: 'getMe',
        scope: null,
        summary: 'What this key is',
        description: 'As v2 says it.',
        example: { output: { team_id: '01990c1e-7a00-7000-8000-000000000001', scopes: ['users:read'] } },
      }),
    )
    .input(z.strictObject({}))
    .output(Identity)
    .query(({ ctx: { principal, team } }) => ({ team_id: team.id, scopes: [...principal.scopes] })),
});

const v2Router = keyRouter({ ...publicModules, account });
const service = await useTestService();
const testApi = await useTestApi(service, {
  router: publicRouter,
  laterVersions: [{ version: 'v2', router: v2Router }],
  environment: { API_V1_DEPRECATED_AT: '2027-01-31T00:00:00Z' },
});
const team = await aTeam(service);

const versionsFor = async (): Promise<{ id: string; v1: Client; v2: Client }> => {
  const { id, text } = await team.aKey();
  return {
    id,
    v1: makeClient(testApi.baseUrl, text),
    v2: makeClient(`${testApi.origin}/api/public/v2`, text),
  };
};

describe('a second version beside v1', () => {
  it('answers under its own path, with the same key, and shares everything that does not differ', async () => {
    const { v1, v2 } = await versionsFor();
    expect((await v1.get('/me')).body).toMatchObject({ tenant_id: team.id, kind: 'live' });
    const me = await v2.get('/me');
    expect(me.body).toEqual({ team_id: team.id, scopes: expect.any(Array) });
    expect((await v2.get('/users')).body).toEqual((await v1.get('/users')).body);
    expect((await v2.get('/users?limit=0')).body['code']).toBe('validation_error');
  });

  it('has its own OpenAPI document, and only the deprecated one announces an end', async () => {
    const { v1, v2 } = await versionsFor();
    const first = await v1.get('/openapi.v1.json');
    const second = await v2.get('/openapi.v2.json');
    expect(first.body).toMatchObject({
      info: { version: '1.0.0' },
      servers: [{ url: 'http://localhost:3000/api/public/v1' }],
    });
    expect(second.body).toMatchObject({
      info: { version: '2.0.0' },
      servers: [{ url: 'http://localhost:3000/api/public/v2' }],
    });
    expect(first.text).toContain('tenant_id');
    expect(JSON.stringify(Described.parse(second.body).components.schemas.Me)).toContain('team_id');
    expect(JSON.stringify(Described.parse(first.body).components.schemas.Me)).toContain('tenant_id');
    expect([first.headers.has('deprecation'), second.headers.has('deprecation')]).toEqual([true, false]);
    expect(second.text).not.toContain('"deprecated"');
    expect(await v1.get('/openapi.v2.json')).toBeProblem('not_found');
    expect(await v2.get('/openapi.v1.json')).toBeProblem('not_found');
  });

  it('spends the same budgets as v1', async () => {
    const { v1, v2 } = await versionsFor();
    const left = async (client: Client) => Number((await client.get('/me')).headers.get('ratelimit-remaining'));
    const before = await left(v1);
    expect(await left(v2)).toBe(before - 1);
    expect(await left(v1)).toBe(before - 2);
  });

  it('never replays an answer of v1 for the same Idempotency-Key, path and body, but its own', async () => {
    const { v1, v2 } = await versionsFor();
    const once = (key: string) => ({ headers: { 'Idempotency-Key': key } });
    const body = { email: anEmail('versioned') };
    expect((await v1.post('/users', body, once('in both'))).status).toBe(201);
    expect(await v2.post('/users', body, once('in both'))).toBeProblem('idempotency_mismatch');
    expect((await v1.post('/users', body, once('in both'))).headers.get('idempotent-replayed')).toBe('true');

    const other = { email: anEmail('versioned') };
    const made = await v2.post('/users', other, once('in v2'));
    expect(made.headers.get('location')).toBe(`/api/public/v2/users/${String(made.body['id'])}`);
    const again = await v2.post('/users', other, once('in v2'));
    expect([again.headers.get('idempotent-replayed'), again.body]).toEqual(['true', made.body]);
  });

  it('is distinguished from v1 in the process’s log', async () => {
    const { v1, v2 } = await versionsFor();
    const ids = ['0b54ad43-6b6c-4a5c-8d4c-3d0a3ad0a001', '0b54ad43-6b6c-4a5c-8d4c-3d0a3ad0a002'];
    await v1.get('/users', { headers: { 'X-Request-Id': ids[0] ?? '' } });
    await v2.get('/users', { headers: { 'X-Request-Id': ids[1] ?? '' } });
    const routes = () => ids.map((id) => testApi.logged().find((line) => line['request_id'] === id)?.['route']);
    await expect.poll(routes).toEqual(['/users', '/v2/users']);
  });
});

const Described = z.object({ components: z.object({ schemas: z.object({ Me: z.unknown() }) }) });
