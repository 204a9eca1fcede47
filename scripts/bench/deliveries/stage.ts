import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openFoundation } from '../../../src/run/foundation.ts';
import { readConfig } from '../../../src/config.ts';
import { newId } from '../../../src/core/ids.ts';
import { openEmbedded } from '../../../src/db/embedded.ts';
import { openCluster } from '../../../src/db/embedded/cluster.ts';
import type { Cluster, Settings } from '../../../src/db/embedded/cluster.ts';
import { migrate } from '../../../src/db/migrate.ts';
import { statement } from '../../../src/db/query.ts';
import { apiVersion, newSecret, sealSecret } from '../../../src/deliveries/message.ts';
import type { Platform, Team } from '../../../src/platform/team.ts';
import { makeCertificate } from './certificate.ts';
import { startReceiver } from './receiver.ts';
import type { Conduct, Receiver } from './receiver.ts';

/** A PostgreSQL, a receiver in its own process, and this process, which raises the events. */
export interface Stage extends AsyncDisposable {
  readonly cluster: Cluster;
  readonly platform: Platform;
  readonly receiver: Receiver;
  /** The environment of a process that sends to the receiver. */
  readonly environment: Readonly<Record<string, string>>;
  /** Runs a statement. */
  readonly run: (text: string, values?: unknown[]) => Promise<Record<string, unknown>[]>;
}

interface Wanted {
  /** An empty folder, for the database and the receiver's certificate. */
  folder: string;
  /** Settings of PostgreSQL. */
  settings?: Settings;
  /** The number of the receiver's hosts, and the share of requests to faulty paths that fail. */
  hosts: number;
  failing?: number;
}

export const openStage = async ({ folder, settings = {}, hosts, failing = 0 }: Wanted): Promise<Stage> => {
  await using opened = new AsyncDisposableStack();
  const addresses = Array.from({ length: hosts }, (_, index) => `127.0.0.${index + 1}`);
  const { cert, key } = await makeCertificate(addresses);
  const [pemFile, caFile] = [join(folder, 'receiver.pem'), join(folder, 'ca.pem')];
  await Promise.all([writeFile(pemFile, `${cert}${key}`), writeFile(caFile, cert)]);
  const receiver = await startReceiver(pemFile, addresses, failing);
  opened.defer(() => receiver.stop());

  const postgres = await openEmbedded(folder, { settings });
  opened.defer(() => postgres.release());
  await migrate(postgres.url);
  const environment = {
    DATABASE_URL: postgres.url,
    APP_SECRET: 'a secret that only the bench knows',
    PUBLIC_URL: 'http://localhost:3000',
    WEBHOOK_ALLOW_TARGETS: '127.0.0.0/8',
    WEBHOOK_CA_FILE: caFile,
  };
  const foundation = await openFoundation(readConfig({ ...environment, DATABASE_POOL: '10' }));
  opened.defer(() => foundation.close());

  const { platform } = foundation;
  const owned = opened.move();
  return {
    cluster: openCluster(folder),
    platform,
    receiver,
    environment,
    run: (text, values = []) => platform.database.rows(statement<Record<string, unknown>, unknown[]>(text), ...values),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
};

/** An endpoint, and the team whose events only this endpoint gets. */
export interface Told {
  team: Team;
  endpointId: string;
}

const insertTeams = `
  insert into team (id, name, plan, seats, rate_limit_per_min, created_at)
  select id, 'Bench', 'team', 10, 600, now() from unnest($1::uuid[]) as id`;

const insertEndpoints = `
  insert into webhook_endpoint (tenant_id, id, url, events, api_version, secret, created_at)
  select tenant_id, id, url, '{training.completed}', $5, secret, now()
    from unnest($1::uuid[], $2::uuid[], $3::text[], $4::bytea[]) as e (tenant_id, id, url, secret)`;

interface Places {
  /** `oneTeam`: one team has all endpoints. `oneHost`: all URLs have the same host. */
  oneTeam?: boolean;
  oneHost?: boolean;
}

/** Creates `count` endpoints, each in its own team or all in one team, at a receiver with this behaviour. */
export const makeEndpoints = async (
  { platform, receiver, run }: Stage,
  count: number,
  conduct: Conduct,
  { oneTeam = false, oneHost = false }: Places = {},
): Promise<Told[]> => {
  const only = newId();
  const made = Array.from({ length: count }, () => {
    const [tenantId, id] = [oneTeam ? only : newId(), newId()];
    const url = receiver.urlFor(conduct, id, oneHost ? 'one host' : 'hosts in turn');
    return { tenantId, id, url, secret: sealSecret(platform.vault, id, newSecret()) };
  });
  const tenantIds = made.map(({ tenantId }) => tenantId);
  await run(insertTeams, [[...new Set(tenantIds)]]);
  await run(insertEndpoints, [
    tenantIds,
    made.map(({ id }) => id),
    made.map(({ url }) => url),
    made.map(({ secret }) => secret),
    apiVersion,
  ]);
  return made.map(({ tenantId, id }) => ({
    team: {
      id: tenantId,
      privacy: { memberDetail: true, leaderboard: true },
      actor: { kind: 'service' },
      rateLimitPerMin: 600,
      requestId: null,
      platform,
    },
    endpointId: id,
  }));
};

/** Deletes all events, endpoints, jobs and recorded arrivals. */
export const forgetEverything = async ({ run, receiver }: Stage): Promise<void> => {
  await run(
    'truncate webhook_event, webhook_delivery, webhook_attempt, webhook_waiting, webhook_endpoint_day, webhook_team_day',
  );
  await run('delete from webhook_endpoint');
  await run('delete from graphile_worker._private_jobs');
  await receiver.take();
};

const made = `
  made as materialized (
    select e.tenant_id, e.id as endpoint_id, uuidv7() as event_id, uuidv7() as delivery_id
      from generate_series(1, $2::int) as turn, webhook_endpoint e
     where e.id = any($1::uuid[])
     order by turn),
  event as (
    insert into webhook_event (tenant_id, id, type, data, created_at)
    select tenant_id, event_id, 'training.completed',
           jsonb_build_object('team_id', tenant_id, 'training_id', event_id, 'status', 'ended', 'source', 'app',
                              'assignment_id', null, 'finished_at', '2026-11-20T08:29:41.310Z', 'duration_s', 611,
                              'user_id', endpoint_id), now()
      from made),
  delivery as (
    insert into webhook_delivery (tenant_id, id, endpoint_id, event_id, event_type, next_try_at, created_at)
    select tenant_id, delivery_id, endpoint_id, event_id, 'training.completed', now(), now() from made)`;

/** `worker`: for our worker. `jobs`: a plain job for each delivery. */
const inserts = {
  worker: `
    with ${made}
    insert into webhook_waiting (tenant_id, delivery_id, endpoint_id, due_at)
    select tenant_id, delivery_id, endpoint_id, now() from made`,
  jobs: `
    with ${made},
         job as (
           select row('deliver', json_build_object('tenantId', tenant_id, 'deliveryId', delivery_id),
                      null, null, null, null, null, null)::graphile_worker.job_spec as spec
             from made)
    select count(*) from graphile_worker.add_jobs((select array_agg(spec) from job))`,
};

/** Creates `each` deliveries per endpoint, each with its own event. */
export const makeBacklog = async (
  { run }: Stage,
  told: readonly Told[],
  each: number,
  sender: keyof typeof inserts = 'worker',
): Promise<void> => {
  await run(inserts[sender], [told.map(({ endpointId }) => endpointId), each]);
  await run('vacuum analyze');
};
