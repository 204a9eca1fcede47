import { isDeepStrictEqual } from 'node:util';
import { newId } from '../../core/ids.ts';
import { webhookLimits } from '../../core/limits.ts';
import { fail } from '../../core/problem.ts';
import { rowsIn } from '../../db/database.ts';
import type { Tx } from '../../db/database.ts';
import { statement } from '../../db/statement.ts';
import { inTransaction } from '../../platform/team.ts';
import type { Team } from '../../platform/team.ts';
import type { Verdict } from '../../webhooks/egress/egress.ts';
import { wakeFeedersAfter } from '../../webhooks/outbox.ts';
import { apiVersion, newSecret, sealSecret } from '../../webhooks/message.ts';
import { record, urlInEntry } from '../audit/service.ts';
import { lockTeam } from '../teams/service.ts';
import type { CreatedWebhookEndpoint, EndpointChange, NewWebhookEndpoint, WebhookEndpoint } from './schema.ts';
import { endpointsOf, lockEndpoint, presentEndpoint } from './store.ts';
import type { EndpointRow } from './store.ts';

/**
 * An endpoint is in one of three states.
 *
 *   (new) ──▶ active ──PATCH──▶ disabled
 *               │ ▲───PATCH───────┘ ▲
 *               │ └─────PATCH─────┐ │ PATCH
 *               └─three days without success──▶ disabled_failures
 *   any ──deleted──▶ (gone, with all that waits for it)
 *
 * Only an active one gets events. While it is `disabled`, what waits for it waits; what a person requests, a ping or
 * a retry, is sent all the same. Becoming active it starts anew: what waited goes on, and nothing has failed yet.
 *
 * Events are raised while the team is held. Where it is decided which events an endpoint gets, the team is locked: no event
 * is on its way unseen.
 */
type EndpointStatus = WebhookEndpoint['status'];

const allowedUrl = (verdict: Verdict): string =>
  verdict.allowed ? verdict.url : fail('validation_error', { field: 'url', detail: verdict.reason });

/** All endpoints of the team, newest first. */
export const listEndpoints = async (team: Team): Promise<WebhookEndpoint[]> =>
  (await endpointsOf(team)).map(presentEndpoint);

const count = statement<{ count: number }, [tenantId: string]>(
  'select count(*)::int as count from webhook_endpoint where tenant_id = $1',
);
const insert = statement<Record<never, never>, unknown[]>(
  `insert into webhook_endpoint (tenant_id, id, url, events, api_version, description, secret, created_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8)`,
);

/** Makes an endpoint. Its URL was looked at before, since names are not looked up while a transaction is open. */
export const createEndpoint = (
  team: Team,
  { events, description = null }: Omit<NewWebhookEndpoint, 'url'>,
  verdict: Verdict,
): Promise<CreatedWebhookEndpoint> =>
  inTransaction(team, async (tx) => {
    const url = allowedUrl(verdict);
    await lockTeam(tx, team);
    const [there] = await rowsIn(tx, count, team.id);
    const most = webhookLimits.endpointsPerTeam;
    if (there && there.count >= most) {
      fail('validation_error', { field: 'url', detail: `A team has at most ${most} webhook endpoints.` });
    }
    const { vault, clock } = team.platform;
    const [id, secret, createdAt] = [newId(), newSecret(), clock.now()];
    const sealed = sealSecret(vault, id, secret);
    await rowsIn(tx, insert, team.id, id, url, events, apiVersion, description, sealed, createdAt);
    await record(tx, team, {
      action: 'webhook_endpoint.created',
      target: { type: 'webhook_endpoint', id },
      data: { url: urlInEntry(url), events },
    });
    return {
      id,
      url,
      events,
      status: 'active',
      api_version: apiVersion,
      description,
      created_at: createdAt.toISOString(),
      last_success_at: null,
      secret,
    };
  });

interface Changes {
  url?: string;
  events?: WebhookEndpoint['events'];
  description?: string | null;
  status?: EndpointStatus;
}

const settableStatus = (status: EndpointStatus): EndpointStatus =>
  status === 'disabled_failures'
    ? fail('validation_error', { field: 'status', detail: 'It can be set to active or disabled.' })
    : status;

/** What a change asks for that is not so already. */
const changesOf = (before: EndpointRow, { url, events, description, status }: Changes): Changes => ({
  ...(url !== undefined && url !== before.url && { url }),
  ...(events !== undefined && !isDeepStrictEqual(events, before.events) && { events }),
  ...(description !== undefined && description !== before.description && { description }),
  ...(status !== undefined && status !== before.status && { status }),
});

const update = statement<Record<never, never>, unknown[]>(
  `update webhook_endpoint
      set url = $3, events = $4, description = $5, status = $6::endpoint_status,
          failing_since = case when $7 then null else failing_since end,
          warned_at = case when $7 then null else warned_at end
    where tenant_id = $1 and id = $2`,
);

// Any row will do: it brings the whole lane back. A lane of an endpoint that is not active has no job.
const feedLane = statement<Record<never, never>, [tenantId: string, id: string]>(
  `update webhook_waiting set has_job = false
    where (tenant_id, delivery_id) in (
      select tenant_id, delivery_id from webhook_waiting where tenant_id = $1 and endpoint_id = $2 order by due_at limit 1)`,
);

const write = async (tx: Tx, team: Team, before: EndpointRow, changes: Changes): Promise<void> => {
  const { url, events, description, status } = { ...before, ...changes };
  const reactivated = changes.status === 'active';
  await rowsIn(tx, update, team.id, before.id, url, events, description, status, reactivated);
  if (reactivated) {
    await rowsIn(tx, feedLane, team.id, before.id);
    wakeFeedersAfter(tx, team);
  }
  await record(tx, team, {
    action: 'webhook_endpoint.changed',
    target: { type: 'webhook_endpoint', id: before.id },
    data: {
      changed: Object.keys(changes),
      ...(changes.status !== undefined && { from: before.status, to: changes.status }),
      ...(changes.url !== undefined && { url: urlInEntry(url) }),
      ...(changes.events !== undefined && { events }),
    },
  });
};

/** Changes an endpoint; what is so already is no change. Not within a transaction: names are looked up. */
export const changeEndpoint = async (team: Team, id: string, wanted: EndpointChange): Promise<WebhookEndpoint> => {
  const verdict = wanted.url === undefined ? undefined : await team.platform.egress.vet(wanted.url, team.id);
  return inTransaction(team, async (tx) => {
    await lockTeam(tx, team);
    const before = await lockEndpoint(tx, team, id);
    const { events, description, status } = wanted;
    const changes = changesOf(before, {
      ...(verdict && { url: allowedUrl(verdict) }),
      ...(events !== undefined && { events }),
      ...(description !== undefined && { description }),
      ...(status !== undefined && { status: settableStatus(status) }),
    });
    if (Object.keys(changes).length > 0) await write(tx, team, before, changes);
    return presentEndpoint({ ...before, ...changes });
  });
};

const dropWaiting = statement<Record<never, never>, [tenantId: string, id: string]>(
  'delete from webhook_waiting where tenant_id = $1 and endpoint_id = $2',
);
const remove = statement<Record<never, never>, [tenantId: string, id: string]>(
  'delete from webhook_endpoint where tenant_id = $1 and id = $2',
);

/** Deletes an endpoint and what waits for it. Its deliveries are in no answer any more. */
export const deleteEndpoint = (team: Team, id: string): Promise<void> =>
  inTransaction(team, async (tx) => {
    await lockTeam(tx, team);
    const { url, events, status } = await lockEndpoint(tx, team, id, 'to delete');
    await rowsIn(tx, dropWaiting, team.id, id);
    await rowsIn(tx, remove, team.id, id);
    await record(tx, team, {
      action: 'webhook_endpoint.deleted',
      target: { type: 'webhook_endpoint', id },
      data: { url: urlInEntry(url), events, status },
    });
  });
