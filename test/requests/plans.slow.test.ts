import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { hoursToMs, later } from '../../src/core/clock.ts';
import { toCamel } from '../../src/core/spelling.ts';
import { RequestQuery } from '../../src/modules/requests/schema.ts';
import { listRequests } from '../../src/modules/requests/service.ts';
import { anAnswer } from '../support/logs.ts';
import { useConnection } from '../support/postgres.ts';
import { useTestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';
import { idsBegin } from '../support/webhooks.ts';
import { costOf } from '../support/plans.ts';

// One key with nearly all requests, of two days: the cost of a page must not grow with their number.

const many = 40_000;
const requestId = randomUUID();

const service = await useTestService({ own: true });
const made = await aTeam(service);
const team = await made.acting();
const ids = { busy: (await made.aKey()).id, quiet: (await made.aKey()).id };
service.requestLog.note(anAnswer(made, ids.quiet, { requestId }));
await service.requestLog.write();
const client = await useConnection(service.databaseUrl);
await client.query(
  `insert into request_log_entry (tenant_id, id, key_id, request_id, method, route, status, duration_ms, created_at)
   select $1, overlay(gen_random_uuid()::text placing ${idsBegin(`((now() at time zone 'UTC')::date - n % 2)`)}
                      from 1 for 13)::uuid, $2, gen_random_uuid(), 'GET', '/users', 200, 1, now() - (n % 2) * interval '1 day'
     from generate_series(1, $3::int) n`,
  [team.id, ids.busy, many],
);
await client.query('vacuum analyze request_log_entry');

const cost = (wanted: z.input<typeof RequestQuery>) =>
  costOf(client, team, (asking) => listRequests(asking, toCamel(RequestQuery.parse(wanted))));

describe('a page of the request log touches few database pages, however many requests there are', () => {
  it('the newest requests of all keys, and of a busy or a quiet one', async () => {
    expect(await cost({})).toBeLessThan(300);
    expect(await cost({ key_id: ids.busy })).toBeLessThan(300);
    expect(await cost({ key_id: ids.quiet })).toBeLessThan(300);
  });

  it('a single request by its id', async () => {
    expect(await cost({ request_id: requestId })).toBeLessThan(300);
  });

  it('rare requests, and an old time', async () => {
    // In production every row of the walk may be in a different page, because requests of teams alternate; here all are
    // together.
    for (const wanted of [{ status: 500 }, { status: 500, key_id: ids.busy }, { code: 'internal' as const }])
      expect(await cost(wanted)).toBeLessThan(11_000);
    const until = later(service.clock.now(), -hoursToMs(36)).toISOString();
    expect(await cost({ until })).toBeLessThan(11_000);
    expect(await cost({ since: later(service.clock.now(), hoursToMs(1)).toISOString() })).toBeLessThan(300);
  });
});
