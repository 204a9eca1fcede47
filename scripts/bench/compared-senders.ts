// The senders that the service is compared with, each in its own process. `compared-senders.ts limit`: the upper limit,
// a loop that only signs bodies and posts them. `compared-senders.ts plain`: the simplest queue, with a job for each
// delivery, which reads the delivery, signs it, posts it and stores the outcome. `compared-senders.ts boss`: the same
// with pg-boss in place of graphile-worker.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Logger, run } from 'graphile-worker';
import pg from 'pg';
import { Agent, request } from 'undici';
import { z } from 'zod';
import { makeVault } from '../../src/core/crypto.ts';
import { bodyOf, unsealSecret, publicEventId, signatureOf } from '../../src/deliveries/message.ts';

const Environment = z.object({ DATABASE_URL: z.string(), APP_SECRET: z.string(), WEBHOOK_CA_FILE: z.string() });
const environment = Environment.parse(process.env);

const vault = makeVault([environment.APP_SECRET]);
const dispatcher = new Agent({ allowH2: false, connect: { ca: readFileSync(environment.WEBHOOK_CA_FILE, 'utf8') } });

interface Row {
  tenant_id: string;
  endpoint_id: string;
  url: string;
  secret: Uint8Array;
  api_version: string;
  event_id: string;
  type: string;
  data: unknown;
  created_at: Date;
}

const select = `
  select d.tenant_id, d.event_id, e.id as endpoint_id, e.url, e.secret, e.api_version, v.type, v.data::json as data, v.created_at
    from webhook_delivery d
    join webhook_endpoint e on e.tenant_id = d.tenant_id and e.id = d.endpoint_id
    join webhook_event v on v.tenant_id = d.tenant_id and v.id = d.event_id`;

const messageOf = (row: Row) => {
  const { tenant_id: tenantId, event_id: eventId, api_version: apiVersion, type, data } = row;
  const createdAt = row.created_at.toISOString();
  return {
    url: row.url,
    eventId,
    secret: unsealSecret(vault, row.endpoint_id, row.secret),
    body: bodyOf({ tenantId, eventId, type, createdAt, apiVersion, data }),
  };
};
type Message = ReturnType<typeof messageOf>;

/** Returns the answer's body. Throws unless the status is 200, because another answer would falsify the measurement. */
const post = async ({ url, eventId, secret, body }: Message, timeout?: AbortSignal): Promise<string> => {
  const answer = await request(url, {
    dispatcher,
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      'Svc-Event-Id': publicEventId(eventId),
      'Svc-Signature': signatureOf(secret, body, new Date()),
    },
    body,
    ...(timeout && { signal: timeout }),
  });
  if (answer.statusCode !== 200) throw new Error(`answered ${answer.statusCode}`);
  return answer.body.text();
};

const reportStart = () => console.log(JSON.stringify({ msg: 'started' }));

/** More messages at once would only cost the loop more TLS handshakes. */
const loopConcurrency = 128;

/** Loads all messages into memory before it sends the first one. */
const runLoop = async (): Promise<void> => {
  const client = new pg.Client({ connectionString: environment.DATABASE_URL });
  await client.connect();
  const { rows } = await client.query<Row>(`${select} order by d.id`);
  await client.end();
  const messages = rows.map(messageOf);

  let next = 0;
  const send = async (): Promise<void> => {
    for (let message = messages[next++]; message; message = messages[next++]) await post(message);
  };
  reportStart();
  await Promise.all(Array.from({ length: loopConcurrency }, send));
  // The process that started this one ends it.
  await sleep(60_000);
};

const queueConcurrency = 24;

const Job = z.object({ tenantId: z.string(), deliveryId: z.string() });

const read = { name: 'read', text: `${select} where d.tenant_id = $1 and d.id = $2` };
const note = {
  name: 'note',
  text: `update webhook_delivery
            set status = 'ok', attempt = attempt + 1, next_try_at = null, response_code = 200, response_excerpt = $3, response_ms = $4
          where tenant_id = $1 and id = $2`,
};

/** The pool has a connection for each job that runs, and one on which the queue listens. */
const openPool = () =>
  new pg.Pool({ connectionString: environment.DATABASE_URL, max: queueConcurrency + 1 })
    .on('error', () => {})
    .on('connect', (client) => void client.on('error', () => {}));

const deliverWith =
  (pool: pg.Pool) =>
  async (payload: unknown): Promise<void> => {
    const { tenantId, deliveryId } = Job.parse(payload);
    const { rows } = await pool.query<Row>({ ...read, values: [tenantId, deliveryId] });
    const [row] = rows;
    if (!row) throw new Error('the delivery is missing');
    const message = messageOf(row);
    const begin = performance.now();
    const answer = await post(message, AbortSignal.timeout(10_000));
    const ms = Math.round(performance.now() - begin);
    await pool.query({ ...note, values: [tenantId, deliveryId, answer.slice(0, 1_000), ms] });
  };

const runQueue = async (): Promise<void> => {
  const pool = openPool();
  const deliver = deliverWith(pool);
  await run({
    pgPool: pool,
    concurrency: queueConcurrency,
    noHandleSignals: true,
    logger: new Logger(() => () => {}),
    taskList: { deliver },
    parsedCronItems: [],
  });
  process.once('SIGTERM', () => process.exit());
  reportStart();
};

/**
 * The part of pg-boss that the bench calls. pg-boss is not a dependency of the project, so its own types are absent.
 */
interface Boss {
  on(event: 'error', listen: (error: Error) => void): Boss;
  start(): Promise<unknown>;
  createQueue(name: string): Promise<void>;
  insert(name: string, jobs: { data: object }[]): Promise<unknown>;
  work(name: string, options: object, handle: (jobs: { data: unknown }[]) => Promise<unknown>): Promise<string>;
}

const runBoss = async (): Promise<void> => {
  const modules = createRequire(join(process.env['PEERS_FOLDER'] ?? '', 'light', 'package.json'));
  const { PgBoss }: { PgBoss: new (options: object) => Boss } = modules('pg-boss');
  const pool = openPool();
  const deliver = deliverWith(pool);
  const boss = new PgBoss({ connectionString: environment.DATABASE_URL, max: 10 }).on('error', () => {});
  await boss.start();
  await boss.createQueue('deliver');
  const waiting = await pool.query<{ tenant_id: string; id: string }>('select tenant_id, id from webhook_delivery');
  const jobs = waiting.rows.map(({ tenant_id, id }) => ({ data: { tenantId: tenant_id, deliveryId: id } }));
  await boss.insert('deliver', jobs);
  await pool.query('vacuum analyze');
  reportStart();
  const options = { batchSize: queueConcurrency, burstWhenBatchFull: true, pollingIntervalSeconds: 0.5 };
  await boss.work('deliver', options, (batch) => Promise.all(batch.map(({ data }) => deliver(data))));
  process.once('SIGTERM', () => process.exit());
};

const senders: Readonly<Record<string, () => Promise<void>>> = { limit: runLoop, plain: runQueue, boss: runBoss };
await senders[process.argv[2] ?? '']?.();
