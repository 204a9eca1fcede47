// The service as in production, for tries: a migrated database with teams, the processes behind a proxy, a receiver, and
// clients.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { migrate } from '../../src/db/migrate.ts';
import { connectTo } from './database.ts';
import { startReceiver, type Receiver } from './receiver.ts';
import { pick, seedTeams, type Seeded, type Sizes } from './seed.ts';
import { check, lossFigures, makeTally, type Allowed, type Losses, type Tally, type Told } from './losses.ts';
import { makeSend, runLoad, type LoadOptions, type LoadOutcome, type Posted, type Send } from './clients.ts';
import { reportFigures, type Figure } from './figures.ts';
import type { ProxyName } from './proxy.ts';
import { startService, type Service, type ServiceOptions } from './service.ts';
import { settingsWith } from './shipped.ts';

export interface TryOptions {
  /** Instead of a try's own number of requests, for a short trial run. */
  requests?: number | undefined;
  /** Instead of a try's own duration. */
  minutes?: number | undefined;
  /** The try `failover` runs without synchronous replication. */
  asynchronous?: boolean | undefined;
  /** The try `overload` runs on a distributed database. */
  cells?: boolean | undefined;
  /** The proxy that is tried, where a try has several. */
  proxy?: ProxyName | undefined;
}

/** A try opens everything on this stack, so that it is closed in every case. */
export type Try = (opened: AsyncDisposableStack, options: TryOptions) => Promise<void>;

export interface Installation {
  readonly databaseUrl: string;
  readonly seeded: Seeded;
  readonly receiver: Receiver;
  readonly tally: Tally;
  /** The endpoints of the seeded teams. Each team has two. */
  readonly endpoints: readonly Told[];
  readonly service: Service;
  /** The settings of all processes. */
  readonly environment: Readonly<Record<string, string>>;
  /** The same as a file. */
  readonly settingsFile: string;
  /** Sends through the proxy. */
  readonly send: Send;
  /** Runs the load on the seeded teams through the proxy. */
  readonly load: (
    options: Pick<LoadOptions, 'requests' | 'until' | 'perSecond' | 'clients' | 'onAnswer'>,
  ) => Promise<LoadOutcome>;
  /** Compares what was answered with the database and the receiver. */
  readonly check: (posted: readonly Posted[], options?: { since?: Date }) => Promise<Losses>;
}

interface InstallationOptions extends Pick<ServiceOptions, 'folder' | 'apis' | 'workers' | 'proxy' | 'root'> {
  /** Where to migrate and seed, and what the processes use. It must be the primary, without a pooler. */
  databaseUrl: string;
  /** By default four teams, each with so many keys that 4,000 requests a second stay below every limit. */
  sizes?: Sizes;
  /**
   * Whether the processes run in production, as the units of systemd start them. Otherwise receivers are on this
   * machine, which production refuses.
   */
  inProduction?: boolean;
  /** Replaces settings of the shipped file. */
  settings?: Record<string, string>;
  apiEnvironment?: Record<string, string>;
  workerEnvironment?: Record<string, string>;
}

const usualSizes: Sizes = { teams: 4, membersEach: 20, keysEach: 500, trainingsEach: 20 };

/** Writes the shipped file of settings with these, and reads it as systemd does. */
export const writeSettings = async (
  file: string,
  values: Readonly<Record<string, string>>,
): Promise<Record<string, string>> => {
  const content = await settingsWith(values);
  await writeFile(file, content, { mode: 0o600 });
  return Object.fromEntries(
    Object.entries(parseEnv(content)).flatMap(([name, value]) => (value ? [[name, value]] : [])),
  );
};

/** Deletes the endpoints of the seed, which no receiver answers and whose secrets nobody can open. */
const deleteEndpoints = async (databaseUrl: string): Promise<void> => {
  await using client = await connectTo(databaseUrl);
  await client.query('delete from webhook_endpoint');
};

/** Creates endpoints of each team through the API, in place of those of the seed. */
export const createEndpointsOf = async (
  { teams }: Pick<Seeded, 'teams'>,
  { databaseUrl, receiver, send, each }: Pick<Installation, 'databaseUrl' | 'receiver' | 'send'> & { each: number },
): Promise<Told[]> => {
  await deleteEndpoints(databaseUrl);
  const made: Told[] = [];
  for (const [index, { tenantId, keys }] of teams.entries()) {
    for (let number = 0; number < each; number += 1) {
      const label = `team${index}-${number}`;
      const body = { url: receiver.urlFor('ok', label, 'hosts in turn'), events: ['assignment.created'] };
      const { status, summary } = await send({ path: '/webhook-endpoints', key: pick(keys, 0), body });
      if (status !== 201) throw new Error(`The endpoint was answered with ${summary}`);
      made.push({ tenantId, label });
    }
  }
  return made;
};

export const openInstallation = async (
  opened: AsyncDisposableStack,
  options: InstallationOptions,
): Promise<Installation> => {
  const { databaseUrl, folder, sizes = usualSizes, inProduction = false, settings, ...ofService } = options;
  await migrate(databaseUrl);
  const seeded = await seedTeams(databaseUrl, sizes);
  await deleteEndpoints(databaseUrl); // before workers look at their secrets

  const receiver = opened.use(await startReceiver(folder, { inProduction }));

  const settingsFile = join(folder, 'team-customer-api.env');
  const environment = await writeSettings(settingsFile, {
    DATABASE_URL: databaseUrl,
    APP_SECRET: 'a secret that only this try knows',
    PUBLIC_URL: 'https://localhost',
    ...(!inProduction && { NODE_ENV: 'development', SHUTDOWN_DELAY_SECONDS: '5' }),
    ...receiver.environment,
    ...settings,
  });
  const service = await startService(opened, { folder, environment, ...ofService });
  const send = makeSend(opened, service);
  const endpoints = await createEndpointsOf(seeded, { databaseUrl, receiver, send, each: 2 });
  const tally = makeTally(receiver);
  return {
    databaseUrl,
    seeded,
    receiver,
    tally,
    endpoints,
    service,
    environment,
    settingsFile,
    send,
    load: (options) => runLoad({ send, ...seeded, ...options }),
    check: (posted, { since } = {}) => check({ databaseUrl, tally, endpoints, posted, since, withinMs: 120_000 }),
  };
};

/** How many of haproxy’s log lines are printed. */
const shownLines = 20;

/** Prints how requests failed, and the figures of a load and its losses. */
export const reportRun = (
  { service }: Installation,
  outcome: LoadOutcome,
  losses: Losses,
  figures: readonly Figure[] = [],
  allowed: Allowed = {},
): void => {
  for (const [how, times] of Object.entries(outcome.failures)) console.log(`  failed: ${times} × ${how}`);
  const lines = service.failures().flatMap(({ at, line }) => (at >= outcome.beganAt ? [line] : []));
  for (const line of lines.slice(0, shownLines)) console.log(`  haproxy: ${line}`);
  if (lines.length > shownLines) console.log(`  haproxy: ${lines.length - shownLines} more`);
  reportFigures([
    { name: 'requests', value: outcome.requests },
    { name: 'seconds', value: outcome.seconds },
    { name: 'longest time without an answer in seconds', value: outcome.longestGapMs / 1000 },
    ...figures,
    { name: 'reads with another answer', value: outcome.wrongReads, atMost: allowed.lost ?? 0 },
    ...lossFigures(losses, allowed),
  ]);
};
