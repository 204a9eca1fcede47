import { isDeepStrictEqual } from 'node:util';
import { changesOf, valuesOf } from '../../core/changes.ts';
import { isId, makeId } from '../../core/ids.ts';
import type { Message } from '../../core/language.ts';
import { accessMessages } from '../../core/messages/people.ts';
import { webhookMessages } from '../../core/messages/webhooks.ts';
import { fail } from '../../core/problem.ts';
import { endpointLimits } from '../../core/limits.ts';
import type { Tx } from '../../db/database.ts';
import { lockRow } from '../../db/lock-row.ts';
import { jobs } from '../../platform/jobs.ts';
import { inTransaction, type Team } from '../../platform/team.ts';
import { inLockedTeam, lockTeam, requireApi } from '../../platform/team-row.ts';
import type { Verdict } from '../../egress/egress.ts';
import { addJobsAfter } from '../../deliveries/outbox.ts';
import { apiVersion, makeSecret, sealSecret } from '../../deliveries/message.ts';
import {
  headerNamePattern,
  isReserved,
  sealHeaders,
  unsealHeaders,
  type TeamHeaders,
} from '../../deliveries/team-headers.ts';
import { record, urlInEntry } from '../audit/service.ts';
import { deliveries, waiting } from './delivery-store.ts';
import { events, type EventRow } from './history-store.ts';
import type { EndpointChange, NewWebhookEndpoint, WebhookEndpoint } from './schema.ts';
import { endpoints, type EndpointRow } from './store.ts';
import { endpointDeletion } from './cleanup.ts';

/**
 * An endpoint is in one of three states.
 *
 *   (new) ──▶ active ──PATCH──▶ disabled
 *               │ ▲───PATCH───────┘ ▲
 *               │ └─────PATCH─────┐ │ PATCH
 *               └─three days without success──▶ disabled_failures
 *   any ──deleted──▶ (gone, with all that waits for it)
 *
 * Only an active endpoint gets events. While it is `disabled`, its waiting deliveries stay; pings and retries by hand
 * are sent all the same. When it becomes active again, waiting deliveries are sent, and its failures are counted from
 * zero.
 *
 * An event is raised in a transaction that has locked the team. A change of the events that an endpoint gets also locks
 * the team, so no event is raised at the same time. A pause only share-locks the team, as raising does; the deliveries
 * of events that were raised meanwhile are given up.
 */
type EndpointStatus = WebhookEndpoint['status'];

const allowedUrl = (verdict: Verdict): string =>
  verdict.allowed ? verdict.url : fail('validation_error', { field: 'url', detail: verdict.reason });

/** The team's own headers for an endpoint, if they are allowed. */
const allowedHeaders = (headers: TeamHeaders): TeamHeaders => {
  const refuse = (detail: Message): never => fail('validation_error', { field: 'headers', detail });
  const max = endpointLimits.headers;
  if (headers.size > max) refuse(webhookMessages.headers(max));
  const known = new Set<string>();
  for (const name of headers.keys()) {
    const longest = endpointLimits.headerNameCharacters;
    if (name.length > longest || !headerNamePattern.test(name)) refuse(webhookMessages.headerName(longest));
    if (isReserved(name)) refuse(webhookMessages.reservedHeader(name));
    if (known.has(name.toLowerCase())) refuse(webhookMessages.sameHeader(name));
    known.add(name.toLowerCase());
  }
  return headers;
};

const storedHeaders = ({ platform: { vault } }: Team, endpointId: string, headers: TeamHeaders) => ({
  headers: sealHeaders(vault, endpointId, headers),
  headerNames: [...headers.keys()],
});

/** An endpoint as answers show it. */
type Endpoint = Omit<EndpointRow, 'failingSince' | 'headerNames'> & { headers: ReadonlyMap<string, null> };

const presentEndpoint = ({ failingSince: _failingSince, headerNames, ...endpoint }: EndpointRow): Endpoint => ({
  ...endpoint,
  headers: new Map(headerNames.map((name) => [name, null])),
});

/** All endpoints of the team, newest first, each with the time since which it fails, if it does. */
export const endpointsOf = (team: Team): Promise<EndpointRow[]> => endpoints.list(team.platform.database, team);

/**
 * The failing and the paused endpoints with the time since which they fail, the longest failing first. An endpoint
 * fails if at least its last two attempts have failed. A single failure is no alarm, because receivers are restarted,
 * and the retry usually succeeds. Disabled endpoints get no events, so none of them fails.
 */
export const failingEndpoints = (team: Team) => endpoints.failing(team.platform.database, team);

/** All endpoints of the team, newest first. */
export const listEndpoints = async (team: Team): Promise<Endpoint[]> => (await endpointsOf(team)).map(presentEndpoint);

const noEndpoint = () => fail('not_found', { detail: webhookMessages.noEndpoint });

/** A delivery to an endpoint that the team still has, with the endpoint. */
export const findDelivery = async (team: Team, id: string) => {
  const { prisma } = team.platform.database;
  const delivery = isId(id) ? await deliveries.get(prisma, team, id) : undefined;
  if (!delivery) return undefined;
  const endpoint = await endpoints.get(prisma, team, delivery.endpointId);
  return endpoint && { delivery, endpoint };
};

/** An event that is still kept. */
export const findEvent = (team: Team, id: string): Promise<EventRow | undefined> =>
  events.get(team.platform.database.prisma, team, id);

/** The current state of an endpoint. */
export const getEndpoint = async (team: Team, id: string): Promise<EndpointRow> =>
  (isId(id) ? await endpoints.get(team.platform.database.prisma, team, id) : undefined) ?? noEndpoint();

/** An endpoint as answers show it. */
export const readEndpoint = async (team: Team, id: string): Promise<Endpoint> =>
  presentEndpoint(await getEndpoint(team, id));

/**
 * Locks an endpoint of the team until the transaction ends. A writer that also locks the team does that before. It
 * locks the endpoint's deliveries and waiting rows after the endpoint. All writers lock in this order, so they can't
 * deadlock.
 */
export const lockEndpoint = async (tx: Tx, team: Team, id: string, strength?: 'update'): Promise<EndpointRow> => {
  if (!isId(id)) return noEndpoint();
  lockRow(tx, 'webhook_endpoint', { tenantId: team.id, id }, strength);
  return (await endpoints.get(tx, team, id)) ?? noEndpoint();
};

interface EndpointToMake {
  url: string;
  events: NewWebhookEndpoint['events'];
  description: string | null;
  headers: TeamHeaders;
}

/** The team must be locked, so that simultaneous requests can't exceed its maximum of endpoints. */
const insertEndpoint = async (
  tx: Tx,
  team: Team,
  { url, events, description, headers }: EndpointToMake,
): Promise<Endpoint & { secret: string }> => {
  const max = endpointLimits.endpointsPerTeam;
  if ((await endpoints.count(tx, team)) >= max) {
    fail('validation_error', {
      field: 'webhook_endpoints',
      detail: webhookMessages.maxEndpoints(max),
    });
  }
  const { vault, clock } = team.platform;
  const [id, secret, createdAt] = [makeId(), makeSecret(), clock.now()];
  const sealed = sealSecret(vault, id, secret);
  const ownHeaders = storedHeaders(team, id, headers);
  const row = { id, url, events, apiVersion, description, secret: sealed, ...ownHeaders, createdAt };
  const endpoint = await endpoints.insert(tx, team, row);
  record(tx, team, {
    action: 'webhook_endpoint.created',
    target: { type: 'webhook_endpoint', id },
    data: { url: urlInEntry(url), events, ...(headers.size > 0 && { headers: ownHeaders.headerNames }) },
  });
  return { ...presentEndpoint(endpoint), secret };
};

/** Creates an endpoint. Its URL was checked before, because no DNS look-up may run in a transaction. */
export const createEndpoint = (
  team: Team,
  { events, description = null, headers }: Omit<NewWebhookEndpoint, 'url'>,
  verdict: Verdict,
): Promise<Endpoint & { secret: string }> =>
  inTransaction(team, async (tx) => {
    const url = allowedUrl(verdict);
    const ofTeam = allowedHeaders(headers ?? new Map());
    requireApi(await lockTeam(tx, team));
    return insertEndpoint(tx, team, { url, events, description, headers: ofTeam });
  });

/**
 * Begins the renewal of an endpoint's secret: creates a second endpoint like it, with a secret of its own. Its URL is
 * that of the first endpoint, so the stored headers can be copied. The renewal ends when the first endpoint is deleted.
 */
export const renewEndpoint = (caller: Team, id: string): Promise<Endpoint & { secret: string }> =>
  inLockedTeam(caller, async (tx, team) => {
    requireApi(team);
    const { url, events, description, status } = await lockEndpoint(tx, team, id);
    if (status === 'disabled') fail('validation_error', { field: 'status', detail: webhookMessages.endpointNotActive });
    const headers = unsealHeaders(team.platform.vault, id, await endpoints.sealedHeaders(tx, team, id));
    return insertEndpoint(tx, team, { url, events, description, headers });
  });

/**
 * Refuses to send the audit log to an endpoint for a caller who may not read it. `mayExport`: whether the caller has
 * the scope `audit:export`.
 */
export const requireRightToExport = (events: readonly string[], mayExport: boolean): void => {
  if (mayExport || !events.includes('audit.recorded')) return;
  fail('insufficient_scope', { required_scope: 'audit:export', detail: accessMessages.scopeNeeded('audit:export') });
};

/** The fields of an endpoint that can change. */
type EndpointFields = Pick<EndpointRow, 'url' | 'events' | 'description' | 'status'> & { headers: TeamHeaders };

const settableStatus = (status: EndpointStatus): EndpointStatus =>
  status === 'disabled_failures'
    ? fail('validation_error', { field: 'status', detail: webhookMessages.status })
    : status;

const write = async (tx: Tx, team: Team, before: EndpointRow, changes: Partial<EndpointFields>): Promise<void> => {
  const { headers: ofTeam, ...fields } = changes;
  const { url, events, description, status } = { ...before, ...fields };
  const reactivated = changes.status === 'active';
  const anew = reactivated ? { failingSince: null, failedAgainAt: null, warnedAt: null } : {};
  const ownHeaders = ofTeam && storedHeaders(team, before.id, ofTeam);
  await endpoints.update(tx, team, before.id, { url, events, description, status, ...ownHeaders, ...anew });
  if (reactivated) addJobsAfter(tx, team, async () => [{ endpointId: before.id }]);
  const { status: to, ...others } = { ...fields, ...(ownHeaders && { headers: ownHeaders.headerNames }) };
  const inEntry = <Values extends { url?: string }>(values: Values) => ({
    ...values,
    ...(values.url !== undefined && { url: urlInEntry(values.url) }),
  });
  record(tx, team, {
    action: 'webhook_endpoint.changed',
    target: { type: 'webhook_endpoint', id: before.id },
    data: {
      changed: Object.keys(changes),
      ...(to !== undefined && { from: before.status, to }),
      ...valuesOf(inEntry({ ...before, headers: before.headerNames }), inEntry(others)),
    },
  });
};

/**
 * The headers that a change sets, if they differ from the stored ones. A header's value is a secret between the team
 * and one URL. So if the URL changes, even in its path alone, the headers must be sent again: the paths of one host may
 * belong to different customers.
 */
const changedHeaders = async (
  tx: Tx,
  team: Team,
  before: EndpointRow,
  { url, headers }: { url: string; headers: TeamHeaders | null | undefined },
): Promise<TeamHeaders | undefined> => {
  if (headers === undefined) {
    // Both URLs are normalised.
    if (before.headerNames.length === 0 || url === before.url) return undefined;
    return fail('validation_error', { field: 'headers', detail: webhookMessages.headersOfFormerUrl });
  }
  const wanted = allowedHeaders(headers ?? new Map());
  const sealed = await endpoints.sealedHeaders(tx, team, before.id);
  const former = unsealHeaders(team.platform.vault, before.id, sealed);
  return isDeepStrictEqual(former, wanted) ? undefined : wanted;
};

/**
 * Changes an endpoint. Fields that keep their value count as no change. It must not run in a transaction, because it
 * looks up DNS names.
 */
export const changeEndpoint = async (
  team: Team,
  id: string,
  wanted: EndpointChange,
  { mayExport }: { mayExport: boolean } = { mayExport: true },
): Promise<Endpoint> => {
  const verdict = wanted.url === undefined ? undefined : await team.platform.egress.vet(wanted.url);
  return inLockedTeam(team, async (tx) => {
    const before = await lockEndpoint(tx, team, id);
    const { events, description, status, headers } = wanted;
    const url = verdict && allowedUrl(verdict);
    const changes = changesOf<Omit<EndpointFields, 'headers'>>(before, {
      url,
      events: isDeepStrictEqual(events, before.events) ? undefined : events,
      description,
      status: status && settableStatus(status),
    });
    // Without this right, an endpoint that already gets the audit log must not get another URL either.
    if (changes.events || changes.url !== undefined) requireRightToExport(changes.events ?? before.events, mayExport);
    const ofTeam = await changedHeaders(tx, team, before, { url: url ?? before.url, headers });
    const all = { ...changes, ...(ofTeam && { headers: ofTeam }) };
    if (Object.keys(all).length > 0) await write(tx, team, before, all);
    return presentEndpoint({ ...before, ...changes, ...(ofTeam && { headerNames: [...ofTeam.keys()] }) });
  });
};

/** Deleting more waiting rows in the request would keep the team locked for long. The job deletes the others. */
const waitingDeletedAtOnce = 5_000;

/**
 * Deletes an endpoint with up to 5,000 of its waiting rows. No further attempt to it begins. Its deliveries disappear
 * from all answers of the API at once, and a job deletes them.
 */
export const deleteEndpoint = (team: Team, id: string): Promise<void> =>
  inLockedTeam(team, async (tx) => {
    const { url, events, status } = await lockEndpoint(tx, team, id, 'update');
    await endpoints.remove(tx, team, id);
    await waiting.deleteSome(tx, { tenantId: team.id, endpointId: id }, waitingDeletedAtOnce);
    await jobs.add(tx, endpointDeletion.job({ tenantId: team.id, endpointId: id }));
    record(tx, team, {
      action: 'webhook_endpoint.deleted',
      target: { type: 'webhook_endpoint', id },
      data: { url: urlInEntry(url), events, status },
    });
  });
