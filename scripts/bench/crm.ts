// Measures the first sync of a feed with 100,000 deals and 20,000 objections by a worker process: its time and the maximum of the worker's
// memory; then a sync without changes. This process serves the feed over TLS.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openFoundation } from '../../src/compose.ts';
import { readConfig } from '../../src/config.ts';
import { openEmbedded } from '../../src/db/embedded.ts';
import { migrate } from '../../src/db/migrate.ts';
import { connect } from '../../src/modules/crm/service.ts';
import { actIn, createTeam } from '../../src/modules/teams/service.ts';
import { heapFlags } from '../../src/supervisor/supervisor.ts';
import { makeCertificate } from './deliveries/certificate.ts';

const deals = 100_000;
const perPage = 1_000;
const mebibyte = 1024 ** 2;

const dealOf = (index: number) => ({
  id: `D-${index}`,
  outcome: (['open', 'won', 'lost'] as const)[index % 3],
  title: `Photovoltaik Halle ${index}, Erweiterung um ${index % 90} kWp`,
  amount: `${18_400 + index}.50`,
  currency: 'EUR',
  close_date: '2026-12-15',
  probability: index % 101,
  pipeline_id: 'new',
  stage_id: 'offer',
  industry: 'energy',
  lost_reason: index % 3 === 2 ? 'Zu teuer im Vergleich zum bisherigen Anbieter.' : null,
  owner_email: `person${index % 50}@example.com`,
  last_activity_at: '2026-11-20T09:30:00Z',
});

const objectionOf = (index: number) => ({
  id: `O-${index}`,
  deal_id: `D-${index}`,
  category: 'price',
  text: 'Zu teuer im Vergleich zum bisherigen Anbieter.',
  lang: 'de',
});

/** The page at a cursor; with `since`, it is empty because nothing has changed. */
const pageAt = (path: string): string => {
  const { searchParams } = new URL(path, 'https://feed.example');
  if (searchParams.has('since')) return JSON.stringify({ deals: [], next_cursor: null });
  const from = Number(searchParams.get('cursor') ?? 0);
  const indexes = Array.from({ length: perPage }, (_, index) => from + index);
  const next = from + perPage;
  return JSON.stringify({
    deals: indexes.map(dealOf),
    objections: indexes.filter((index) => index % 5 === 0).map(objectionOf),
    next_cursor: next < deals ? String(next) : null,
  });
};

const startFeed = async (folder: string) => {
  const { cert, key } = makeCertificate(['127.0.0.1']);
  const caFile = join(folder, 'ca.pem');
  await writeFile(caFile, cert);
  const server = createServer({ cert, key }, (request, response) => response.end(pageAt(request.url ?? '/')));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return { url: `https://127.0.0.1:${port}/feed`, caFile, close: () => server.close() };
};

const memoryOf = async (pid: number, what: 'VmHWM' | 'VmRSS'): Promise<number> => {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const [, kilobytes = '0'] = new RegExp(`^${what}:\\s+(\\d+) kB$`, 'm').exec(status) ?? [];
  return (Number(kilobytes) * 1024) / mebibyte;
};

/** The maximum memory of a process so far, in MiB. */
const peakOf = (pid: number) => memoryOf(pid, 'VmHWM');

/** Starts to sample the memory of a process; the result returns the maximum since then, in MiB. */
const watch = async (pid: number): Promise<() => number> => {
  let most = await memoryOf(pid, 'VmRSS');
  const look = async () => {
    most = Math.max(most, await memoryOf(pid, 'VmRSS'));
  };
  setInterval(() => void look(), 50).unref();
  return () => most;
};

const measure = async (folder: string): Promise<void> => {
  await using opened = new AsyncDisposableStack();
  const feed = await startFeed(folder);
  opened.defer(() => void feed.close());
  const postgres = await openEmbedded(join(folder, 'data'));
  opened.defer(() => postgres.release());
  await migrate(postgres.url);
  const environment = {
    DATABASE_URL: postgres.url,
    APP_SECRET: 'a secret that only the bench knows',
    WEBHOOK_ALLOW_TARGETS: '127.0.0.0/8',
    WEBHOOK_CA_FILE: feed.caFile,
  };
  const foundation = await openFoundation(readConfig(environment));
  opened.defer(() => foundation.close());
  const { platform } = foundation;
  const operator = { kind: 'operator' } as const;
  const { tenant_id: tenantId } = await createTeam(platform, operator, { name: 'Bench', ownerEmail: 'o@example.com' });
  const team = await actIn(platform, operator, tenantId);

  const worker = spawn(process.execPath, [...heapFlags('worker'), 'src/main.ts', 'worker'], {
    env: environment,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(worker, 'exit');
  opened.defer(async () => {
    worker.kill('SIGTERM');
    await ended;
  });
  await once(worker.stdout, 'data');
  worker.stdout.resume();
  await sleep(2_000);
  const idle = await peakOf(worker.pid ?? 0);
  const peakSince = await watch(worker.pid ?? 0);

  const wanted = { provider: 'feed', url: feed.url, token: 'token' } as const;
  const { connection_id: id } = await connect(team, wanted, { tries: false });
  const { prisma } = platform.database;
  const runs = () => prisma.crmRun.findMany({ where: { tenantId, endedAt: { not: null } }, orderBy: { id: 'asc' } });
  const untilEnded = async (count: number) => {
    for (;;) {
      const found = await runs();
      const last = found.at(-1);
      if (last && found.length === count) return last;
      await sleep(200);
    }
  };
  const report = async (name: string, run: Awaited<ReturnType<typeof untilEnded>>) => {
    const seconds = (Number(run.endedAt) - Number(run.startedAt)) / 1000;
    const peak = peakSince();
    console.log(
      `${name}: ${run.outcome}, ${run.deals} deals and ${run.objections} objections on ${run.pages} pages in ${seconds.toFixed(1)} s; worker at most ${peak.toFixed(0)} MiB (${idle.toFixed(0)} MiB while it started)`,
    );
  };
  await report('first sync', await untilEnded(1));
  const again = { nextSyncAt: new Date(), requestedAt: new Date() };
  await prisma.crmConnection.updateMany({ where: { tenantId, id }, data: again });
  await report('nothing changed', await untilEnded(2));
  await prisma.crmConnection.updateMany({ where: { tenantId, id }, data: { ...again, lastFullAt: null } });
  await report('everything again', await untilEnded(3));

  // The same sync again, run by the command line in its own process.
  const second = await connect(team, { ...wanted, url: `${feed.url}?again` }, { tries: false });
  await prisma.crmConnection.updateMany({ where: { id: second.connection_id }, data: { nextSyncAt: null } });
  const args = ['src/cli.ts', 'crm', 'sync', '--connection', second.connection_id, '--json'];
  const command = spawn(process.execPath, args, { env: environment, stdio: ['ignore', 'inherit', 'inherit'] });
  const peakOfCommand = await watch(command.pid ?? 0);
  const start = performance.now();
  await once(command, 'exit');
  const took = (performance.now() - start) / 1000;
  console.log(`crm sync: ${took.toFixed(1)} s; at most ${peakOfCommand().toFixed(0)} MiB`);
};

export const run = async (): Promise<void> => {
  const folder = await mkdtemp(join(tmpdir(), 'bench-crm-'));
  try {
    await measure(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};
