import pg from 'pg';
import { randomText, sha256 } from '../../src/core/crypto.ts';
import { newId } from '../../src/core/ids.ts';
import { allScopes } from '../../src/core/scopes.ts';
import { migrate } from '../../src/db/migrate.ts';

export interface SeededTeam {
  tenantId: string;
  members: string[];
  keys: string[];
  /** Trainings that have an evaluation. */
  scored: string[];
}

export interface Seeded {
  teams: SeededTeam[];
  /** Catalog items that every team can choose from. */
  catalog: Record<'situation' | 'personality' | 'industry', string[]>;
}

interface Sizes {
  teams: number;
  membersEach: number;
  keysEach: number;
  trainingsEach?: number;
}

const insertMembers = `
  with people as (
    select * from unnest($2::uuid[], $3::uuid[], $4::uuid[]) as p (person_id, user_id, member_id)
  ), person_rows as (
    insert into person (id, email, created_at, updated_at) select person_id, person_id || '@example.com', now(), now() from people
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

const insertItems = `
  insert into catalog_item (id, dimension, key, name_de, name_en, position, created_at)
  select id, $2::catalog_dimension, id::text, 'Ein Eintrag ' || at, 'An item ' || at, at, now()
    from unnest($1::uuid[]) with ordinality as i (id, at)`;

const insertRules = `
  insert into catalog_rule (id, kind, situation_id, item_id, created_at)
  select id, 'never', $2, item_id, now() from unnest($1::uuid[], $3::uuid[]) as r (id, item_id)`;

const insertBlocks = `insert into team_policy_block (tenant_id, item_id, created_at) select $1, unnest($2::uuid[]), now()`;

const insertEndpoint = `
  insert into webhook_endpoint (tenant_id, id, url, events, api_version, secret, created_at)
  values ($1, $2, 'https://example.com/hooks', '{assignment.created}', '2026-11', '\\x00', now())`;

// Every fourth training has no evaluation yet. They start one minute apart, so that lists have an order.
const insertTrainings = `
  insert into training (tenant_id, id, user_id, status, source, situation_id, personality_id, industry_id, external_ref,
                        finished_at, duration_s, evaluated_at, created_at)
  select $1, id, ($3::uuid[])[1 + at % cardinality($3::uuid[])], (case when at % 4 = 0 then 'ended' else 'scored' end)::training_status,
         'app', $4, $5, $6, case when at % 2 = 0 then '{"crm": "deal 4711", "stage": 3}' end, started + interval '9 minutes',
         540, case when at % 4 > 0 then started + interval '10 minutes' end, started
    from unnest($2::uuid[]) with ordinality as t (id, at),
         lateral (select date_trunc('milliseconds', now() - at * interval '1 minute') as started) s`;

const insertEvaluations = `
  insert into evaluation (tenant_id, training_id, closing, conversation_control, needs_analysis, objection_handling, value_argument,
                          total, spread, goal, tips, strongest, biggest_lever, created_at)
  select $1, unnest($2::uuid[]), 61, 72, 55, 48, 80, 63, 12.5, 'partial', $3, 'Sie hören zu und fassen zusammen.',
         'Nennen Sie den Preis erst, wenn der Nutzen steht.', now()`;

const tip = {
  issue: 'Der Preis kam vor dem Nutzen.',
  moment: 'Nach der zweiten Frage des Kunden.',
  principle: 'Erst der Wert, dann die Zahl.',
  rewrite: 'Was würde es Ihnen bringen, wenn die Auswertung jeden Montag fertig wäre?',
  impact: 'Das Gespräch bleibt beim Bedarf und nicht beim Rabatt.',
};

/** Runs a statement on all databases. */
type Run = (text: string, values?: unknown[]) => Promise<void>;

const ids = (count: number) => Array.from({ length: count }, newId);

const seedCatalog = async (run: Run): Promise<Seeded['catalog']> => {
  const catalog = { situation: ids(12), personality: ids(8), industry: ids(10) };
  for (const [dimension, items] of Object.entries(catalog)) await run(insertItems, [items, dimension]);
  // A rule for a situation that no request of the bench uses, so that all requested combinations are allowed.
  await run(insertRules, [ids(3), catalog.situation[0], catalog.personality.slice(0, 3)]);
  return catalog;
};

const seedTrainings = async (
  run: Run,
  { tenantId, users, catalog, count }: { tenantId: string; users: string[]; catalog: Seeded['catalog']; count: number },
): Promise<string[]> => {
  const trainings = ids(count);
  const scored = trainings.filter((_id, index) => (index + 1) % 4 > 0);
  const practised = [catalog.situation[1], catalog.personality[1], catalog.industry[1]];
  await run(insertTrainings, [tenantId, trainings, users, ...practised]);
  await run(insertEvaluations, [tenantId, scored, JSON.stringify([tip, tip, tip])]);
  return scored;
};

const seedTeam = async (
  run: Run,
  { membersEach, keysEach, trainingsEach = 0 }: Sizes,
  catalog: Seeded['catalog'],
): Promise<SeededTeam> => {
  const tenantId = newId();
  const members = ids(membersEach);
  const users = ids(membersEach);
  const [owner] = members;
  await run(
    `insert into team (id, name, plan, seats, rate_limit_per_min, created_at) values ($1, 'Bench', 'team', 100000, 1000000, now())`,
    [tenantId],
  );
  await run(insertMembers, [tenantId, ids(membersEach), users, members, owner]);
  const keys = Array.from({ length: keysEach }, () => ({
    id: newId(),
    prefix: randomText(12),
    secret: randomText(43),
  }));
  await run(insertKeys, [
    tenantId,
    keys.map(({ id }) => id),
    keys.map(({ prefix }) => prefix),
    keys.map(({ secret }) => sha256(secret)),
    allScopes,
    owner,
  ]);
  await run(insertBlocks, [tenantId, [catalog.situation[0]]]);
  await run(insertEndpoint, [tenantId, newId()]);
  const scored = await seedTrainings(run, { tenantId, users, catalog, count: trainingsEach });
  return { tenantId, members, keys: keys.map(({ prefix, secret }) => `svck_live_${prefix}_${secret}`), scored };
};

/**
 * Creates teams with members, trainings and enough keys that a load spread over the keys stays below every limit. All databases get the
 * same rows.
 */
export const seedTeams = async (databaseUrls: readonly string[], sizes: Sizes): Promise<Seeded> => {
  const clients = databaseUrls.map((connectionString) => new pg.Client({ connectionString }));
  const time = `timestamptz '${new Date().toISOString()}'`;
  const run: Run = async (text, values) => {
    for (const client of clients) await client.query(text.replaceAll('now()', time), values); // now() would differ
  };
  try {
    for (const client of clients) await client.connect();
    const catalog = await seedCatalog(run);
    const teams: SeededTeam[] = [];
    while (teams.length < sizes.teams) teams.push(await seedTeam(run, sizes, catalog));
    await run('vacuum analyze');
    return { teams, catalog };
  } finally {
    for (const client of clients) await client.end();
  }
};

interface Both {
  /** URLs of two databases that are empty or do not exist. */
  referenceUrl: string;
  serviceUrl: string;
  sizes: Sizes;
}

/** Creates two databases with the same teams, for the service and for the handler that it is compared with. */
export const seedBoth = async ({ referenceUrl, serviceUrl, sizes }: Both): Promise<Seeded> => {
  await migrate(referenceUrl);
  await migrate(serviceUrl);
  return seedTeams([referenceUrl, serviceUrl], sizes);
};
