import { daysToMs, later } from '../../core/clock.ts';
import { quotable } from '../../core/name-text.ts';
import { versionsPagePath } from '../../core/product.ts';
import type { Retirement } from '../../core/product.ts';
import type { Platform } from '../../platform/team.ts';
import { mailTemplate, queueMails } from '../mail/service.ts';
import { adminsOf } from '../members/membership.ts';
import { reports } from '../reporting/store.ts';
import { actIn, teamName } from '../teams/service.ts';
import { notices } from './store.ts';

// Mails to the owner and the admins of teams whose keys use a version of the API that ends.

/** A team is notified if one of its keys was used within these days. */
const usedWithinDays = 90;

/** A version of the API whose end is announced. */
export interface RetiredVersion {
  /** As in the path: `v1`. */
  readonly version: string;
  readonly retirement: Retirement;
}

/** A key of the team that was used recently. */
interface UsedKey {
  name: string;
  prefix: string;
  lastUsedAt: Date;
  /** Methods and routes; empty if the log has no request of the key any more. */
  routes: readonly string[];
}

interface Notice extends RetiredVersion {
  teamName: string;
  keys: readonly UsedKey[];
}

const maxListed = { keys: 20, routes: 12 };

/** The first elements of a list, and `more` with the number of the others. */
const firstOf = (list: readonly string[], most: number, more: (count: number) => string): string[] =>
  list.length <= most ? [...list] : [...list.slice(0, most), more(list.length - most)];

/** One line for each key: the routes that it used, or else the day of its last use. */
const linesOf = (
  keys: readonly UsedKey[],
  lastUsed: (at: Date) => string,
  more: (count: number) => string,
): string[] => {
  const lines = keys.map(({ name, prefix, lastUsedAt, routes }) => {
    const use = routes.length === 0 ? lastUsed(lastUsedAt) : firstOf(routes, maxListed.routes, more).join(', ');
    return `${quotable(name)} (svck_live_${prefix}…): ${use}`;
  });
  return firstOf(lines, maxListed.keys, more);
};

const noticeMail = mailTemplate<Notice>('api_version_deprecated', {
  de: ({ version, retirement: { deprecatedAt, sunsetAt }, teamName: name, keys }, { day }) => ({
    lead: `Die Version ${version} der Team Customer API gilt ab dem ${day(deprecatedAt, 'UTC')} als veraltet${sunsetAt ? ` und antwortet ab dem ${day(sunsetAt, 'UTC')} möglicherweise nicht mehr` : ''}. Das Team „${quotable(name)}“ nutzt sie mit den folgenden API-Schlüsseln. Bitte stellen Sie die zugehörigen Anwendungen rechtzeitig auf die neue Version um.`,
    list: linesOf(
      keys,
      (at) => `zuletzt verwendet am ${day(at, 'UTC')}`,
      (count) => `und ${count} weitere`,
    ),
    action: 'Informationen zur Umstellung',
    ending:
      'API-Schlüssel und Limits bleiben unverändert. Alle Anfragen eines API-Schlüssels finden Sie in der App unter „Anfragen“.',
  }),
  en: ({ version, retirement: { deprecatedAt, sunsetAt }, teamName: name, keys }, { day }) => ({
    lead: `Version ${version} of the Team Customer API is deprecated as of ${day(deprecatedAt, 'UTC')}${sunsetAt ? ` and may stop answering on ${day(sunsetAt, 'UTC')}` : ''}. The team “${quotable(name)}” uses it with the API keys below. Please move the applications that use them to the new version in time.`,
    list: linesOf(
      keys,
      (at) => `last used on ${day(at, 'UTC')}`,
      (count) => `and ${count} more`,
    ),
    action: 'How to move to the new version',
    ending: 'API keys and limits stay the same. All requests of an API key are listed in the app under “Request log”.',
  }),
});

/**
 * The team's keys that use the version. If the log has requests of a key, one of them must be of this version. A key whose requests are
 * older than the log counts, because nothing else is known about it.
 */
const keysThatUseIt = async ({ database, clock }: Platform, tenantId: string): Promise<UsedKey[]> => {
  const now = clock.now();
  const rows = await reports.usedKeys(database, { tenantId, now, since: later(now, -daysToMs(usedWithinDays)) });
  return rows
    .filter(({ logged, routes }) => logged === 0 || routes.length > 0)
    .map(({ name, prefix, last_used_at, routes }) => ({ name, prefix, routes, lastUsedAt: new Date(last_used_at) }));
};

/**
 * Notifies the owner and the admins who were not notified yet. They are recorded in the transaction that queues their mails, so each gets one
 * mail even if several workers do this at once. If the team has used up its mails of the day, the others are notified later.
 */
const notifyTeam = async (
  platform: Platform,
  { version, retirement }: RetiredVersion,
  tenantId: string,
): Promise<void> => {
  const keys = await keysThatUseIt(platform, tenantId);
  if (keys.length === 0) return;
  const team = await actIn(platform, { kind: 'service' }, tenantId);
  await platform.database.transaction(
    async (tx) => {
      const notice = { version, retirement, keys, teamName: await teamName(tx, team) };
      const link = retirement.successorUrl ?? `${platform.publicUrl}${versionsPagePath}`;
      const admins = await adminsOf(tx, team);
      const sentAt = platform.clock.now();
      const added = await notices.add(
        tx,
        admins.map(({ userId }) => ({ tenantId, userId, version, sentAt })),
      );
      const unnotified = admins.filter(({ userId }) => added.has(userId));
      const mails = unnotified.map((admin) => noticeMail(admin, link, notice));
      const refusals = await queueMails(tx, team, mails);
      const userIds = unnotified.filter((_, index) => refusals[index] !== undefined).map(({ userId }) => userId);
      // These are rows of this transaction, so the statement waits for no lock.
      if (userIds.length > 0) await notices.takeBack(tx, { tenantId, version, userIds });
    },
    { group: tenantId },
  );
};

interface Announcing {
  /** Only teams with a greater id. */
  after: string;
  /** The time (`performance.now()`) at which to stop. */
  until: number;
  /** Called with a team that could not be notified. It is tried again the next time. */
  complain: (error: unknown, tenantId: string) => void;
}

/** Notifies all teams that use the version. If the time was not enough, it returns the id after which to continue. */
export const announceRetirement = async (
  platform: Platform,
  retired: RetiredVersion,
  { after, until, complain }: Announcing,
): Promise<string | undefined> => {
  const { database, clock } = platform;
  let last = after;
  for (;;) {
    const now = clock.now();
    const since = later(now, -daysToMs(usedWithinDays));
    const ids = await reports.teamsToNotify(database, { version: retired.version, after: last, now, since });
    if (ids.length === 0) return undefined;
    for (const id of ids) {
      if (performance.now() >= until) return last;
      await notifyTeam(platform, retired, id).catch((error: unknown) => complain(error, id));
      last = id;
    }
  }
};
