import { expect, it } from 'vitest';
import { hoursToMs } from '../../src/core/clock.ts';
import { deleteOldAnswers } from '../../src/modules/idempotency/service.ts';
import { aConnection, untilLockWaits } from '../support/postgres.ts';
import { useTestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';

const service = await useTestService({ own: true });

it('any number of old answers is deleted without waiting for a call that uses one of them, and without delaying it', async () => {
  const team = await aTeam(service);
  await service.database.prisma.$executeRaw`
    insert into idempotency_record (tenant_id, key, fingerprint, answer, created_at, expires_at)
    select ${team.id}::uuid, 'key ' || n, '', '', now() - interval '2 days', now() + case n when 0 then interval '1 hour' else interval '-1 day' end
      from generate_series(0, 2500) n`;
  const call = await aConnection(service.databaseUrl);
  const keys = async () => {
    const records = await service.database.prisma.idempotencyRecord.findMany({ orderBy: { key: 'asc' } });
    return records.map(({ key }) => key);
  };

  await call.query('begin');
  await call.query(`update idempotency_record set answer = 'x' where key = 'key 7'`);
  await deleteOldAnswers(service.platform);
  expect(await keys()).toEqual(['key 0', 'key 7']);
  await call.query('commit');
  await deleteOldAnswers(service.platform);
  expect(await keys()).toEqual(['key 0']);
});

it('a call whose expired answer is being deleted waits for that, and keeps its own', async () => {
  const team = await aTeam(service);
  const headers = { 'Idempotency-Key': 'a key' };
  const post = () => team.client.post('/cases', { user_id: team.owner.user_id }, { headers });
  const first = await post();
  service.clock.forward(hoursToMs(24));
  const deletion = await aConnection(service.databaseUrl);
  await deletion.query('begin');
  await deletion.query(`delete from idempotency_record where tenant_id = $1`, [team.id]);
  const waiting = post();
  await untilLockWaits(service);
  await deletion.query('commit');
  const second = await waiting;
  expect([second.status, second.body['id'] === first.body['id']]).toEqual([201, false]);
  expect((await post()).text).toBe(second.text);
});
