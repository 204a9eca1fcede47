import pg from 'pg';
import { inject } from 'vitest';

// Each mutant is tested in a new thread, by a new service with a database of its own, which would stay until the end of
// the slice: hundreds of them would fill the memory. So the databases of earlier threads are dropped here. A running
// test may be without a connection for a moment, so younger databases stay.

const { adminUrl } = inject('databaseServer');
const client = new pg.Client({ connectionString: adminUrl });
await client.connect();
try {
  const { rows } = await client.query<{ name: string }>(
    `select datname as name from pg_database d
      where datname like 'test\\_%'
        and not exists (select from pg_stat_activity a where a.datid = d.oid)
        and (pg_stat_file('base/' || d.oid || '/PG_VERSION', true)).modification < now() - interval '3 minutes'`,
  );
  for (const { name } of rows) await client.query(`drop database if exists ${client.escapeIdentifier(name)}`);
} finally {
  await client.end();
}
