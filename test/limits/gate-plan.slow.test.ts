import { expect, it } from 'vitest';
import { z } from 'zod';
import { sha256 } from '../../src/core/crypto.ts';
import { aConnection } from '../support/postgres.ts';
import { useTestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';

const service = await useTestService({ own: true });

const Explained = z.array(
  z.object({
    'QUERY PLAN': z.array(
      z.object({ Plan: z.looseObject({ 'Shared Hit Blocks': z.number(), 'Shared Read Blocks': z.number() }) }),
    ),
  }),
);

it('the gate touches few pages, even on a connection that planned it while there were no budgets', async () => {
  const team = await aTeam(service);
  const [, , prefix = '', secret = ''] = (await team.aKey()).text.split('_');
  const client = await aConnection(service.databaseUrl);
  const values = [[prefix], [sha256(secret)], ['192.0.2.1']];
  const ask = `select * from gate($1, $2, $3, '{1}', 120, 60, true)`;
  // With these statistics PostgreSQL plans for a small table.
  await client.query('analyze request_budget');
  // After five custom plans PostgreSQL keeps a generic one: here for an almost empty table.
  for (let asked = 0; asked < 10; asked += 1) await client.query(ask, values);
  await client.query(
    `insert into request_budget (subject, started_at, used) select gen_random_uuid(), now(), 1 from generate_series(1, 20000) n`,
  );
  const touched: number[] = [];
  // Sometimes a connection reloads its catalogue caches, because much changed elsewhere in the server.
  for (let asked = 0; asked < 5; asked += 1) {
    const { rows } = await client.query(`explain (analyze, buffers, format json) ${ask}`, values);
    const [explained] = Explained.parse(rows);
    const plan = explained?.['QUERY PLAN'][0]?.Plan;
    touched.push((plan?.['Shared Hit Blocks'] ?? Infinity) + (plan?.['Shared Read Blocks'] ?? 0));
  }
  expect(Math.min(...touched), touched.join(', ')).toBeLessThan(60);
});
