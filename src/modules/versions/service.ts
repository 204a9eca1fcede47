import { quotable } from '../../core/name-text.ts';
import { versionsPagePath, type Retirement } from '../../core/product.ts';
import { jobs, ownPriority, type Job } from '../../platform/jobs.ts';
import type { Platform } from '../../platform/team.ts';
import { actIn, teamName } from '../../platform/team-row.ts';
import { queueMails } from '../mail/service.ts';
import { mailTemplate } from '../mail/template.ts';
import { adminsOf } from '../membership/service.ts';
import { reports } from '../reporting/store.ts';
import { notices } from './store.ts';

// Mails about a version of the API that ends. They go to the owner and the admins of teams with keys.

/** A version of the API whose end is announced. */
export interface RetiredVersion {
  /** As in the path: `v1`. */
  readonly version: string;
  readonly retirement: Retirement;
}

/** The active keys of the team. A key has no routes if none of its newest requests in the log went to version 1. */
type ActiveKeys = Awaited<ReturnType<typeof reports.activeKeys>>;

interface Notice extends RetiredVersion {
  teamName: string;
  keys: ActiveKeys;
}

const maxListed = { keys: 20, routes: 12 };

/** The first elements of a list. If there are others, the text `more` ends the list with their number. */
const firstOf = (list: readonly string[], max: number, more: (count: number) => string): string[] =>
  list.length <= max ? [...list] : [...list.slice(0, max), more(list.length - max)];

/** One line for each key: the routes that it used or, if none are known, the day of its last use, if it was used. */
const linesOf = (
  keys: ActiveKeys,
  lastUsed: (at: Date | null) => string,
  more: (count: number) => string,
): string[] => {
  const lines = keys.map(({ name, prefix, lastUsedAt: at, routes }) => {
    const use =
      routes.length === 0
        ? lastUsed(at === null ? null : new Date(at))
        : firstOf(routes, maxListed.routes, more).join(', ');
    return `${quotable(name)} (svck_live_${prefix}…): ${use}`;
  });
  return firstOf(lines, maxListed.keys, more);
};

const noticeMail = mailTemplate<Notice>('api_version_deprecated', {
  de: ({ version, retirement: { deprecatedAt, sunsetAt }, teamName: name, keys }, { day }) => ({
    lead: `Die Version ${version} der Team Customer API gilt ab dem ${day(deprecatedAt, 'UTC')} als veraltet${sunsetAt ? ` und antwortet ab dem ${day(sunsetAt, 'UTC')} möglicherweise nicht mehr` : ''}. Das Team „${quotable(name)}“ hat die folgenden aktiven API-Schlüssel. Bitte stellen Sie die Anwendungen, die diese Version nutzen, rechtzeitig auf die neue Version um.`,
    list: linesOf(
      keys,
      (at) => (at ? `zuletzt verwendet am ${day(at, 'UTC')}` : 'noch nicht verwendet'),
      (count) => `und ${count} weitere`,
    ),
    action: 'Informationen zur Umstellung',
    ending:
      'API-Schlüssel und Limits bleiben unverändert. Alle Anfragen eines API-Schlüssels finden Sie in der App unter „Anfragen“.',
  }),
  en: ({ version, retirement: { deprecatedAt, sunsetAt }, teamName: name, keys }, { day }) => ({
    lead: `Version ${version} of the Team Customer API is deprecated as of ${day(deprecatedAt, 'UTC')}${sunsetAt ? ` and may stop answering on ${day(sunsetAt, 'UTC')}` : ''}. The team “${quotable(name)}” has the active API keys below. Please move the applications that use this version to the new version in time.`,
    list: linesOf(
      keys,
      (at) => (at ? `last used on ${day(at, 'UTC')}` : 'not used yet'),
      (count) => `and ${count} more`,
    ),
    action: 'How to move to the new version',
    ending: 'API keys and limits stay the same. All requests of an API key are listed in the app under “Request log”.',
  }),
});

/**
 * Notifies the owner and the admins who were not notified yet. The transaction that queues their mails also records
 * them, so each gets one mail even if several workers do this at once. If the team has used up its mails of the day,
 * the remaining people are notified later.
 */
export const notifyTeam = async (
  platform: Platform,
  { version, retirement }: RetiredVersion,
  tenantId: string,
): Promise<void> => {
  const keys = await reports.activeKeys(platform.database, { tenantId, now: platform.clock.now() });
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
      // These rows belong to this transaction, so the statement waits for no lock.
      if (userIds.length > 0) await notices.takeBack(tx, { tenantId, version, userIds });
    },
    { group: tenantId },
  );
};

/** The job that notifies a team. */
const noticeJob = (tenantId: string): Job => ({
  task: 'notify_of_retirement',
  payload: { tenantId },
  key: `notify_of_retirement ${tenantId}`,
  priority: ownPriority,
});

/** Adds the job of each team with an active key and an owner or admin who was not notified. */
export const announceRetirement = async ({ database, clock }: Platform, { version }: RetiredVersion): Promise<void> =>
  jobs.add(database, ...(await reports.teamsToNotify(database, { version, now: clock.now() })).map(noticeJob));
