import { daysToMs, later } from '../../core/clock.ts';
import { limits } from '../../core/limits.ts';
import { quotable } from '../../core/name-text.ts';
import type { Tx } from '../../db/database.ts';
import type { Platform, Team } from '../../platform/team.ts';
import { actIn, teamName } from '../../platform/team-row.ts';
import { queueMails } from '../mail/service.ts';
import { mailTemplate } from '../mail/template.ts';
import { adminsOf } from '../membership/service.ts';
import { reports } from '../reporting/store.ts';
import { keys } from './store.ts';

// Mails about keys that expire soon: to the owner, the admins and the key's creator, 14 and 3 days before the expiry.
// Each of the two mails names a key only once, because the transaction that queues the mails also notes in the key that
// it is sent. If a key has 3 days left or fewer when it is found, only the second mail is sent. Keys that were revoked
// or replaced are left out, and keys of a team that can't use the API wait until it can again.

type ExpiringKey = Awaited<ReturnType<typeof keys.noteExpiring>>[number];

/** The most keys that one mail lists. */
const maxListedKeys = 10;

/**
 * The keys in the order in which they expire, each written by `describe`. `more` writes the number of keys beyond those
 * that a mail lists.
 */
const listOf = (
  expiring: readonly ExpiringKey[],
  describe: (key: { name: string; shown: string; expiresAt: Date }) => string,
  more: (count: number) => string,
): string => {
  const timeOf = ({ expiresAt }: ExpiringKey) => expiresAt?.getTime() ?? 0;
  const inOrder = expiring.toSorted((one, other) => timeOf(one) - timeOf(other));
  const listed = inOrder
    .slice(0, maxListedKeys)
    .map((key) =>
      describe({ name: quotable(key.name), shown: `svck_live_${key.prefix}…`, expiresAt: new Date(timeOf(key)) }),
    );
  const others = inOrder.length - listed.length;
  return [...listed, ...(others > 0 ? [more(others)] : [])].join('; ');
};

const expiryMail = mailTemplate<{ teamName: string; expiring: readonly ExpiringKey[] }>('keys_expiring', {
  de: ({ teamName: name, expiring }, { time }) => {
    const list = listOf(
      expiring,
      (key) => `„${key.name}“ (${key.shown}) am ${time(key.expiresAt)}`,
      (count) => `und ${count} weitere`,
    );
    const subject = expiring.length === 1 ? 'Ein API-Schlüssel' : `${expiring.length} API-Schlüssel`;
    return {
      lead: `${subject} des Teams „${quotable(name)}“ ${expiring.length === 1 ? 'läuft' : 'laufen'} bald ab: ${list}.`,
      action: 'API-Schlüssel ansehen',
      ending:
        'Nach dem Ablauf werden Anfragen mit dem Schlüssel abgelehnt. Legen Sie rechtzeitig einen neuen an und stellen Sie Ihre Anwendungen um.',
    };
  },
  en: ({ teamName: name, expiring }, { time }) => {
    const list = listOf(
      expiring,
      (key) => `“${key.name}” (${key.shown}) on ${time(key.expiresAt)}`,
      (count) => `and ${count} more`,
    );
    const subject = expiring.length === 1 ? 'An API key' : `${expiring.length} API keys`;
    return {
      lead: `${subject} of the team “${quotable(name)}” ${expiring.length === 1 ? 'expires' : 'expire'} soon: ${list}.`,
      action: 'View API keys',
      ending:
        'After that, requests with the key are rejected. Create a new key in time and switch your applications to it.',
    };
  },
});

/**
 * The recipients with their keys: all keys for the owner and the admins, their own keys for creators who are still
 * members.
 */
const readersOf = async (tx: Tx, team: Team, expiring: readonly ExpiringKey[]) => {
  const readers = new Map(
    (await adminsOf(tx, team)).map(({ email, language }) => [email, { email, language, expiring: [...expiring] }]),
  );
  const creators = [...new Set(expiring.map(({ createdBy }) => createdBy))];
  for (const { id, email, language } of await reports.readersOf(tx, team.id, creators)) {
    if (readers.has(email)) continue;
    readers.set(email, { email, language, expiring: expiring.filter(({ createdBy }) => createdBy === id) });
  }
  return [...readers.values()];
};

/**
 * Thrown to roll the transaction back, so that the keys are due again in the next run: the team has used up its mails
 * of the day, or every recipient has got too many mails. If only some recipients have got too many, the others still
 * get the mail.
 */
class WarningPostponed extends Error {}

const warnTeam = (platform: Platform, team: Team, now: Date): Promise<void> =>
  platform.database.transaction(
    async (tx) => {
      const expiring = await keys.noteExpiring(tx, team, noticeTimes(now));
      if (expiring.length === 0) return;
      const name = await teamName(tx, team);
      const link = `${platform.publicUrl}/keys?team=${team.id}`;
      const mails = (await readersOf(tx, team, expiring)).map((reader) =>
        expiryMail(reader, link, { teamName: name, expiring: reader.expiring }),
      );
      const refusals = await queueMails(tx, team, mails);
      if (refusals.some((refusal) => refusal?.limit === 'team') || !refusals.includes(undefined))
        throw new WarningPostponed();
    },
    { group: team.id },
  );

const { first, second } = limits.keyExpiryNoticeDays;

const noticeTimes = (now: Date) => ({ now, first: later(now, daysToMs(first)), second: later(now, daysToMs(second)) });

/**
 * Sends the mails that are due, team by team. If it fails for a team, `complain` is called with the error and the team.
 * The next run tries this team again.
 */
export const warnOfExpiringKeys = async (
  platform: Platform,
  complain: (error: unknown, tenantId: string) => void,
): Promise<void> => {
  const now = platform.clock.now();
  for (const { tenantId } of await keys.teamsWithExpiring(platform.database, noticeTimes(now))) {
    await actIn(platform, { kind: 'service' }, tenantId)
      .then((team) => warnTeam(platform, team, now))
      .catch((error: unknown) => {
        if (!(error instanceof WarningPostponed)) complain(error, tenantId);
      });
  }
};
