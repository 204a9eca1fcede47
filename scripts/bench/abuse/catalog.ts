import pg from 'pg';
import { newId } from '../../../src/core/ids.ts';
import { hashPassword } from '../../../src/core/password.ts';

/** The maximum that a team may have. */
const ownItems = 1_000;
const password = 'a long enough password';

/** Fills a team's own catalog, sets passwords for `count` of its members, and returns these members. */
export const makeCatalogReaders = async (databaseUrl: string, tenantId: string, count: number) => {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query(
      `insert into catalog_item (id, tenant_id, dimension, key, name_de, name_en, created_at)
       select gen_random_uuid(), $1, (enum_range(null::catalog_dimension))[1 + i % 4], 'key-' || i, repeat('ä', 100) || i, repeat('x', 100) || i, now()
         from generate_series(1, $2::int) as i`,
      [tenantId, ownItems],
    );
    const { rows } = await client.query<{ id: string; email: string }>(
      `select p.id, p.email
         from member m
         join team_user u on u.tenant_id = m.tenant_id and u.id = m.user_id
         join person p on p.id = u.person_id
        where m.tenant_id = $1 and m.status = 'active' and m.role = 'member' limit $2`,
      [tenantId, count],
    );
    const hash = await hashPassword(password);
    for (const { id } of rows) {
      await client.query(
        `insert into credential (id, person_id, provider_id, account_id, password, created_at, updated_at)
         values ($1, $2::uuid, 'credential', $2::text, $3, now(), now())`,
        [newId(), id, hash],
      );
    }
    return rows.map(({ email }) => ({ email, password }));
  } finally {
    await client.end();
  }
};
