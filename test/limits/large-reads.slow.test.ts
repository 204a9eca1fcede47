import { once } from 'node:events';
import { request as open, type IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import { aCase } from '../support/practice.ts';
import { useTestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';

const service = await useTestService({ own: true });

describe('large reads over HTTP', () => {
  /** A caller that reads nothing of the answer until it disconnects. */
  const hold = async (path: string, key: string): Promise<IncomingMessage> => {
    const asked = open(`${service.baseUrl}${path}`, {
      headers: { Authorization: `Bearer ${key}` },
      agent: false,
    }).end();
    const [response]: IncomingMessage[] = await once(asked, 'response');
    return response ?? Promise.reject(new Error('no response'));
  };

  it('callers who do not read their pages delay only their own team, and nobody once they left', async () => {
    const [team, other] = [await aTeam(service), await aTeam(service)];
    const fields = { a: 'x'.repeat(60_000) };
    for (const { id, owner } of [team, other]) {
      for (let index = 0; index < 40; index += 1) {
        await aCase(service, { id }, { userId: owner.user_id, fields, externalRef: fields });
      }
    }
    const { text: key } = await team.aKey();
    const path = '/cases?limit=200';
    const held = await Promise.all(Array.from({ length: 20 }, () => hold(path, key)));
    expect((await other.client.get(path)).status).toBe(200);
    expect((await other.client.get('/me')).status).toBe(200);
    for (const response of held) response.destroy();
    await expect.poll(async () => (await team.client.get(path)).status).toBe(200);
  });

  it('many requests of one team are answered in turn or refused with Retry-After, and another team is answered meanwhile', async () => {
    const [team, other] = [await aTeam(service), await aTeam(service)];
    const fields = { a: 'x'.repeat(60_000) };
    for (let index = 0; index < 20; index += 1) {
      await aCase(service, team, { userId: team.owner.user_id, fields, externalRef: fields });
    }
    const crowd = Promise.all(Array.from({ length: 60 }, () => team.client.get('/cases?limit=200')));
    const others = await Promise.all(Array.from({ length: 5 }, () => other.client.get('/me')));
    expect(others.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    const answers = await crowd;
    const statuses = new Set(answers.map(({ status }) => status));
    expect([...statuses].filter((status) => status !== 200 && status !== 429)).toEqual([]);
    expect(statuses).toContain(200);
    for (const answer of answers.filter(({ status }) => status === 429)) {
      expect(answer).toBeProblem('rate_limited', { retry_after: 2 });
      expect(answer.headers.get('retry-after')).toBe('2');
    }
  });
});
