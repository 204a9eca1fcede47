import assert from 'node:assert/strict';
import { daysToMs, later, minutesToMs, secondsToMs } from '../../core/clock.ts';
import type { Texts } from '../../core/language.ts';
import { defanged, quotable } from '../../core/name-text.ts';
import type { Tx } from '../../db/database.ts';
import { lockRow } from '../../db/lock-row.ts';
import { forAllTeams, type DatabasePart } from '../../db/parts.ts';
import type { Platform, Team } from '../../platform/team.ts';
import { actIn, lockTeamShared, teamName } from '../../platform/team-row.ts';
import { raise } from '../../deliveries/outbox.ts';
import { record } from '../audit/service.ts';
import { queueMails } from '../mail/service.ts';
import { mailTemplate } from '../mail/template.ts';
import { adminsOf } from '../membership/service.ts';
import { deliveries, waiting } from './delivery-store.ts';
import { endpointFailing, endpointPaused, endpointRecovered } from './events.ts';
import { endpoints } from './store.ts';

interface SilentEndpoint {
  teamName: string;
  url: string;
  /** The first failed attempt since the last success. */
  since: Date;
  /** When the endpoint is paused, if no delivery succeeds until then. */
  pauseAt: Date;
  /** Why the newest unsuccessful delivery failed, if that is known. */
  reason: Texts | null;
}

const hostOf = (url: string): string => defanged(new URL(url).host);

/**
 * The reason is cut to this length, because receivers can put text into it, for instance by names in their
 * certificates.
 */
const reasonCharacters = 200;

/** Why the last attempt failed, as the end of a paragraph; empty if that is not known. */
const lastAttempt = (label: string, reason: string | undefined): string =>
  reason === undefined ? '' : `${label}: ${quotable(reason, reasonCharacters)}`;

const failingMails = {
  warned: mailTemplate<SilentEndpoint>('webhook_endpoint_warned', {
    de: ({ teamName: name, url, since, pauseAt, reason }, { time }) => ({
      lead: `Im Team „${quotable(name)}“ ist seit dem ${time(since, { withZone: true })} keine Zustellung an ${hostOf(url)} gelungen. ${lastAttempt('Letzter Versuch', reason?.de)}`,
      action: 'Zustellungen ansehen',
      ending: `Der Endpunkt wird am ${time(pauseAt, { withZone: true })} pausiert, wenn bis dahin keine Zustellung gelingt. Neue Ereignisse werden dann nicht mehr gesendet.`,
    }),
    en: ({ teamName: name, url, since, pauseAt, reason }, { time }) => ({
      lead: `In the team “${quotable(name)}” no delivery to ${hostOf(url)} has succeeded since ${time(since, { withZone: true })}. ${lastAttempt('Last attempt', reason?.en)}`,
      action: 'View deliveries',
      ending: `The endpoint pauses on ${time(pauseAt, { withZone: true })} unless a delivery succeeds. New events are then no longer sent.`,
    }),
  }),
  paused: mailTemplate<SilentEndpoint>('webhook_endpoint_paused', {
    de: ({ teamName: name, url, since, reason }, { time }) => ({
      lead: `Im Team „${quotable(name)}“ ist seit dem ${time(since, { withZone: true })} keine Zustellung an ${hostOf(url)} gelungen, deshalb ist der Endpunkt jetzt pausiert. ${lastAttempt('Letzter Versuch', reason?.de)}`,
      action: 'Endpunkt prüfen und wieder aktivieren',
      ending: 'Neue Ereignisse werden nicht gesendet. Nach dem Aktivieren können Sie verpasste Ereignisse nachholen.',
    }),
    en: ({ teamName: name, url, since, reason }, { time }) => ({
      lead: `In the team “${quotable(name)}” no delivery to ${hostOf(url)} has succeeded since ${time(since, { withZone: true })}, so the endpoint is paused now. ${lastAttempt('Last attempt', reason?.en)}`,
      action: 'Check and reactivate the endpoint',
      ending: 'New events are not sent. After reactivation you can recover missed events.',
    }),
  }),
} as const;

// How the service handles an active endpoint without successful deliveries. The time until the pause
// (`pauseAfterSeconds`) counts from the first failed attempt after the last success, the creation or the reactivation.
//
//   quiet ──first failure──▶ failing ──half the time──▶ warned ──all of it──▶ paused (`disabled_failures`)
//     ▲                         │                         │                      │
//     └────────a success────────┴─────────────────────────┘                      │
//     └────────────────────────reactivated by the team───────────────────────────┘
//
// Each change is made once, even if several processes check at the same time, and the mails to the admins are queued in
// the same transaction. Only an active endpoint that fails is warned about or paused. The admins are warned about it
// once until its next success or reactivation.
//
// The team's other endpoints and its feed get events: `endpoint.failing` when an endpoint has failed for a while and at
// least twice, `endpoint.paused`, and `endpoint.recovered` at the first success after one of these. Each is raised at
// most once a day for an endpoint, however often it fails. A second recovery within a day is raised when the day is
// over, if the endpoint still works then.

type FailedDelivery = NonNullable<Awaited<ReturnType<typeof deliveries.lastFailure>>>;

const reasonOf = ({ error, errorDe, responseCode }: FailedDelivery): Texts | null => {
  const reason = error ?? (responseCode === null ? null : `HTTP ${responseCode}`);
  return reason === null ? null : { de: errorDe ?? reason, en: reason };
};

export type EndpointId = { tenantId: string; id: string };

/** `endpoint.failing` is raised after this time, or after a quarter of the time until the pause if that is shorter. */
const failingAfterMs = minutesToMs(30);

const timesOf = ({ clock, deliverySchedule }: Platform) => {
  const now = clock.now();
  const pauseAfterMs = secondsToMs(deliverySchedule.pauseAfterSeconds);
  return {
    pausing: later(now, -pauseAfterMs),
    warning: later(now, -pauseAfterMs / 2),
    failing: later(now, -Math.min(failingAfterMs, pauseAfterMs / 4)),
    raisedBefore: later(now, -daysToMs(1)),
  };
};
type SilenceTimes = ReturnType<typeof timesOf>;

const inEvent = (reason: Texts | null): string | null =>
  reason === null ? null : [...reason.en].slice(0, reasonCharacters).join('');

const lastReason = async (tx: Tx, team: Team, id: string): Promise<Texts | null> => {
  const last = await deliveries.lastFailure(tx, team, id);
  return last ? reasonOf(last) : null;
};

/** Raises `endpoint.failing` or `endpoint.recovered` about one endpoint, unless another process has done so. */
const announce = async (platform: Platform, { tenantId, id }: EndpointId, times: SilenceTimes): Promise<void> => {
  const acting = await actIn(platform, { kind: 'service' }, tenantId);
  await platform.database.transaction(
    async (tx) => {
      const team = await lockTeamShared(tx, acting);
      lockRow(tx, 'webhook_endpoint', { tenantId, id });
      const changed = await endpoints.getChanged(platform.database, tx, team, id, times);
      if (!changed) return;
      const now = platform.clock.now();
      const about = { endpoint_id: id, since: changed.since.toISOString() };
      if (changed.kind === 'recovered') {
        raise(tx, team, endpointRecovered, { data: about, personal: {} }, id);
        await endpoints.update(tx, team, id, { alarmedAt: null, recoveredEventAt: now });
        return;
      }
      const reason = inEvent(await lastReason(tx, team, id));
      raise(tx, team, endpointFailing, { data: { ...about, reason }, personal: {} }, id);
      await endpoints.update(tx, team, id, { alarmedAt: now, failingEventAt: now });
    },
    { group: tenantId },
  );
};

/** Warns about one endpoint or pauses it, unless another process has done so. */
const moveOn = async (
  platform: Platform,
  { tenantId, id }: EndpointId,
  { pausing, warning, raisedBefore }: SilenceTimes,
): Promise<'warned' | 'paused' | undefined> => {
  const acting = await actIn(platform, { kind: 'service' }, tenantId);
  return platform.database.transaction(
    async (tx) => {
      const team = await lockTeamShared(tx, acting);
      lockRow(tx, 'webhook_endpoint', { tenantId, id });
      const silent = await endpoints.getSilent(tx, team, id, { pausing, warning });
      if (!silent) return undefined;
      const { url, status, failingSince: since, warnedAt, pausedEventAt } = silent;
      assert(status === 'active' && since !== null, `the endpoint ${id} is not active, or does not fail`);
      const kind = since <= pausing ? 'paused' : 'warned';
      assert(kind === 'paused' || warnedAt === null, `the team was warned about the endpoint ${id} before`);
      const now = platform.clock.now();
      const reason = await lastReason(tx, team, id);
      if (kind === 'warned') await endpoints.update(tx, team, id, { warnedAt: now });
      else {
        const isRaised = pausedEventAt === null || pausedEventAt <= raisedBefore;
        const data = { endpoint_id: id, since: since.toISOString(), reason: inEvent(reason) };
        if (isRaised) raise(tx, team, endpointPaused, { data, personal: {} }, id);
        const alarm = { alarmedAt: now, ...(isRaised && { pausedEventAt: now }) };
        await endpoints.update(tx, team, id, { status: 'disabled_failures', ...alarm });
      }
      record(tx, team, {
        action: `webhook_endpoint.${kind}`,
        target: { type: 'webhook_endpoint', id },
        data: { failingSince: since.toISOString() },
      });
      const pauseAt = later(since, secondsToMs(platform.deliverySchedule.pauseAfterSeconds));
      const failing = { teamName: await teamName(tx, team), url, since, pauseAt, reason };
      const link = `${platform.publicUrl}/webhooks/${id}?team=${tenantId}`;
      const admins = await adminsOf(tx, team);
      const mails = admins.map((admin) => failingMails[kind](admin, link, failing));
      await queueMails(tx, team, mails);
      return kind;
    },
    { group: tenantId },
  );
};

const atOnce = 1_000;

/** Gives up the waiting deliveries of a paused endpoint. */
const giveUpWaiting = async ({ database, clock }: Platform, { tenantId, id }: EndpointId): Promise<void> => {
  const giveUpSome = async (tx: Tx): Promise<number> => {
    lockRow(tx, 'webhook_endpoint', { tenantId, id });
    const endpoint = await endpoints.get(tx, { id: tenantId }, id);
    if (endpoint?.status !== 'disabled_failures') return 0;
    const wanted = { endpointId: id, now: clock.now(), max: atOnce, error: 'endpoint paused' };
    return waiting.giveUp(tx, { id: tenantId }, wanted);
  };
  while ((await database.transaction(giveUpSome, { group: tenantId })) > 0);
};

/** Raises the events about one endpoint, and warns about it or pauses it, if they are due. */
export const tendEndpoint = async (platform: Platform, endpoint: EndpointId): Promise<void> => {
  const times = timesOf(platform);
  await announce(platform, endpoint, times);
  await moveOn(platform, endpoint, times);
};

/**
 * Raises the events about endpoints, warns about and pauses endpoints without successful deliveries, and gives up the
 * waiting deliveries of paused ones, in these parts of the database. Returns how many endpoints it warned about and
 * paused. `complain` is called for each endpoint whose check failed with an error; the other endpoints are still
 * checked.
 */
export const tendEndpoints = async (
  platform: Platform,
  complain: (error: unknown, endpoint: EndpointId) => void,
  parts: readonly DatabasePart[] = platform.database.parts.all(),
): Promise<{ warned: number; paused: number }> => {
  const { database } = platform;
  const times = timesOf(platform);
  const done = { warned: 0, paused: 0 };
  const tend = <T>(endpoint: EndpointId, action: (...given: [Platform, EndpointId, SilenceTimes]) => Promise<T>) =>
    database
      .ofTeam(endpoint.tenantId)(() => action(platform, endpoint, times))
      .catch((error: unknown) => complain(error, endpoint));
  const tendHere = async () => {
    for (const changed of await endpoints.findChanged(database, times)) await tend(changed, announce);
    for (const silent of await endpoints.findSilent(database, times)) {
      const kind = await tend(silent, moveOn);
      if (kind) done[kind] += 1;
    }
    for (const paused of await endpoints.findPaused(database, platform.clock.now())) await tend(paused, giveUpWaiting);
  };
  await forAllTeams(parts, tendHere);
  return done;
};
