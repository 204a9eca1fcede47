import { later, secondsToMs } from '../../core/clock.ts';
import type { Language } from '../../core/language.ts';
import { defanged, quotable } from '../../core/name-text.ts';
import type { Tx } from '../../db/database.ts';
import type { Platform, Team } from '../../platform/team.ts';
import { record } from '../audit/service.ts';
import { letter, queueMails } from '../mail/service.ts';
import type { MailContent } from '../mail/service.ts';
import { adminsOf } from '../people/service.ts';
import { actIn, teamName } from '../teams/service.ts';
import { deliveries, waiting } from './delivery-store.ts';
import { endpoints } from './store.ts';
import type { SilentRow } from './store.ts';

interface Silence {
  teamName: string;
  url: string;
  /** The first failed attempt since the last success. */
  since: Date;
  /** When it will be paused, if nothing succeeds until then. */
  pauseAt: Date;
  /** The error of the newest failed attempt, if there is one. */
  reason: string | null;
  link: string;
}

type Kind = 'warned' | 'paused';
type Words = { teamName: string; host: string; since: string; pauseAt: string; reason: string };
type Parts = Record<'lead' | 'action' | 'ending', string>;

const texts: Readonly<Record<Language, Record<Kind, (words: Words) => Parts>>> = {
  de: {
    warned: ({ teamName, host, since, pauseAt, reason }) => ({
      lead: `Im Team „${teamName}“ ist seit dem ${since} keine Zustellung an ${host} gelungen. ${reason}`,
      action: 'Zustellungen ansehen',
      ending: `Gelingt bis zum ${pauseAt} keine, wird der Endpunkt pausiert: Ereignisse werden ihm dann nicht mehr zugestellt.`,
    }),
    paused: ({ teamName, host, since, reason }) => ({
      lead: `Im Team „${teamName}“ ist seit dem ${since} keine Zustellung an ${host} gelungen, deshalb ist der Endpunkt jetzt pausiert. ${reason}`,
      action: 'Endpunkt prüfen und wieder aktivieren',
      ending:
        'Was bis dahin geschieht, wird ihm nicht zugestellt. Nach der Reaktivierung können Sie verpasste Ereignisse nachholen.',
    }),
  },
  en: {
    warned: ({ teamName, host, since, pauseAt, reason }) => ({
      lead: `In the team “${teamName}” no delivery to ${host} has succeeded since ${since}. ${reason}`,
      action: 'Look at the deliveries',
      ending: `If none succeeds until ${pauseAt}, the endpoint is paused: events are no longer delivered to it.`,
    }),
    paused: ({ teamName, host, since, reason }) => ({
      lead: `In the team “${teamName}” no delivery to ${host} has succeeded since ${since}, so the endpoint is paused now. ${reason}`,
      action: 'Check the endpoint and reactivate it',
      ending:
        'What happens until then is not delivered to it. After reactivating it you can recover the events that it missed.',
    }),
  },
};

const locale: Readonly<Record<Language, string>> = { de: 'de-DE', en: 'en-GB' };

const written = { day: 'numeric', month: 'long', year: 'numeric', hour: '2-digit', minute: '2-digit' } as const;

const said: Readonly<Record<Language, (reason: string) => string>> = {
  de: (reason) => `Der letzte Versuch: ${reason}`,
  en: (reason) => `The last attempt: ${reason}`,
};

/** Receivers can put text into the reason, for instance by the names in their certificates. */
const reasonCharacters = 200;

/** The mail to an admin about an endpoint to which no delivery succeeds. */
const silenceMail = (
  language: Language,
  kind: Kind,
  { teamName, url, since, pauseAt, reason, link }: Silence,
): MailContent => {
  const time = (at: Date) =>
    at.toLocaleString(locale[language], { ...written, timeZone: 'Europe/Berlin', timeZoneName: 'short' });
  const words = {
    teamName: quotable(teamName),
    host: defanged(new URL(url).host),
    since: time(since),
    pauseAt: time(pauseAt),
    reason: reason === null ? '' : said[language](quotable(reason, reasonCharacters)),
  };
  return letter(language, { ...texts[language][kind](words), link });
};

// What the service does about an active endpoint to which no delivery succeeds. Its time counts from the first failed attempt after the
// last success, creation or reactivation.
//
//   quiet ──first failure──▶ failing ──half the time──▶ warned ──all of it──▶ paused (`disabled_failures`)
//     ▲                         │                         │                      │
//     └────────a success────────┴─────────────────────────┘                      │
//     └────────────────────────reactivated by the team───────────────────────────┘
//
// Each change is made once, even if several processes check at the same time, and the mails to the admins are queued with it.

type EndpointId = { tenantId: string; id: string };

interface Report {
  kind: 'warned' | 'paused';
  id: string;
  silent: SilentRow;
  pauseAt: Date;
}

const tellAdmins = async (tx: Tx, team: Team, { kind, id, silent, pauseAt }: Report): Promise<void> => {
  const name = await teamName(tx, team);
  const last = await deliveries.lastFailure(tx, team, id);
  const about = {
    teamName: name,
    url: silent.url,
    since: new Date(silent.failingSince),
    pauseAt,
    reason: last?.error ?? (typeof last?.responseCode === 'number' ? `HTTP ${last.responseCode}` : null),
    link: `${team.platform.publicUrl}/webhooks/${id}?team=${team.id}`,
  };
  const mails = (await adminsOf(tx, team)).map(({ email, language }) => ({
    recipient: email,
    language,
    kind: `webhook_endpoint_${kind}` as const,
    content: silenceMail(language, kind, about),
  }));
  await queueMails(tx, team, mails);
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
      await tellAdmins(tx, team, { kind, id, silent, pauseAt: later(since, secondsToMs(pauseAfter)) });
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
  /** Called for each endpoint that an error kept from being handled; the other endpoints are handled all the same. */
  complain: (error: unknown, endpointId: string) => void;
}

/** Warns about and pauses endpoints to which no delivery succeeds, and gives up what waits for paused ones. Returns how many. */
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

/** Deletes what waits for endpoints that were deleted while an event was raised for them. It reads every lane, so it must run seldom. */
export const dropOrphans = async ({ database }: Platform): Promise<void> => {
  await waiting.deleteOrphans(database);
};
