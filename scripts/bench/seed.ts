import pg from 'pg';
import { randomText, sha256 } from '../../src/core/crypto.ts';
import { newId } from '../../src/core/ids.ts';
import { allScopes } from '../../src/core/scopes.ts';

export interface Seeded {
  teams: { members: string[]; keys: string[] }[];
}

interface Sizes {
  teams: number;
  membersEach: number;
  keysEach: number;
}

const insertMembers = `
  with people as (
    select * from unnest($2::uuid[], $3::uuid[], $4::uuid[]) as p (person_id, user_id, member_id)
  ), person_rows as (
    insert into person (id, email, created_at) select person_id, person_id || '@example.com', now() from people
  ), user_rows as (
    insert into team_user (tenant_id, id, person_id) select $1, user_id, person_id from people
  )
  insert into member (tenant_id, id, user_id, email, role, status, rights, joined_at, listed_at, created_at)
  select $1, member_id, user_id, person_id || '@example.com',
         (case when member_id = $5 then 'owner' else 'member' end)::role, 'active', '{}', now(), now(), now()
    from people`;

const insertKeys = `
  insert into api_key (tenant_id, id, prefix, secret_hash, name, scopes, allowed_ips, created_by, created_at)
  select $1, key_id, prefix, secret_hash, 'bench', $5, '{}', $6, now()
    from unnest($2::uuid[], $3::text[], $4::bytea[]) as k (key_id, prefix, secret_hash)`;

const ids = (count: number) => Array.from({ length: count }, newId);

const seedTeam = async (client: pg.Client, { membersEach, keysEach }: Sizes) => {
  const tenantId = newId();
  const members = ids(membersEach);
  const [owner] = members;
  await client.query(
    `insert into team (id, name, plan, seats, rate_limit_per_min, created_at) values ($1, 'Bench', 'team', 100000, 1000000, now())`,
    [tenantId],
  );
  await client.query(insertMembers, [tenantId, ids(membersEach), ids(membersEach), members, owner]);
  const keys = Array.from({ length: keysEach }, () => ({
    id: newId(),
    prefix: randomText(12),
    secret: randomText(43),
  }));
  await client.query(insertKeys, [
    tenantId,
    keys.map(({ id }) => id),
    keys.map(({ prefix }) => prefix),
    keys.map(({ secret }) => sha256(secret)),
    allScopes,
    owner,
  ]);
  return { members, keys: keys.map(({ prefix, secret }) => `svck_live_${prefix}_${secret}`) };
};

/** Teams with members and so many keys that a load spread over them stays below every limit. */
export const seedTeams = async (databaseUrl: string, sizes: Sizes): Promise<Seeded> => {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const teams: Seeded['teams'] = [];
    while (teams.length < sizes.teams) teams.push(await seedTeam(client, sizes));
    await client.query('analyze');
    return { teams };
  } finally {
    await client.end();
  }
};
