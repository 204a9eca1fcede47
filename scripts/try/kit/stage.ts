// The set-up that all tries share: a migrated database with teams, a receiver, the service behind haproxy, and clients.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { migrate } from '../../../src/db/migrate.ts';
import { makeCertificate } from '../../kit/certificate.ts';
import { connectTo } from '../../kit/database.ts';
import { startReceiver, type Receiver } from '../../kit/receiver.ts';
import { pick, seedTeams, type Seeded } from '../../kit/seed.ts';
import { check, lossFigures, startTally, type Allowed, type Losses, type Tally, type Told } from './check.ts';
import { makeSend, runLoad, type LoadOptions, type LoadOutcome, type Posted, type Send } from './load.ts';
import { report, type Figure } from './report.ts';
import { startService, type Service, type ServiceOptions } from './service.ts';

export interface TryOptions {
  /** Instead of a try's own number of requests, for a short trial run. */
  requests?: number | undefined;
  /** Instead of a try's own duration. */
  minutes?: number | undefined;
  /** The try `failover` runs without synchronous replication. */
  asynchronous?: boolean | undefined;
}

/** A try opens everything on this stack, so that it is closed in every case. */
export type Try = (opened: AsyncDisposableStack, options: TryOptions) => Promise<void>;

export interface Stage {
  readonly databaseUrl: string;
  readonly seeded: Seeded;
  readonly receiver: Receiver;
  readonly tally: Tally;
  /** The endpoints of the seeded teams. Each team has two. */
  readonly endpoints: readonly Told[];
  readonly service: Service;
  /** The settings of all processes. */
  readonly environment: Readonly<Record<string, string>>;
  /** Sends through the proxy. */
  readonly send: Send;
  /** Runs the load on the seeded teams through the proxy. */
  readonly load: (
    options: Pick<LoadOptions, 'requests' | 'until' | 'perSecond' | 'clients' | 'onAnswer'>,
  ) => Promise<LoadOutcome>;
  /** Compares what was answered with the database and the receiver. */
  readonly check: (posted: readonly Posted[], withinMs?: number) => Promise<Losses>;
}

interface StageOptions extends Pick<ServiceOptions, 'folder' | 'apis' | 'workers'> {
  /** Where to migrate and seed, and what the processes use. It must be the primary, without a pooler. */
  databaseUrl: string;
  apiEnvironment?: Record<string, string>;
  workerEnvironment?: Record<string, string>;
}

const teams = 4;
const endpointsEach = 2;

/** Creates the endpoints through the API, in place of those of the seed, which no receiver answers. */
const makeEndpoints = async ({
  databaseUrl,
  seeded,
  receiver,
  send,
}: Pick<Stage, 'databaseUrl' | 'seeded' | 'receiver' | 'send'>) => {
  await using client = await connectTo(databaseUrl);
  await client.query('delete from webhook_endpoint');
  const made: Told[] = [];
  for (const [index, { tenantId, keys }] of seeded.teams.entries()) {
    for (let number = 0; number < endpointsEach; number += 1) {
      const label = `team${index}-${number}`;
      const body = { url: receiver.urlFor('ok', label, 'hosts in turn'), events: ['assignment.created'] };
      const { status, summary } = await send({ path: '/webhook-endpoints', key: pick(keys, 0), body });
      if (status !== 201) throw new Error(`The endpoint was answered with ${summary}`);
      made.push({ tenantId, label });
    }
  }
  return made;
};

export const openStage = async (
  opened: AsyncDisposableStack,
  { databaseUrl, folder, apiEnvironment, workerEnvironment, ...counts }: StageOptions,
): Promise<Stage> => {
  await migrate(databaseUrl);
  // Enough keys for 4,000 requests a second.
  const seeded = await seedTeams(databaseUrl, { teams, membersEach: 20, keysEach: 500, trainingsEach: 20 });

  const hosts = ['127.0.0.1', '127.0.0.2'];
  const { cert, key } = await makeCertificate(hosts);
  const [pemFile, caFile] = [join(folder, 'receiver.pem'), join(folder, 'ca.pem')];
  await Promise.all([writeFile(pemFile, `${cert}${key}`, { mode: 0o600 }), writeFile(caFile, cert)]);
  const receiver = opened.use(await startReceiver(pemFile, hosts, 0));

  const environment = {
    DATABASE_URL: databaseUrl,
    APP_SECRET: 'a secret that only this try knows',
    PUBLIC_URL: 'https://localhost',
    WEBHOOK_ALLOW_TARGETS: '127.0.0.0/8',
    WEBHOOK_CA_FILE: caFile,
  };
  const service = await startService(opened, { folder, environment, apiEnvironment, workerEnvironment, ...counts });
  const send = makeSend(opened, service);
  const endpoints = await makeEndpoints({ databaseUrl, seeded, receiver, send });
  const tally = startTally(receiver);
  return {
    databaseUrl,
    seeded,
    receiver,
    tally,
    endpoints,
    service,
    environment,
    send,
    load: (options) => runLoad({ send, ...seeded, ...options }),
    check: (posted, withinMs = 120_000) => check({ databaseUrl, tally, endpoints, posted, withinMs }),
  };
};

/** How many of haproxy’s log lines are printed. */
const shownLines = 20;

/** Prints how requests failed, and the figures of a load and its losses. */
export const reportRun = (
  { service }: Stage,
  outcome: LoadOutcome,
  losses: Losses,
  figures: readonly Figure[] = [],
  allowed: Allowed = {},
): void => {
  for (const [how, times] of Object.entries(outcome.failures)) console.log(`  failed: ${times} × ${how}`);
  const lines = service.failures().flatMap(({ at, line }) => (at >= outcome.beganAt ? [line] : []));
  for (const line of lines.slice(0, shownLines)) console.log(`  haproxy: ${line}`);
  if (lines.length > shownLines) console.log(`  haproxy: ${lines.length - shownLines} more`);
  report([
    { name: 'requests', value: outcome.requests },
    { name: 'seconds', value: outcome.seconds },
    { name: 'longest time without an answer in seconds', value: outcome.longestGapMs / 1000 },
    ...figures,
    { name: 'reads with another answer', value: outcome.wrongReads, atMost: allowed.lost ?? 0 },
    ...lossFigures(losses, allowed),
  ]);
};
