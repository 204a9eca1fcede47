import { daysToMs, later } from '../../core/clock.ts';
import type { Retirement } from '../../core/product.ts';
import type { Platform } from '../../platform/team.ts';
import { queueMails } from '../mail/service.ts';
import { adminsOf } from '../people/service.ts';
import { reports } from '../reporting/store.ts';
import { actIn, teamName } from '../teams/service.ts';
import { noticeMail } from './notice-mail.ts';
import type { UsedKey } from './notice-mail.ts';
import { notices } from './store.ts';

/** Teams are notified whose keys were used within so many days. */
const usedWithinDays = 90;

/** A version of the API whose end is announced. */
export interface RetiredVersion {
  /** As in the path: `v1`. */
  readonly version: string;
  readonly retirement: Retirement;
}

/**
 * The team's keys that use the version. A key whose requests the log still has uses it if one of them is of this version; of a key
 * whose requests are older than the log nothing more is known, so it counts.
 */
const keysThatUseIt = async ({ database, clock }: Platform, tenantId: string): Promise<UsedKey[]> => {
  const now = clock.now();
  const rows = await reports.usedKeys(database, { tenantId, now, since: later(now, -daysToMs(usedWithinDays)) });
  return rows
    .filter(({ logged, routes }) => logged === 0 || routes.length > 0)
    .map(({ name, prefix, last_used_at, routes }) => ({ name, prefix, routes, lastUsedAt: new Date(last_used_at) }));
};

/**
 * Notifies the owner and the admins of a team who were not notified yet. They are recorded in the transaction that queues their mails, so each
 * gets one mail however many workers do this at once. Anybody who gets none today, because the team has used up its mails, gets it later.
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
      const notice = { version, retirement, keys, teamName: await teamName(tx, team), publicUrl: platform.publicUrl };
      const admins = await adminsOf(tx, team);
      const sentAt = platform.clock.now();
      const added = await notices.add(
        tx,
        admins.map(({ userId }) => ({ tenantId, userId, version, sentAt })),
      );
      const unnotified = admins.filter(({ userId }) => added.has(userId));
      const mails = unnotified.map(({ email, language }) => ({
        recipient: email,
        language,
        kind: 'api_version_deprecated' as const,
        content: noticeMail(language, notice),
      }));
      const refusals = await queueMails(tx, team, mails);
      const userIds = unnotified.filter((_, index) => refusals[index] !== undefined).map(({ userId }) => userId);
      // Only rows of this transaction's own, so nothing is waited for.
      if (userIds.length > 0) await notices.takeBack(tx, { tenantId, version, userIds });
    },
    { group: tenantId },
  );
};

interface Announcing {
  /** Teams behind this id. */
  after: string;
  /** Process time (`performance.now()`) at which it ends. */
  until: number;
  /** Called with a team that could not be notified; the others are, and this one the next time. */
  complain: (error: unknown, tenantId: string) => void;
}

/** Notifies all teams that use the version. Gives the id behind which to go on where the time was not enough. */
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
