import { later, secondsToMs } from '../../core/clock.ts';
import type { Language } from '../../core/language.ts';
import { defanged, quotable } from '../../core/name-text.ts';
import { wordsFor } from '../../core/reasons.ts';
import type { Tx } from '../../db/database.ts';
import type { Platform, Team } from '../../platform/team.ts';
import { record } from '../audit/service.ts';
import { mailTemplate, queueMails } from '../mail/service.ts';
import { adminsOf } from '../members/membership.ts';
import { actIn, teamName } from '../teams/service.ts';
import { deliveries, waiting } from './delivery-store.ts';
import { endpoints } from './store.ts';
import type { SilentRow } from './store.ts';

interface Silence {
  teamName: string;
  url: string;
  /** The first failed attempt since the last success. */
  since: Date;
  /** When the endpoint is paused, if no delivery succeeds until then. */
  pauseAt: Date;
  /** The error of the newest failed attempt, if there is one. */
  reason: string | null;
}

const hostOf = (url: string): string => defanged(new URL(url).host);

/** Receivers can put text into the reason, for instance with the names in their certificates. */
const reasonCharacters = 200;

const lastAttemptLabel = { de: 'Letzter Versuch', en: 'Last attempt' } as const;

/** The last failed attempt, as the end of a paragraph. */
const lastAttempt = (language: Language, reason: string | null): string =>
  reason === null
    ? ''
    : `${lastAttemptLabel[language]}: ${quotable(wordsFor(reason)?.[language] ?? reason, reasonCharacters)}`;

const silenceMails = {
  warned: mailTemplate<Silence>('webhook_endpoint_warned', {
    de: ({ teamName: name, url, since, pauseAt, reason }, { time }) => ({
      lead: `Im Team „${quotable(name)}“ ist seit dem ${time(since, { withZone: true })} keine Zustellung an ${hostOf(url)} gelungen. ${lastAttempt('de', reason)}`,
      action: 'Zustellungen ansehen',
      ending: `Ohne erfolgreiche Zustellung bis zum ${time(pauseAt, { withZone: true })} wird der Endpunkt pausiert. Neue Ereignisse werden dann nicht mehr gesendet.`,
    }),
    en: ({ teamName: name, url, since, pauseAt, reason }, { time }) => ({
      lead: `In the team “${quotable(name)}” no delivery to ${hostOf(url)} has succeeded since ${time(since, { withZone: true })}. ${lastAttempt('en', reason)}`,
      action: 'View deliveries',
      ending: `Without a successful delivery by ${time(pauseAt, { withZone: true })}, the endpoint will be paused. New events are then no longer sent.`,
    }),
  }),
  paused: mailTemplate<Silence>('webhook_endpoint_paused', {
    de: ({ teamName: name, url, since, reason }, { time }) => ({
      lead: `Im Team „${quotable(name)}“ ist seit dem ${time(since, { withZone: true })} keine Zustellung an ${hostOf(url)} gelungen, deshalb ist der Endpunkt jetzt pausiert. ${lastAttempt('de', reason)}`,
      action: 'Endpunkt prüfen und wieder aktivieren',
      ending: 'Neue Ereignisse werden nicht gesendet. Nach dem Aktivieren können Sie verpasste Ereignisse nachholen.',
    }),
    en: ({ teamName: name, url, since, reason }, { time }) => ({
      lead: `In the team “${quotable(name)}” no delivery to ${hostOf(url)} has succeeded since ${time(since, { withZone: true })}, so the endpoint is paused now. ${lastAttempt('en', reason)}`,
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

type EndpointId = { tenantId: string; id: string };

interface Report {
  kind: 'warned' | 'paused';
  id: string;
  silent: SilentRow;
  pauseAt: Date;
}

const mailAdmins = async (tx: Tx, team: Team, { kind, id, silent, pauseAt }: Report): Promise<void> => {
  const last = await deliveries.lastFailure(tx, team, id);
  const silence = {
    teamName: await teamName(tx, team),
    url: silent.url,
    since: new Date(silent.failingSince),
    pauseAt,
    reason: last?.error ?? (typeof last?.responseCode === 'number' ? `HTTP ${last.responseCode}` : null),
  };
  const link = `${team.platform.publicUrl}/webhooks/${id}?team=${team.id}`;
  const admins = await adminsOf(tx, team);
  await queueMails(
    tx,
    team,
    admins.map((admin) => silenceMails[kind](admin, link, silence)),
  );
};

/** Warns about one endpoint or pauses it, unless another process has done so or is doing it. */
const moveOn = async (
  platform: Platform,
  { tenantId, id }: EndpointId,
  { pausing, warning, pauseAfter }: { pausing: Date; warning: Date; pauseAfter: number },
): Promise<'warned' | 'paused' | undefined> => {
  const team = await actIn(platform, { kind: 'service' }, tenantId);
  return platform.database.transaction(
    async (tx) => {
      const silent = await endpoints.lockSilent(tx, team, id, { pausing, warning });
      if (!silent) return undefined;
      const since = new Date(silent.failingSince);
      const kind = since <= pausing ? 'paused' : 'warned';
      const data = kind === 'paused' ? { status: 'disabled_failures' as const } : { warnedAt: platform.clock.now() };
      await endpoints.update(tx, team, id, data);
      await record(tx, team, {
        action: `webhook_endpoint.${kind}`,
        target: { type: 'webhook_endpoint', id },
        data: { failing_since: silent.failingSince },
      });
      await mailAdmins(tx, team, { kind, id, silent, pauseAt: later(since, secondsToMs(pauseAfter)) });
      return kind;
    },
    { group: tenantId },
  );
};

const atOnce = 2_000;

const giveUpWaiting = async ({ database, clock }: Platform, { tenantId, id }: EndpointId): Promise<void> => {
  let given: number;
  do {
    const rows = await waiting.giveUpPaused(database, { tenantId, endpointId: id }, { now: clock.now(), most: atOnce });
    given = rows.length;
  } while (given === atOnce);
};

interface Tending {
  /** In seconds. */
  pauseAfter: number;
  /** Called for each endpoint whose check failed with an error; the other endpoints are still checked. */
  complain: (error: unknown, endpointId: string) => void;
}

/** Warns about and pauses endpoints without successful deliveries, and gives up the waiting deliveries of paused ones. Returns how many. */
export const tendEndpoints = async (
  platform: Platform,
  { pauseAfter, complain }: Tending,
): Promise<{ warned: number; paused: number }> => {
  const now = platform.clock.now();
  const pausing = later(now, -secondsToMs(pauseAfter));
  const warning = later(now, -secondsToMs(pauseAfter) / 2);
  const done = { warned: 0, paused: 0 };
  for (const silent of await endpoints.findSilent(platform.database, { pausing, warning })) {
    const moving = moveOn(platform, silent, { pausing, warning, pauseAfter });
    const kind = await moving.catch((error: unknown) => complain(error, silent.id));
    if (kind) done[kind] += 1;
  }
  for (const paused of await endpoints.findPaused(platform.database, now)) {
    await giveUpWaiting(platform, paused).catch((error: unknown) => complain(error, paused.id));
  }
  return done;
};

/**
 * Deletes the waiting rows of endpoints that were deleted while an event was raised for them. It looks at every endpoint with waiting rows, so it must run rarely.
 */
export const dropOrphans = async ({ database }: Platform): Promise<void> => {
  await waiting.deleteOrphans(database);
};
