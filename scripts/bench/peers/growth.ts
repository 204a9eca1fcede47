// Measures how the cost of a request grows with the installation: a small, a middle and a large one. Each has its own
// process and its own database; all databases are on one PostgreSQL.

import { z } from 'zod';
import { allScopes } from '../../../src/core/scopes.ts';
import { makeId } from '../../../src/core/ids.ts';
import { basePath } from '../../../src/core/product.ts';
import { makeSecret } from '../../../src/modules/keys/service.ts';
import { connectTo, copyDatabase, type BenchDatabase } from '../../kit/database.ts';
import { compareInTurn, medianOf, type Contender, type Request } from '../../kit/load.ts';
import { production, startServer, type Server } from '../../kit/processes.ts';
import { pick } from '../../kit/seed.ts';
import type { Grown } from './page.ts';

interface Size {
  teams: number;
  /** How many trainings the first team has. The others have few. */
  trainings: number;
}

const sizes: Readonly<Record<string, Size>> = {
  small: { teams: 1, trainings: 1_000 },
  middle: { teams: 100, trainings: 100_000 },
  large: { teams: 10_000, trainings: 1_000_000 },
};

/** The same number in each installation, and so many that a load spread over them stays below every limit. */
const keysOfAll = 10_000;
const keysOfFirst = 1_000;

const insertTeams = `
  with made as (select * from unnest($1::uuid[]) as made (id)),
       person as (insert into person (id, email, created_at, updated_at) select id, id || '@example.com', now(), now() from made),
       team as (
         insert into team (id, name, plan, seats, rate_limit_per_min, created_at)
         select id, 'Bench', 'team', 10, 1000000, now() from made),
       team_user as (insert into team_user (tenant_id, id, person_id) select id, id, id from made)
  insert into member (tenant_id, id, user_id, email, role, status, joined_at, listed_at, created_at, updated_at)
  select id, id, id, id || '@example.com', 'owner', 'active', now(), now(), now(), now() from made`;

const insertKeys = `
  with made as materialized (
         select tenant_id, uuidv7() as id, prefix, hash from unnest($1::uuid[], $2::text[], $3::bytea[]) as k (tenant_id, prefix, hash)),
       named as (insert into api_key_prefix (prefix, tenant_id, key_id) select prefix, tenant_id, id from made)
  insert into api_key (tenant_id, id, prefix, secret_hash, name, scopes, created_by, created_at)
  select tenant_id, id, prefix, hash, 'bench', $4, tenant_id, now() from made`;

/**
 * As if each key had been used some minutes ago: the first request of a key and of a team in ten minutes costs a second
 * call of the gate.
 */
const insertBudgets = `
  insert into request_budget (subject, started_at, used)
  select id, now() - interval '5 minutes', 1 from api_key
  union all select id, now() - interval '5 minutes', 1 from team`;

const insertTrainings = `
  insert into training (tenant_id, id, user_id, status, source, finished_at, duration_s, created_at, updated_at)
  select $1, uuidv7(), $1, 'ended', 'app', now() - turn * interval '1 second', 540, now() - turn * interval '1 second', now()
    from generate_series(1, $2::int) as turn`;

interface Installation {
  server: Server;
  trainings: number;
  /** Keys of all teams: each belongs to the next team in turn. */
  keys: string[];
  keysOfFirst: string[];
}

/** Fills an empty, migrated database. All members are owners with the id of their team. */
const fill = async (url: string, { teams, trainings }: Size): Promise<Pick<Installation, 'keys' | 'keysOfFirst'>> => {
  const ids = Array.from({ length: teams }, makeId);
  const first = pick(ids, 0);
  const owners = Array.from({ length: keysOfAll }, (_, index) => pick(ids, index));
  const tenants = [...owners, ...Array.from({ length: keysOfFirst }, () => first)];
  const secrets = tenants.map(() => makeSecret());
  const [prefixes, hashes] = [secrets.map(({ prefix }) => prefix), secrets.map(({ secretHash }) => secretHash)];
  await using client = await connectTo(url);
  await client.query(insertTeams, [ids]);
  await client.query(insertKeys, [tenants, prefixes, hashes, allScopes]);
  await client.query(insertBudgets);
  await client.query(insertTrainings, [first, trainings]);
  await client.query('vacuum analyze');
  const texts = secrets.map(({ text }) => text);
  return { keys: texts.slice(0, owners.length), keysOfFirst: texts.slice(owners.length) };
};

const get = (path: string, key: string): Request => ({
  method: 'GET',
  path: `${basePath}${path}`,
  headers: { authorization: `Bearer ${key}` },
});

const pageSize = 200;
const Page = z.object({ next_cursor: z.string() });

/** The cursor in the middle of the first team's trainings. */
const middleOf = async ({ server, trainings, keysOfFirst: keys }: Installation): Promise<string> => {
  let cursor = '';
  for (let page = 1; page <= trainings / pageSize / 2; page += 1) {
    const { path, headers } = get(`/trainings?limit=${pageSize}${cursor}`, pick(keys, page));
    const answer = await fetch(`${server.origin}${path}`, { headers });
    cursor = `&cursor=${encodeURIComponent(Page.parse(await answer.json()).next_cursor)}`;
  }
  return cursor;
};

type Ask = (installation: Installation) => Promise<Request[]>;

const asked: Readonly<Record<string, Ask>> = {
  'GET /me, little more than the check of a key; 1, 100 and 10,000 teams': async ({ keys }) =>
    keys.map((key) => get('/me', key)),
  'The first page of 50 trainings; 1 thousand, 100 thousand and 1 million of a team': async ({ keysOfFirst: keys }) =>
    keys.map((key) => get('/trainings?limit=50', key)),
  'The page of 50 in the middle of them': async (installation) => {
    const cursor = await middleOf(installation);
    return installation.keysOfFirst.map((key) => get(`/trainings?limit=50${cursor}`, key));
  },
};

/** `empty` is the URL of a migrated database without teams. */
export const measureGrowth = async (
  database: BenchDatabase,
  empty: string,
  { smaller, ...rounds }: { smaller: number; rounds: number; secondsEach: number; warmUpSeconds: number },
): Promise<Grown[]> => {
  await using opened = new AsyncDisposableStack();
  const installations = new Map<string, Installation>();
  for (const [name, size] of Object.entries(sizes)) {
    const url = await copyDatabase(empty, name);
    const trainings = Math.ceil(size.trainings / smaller);
    const keys = await fill(url, { teams: Math.ceil(size.teams / smaller), trainings });
    const server = opened.use(await startServer(['src/main.ts', 'api'], { ...production, DATABASE_URL: url }));
    installations.set(name, { server, trainings, ...keys });
  }
  const grown: Grown[] = [];
  for (const [what, ask] of Object.entries(asked)) {
    const contenders = new Map<string, Contender>();
    for (const [name, installation] of installations) {
      contenders.set(name, { server: installation.server, requests: await ask(installation) });
    }
    const measured = await compareInTurn(database, contenders, rounds);
    const costs = [...measured].map(([size, runs]) => {
      return { size, process: medianOf(runs, (run) => run.server), postgres: medianOf(runs, (run) => run.postgres) };
    });
    grown.push({ what, costs });
    console.log(what, JSON.stringify(costs));
  }
  return grown;
};
