import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { limits } from '../../src/core/limits.ts';
import { revokeKey } from '../../src/modules/keys/service.ts';
import { keyBudget, spend, usedOf } from '../support/budgets.ts';
import { aCoachedTeam, anAssistant } from '../support/assistants.ts';
import { rawRequest } from '../support/client.ts';
import { useTestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';

const service = await useTestService();

const listing = { jsonrpc: '2.0', id: 1, method: 'tools/list' };

/** A request in the format of the older revision. */
const post = (key: string | undefined, body: unknown, headers: Record<string, string> = {}) =>
  fetch(`${service.origin}/mcp`, {
    method: 'POST',
    headers: {
      Accept: 'application/json, text/event-stream',
      'Content-Type': 'application/json',
      ...(key !== undefined && { Authorization: `Bearer ${key}` }),
      ...headers,
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });

const problemOf = async (response: Response) =>
  z
    .object({ code: z.string() })
    .loose()
    .parse(await response.json());

describe('the admission of keys', () => {
  it('refuses a request without a valid key', async () => {
    for (const key of [undefined, 'nonsense', `svck_live_${'a'.repeat(12)}_${'b'.repeat(43)}`]) {
      const response = await post(key, listing);
      expect(response.status).toBe(401);
      expect(response.headers.get('www-authenticate')).toContain(
        'resource_metadata="http://localhost:3000/.well-known/oauth-protected-resource/mcp"',
      );
      expect(await problemOf(response)).toMatchObject({ code: 'unauthorized', title: 'Key missing or not valid' });
    }
  });

  it('ends at once for a revoked key and for a team that may not use the API', async () => {
    const team = await aTeam(service);
    const { id, text } = await team.aKey();
    const [revoked, suspended] = [
      await anAssistant(service, text),
      await anAssistant(service, (await team.aKey()).text),
    ];
    await revokeKey(await team.acting(), id);
    await expect(revoked.call('team_progress')).rejects.toThrow('Unauthorized');
    expect((await post(text, listing)).status).toBe(401);
    await team.change({ status: 'suspended' });
    await expect(suspended.call('team_progress')).rejects.toMatchObject({
      message: expect.stringContaining('api_disabled'),
    });
  });

  it('counts every operation of a tool like a request, and logs a tool call in the request log', async () => {
    const team = await aTeam(service);
    const { given } = await aCoachedTeam(service, team);
    const { id, text } = await team.aKey();
    const assistant = await anAssistant(service, text);
    const before = await usedOf(service, keyBudget(id));
    await assistant.call('team_progress');
    expect(await usedOf(service, keyBudget(id))).toBe(before + 1);
    // The operations: the member, their trainings with evaluations, the catalog.
    await assistant.call('member_evaluations', given['member_evaluations']);
    expect(await usedOf(service, keyBudget(id))).toBe(before + 4);

    await assistant.call('member_evaluations', { member_id: 'nobody' });
    await service.requestLog.write();
    const logged = await service.database.prisma.requestLogEntry.findMany({
      where: { tenantId: team.id },
      orderBy: { id: 'asc' },
    });
    expect(logged.slice(-3).map(({ method, route, status, code }) => [method, route, status, code])).toEqual([
      ['POST', '/mcp/team_progress', 200, null],
      ['POST', '/mcp/member_evaluations', 200, null],
      ['POST', '/mcp/member_evaluations', 200, 'not_found'],
    ]);
  });

  it('refuses calls beyond a budget: before the tool, and in the middle of it', async () => {
    const team = await aTeam(service);
    const { given } = await aCoachedTeam(service, team);
    const { id, text } = await team.aKey();
    const assistant = await anAssistant(service, text);
    await spend(service, keyBudget(id), limits.requestsPerKeyPerMinute - 2);
    const cut = await assistant.call('member_evaluations', given['member_evaluations']);
    expect(cut).toMatchObject({ isError: true, data: { code: 'rate_limited', retry_after: expect.any(Number) } });
    expect(cut.texts[0]).toMatch(/Try again in \d+ seconds\./);
    const refused = await post(text, listing);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(refused.headers.get('ratelimit-remaining')).toBe('0');
  });

  it('is refused to pages of other sites, under any host name', async () => {
    const { text } = await (await aTeam(service)).aKey();
    const port = new URL(service.origin).port;
    for (const origin of ['https://evil.example', `http://evil.example:${port}`, 'null']) {
      const response = await post(text, listing, { Origin: origin, Host: `evil.example:${port}` });
      expect(response.status).toBe(403);
    }
    expect((await post(text, listing, { Origin: 'http://localhost:3000' })).status).toBe(200);
  });
});

describe('a method', () => {
  it.each(['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND'])(
    '%s is not allowed, with and without a key: there is no stream to open or close',
    async (method) => {
      const { text } = await (await aTeam(service)).aKey();
      for (const key of [text, 'nonsense', undefined]) {
        const headers = [
          'Accept',
          'text/event-stream',
          ...(key === undefined ? [] : ['Authorization', `Bearer ${key}`]),
        ];
        const answer = await rawRequest(`${service.origin}/mcp`, { method, headers });
        expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST']);
      }
    },
  );
});

describe('a message', () => {
  it('is refused if it is invalid, too large, too deep, or a list of messages', async () => {
    const { text } = await (await aTeam(service)).aKey();
    const deep = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${'['.repeat(50_000)}${']'.repeat(50_000)}}`;
    for (const [body, status] of [
      ['{', 422],
      [[listing, listing], 422],
      [deep, 422],
      [{ ...listing, params: { text: 'x'.repeat(limits.bodyBytes) } }, 413],
    ] as const) {
      expect((await post(text, body)).status).toBe(status);
    }
    expect((await post(text, listing, { 'Content-Type': 'text/plain' })).status).toBe(415);
    expect((await post(text, { ...listing, jsonrpc: '1.0' })).status).toBe(400);
  });

  it('has no session, and no subscription', async () => {
    const { text } = await (await aTeam(service)).aKey();
    const answered = await post(text, {
      ...listing,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'a', version: '1' } },
    });
    expect(answered.status).toBe(200);
    expect(answered.headers.get('mcp-session-id')).toBeNull();
    const modern = await anAssistant(service, text);
    await expect(modern.client.listen({ toolsListChanged: true })).rejects.toThrow('Subscription limit reached');
    expect(
      (await fetch(`${service.origin}/mcp/else`, { method: 'POST', headers: { Authorization: `Bearer ${text}` } }))
        .status,
    ).toBe(404);
  });
});
