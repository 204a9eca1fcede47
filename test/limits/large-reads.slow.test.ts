import { once } from 'node:events';
import { request as open, type IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import { AnswerProgress, LargeReads, largeReadLimits } from '../../src/platform/large-reads.ts';
import { aCase } from '../support/cases.ts';
import { useTestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';

const { atOnce, waiting, fromBytes } = largeReadLimits;

/** A promise that the test resolves. */
const gate = () => Promise.withResolvers<string>();

const of = (teamId: string, answerProgress?: AnswerProgress) => ({
  teamId,
  name: 'a list',
  alwaysLarge: true,
  answerProgress,
});

describe('large reads of a team', () => {
  it('beyond those that may wait are refused at once, and so are those that waited too long', async () => {
    const reads = new LargeReads();
    const held = gate();
    const all = Array.from({ length: atOnce }, () => reads.read(of('one'), () => held.promise));
    const late = Array.from({ length: waiting }, () => reads.read(of('one'), () => held.promise));
    const refusal = { code: 'rate_limited', members: { retry_after: 2 } };
    await expect(reads.read(of('one'), () => held.promise)).rejects.toMatchObject(refusal);
    for (const outcome of await Promise.allSettled(late)) expect(outcome).toMatchObject({ reason: refusal });
    held.resolve('done');
    expect(await Promise.all(all)).toEqual(all.map(() => 'done'));
    expect(await reads.read(of('one'), async () => 'again')).toBe('again');
  });

  it('release their slot when they fail', async () => {
    const reads = new LargeReads();
    for (let index = 0; index < atOnce * 2; index += 1) {
      await expect(reads.read(of('one'), () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    }
    expect(await reads.read(of('one'), async () => 'read')).toBe('read');
  });

  it('keep their slot until the answer is sent', async () => {
    const reads = new LargeReads();
    const answers = Array.from({ length: atOnce }, () => new AnswerProgress());
    for (const answerProgress of answers) await reads.read(of('one', answerProgress), async () => 'read');
    let began = false;
    const next = reads.read(of('one'), async () => (began = true));
    await new Promise(setImmediate);
    expect(began).toBe(false);
    answers[0]?.done();
    answers[0]?.done(); // the second call has no effect
    expect(await next).toBe(true);
  });

  it('do not run for a caller who left while waiting, and keep nothing for one who left meanwhile', async () => {
    const reads = new LargeReads();
    const held = gate();
    const gone = new AnswerProgress(() => true);
    const [first, ...all] = Array.from({ length: atOnce }, () => reads.read(of('one'), () => held.promise));
    let made = 0;
    const waits = Array.from({ length: 5 }, () => reads.read(of('one', gone), async () => (made += 1)));
    held.resolve('read');
    for (const outcome of await Promise.allSettled(waits)) expect(outcome.status).toBe('rejected');
    expect(made).toBe(0);
    await Promise.all([first, ...all]);

    for (let index = 0; index < atOnce * 2; index += 1) {
      let isGone = false;
      const answerProgress = new AnswerProgress(() => isGone);
      const left = reads.read(of('one', answerProgress), async () => (isGone = true));
      await expect(left).rejects.toMatchObject({ code: 'rate_limited' });
    }
    expect(await reads.read(of('one'), async () => 'read')).toBe('read');
  });

  it('are those whose last answer was large: small ones need no slot', async () => {
    const reads = new LargeReads();
    const held = gate();
    const small = (answerProgress?: AnswerProgress) => ({
      teamId: 'one',
      name: 'another list',
      alwaysLarge: false,
      answerProgress,
    });
    const all = Array.from({ length: atOnce }, () => reads.read(of('one'), () => held.promise));
    const answerProgress = new AnswerProgress();
    expect(await reads.read(small(answerProgress), async () => 'read')).toBe('read');
    answerProgress.written(fromBytes - 1);
    expect(await reads.read(small(), async () => 'read')).toBe('read');
    answerProgress.written(fromBytes);
    const waits = reads.read(small(), async () => 'read');
    let isDone = false;
    void waits.then(() => (isDone = true));
    await new Promise(setImmediate);
    expect(isDone).toBe(false);
    held.resolve('done');
    expect(await waits).toBe('read');
    await Promise.all(all);
  });
});

const service = await useTestService({ own: true });

describe('over HTTP', () => {
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
