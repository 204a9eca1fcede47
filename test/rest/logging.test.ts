import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { makeClient } from '../support/client.ts';
import { useTestService } from '../support/service.ts';
import { anEmail, aTeam } from '../support/team.ts';

const service = await useTestService();

const lineOf = async (id: string) => {
  await expect.poll(() => service.logged().filter((line) => line['request_id'] === id)).toHaveLength(1);
  return service.logged().find((line) => line['request_id'] === id);
};

describe('the log', () => {
  it('has one line for each request: caller, request, outcome and duration', async () => {
    const team = await aTeam(service, { members: 1 });
    const id = randomUUID();
    const answer = await team.client.get(`/users/${team.members[0]?.id ?? ''}?x=1`, {
      headers: { 'X-Request-Id': id },
    });
    expect(answer.status).toBe(422);
    expect(await lineOf(id)).toEqual({
      level: expect.anything(),
      time: expect.anything(),
      msg: 'request',
      request_id: id,
      tenant_id: team.id,
      key_prefix: team.client.key?.slice('svck_live_'.length, 'svck_live_'.length + 12),
      method: 'GET',
      route: '/users/{member_id}',
      status: 422,
      code: 'validation_error',
      ms: expect.any(Number),
    });
  });

  it('has no route for an unknown path, and no tenant for a wrong key', async () => {
    const id = randomUUID();
    const key = `svck_live_${'a'.repeat(12)}_${'b'.repeat(43)}`;
    await makeClient(service.baseUrl, key).get('/some/secret/path?token=secret', { headers: { 'X-Request-Id': id } });
    const line = await lineOf(id);
    expect(line).toMatchObject({ status: 401, code: 'unauthorized', key_prefix: 'a'.repeat(12) });
    expect(line).not.toHaveProperty('route');
    expect(line).not.toHaveProperty('tenant_id');
  });

  it('never contains a secret, for any request and outcome', async () => {
    const team = await aTeam(service, { members: 1 });
    const { text: key } = await team.aKey();
    const client = makeClient(service.baseUrl, key);
    const email = anEmail('confidential');
    const headers = {
      'Idempotency-Key': 'idempotent-secret',
      Cookie: 'session=cookie-secret',
      'User-Agent': 'agent-secret',
    };
    const body = { email, lang: 'en' };
    expect((await client.post('/users', body, { headers })).status).toBe(201);
    expect((await client.post('/users', body, { headers })).headers.get('idempotent-replayed')).toBe('true');
    await client.post('/users', { ...body, role: 'member' }, { headers });
    await client.post('/users', `{"email":"${email}"`);
    await client.post('/users', { email, password: 'body-secret' });
    await client.get('/users?token=query-secret');
    await client.get(`/users/path-secret`);
    await client.get(`/path-secret/${key}`);
    await makeClient(service.baseUrl, `${key}x`).get('/me');
    await makeClient(service.baseUrl, `${key.slice(0, -1)}-`).get(`/me?access_token=${key}`);
    const token =
      /invitations\/([\w-]+)/.exec((await service.mailsTo(email))[0]?.body.text ?? '')?.[1] ?? 'no token was sent';
    await client.get(`/users?cursor=${token}`);
    await makeClient(service.origin).get(`/invitations/${token}`);

    const log = JSON.stringify(service.logged());
    expect(token).toHaveLength(36 + 36 + 43 + 2);
    for (const secret of [
      key,
      key.slice(-43),
      token,
      email,
      'idempotent-secret',
      'cookie-secret',
      'agent-secret',
      'body-secret',
      'query-secret',
      'path-secret',
    ]) {
      expect(log).not.toContain(secret);
    }
    expect(log).not.toMatch(/authorization|bearer/i);
    expect(log).toContain(key.slice('svck_live_'.length, 'svck_live_'.length + 12));
  });
});
