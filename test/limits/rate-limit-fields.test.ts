import { describe, expect, it } from 'vitest';
import { limits } from '../../src/core/limits.ts';
import { keyBudget, spend, teamBudget } from '../support/budgets.ts';
import { makeClient, type Answer } from '../support/client.ts';
import { startTestService, useTestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';

const perKey = limits.requestsPerKeyPerMinute;
const perAddress = 3;
const service = await useTestService({ own: true, environment: { ANON_RATE_PER_MIN: String(perAddress) } });

/** A field parsed as by a client: names with their parameters. */
const read = (answer: Answer, field: string): Record<string, Record<string, number>> =>
  Object.fromEntries(
    (answer.headers.get(field) ?? '').split(', ').map((item) => {
      const [name = '', ...parameters] = item.split(';');
      expect(name).toMatch(/^"[a-z]+"$/);
      return [
        JSON.parse(name),
        Object.fromEntries(
          parameters.map((parameter) => {
            const [key = '', value] = parameter.split('=');
            expect(value).toMatch(/^\d+$/);
            return [key, Number(value)];
          }),
        ),
      ];
    }),
  );

const someSeconds = expect.toSatisfy((seconds: number) => seconds > 30 && seconds <= 60);

describe('RateLimit and RateLimit-Policy', () => {
  it('show the budgets of the key and of its team, with the team’s own limit', async () => {
    const team = await aTeam(service, { rateLimit: 200 });
    const [one, other] = [await team.aClient(), await team.aClient()];
    await one.get('/me');
    const answer = await other.get('/me');
    expect(read(answer, 'ratelimit-policy')).toEqual({ key: { q: perKey, w: 60 }, team: { q: 200, w: 60 } });
    expect(read(answer, 'ratelimit')).toEqual({
      key: { r: perKey - 1, t: someSeconds },
      team: { r: 198, t: someSeconds },
    });
    expect(answer.headers.get('ratelimit-remaining')).toBe(String(perKey - 1));
  });

  it('show which of them is used up on a 429, and that the other is not', async () => {
    const team = await aTeam(service, { rateLimit: limits.requestsPerTeamPerMinute });
    const { id, text } = await team.aKey();
    const client = makeClient(service.baseUrl, text);
    await client.get('/me');
    await spend(service, keyBudget(id), perKey);
    const ofKey = await client.get('/me');
    expect(ofKey).toBeProblem('rate_limited');
    expect(read(ofKey, 'ratelimit')).toMatchObject({
      key: { r: 0, t: Number(ofKey.headers.get('retry-after')) },
      team: { r: limits.requestsPerTeamPerMinute - 1 },
    });
    await spend(service, teamBudget(team.id), limits.requestsPerTeamPerMinute);
    const ofTeam = await (await team.aClient()).get('/me');
    expect(ofTeam).toBeProblem('rate_limited');
    expect(read(ofTeam, 'ratelimit')).toMatchObject({ key: { r: perKey }, team: { r: 0 } });
  });

  it('of many concurrent requests each have the rest after it', async () => {
    const { client } = await aTeam(service, { rateLimit: limits.requestsPerTeamPerMinute });
    const answers = await Promise.all(Array.from({ length: 50 }, () => client.get('/me')));
    const left = answers.map((answer) => read(answer, 'ratelimit'));
    const numbers = Array.from({ length: 50 }, (_, at) => at + 1);
    const sorted = (name: string) => left.map((item) => item[name]?.['r'] ?? 0).toSorted((a, b) => b - a);
    expect(sorted('key')).toEqual(numbers.map((used) => perKey - used));
    expect(sorted('team')).toEqual(numbers.map((used) => limits.requestsPerTeamPerMinute - used));
  });

  it('without a valid key show the budget of the address, also once it is spent', async () => {
    const stranger = makeClient(service.baseUrl);
    for (const left of [2, 1, 0, 0]) {
      const answer = await stranger.get('/me');
      expect(read(answer, 'ratelimit-policy')).toEqual({ address: { q: perAddress, w: 60 } });
      expect(read(answer, 'ratelimit')).toEqual({ address: { r: left, t: someSeconds } });
    }
  });
});

describe('requests that were not counted show no used-up budget', () => {
  it('an answer outside the API has no budget headers at all', async () => {
    const outside = makeClient(service.origin);
    for (const answer of [
      await outside.get('/nothing'),
      await outside.post('/nothing', {}),
      await outside.get('/api'),
    ]) {
      expect(answer).toBeProblem('not_found');
      expect([...answer.headers.keys()].filter((name) => name.startsWith('ratelimit'))).toEqual([]);
    }
  });

  it('503 has no rest until Retry-After, and names no budget', async () => {
    const inMaintenance = await startTestService({
      databaseUrl: service.databaseUrl,
      maintenance: { current: { retryAfterSeconds: 3 } },
    });
    const answer = await makeClient(inMaintenance.baseUrl).get('/me');
    await inMaintenance.close();
    expect(answer).toBeProblem('unavailable');
    expect(['limit', 'remaining', 'reset'].map((name) => answer.headers.get(`ratelimit-${name}`))).toEqual([
      String(perKey),
      '0',
      answer.headers.get('retry-after'),
    ]);
    expect([answer.headers.has('ratelimit'), answer.headers.has('ratelimit-policy')]).toEqual([false, false]);
  });
});
