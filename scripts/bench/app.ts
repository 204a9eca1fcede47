// How fast the app's pages are and how well they are made, as Lighthouse sees them on a desktop: the median of five runs for
// each page. Lighthouse is fetched for this alone; it would weigh more than everything else that the project installs.

import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { openFoundation } from '../../src/compose.ts';
import { readConfig } from '../../src/config.ts';
import { openEmbedded } from '../../src/db/embedded.ts';
import { migrate } from '../../src/db/migrate.ts';
import { prepareDemo } from '../../src/demo/prepare.ts';
import type { DemoDocument } from '../../src/demo/prepare.ts';
import { atLeast } from './bounds.ts';
import { startServer } from './server-process.ts';
import { median } from './statistics.ts';

const lighthouse = 'lighthouse@13.5.0';
const runs = 5;
const deliveries = 30;

const bounds = { performance: 95, accessibility: 100, 'best-practices': 100 } as const;
const Report = z.object({
  categories: z.object({
    performance: z.object({ score: z.number() }),
    accessibility: z.object({ score: z.number() }),
    'best-practices': z.object({ score: z.number() }),
  }),
});

const execute = promisify(execFile);

/** `npm run bench -- app NAME` looks at that page alone. */
const wanted = process.argv[3] ?? '';

const signIn = async (origin: string, { email, password }: { email: string; password: string }): Promise<string> => {
  const answer = await fetch(`${origin}/trpc/entrance/entrance.signIn`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ email, password }),
  });
  if (!answer.ok) throw new Error(`signing in: ${answer.status} ${await answer.text()}`);
  return answer.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0] ?? '')
    .join('; ');
};

/** An endpoint with deliveries, made as a customer would; without a worker they wait. */
const makeDeliveries = async (origin: string, key: string): Promise<string> => {
  const post = async (path: string, body?: object) => {
    const answer = await fetch(`${origin}/api/public/v1${path}`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}`, ...(body && { 'Content-Type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return answer;
  };
  const made = await post('/webhook-endpoints', {
    url: 'https://hooks.example.com/trainings',
    events: ['training.completed'],
  });
  const { id } = z.object({ id: z.string() }).parse(await made.json());
  for (let count = 0; count < deliveries; count += 1) await post(`/webhook-endpoints/${id}/test`);
  return id;
};

/** Chromium gave no whole trace of the page's load, and Lighthouse asks to be run again: nothing was seen that would count. */
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
      `--only-categories=${Object.keys(bounds).join()}`,
      `--extra-headers=${headers}`,
      '--chrome-flags=--headless=new --no-sandbox --disable-dev-shm-usage',
      '--quiet',
    ],
    { maxBuffer: 64 * 1024 * 1024 },
  );
  return Report.parse(JSON.parse(await readFile(output, 'utf8'))).categories;
};

const makeDemo = async (databaseUrl: string, folder: string): Promise<DemoDocument> => {
  const config = readConfig({ DATABASE_URL: databaseUrl, DATA_DIR: folder });
  const foundation = await openFoundation(config);
  try {
    return await prepareDemo(foundation, { config });
  } finally {
    await foundation.close();
  }
};

export const run = async (): Promise<void> => {
  const folder = await mkdtemp(join(tmpdir(), 'team-customer-api-bench-'));
  const started = new AsyncDisposableStack();
  try {
    started.defer(() => rm(folder, { recursive: true, force: true }));
    const postgres = await openEmbedded(folder);
    started.defer(() => postgres.release());
    await migrate(postgres.url);
    const [team] = (await makeDemo(postgres.url, folder)).teams;
    if (!team) throw new Error('the demo has no team');
    const service = await startServer('src/main.ts', ['api'], postgres.url);
    started.defer(() => service.stop());
    const cookie = await signIn(service.origin, team.owner);
    const endpoint = await makeDeliveries(service.origin, team.keys.all);

    const pages = [
      ['sign-in', '/sign-in', undefined],
      ['overview', '/', cookie],
      ['deliveries', `/webhooks/${endpoint}`, cookie],
    ] as const;
    for (const [name, path, as] of pages.filter(([name]) => name.includes(wanted))) {
      const seen = [];
      for (let inVain = 0; seen.length < runs;) {
        try {
          seen.push(await examine(folder, `${service.origin}${path}`, as));
        } catch (error) {
          inVain += 1;
          if (inVain > runs || !sawNothing(error)) throw error;
        }
      }
      console.log(`\n${name} (median of ${runs})`);
      for (const category of ['performance', 'accessibility', 'best-practices'] as const) {
        const scores = seen.map((report) => Math.round(report[category].score * 100));
        atLeast(`${category} (${scores.join(' ')})`, median(scores), bounds[category]);
      }
    }
  } finally {
    await started.disposeAsync();
  }
};
