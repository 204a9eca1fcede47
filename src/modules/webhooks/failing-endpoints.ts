import { later, secondsToMs } from '../../core/clock.ts';
import type { Texts } from '../../core/language.ts';
import { defanged, quotable } from '../../core/name-text.ts';
import type { Tx } from '../../db/database.ts';
import { lockRow } from '../../db/lock-row.ts';
import type { Platform } from '../../platform/team.ts';
import { actIn, teamName } from '../../platform/team-row.ts';
import { record } from '../audit/service.ts';
import { queueMails } from '../mail/service.ts';
import { mailTemplate } from '../mail/template.ts';
import { adminsOf } from '../membership/service.ts';
import { deliveries, waiting } from './delivery-store.ts';
import { endpoints } from './store.ts';

interface Silence {
  teamName: string;
  url: string;
  /** The first failed attempt since the last success. */
  since: Date;
  /** When the endpoint is paused, if no delivery succeeds until then. */
  pauseAt: Date;
  /** The error of the newest failed attempt, if there is one. */
  reason: Texts | null;
}

const hostOf = (url: string): string => defanged(new URL(url).host);

/** Receivers can put text into the reason, for instance with the names in their certificates. */
const reasonCharacters = 200;

/** The last failed attempt, as the end of a paragraph. */
const lastAttempt = (label: string, reason: string | undefined): string =>
  reason === undefined ? '' : `${label}: ${quotable(reason, reasonCharacters)}`;

const failingMails = {
  warned: mailTemplate<Silence>('webhook_endpoint_warned', {
    de: ({ teamName: name, url, since, pauseAt, reason }, { time }) => ({
      lead: `Im Team „${quotable(name)}“ ist seit dem ${time(since, { withZone: true })} keine Zustellung an ${hostOf(url)} gelungen. ${lastAttempt('Letzter Versuch', reason?.de)}`,
      action: 'Zustellungen ansehen',
      ending: `Ohne erfolgreiche Zustellung bis zum ${time(pauseAt, { withZone: true })} wird der Endpunkt pausiert. Neue Ereignisse werden dann nicht mehr gesendet.`,
    }),
    en: ({ teamName: name, url, since, pauseAt, reason }, { time }) => ({
      lead: `In the team “${quotable(name)}” no delivery to ${hostOf(url)} has succeeded since ${time(since, { withZone: true })}. ${lastAttempt('Last attempt', reason?.en)}`,
      action: 'View deliveries',
      ending: `Without a successful delivery by ${time(pauseAt, { withZone: true })}, the endpoint will be paused. New events are then no longer sent.`,
    }),
  }),
  paused: mailTemplate<Silence>('webhook_endpoint_paused', {
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

// How the service handles an active endpoint without successful deliveries. The time counts from the first failed attempt after the last
// success, creation or reactivation.
//
//   quiet ──first failure──▶ failing ──half the time──▶ warned ──all of it──▶ paused (`disabled_failures`)
//     ▲                         │                         │                      │
//     └────────a success────────┴─────────────────────────┘                      │
//     └────────────────────────reactivated by the team───────────────────────────┘
//
// Each change is made once, even if several processes check at the same time, and the mails to the admins are queued in the same
// transaction.

type Failed = NonNullable<Awaited<ReturnType<typeof deliveries.lastFailure>>>;

const reasonOf = ({ error, errorDe, responseCode }: Failed): Texts | null => {
  const reason = error ?? (responseCode === null ? null : `HTTP ${responseCode}`);
  return reason === null ? null : { de: errorDe ?? reason, en: reason };
};

export type EndpointId = { tenantId: string; id: string };

/** Warns about one endpoint or pauses it, unless another process has done so. */
const moveOn = async (
  platform: Platform,
  { tenantId, id }: EndpointId,
  { pausing, warning }: { pausing: Date; warning: Date },
): Promise<'warned' | 'paused' | undefined> => {
  const team = await actIn(platform, { kind: 'service' }, tenantId);
  return platform.database.transaction(
    async (tx) => {
      lockRow(tx, 'webhook_endpoint', { tenantId, id });
      const silent = await endpoints.getSilent(tx, team, id, { pausing, warning });
      if (!silent?.failingSince) return undefined;
      const { url, failingSince: since } = silent;
      const kind = since <= pausing ? 'paused' : 'warned';
      const data = kind === 'paused' ? { status: 'disabled_failures' as const } : { warnedAt: platform.clock.now() };
      await endpoints.update(tx, team, id, data);
      record(tx, team, {
        action: `webhook_endpoint.${kind}`,
        target: { type: 'webhook_endpoint', id },
        data: { failingSince: since.toISOString() },
      });
      const last = await deliveries.lastFailure(tx, team, id);
      const reason = last ? reasonOf(last) : null;
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

/** Gives up what waits for a paused endpoint. */
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

/**
 * Warns about and pauses endpoints without successful deliveries, and gives up the waiting deliveries of paused ones. Returns how many.
 * `complain` is called for each endpoint whose check failed with an error; the other endpoints are still checked.
 */
export const tendEndpoints = async (
  platform: Platform,
  complain: (error: unknown, endpoint: EndpointId) => void,
): Promise<{ warned: number; paused: number }> => {
  const now = platform.clock.now();
  const pauseAfterMs = secondsToMs(platform.deliverySchedule.pauseAfterSeconds);
  const pausing = later(now, -pauseAfterMs);
  const warning = later(now, -pauseAfterMs / 2);
  const done = { warned: 0, paused: 0 };
  for (const silent of await endpoints.findSilent(platform.database, { pausing, warning })) {
    const moving = moveOn(platform, silent, { pausing, warning });
    const kind = await moving.catch((error: unknown) => complain(error, silent));
    if (kind) done[kind] += 1;
  }
  for (const paused of await endpoints.findPaused(platform.database, now)) {
    await giveUpWaiting(platform, paused).catch((error: unknown) => complain(error, paused));
  }
  return done;
};
