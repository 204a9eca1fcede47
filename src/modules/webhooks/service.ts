import { isDeepStrictEqual } from 'node:util';
import { newId } from '../../core/ids.ts';
import { webhookLimits } from '../../core/limits.ts';
import { fail } from '../../core/problem.ts';
import type { Tx } from '../../db/database.ts';
import { inTransaction } from '../../platform/team.ts';
import type { Team } from '../../platform/team.ts';
import type { Verdict } from '../../webhooks/egress/egress.ts';
import { wakeFeedersAfter } from '../../webhooks/outbox.ts';
import { apiVersion, newSecret, sealSecret } from '../../webhooks/message.ts';
import { record, urlInEntry } from '../audit/service.ts';
import { lockTeam, needApi } from '../teams/service.ts';
import { leaveBehind } from './deleted-endpoint.ts';
import type { CreatedWebhookEndpoint, EndpointChange, NewWebhookEndpoint, WebhookEndpoint } from './schema.ts';
import { endpoints, endpointsOf, lockEndpoint, presentEndpoint } from './store.ts';
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

/** Makes an endpoint. Its URL was looked at before, since names are not looked up while a transaction is open. */
export const createEndpoint = (
  team: Team,
  { events, description = null }: Omit<NewWebhookEndpoint, 'url'>,
  verdict: Verdict,
): Promise<CreatedWebhookEndpoint> =>
  inTransaction(team, async (tx) => {
    const url = allowedUrl(verdict);
    needApi(await lockTeam(tx, team));
    const most = webhookLimits.endpointsPerTeam;
    if ((await endpoints.count(tx, team)) >= most) {
      fail('validation_error', { field: 'url', detail: `A team has at most ${most} webhook endpoints.` });
    }
    const { vault, clock } = team.platform;
    const [id, secret, createdAt] = [newId(), newSecret(), clock.now()];
    const sealed = sealSecret(vault, id, secret);
    await endpoints.insert(tx, team, { id, url, events, apiVersion, description, secret: sealed, createdAt });
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

const write = async (tx: Tx, team: Team, before: EndpointRow, changes: Changes): Promise<void> => {
  const { url, events, description, status } = { ...before, ...changes };
  const reactivated = changes.status === 'active';
  const anew = reactivated ? { failingSince: null, warnedAt: null } : {};
  await endpoints.update(tx, team, before.id, { url, events, description, status, ...anew });
  if (reactivated) {
    await endpoints.feedLane(tx, team, before.id);
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

/** Deletes an endpoint and what waits for it. Its deliveries are in no answer any more; a job deletes them. */
export const deleteEndpoint = (team: Team, id: string): Promise<void> =>
  inTransaction(team, async (tx) => {
    await lockTeam(tx, team);
    const { url, events, status } = await lockEndpoint(tx, team, id, 'to delete');
    await endpoints.remove(tx, team, id);
    await leaveBehind(tx, { tenantId: team.id, endpointId: id });
    await record(tx, team, {
      action: 'webhook_endpoint.deleted',
      target: { type: 'webhook_endpoint', id },
      data: { url: urlInEntry(url), events, status },
    });
  });
