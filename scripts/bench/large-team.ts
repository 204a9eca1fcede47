// How long the app's pages take in a large team: 5,000 members, 100,000 trainings, 200,000 deliveries of one endpoint.
// A browser opens every page several times; a page's time is that of its slowest answer.

import { chromium, type Page } from 'playwright-core';
import { connectTo } from '../kit/database.ts';
import { atMost, median } from '../kit/figures.ts';

const sizes = { members: 5_000, trainings: 100_000, deliveries: 200_000 };
const visits = 5;
const maxMs = 300;
/** The pages without an id; the first is the overview. */
const sections = [
  '',
  'members',
  'analytics',
  'trainings',
  'assignments',
  'cases',
  'catalog',
  'keys',
  'webhooks',
  'crm',
  'requests',
  'live',
  'audit',
  'settings',
  'account',
];

interface LargeTeam {
  /** Where the app is, and the `Cookie` header of the team's owner. */
  origin: string;
  cookie: string;
  databaseUrl: string;
  tenantId: string;
  endpointId: string;
}

/**
 * Adds members, trainings of the last half year with their evaluations, and deliveries to a team that has some of each.
 */
export const makeLarge = async ({ databaseUrl, tenantId, endpointId }: LargeTeam): Promise<void> => {
  await using client = await connectTo(databaseUrl);
  const run = (text: string, ...values: unknown[]) => client.query(text, values);
  await run('update team set seats = 100000 where id = $1', tenantId);
  await run(
    'create temporary table added as select uuidv7() as id, n from generate_series(1, $1::int) n',
    sizes.members,
  );
  await run(`insert into person (id, email, name, created_at, updated_at)
    select id, 'person-' || n || '@example.com', 'Person ' || md5(n::text), now(), now() from added`);
  await run('insert into team_user (tenant_id, id, person_id) select $1, id, id from added', tenantId);
  await run(
    `insert into member (tenant_id, id, user_id, email, status, joined_at, listed_at, created_at, updated_at)
     select $1, uuidv7(), id, 'person-' || n || '@example.com', 'active', at, at, at, at
       from added cross join lateral (select now() - n * interval '1 hour' as at) as joined`,
    tenantId,
  );
  await run(
    `create temporary table held as
     select uuidv7() as id, now() - n * interval '2.5 minutes' as at, n from generate_series(1, $1::int) n`,
    sizes.trainings,
  );
  await run(
    `insert into training (tenant_id, id, user_id, status, source, situation_id, personality_id, industry_id, finished_at, duration_s,
                           evaluated_at, created_at, updated_at)
     select $1, held.id, added.id, 'scored', 'app', t.situation_id, t.personality_id, t.industry_id, at, 540, at, at, at
       from held join added on added.n = 1 + held.n % $2::int
      cross join (select * from training where tenant_id = $1 and situation_id is not null and personality_id is not null limit 1) as t`,
    tenantId,
    sizes.members,
  );
  await run(
    `insert into evaluation (tenant_id, training_id, closing, conversation_control, needs_analysis, objection_handling, value_argument,
                             total, spread, goal, created_at)
     select $1, id, n % 101, (n * 3) % 101, (n * 7) % 101, (n * 11) % 101, (n * 13) % 101, (n * 17) % 101, 12.5, 'partial', at from held`,
    tenantId,
  );
  await run(
    `with made as materialized (
       select uuidv7() as id, uuidv7() as event_id, now() - n * interval '10 seconds' as at from generate_series(1, $3::int) n),
     event as (
       insert into webhook_event (tenant_id, id, type, data, created_at)
       select $1, event_id, 'training.completed', jsonb_build_object('team_id', $1::uuid), at from made)
     insert into webhook_delivery (tenant_id, id, endpoint_id, event_id, event_type, status, attempt, scheduled, response_code, response_ms,
                                   created_at)
     select $1, id, $2, event_id, 'training.completed', 'ok', 1, 1, 204, 41, at from made`,
    tenantId,
    endpointId,
    sizes.deliveries,
  );
  await run('vacuum analyze');
};

/** The paths of the sections, and of the pages that show one row. */
const pagesOf = async ({ databaseUrl, tenantId, endpointId }: LargeTeam): Promise<string[]> => {
  await using client = await connectTo(databaseUrl);
  const idOf = async (table: string) => {
    const { rows } = await client.query(`select id from ${table} where tenant_id = $1 order by id desc limit 1`, [
      tenantId,
    ]);
    return String(rows[0].id);
  };
  return [
    ...sections.map((section) => `/${section}`),
    '/members?sort=name',
    `/members/${await idOf('member')}`,
    `/trainings/${await idOf('training')}`,
    `/keys/${await idOf('api_key')}`,
    `/webhooks/${endpointId}`,
    `/webhooks/${endpointId}/deliveries/${await idOf('webhook_delivery')}`,
  ];
};

/** Opens a page, and returns how long its slowest answer took. */
const slowestAnswer = async (page: Page, url: string): Promise<number> => {
  const took: number[] = [];
  const note = (request: { url(): string; timing(): { requestStart: number; responseEnd: number } }) => {
    const { requestStart, responseEnd } = request.timing();
    if (request.url().includes('/trpc/')) took.push(responseEnd - requestStart);
  };
  page.on('requestfinished', note);
  await page.goto(url);
  await page.locator('main h1').first().waitFor();
  await page.locator('main .mantine-Skeleton-root').first().waitFor({ state: 'detached' });
  page.off('requestfinished', note);
  return Math.max(...took);
};

export const measurePages = async (team: LargeTeam, browserPath: string): Promise<void> => {
  const { origin, cookie } = team;
  const browser = await chromium.launch({
    executablePath: browserPath,
    args: ['--no-sandbox', '--disable-dev-shm-usage'],
  });
  try {
    const page = await browser.newPage({ extraHTTPHeaders: { cookie } });
    const paths = await pagesOf(team);
    const seen = new Map<string, number[]>(paths.map((path) => [path, []]));
    for (let visit = 0; visit <= visits; visit += 1) {
      for (const path of paths) {
        const ms = await slowestAnswer(page, `${origin}${path}`);
        if (visit > 0) seen.get(path)?.push(ms); // the first visit warms up
      }
    }
    console.log(`\nThe six slowest of ${paths.length} pages in a large team (median of ${visits}, slowest answer)`);
    const slowest = [...seen].map(([path, times]) => ({ path, ms: median(times) })).toSorted((a, b) => b.ms - a.ms);
    for (const { path, ms } of slowest.slice(0, 6)) atMost(path.replaceAll(/[0-9a-f-]{36}/g, ':id'), ms, maxMs, ' ms');
  } finally {
    await browser.close();
  }
};
