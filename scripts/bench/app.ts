// Runs Lighthouse (desktop) on pages of the app and the documentation, with the demo teams, and prints the median of
// five runs for each page. Lighthouse is installed only for this bench, because it is larger than all other
// dependencies together. Then it measures first loads on a slow network, and the pages of a large team. CHROME_PATH
// names the browser.

import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { openFoundation } from '../../src/run/foundation.ts';
import { readConfig } from '../../src/config.ts';
import { prepareDemo } from '../../src/cli/demo/prepare.ts';
import { createClient } from '../../src/packages/client/index.ts';
import { openBenchDatabase } from '../kit/database.ts';
import { atLeast, below, median } from '../kit/figures.ts';
import { production, startServer } from '../kit/processes.ts';
import { makeLarge, measurePages } from './large-team.ts';
import { measureSlowNetwork } from './slow-network.ts';

const lighthouse = 'lighthouse@13.5.0';
const runs = 5;
const deliveries = 30;

const bounds = { performance: 95, accessibility: 100, 'best-practices': 100 } as const;
const categories = ['performance', 'accessibility', 'best-practices'] as const;
const Report = z.object({
  categories: z.record(z.enum(categories), z.object({ score: z.number() })),
  audits: z.object({ 'total-byte-weight': z.object({ numericValue: z.number() }) }),
});

const execute = promisify(execFile);

const browser = process.env['CHROME_PATH'] ?? '/usr/bin/chromium-headless-shell';

/** `npm run bench -- app NAME` measures only this page, or only the `slow network` or the `large team`. */
const wanted = process.argv[3] ?? '';

const createDemo = async (databaseUrl: string, folder: string) => {
  // With the secret of the service, but not in production, which refuses the demo.
  const { APP_SECRET } = production;
  const config = readConfig({ DATABASE_URL: databaseUrl, DATA_DIR: folder, APP_SECRET });
  const foundation = await openFoundation(config);
  try {
    const [team] = (await prepareDemo(foundation, { config })).teams;
    if (!team) throw new Error('the demo has no team');
    return team;
  } finally {
    await foundation.close();
  }
};

/** Signs in to the app, and returns the value of the `Cookie` header. */
const signIn = async (origin: string, owner: { email: string; password: string }): Promise<string> => {
  const answer = await fetch(`${origin}/trpc/entrance/entrance.signIn`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ email: owner.email, password: owner.password }),
  });
  if (!answer.ok) throw new Error(`The sign-in was answered with ${answer.status}`);
  const cookies = answer.headers.getSetCookie().map((cookie) => cookie.split(';')[0]);
  return cookies.join('; ');
};

/** An endpoint with deliveries, created through the API. No worker runs, so they stay in the queue. */
const createDeliveries = async (origin: string, key: string): Promise<string> => {
  const { endpoints } = createClient({ baseUrl: origin, key }).webhooks;
  const url = 'https://hooks.example.com/trainings';
  const { id } = await endpoints.create({ url, events: ['training.completed'] });
  for (let count = 0; count < deliveries; count += 1) await endpoints.test(id);
  return id;
};

/** Chromium recorded no complete trace of the page load, and Lighthouse wants another run: this run has no result. */
const sawNothing = (error: unknown): boolean =>
  error instanceof Error && 'stderr' in error && String(error.stderr).includes('Please run Lighthouse again');

const examine = async (folder: string, url: string, cookie: string | undefined) => {
  const headers = join(folder, 'headers.json');
  const output = join(folder, 'report.json');
  await writeFile(headers, JSON.stringify(cookie === undefined ? {} : { Cookie: cookie }));
  await execute(
    'npx',
    [
      '--yes',
      lighthouse,
      url,
      '--preset=desktop',
      '--output=json',
      `--output-path=${output}`,
      `--only-categories=${categories.join()}`,
      `--extra-headers=${headers}`,
      '--chrome-flags=--headless=new --no-sandbox --disable-dev-shm-usage',
      '--quiet',
    ],
    { maxBuffer: 64 * 1024 * 1024, env: { ...process.env, CHROME_PATH: browser } },
  );
  return Report.parse(JSON.parse(await readFile(output, 'utf8')));
};

export const run = async (): Promise<void> => {
  await using database = await openBenchDatabase();
  const { folder, url } = database;
  const team = await createDemo(url, folder);
  await using server = await startServer(['src/main.ts', 'api'], { ...production, DATABASE_URL: url });
  const { origin } = server;
  const cookie = await signIn(origin, team.owner);
  const endpoint = await createDeliveries(origin, team.keys.all);

  const pages = [
    { name: 'sign-in', path: '/sign-in', maxKilobytes: 200 },
    { name: 'overview', path: '/', cookie },
    { name: 'analytics', path: '/analytics', cookie },
    { name: 'members', path: '/members', cookie },
    { name: 'trainings', path: '/trainings', cookie },
    { name: 'settings', path: '/settings', cookie },
    { name: 'deliveries', path: `/webhooks/${endpoint}`, cookie },
    { name: 'documentation: quick start', path: '/developers/en/quick-start' },
    { name: 'documentation: reference', path: '/developers/de/reference/trainings' },
  ];
  for (const page of pages.filter(({ name }) => name.includes(wanted))) {
    const seen = [];
    for (let inVain = 0; seen.length < runs;) {
      try {
        seen.push(await examine(folder, `${origin}${page.path}`, page.cookie));
      } catch (error) {
        inVain += 1;
        if (inVain > runs || !sawNothing(error)) throw error;
      }
    }
    console.log(`\n${page.name} (median of ${runs})`);
    for (const category of categories) {
      const scores = seen.map(({ categories }) => Math.round(categories[category].score * 100));
      atLeast(`${category} (${scores.join(' ')})`, median(scores), bounds[category]);
    }
    const kilobytes = median(seen.map(({ audits }) => audits['total-byte-weight'].numericValue / 1_000));
    if (page.maxKilobytes === undefined) console.log(`  weight: ${kilobytes.toFixed(0)} kB`);
    else below('weight', kilobytes, page.maxKilobytes, ' kB');
  }
  if ('slow network'.includes(wanted)) await measureSlowNetwork(origin, cookie, browser);
  if ('large team'.includes(wanted)) {
    const large = { origin, cookie, databaseUrl: url, tenantId: team.tenant_id, endpointId: endpoint };
    await makeLarge(large);
    await measurePages(large, browser);
  }
};
