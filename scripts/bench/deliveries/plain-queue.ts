// The simplest queue: one job for each delivery. The job reads the delivery, signs it, posts it and stores the outcome.

import { Logger, run } from 'graphile-worker';
import pg from 'pg';
import { z } from 'zod';
import { bodyOf } from '../../../src/webhooks/message.ts';
import { databaseUrl, post, secretOf } from './compared-sender.ts';

const concurrency = 24;

// A connection for each job that runs, and one on which the queue listens.
const pool = new pg.Pool({ connectionString: databaseUrl, max: concurrency + 1 });
pool.on('error', () => {}).on('connect', (client) => void client.on('error', () => {}));

const Job = z.object({ tenantId: z.string(), deliveryId: z.string() });

const read = {
  name: 'read',
  text: `select e.id as endpoint_id, e.url, e.secret, e.api_version, v.id as event_id, v.type, v.data::json as data, v.created_at
           from webhook_delivery d
           join webhook_endpoint e on e.tenant_id = d.tenant_id and e.id = d.endpoint_id
           join webhook_event v on v.tenant_id = d.tenant_id and v.id = d.event_id
          where d.tenant_id = $1 and d.id = $2`,
};
const note = {
  name: 'note',
  text: `update webhook_delivery
            set status = 'ok', attempt = attempt + 1, next_try_at = null, response_code = 200, response_excerpt = $3, response_ms = $4
          where tenant_id = $1 and id = $2`,
};

const deliver = async (payload: unknown): Promise<void> => {
  const { tenantId, deliveryId } = Job.parse(payload);
  const { rows } = await pool.query({ ...read, values: [tenantId, deliveryId] });
  const [{ endpoint_id, url, secret, api_version: apiVersion, event_id: eventId, type, data, created_at }] = rows;
  const body = bodyOf({ tenantId, eventId, type, createdAt: created_at.toISOString(), apiVersion, data });
  const begin = performance.now();
  const message = { url, eventId, secret: secretOf(endpoint_id, secret), body };
  const answer = await post(message, AbortSignal.timeout(10_000));
  const ms = Math.round(performance.now() - begin);
  await pool.query({ ...note, values: [tenantId, deliveryId, answer.slice(0, 1_000), ms] });
};

await run({
  pgPool: pool,
  concurrency,
  noHandleSignals: true,
  logger: new Logger(() => () => {}),
  taskList: { deliver },
  parsedCronItems: [],
});
process.once('SIGTERM', () => process.exit());
console.log(JSON.stringify({ msg: 'started' }));
