import { expect, it, onTestFinished } from 'vitest';
import { adaptDatabase } from '../../src/packages/sandbox/database.ts';
import { timeAhead } from '../../src/packages/sandbox/moved-time.ts';
import { setClock } from '../../src/packages/sandbox/move-clock.ts';
import { createDatabase, withSql } from '../support/postgres.ts';

it('the clock of the process is moved before that of the database', async () => {
  const { url: databaseUrl, drop } = await createDatabase();
  onTestFinished(drop);
  await adaptDatabase(databaseUrl);
  const hourMs = 3_600_000;
  await withSql({ databaseUrl }, async (sql) => {
    await sql.query('begin; lock table sandbox.clock in exclusive mode');
    const moving = setClock({ databaseUrl }, hourMs);
    await expect.poll(timeAhead).toBe(hourMs);
    await sql.query('commit');
    await moving;
    const { rows } = await sql.query('select extract(epoch from now() - pg_catalog.now())::int as ahead');
    expect(rows).toEqual([{ ahead: 3_600 }]);
  });
});
