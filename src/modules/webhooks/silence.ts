import { later, seconds } from '../../core/clock.ts';
import type { Language } from '../../core/language.ts';
import { defanged, quotable } from '../../core/name-text.ts';
import { runIn } from '../../db/database.ts';
import type { Tx } from '../../db/database.ts';
import { bigint, query, text, time, uuid } from '../../db/query.ts';
import type { RowOf } from '../../db/query.ts';
import type { Platform } from '../../platform/platform.ts';
import type { Team } from '../../platform/team.ts';
import { record } from '../audit/service.ts';
import { letter, queueMails } from '../mail/service.ts';
import type { MailContent } from '../mail/service.ts';
import { adminsOf } from '../people/service.ts';
import { actIn, teamName } from '../teams/service.ts';

interface Silence {
  teamName: string;
  url: string;
  /** The first failed attempt since the last success. */
  since: Date;
  /** When it will be paused, if nothing succeeds until then. */
  pauseAt: Date;
  /** What the newest attempt said, if anything. */
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

/** Receivers have a say in the reason: names in their certificates, for instance. */
const reasonCharacters = 200;

/** The mail to an admin about an endpoint that nothing reaches. */
export const silenceMail = (
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

/**
 * What the service does about an active endpoint that nothing reaches. The clock runs from the first failed attempt after the
 * last success, creation or reactivation.
 *
 *   quiet ──first failure──▶ failing ──half the time──▶ warned ──all of it──▶ paused (`disabled_failures`)
 *     ▲                         │                         │                      │
 *     └────────a success────────┴─────────────────────────┘                      │
 *     └────────────────────────reactivated by the team───────────────────────────┘
 *
 * Each move is made once, even if several processes look at the same time, and the admins' mails are queued with it.
 */
type Silent = { tenantId: string; id: string };

const findSilent = query({
  name: 'webhooks.findSilent',
  why: 'is written for a partial index, whose condition it has to repeat',
  sql: `select tenant_id as "tenantId", id
          from webhook_endpoint
         where status = 'active' and failing_since is not null
           and (failing_since <= :pausing or (failing_since <= :warning and warned_at is null))
         order by failing_since
         limit 100`,
  parameters: { pausing: time, warning: time },
  row: { tenantId: uuid, id: uuid },
});

const lockSilent = query({
  name: 'webhooks.lockSilent',
  why: 'Prisma has no row locks',
  sql: `select url, failing_since as "failingSince"
          from webhook_endpoint
         where tenant_id = :tenantId and id = :id and status = 'active'
           and (failing_since <= :pausing or (failing_since <= :warning and warned_at is null))
           for no key update skip locked`,
  parameters: { tenantId: uuid, id: uuid, pausing: time, warning: time },
  row: { url: text, failingSince: time.checked },
});

type LockedSilent = RowOf<(typeof lockSilent)['row']>;

interface Report {
  kind: 'warned' | 'paused';
  id: string;
  silent: LockedSilent;
  pauseAt: Date;
}

const tellAdmins = async (tx: Tx, team: Team, { kind, id, silent, pauseAt }: Report): Promise<void> => {
  const name = await teamName(tx, team);
  const last = await tx.webhookDelivery.findFirst({
    where: { tenantId: team.id, endpointId: id, status: { in: ['failed', 'gave_up'] } },
    select: { error: true, responseCode: true },
    orderBy: { id: 'desc' },
  });
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

/** Warns about or pauses one endpoint, if that is still to be done and no other process is doing it. */
const moveOn = async (
  platform: Platform,
  { tenantId, id }: Silent,
  { pausing, warning, pauseAfter }: { pausing: Date; warning: Date; pauseAfter: number },
): Promise<'warned' | 'paused' | undefined> => {
  const team = await actIn(platform, { kind: 'service' }, tenantId);
  return platform.database.transaction(
    async (tx) => {
      const [silent] = await runIn(tx, lockSilent, { tenantId, id, pausing, warning });
      if (!silent) return undefined;
      const since = new Date(silent.failingSince);
      const kind = since <= pausing ? 'paused' : 'warned';
      const data = kind === 'paused' ? { status: 'disabled_failures' as const } : { warnedAt: platform.clock.now() };
      await tx.webhookEndpoint.update({ where: { tenantId_id: { tenantId, id } }, data });
      await record(tx, team, {
        action: `webhook_endpoint.${kind}`,
        target: { type: 'webhook_endpoint', id },
        data: { failing_since: silent.failingSince },
      });
      await tellAdmins(tx, team, { kind, id, silent, pauseAt: later(since, seconds(pauseAfter)) });
      return kind;
    },
    { group: tenantId },
  );
};

const findPaused = query({
  name: 'webhooks.findPaused',
  why: 'looks whether anything waits: no relation says so',
  sql: `select e.tenant_id as "tenantId", e.id
          from webhook_endpoint e
         where e.status = 'disabled_failures'
           and exists (select from webhook_waiting w
                        where w.tenant_id = e.tenant_id and w.endpoint_id = e.id and not w.by_hand
                          and (w.claim_id is null or w.due_at <= :now))
         limit 100`,
  parameters: { now: time },
  row: { tenantId: uuid, id: uuid },
});

/** Deliveries that are being sent are left to their lane; pings and retries by hand are left, too. */
const giveUp = query({
  name: 'webhooks.giveUp',
  why: 'takes a bounded number of rows, locked, and writes two tables in one statement',
  sql: `with paused as materialized (
          select tenant_id, id from webhook_endpoint
           where tenant_id = :tenantId and id = :id and status = 'disabled_failures' for no key update),
        chosen as materialized (
          select w.tenant_id, w.endpoint_id, w.delivery_id
            from paused
            join webhook_waiting w on w.tenant_id = paused.tenant_id and w.endpoint_id = paused.id
           where (w.claim_id is null or w.due_at <= :now) and not w.by_hand
           limit :most
             for update of w),
        gone as (
          delete from webhook_waiting w using chosen where w.tenant_id = chosen.tenant_id and w.delivery_id = chosen.delivery_id)
        update webhook_delivery d set status = 'gave_up', next_try_at = null, error = 'endpoint paused'
          from chosen
         where d.tenant_id = chosen.tenant_id and d.endpoint_id = chosen.endpoint_id and d.id = chosen.delivery_id
        returning d.id`,
  parameters: { tenantId: uuid, id: uuid, now: time, most: bigint },
  row: { id: uuid },
});

const atOnce = 2_000;

const giveUpWaiting = async ({ database, clock }: Platform, { tenantId, id }: Silent): Promise<void> => {
  let given: number;
  do given = (await database.run(giveUp, { tenantId, id, now: clock.now(), most: atOnce })).length;
  while (given === atOnce);
};

const deleteOrphans = query({
  name: 'webhooks.deleteOrphans',
  why: 'looks at each lane once, with a recursive query',
  sql: `with recursive lane as (
          (select tenant_id, endpoint_id from webhook_waiting order by tenant_id, endpoint_id limit 1)
          union all
          select further.*
            from lane
           cross join lateral (
             select w.tenant_id, w.endpoint_id from webhook_waiting w
              where (w.tenant_id, w.endpoint_id) > (lane.tenant_id, lane.endpoint_id)
              order by w.tenant_id, w.endpoint_id
              limit 1) as further)
        delete from webhook_waiting w
         using lane
         where w.tenant_id = lane.tenant_id and w.endpoint_id = lane.endpoint_id
           and not exists (select from webhook_endpoint e where e.tenant_id = lane.tenant_id and e.id = lane.endpoint_id)`,
  parameters: {},
  row: {},
});

interface Tending {
  /** In seconds. */
  pauseAfter: number;
  /** Called with an endpoint that could not be looked after; the others are. */
  complain: (error: unknown, endpointId: string) => void;
}

/** Looks after endpoints that nothing reaches; gives what was done. */
export const tendEndpoints = async (
  platform: Platform,
  { pauseAfter, complain }: Tending,
): Promise<{ warned: number; paused: number }> => {
  const now = platform.clock.now();
  const pausing = later(now, -seconds(pauseAfter));
  const warning = later(now, -seconds(pauseAfter) / 2);
  const done = { warned: 0, paused: 0 };
  for (const silent of await platform.database.run(findSilent, { pausing, warning })) {
    const moving = moveOn(platform, silent, { pausing, warning, pauseAfter });
    const kind = await moving.catch((error: unknown) => complain(error, silent.id));
    if (kind) done[kind] += 1;
  }
  for (const paused of await platform.database.run(findPaused, { now })) {
    await giveUpWaiting(platform, paused).catch((error: unknown) => complain(error, paused.id));
  }
  return done;
};

/** Drops what waits for endpoints that were deleted while an event was being raised for them. It looks at every lane, so it runs seldom. */
export const dropOrphans = async ({ database }: Platform): Promise<void> => {
  await database.run(deleteOrphans, {});
};
