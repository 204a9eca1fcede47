import { randomBytes } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import { daysToMs, later, minutesToMs } from '../../src/core/clock.ts';
import { storageQuotas } from '../../src/core/limits.ts';
import { deleteOldAnswers } from '../../src/modules/idempotency/service.ts';
import { sumUsage } from '../../src/modules/storage/service.ts';
import type { Answer } from '../support/client.ts';
import { useTestService } from '../support/service.ts';
import { leaveRoom, storageOf } from '../storage/counters.ts';
import { aTeam, type TestTeam } from '../support/team.ts';

const service = await useTestService();

const post = (team: TestTeam, key: string, content: object = {}): Promise<Answer> =>
  team.client.post('/cases', { user_id: team.owner.user_id, ...content }, { headers: { 'Idempotency-Key': key } });

describe('the stored answer for an Idempotency-Key', () => {
  it.each([
    ['small', { text: 'Ein Satz.' }],
    ['large and repetitive', { text: 'Ein Satz, der sich wiederholt. '.repeat(2_000) }],
    ['large and random', { text: randomBytes(45_000).toString('base64') }],
  ])('is replayed exactly, even after the case has changed: %s', async (_what, fields) => {
    const team = await aTeam(service);
    const first = await post(team, 'a key', { fields });
    expect(first.status).toBe(201);
    await team.client.patch(`/cases/${String(first.body['id'])}`, { title: 'Another', fields: null });
    const again = await post(team, 'a key', { fields });
    expect([again.status, again.text]).toEqual([201, first.text]);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
  });
});

describe('the storage of a team’s stored answers', () => {
  it('is counted when an answer is kept, and set right by the sum after answers have expired', async () => {
    const [team, other] = [await aTeam(service), await aTeam(service)];
    for (const key of ['a', 'b', 'ü']) await post(team, key, { title: key.repeat(50) });
    await post(other, 'a');
    for (const one of [team, other]) {
      const { counted, found } = await storageOf(service, one);
      expect(counted.answers).toBe(found.answers);
    }
    expect((await storageOf(service, team)).counted.answers).toBeGreaterThan(3 * 512);

    service.clock.set(later(new Date(), daysToMs(2)));
    await post(other, 'a', { title: 'longer than before'.repeat(10) });
    await deleteOldAnswers(service.platform);
    await service.platform.storage.written();
    for (const { id } of [team, other]) await sumUsage(service.platform, id);
    service.clock.set(new Date());
    expect((await storageOf(service, team)).counted.answers).toBe(0);
    const { counted, found } = await storageOf(service, other);
    expect(counted.answers).toBe(found.answers);
    expect(found.answers).toBeGreaterThan(512);
  });

  it('has a quota: beyond it a POST with a key is refused and does nothing; one without works, and another team too', async () => {
    const [team, other] = [await aTeam(service), await aTeam(service)];
    expect((await post(team, 'kept')).status).toBe(201);
    await leaveRoom(service, team, 0, 'answers');
    const refused = await post(team, 'one more');
    expect(refused).toBeProblem('validation_error');
    expect(refused.body).toMatchObject({
      field: 'Idempotency-Key',
      detail: 'The answers kept for Idempotency-Keys have used up their storage. Each is deleted after 24 hours.',
    });
    expect(await service.database.prisma.case.count({ where: { tenantId: team.id } })).toBe(1);
    expect((await post(team, 'kept')).headers.get('idempotent-replayed')).toBe('true');
    expect((await team.client.post('/cases', { user_id: team.owner.user_id })).status).toBe(201);
    expect((await post(other, 'one more')).status).toBe(201);
    expect((await storageOf(service, team)).counted.answers).toBe(storageQuotas.team.answers);
  });

  it.each(['answers', 'stored'] as const)('is summed anew by a call that finds it used up: %s', async (kind) => {
    const team = await aTeam(service);
    await leaveRoom(service, team, 0, kind);
    service.clock.forward(minutesToMs(2));
    onTestFinished(() => service.clock.set(new Date()));
    expect((await post(team, 'a key')).status).toBe(201);
  });

  it('is not changed by a replay', async () => {
    const team = await aTeam(service);
    await post(team, 'first');
    const answers = await Promise.all(['first', 'second', 'first'].map((key) => post(team, key)));
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201]);
    const { counted, found } = await storageOf(service, team);
    expect(counted.answers).toBe(found.answers);
  });

  it('includes the stored refusals', async () => {
    const team = await aTeam(service);
    const answer = await team.client.post(
      '/users',
      { email: team.owner.email },
      { headers: { 'Idempotency-Key': 'again' } },
    );
    expect(answer).toBeProblem('conflict');
    const { counted, found } = await storageOf(service, team);
    expect(counted.answers).toBe(found.answers);
    expect(found.answers).toBeGreaterThan(512);
  });
});
