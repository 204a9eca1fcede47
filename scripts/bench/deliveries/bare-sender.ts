// The upper limit: a loop that only signs bodies and posts them. `node bare-sender.ts CONCURRENCY` loads all messages into memory before it
// sends the first one.

import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { z } from 'zod';
import { bodyOf } from '../../../src/webhooks/message.ts';
import { databaseUrl, post, secretOf } from './compared-sender.ts';

const concurrency = Number(process.argv[2]);

const Row = z.object({
  tenant_id: z.string(),
  endpoint_id: z.string(),
  url: z.string(),
  secret: z.instanceof(Uint8Array),
  api_version: z.string(),
  event_id: z.string(),
  type: z.string(),
  data: z.unknown(),
  created_at: z.date(),
});

const client = new pg.Client({ connectionString: databaseUrl });
await client.connect();
const { rows } = await client.query(
  `select d.tenant_id, d.event_id, e.id as endpoint_id, e.url, e.secret, e.api_version, v.type, v.data::json as data, v.created_at
     from webhook_delivery d
     join webhook_endpoint e on e.tenant_id = d.tenant_id and e.id = d.endpoint_id
     join webhook_event v on v.tenant_id = d.tenant_id and v.id = d.event_id
    order by d.id`,
);
await client.end();

const messages = rows.map((row) => {
  const { tenant_id: tenantId, event_id: eventId, api_version: apiVersion, type, data, ...rest } = Row.parse(row);
  const createdAt = rest.created_at.toISOString();
  const body = bodyOf({ tenantId, eventId, type, createdAt, apiVersion, data });
  return { url: rest.url, eventId, secret: secretOf(rest.endpoint_id, rest.secret), body };
});

let next = 0;
const send = async (): Promise<void> => {
  for (let message = messages[next++]; message; message = messages[next++]) await post(message);
};

console.log(JSON.stringify({ msg: 'started' }));
await Promise.all(Array.from({ length: concurrency }, send));
// The process that started this one ends it.
await sleep(60_000);
