// Runs Lighthouse (desktop) on pages of the app and the documentation and prints the median of five runs for each page. Lighthouse is installed only for this
// bench, because it is larger than all other dependencies together.

import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { atLeast } from './bounds.ts';
import { startDemoService } from './demo-service.ts';
import { cookieHeader, signIn } from './sign-in.ts';
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

/** `npm run bench -- app NAME` measures only this page. */
const wanted = process.argv[3] ?? '';

/** An endpoint with deliveries, created through the API. No worker runs, so they stay in the queue. */
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
      `--only-categories=${Object.keys(bounds).join()}`,
      `--extra-headers=${headers}`,
      '--chrome-flags=--headless=new --no-sandbox --disable-dev-shm-usage',
      '--quiet',
    ],
    { maxBuffer: 64 * 1024 * 1024 },
  );
  return Report.parse(JSON.parse(await readFile(output, 'utf8'))).categories;
};

export const run = async (): Promise<void> => {
  await using service = await startDemoService();
  const { origin, folder, team } = service;
  const cookie = cookieHeader(await signIn(origin, team.owner));
  const endpoint = await makeDeliveries(origin, team.keys.all);

  const pages = [
    ['sign-in', '/sign-in', undefined],
    ['overview', '/', cookie],
    ['deliveries', `/webhooks/${endpoint}`, cookie],
    ['documentation: quick start', '/developers/en/quick-start', undefined],
    ['documentation: reference', '/developers/de/reference/trainings', undefined],
  ] as const;
  for (const [name, path, as] of pages.filter(([name]) => name.includes(wanted))) {
    const seen = [];
    for (let inVain = 0; seen.length < runs;) {
      try {
        seen.push(await examine(folder, `${origin}${path}`, as));
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
};
