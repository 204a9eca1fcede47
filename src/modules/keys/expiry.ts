import { daysToMs, later } from '../../core/clock.ts';
import type { Language } from '../../core/language.ts';
import { limits } from '../../core/limits.ts';
import { quotable } from '../../core/name-text.ts';
import type { Tx } from '../../db/database.ts';
import type { Platform, Team } from '../../platform/team.ts';
import { letter, queueMails } from '../mail/service.ts';
import type { MailContent } from '../mail/service.ts';
import { adminsOf } from '../members/membership.ts';
import { reports } from '../reporting/store.ts';
import { actIn, teamName } from '../teams/service.ts';
import { keys } from './store.ts';

/**
 * Mails about keys that are about to expire: to the owner, the admins and the key's maker, 14 and 3 days before. A key is named once for
 * each, in the transaction that notes it; of a key that has 3 days left or fewer when it is seen first, only the second mail is sent.
 * Keys that were revoked or replaced are left out, and those of teams that can't use the API until they can again.
 */
type ExpiringKey = Awaited<ReturnType<typeof keys.noteExpiring>>[number];

/** Keys that one mail names. */
const namedKeys = 10;

type Words = { teamName: string; count: number; list: string };

const texts: Readonly<Record<Language, (words: Words) => Record<'lead' | 'action' | 'ending', string>>> = {
  de: ({ teamName: name, count, list }) => ({
    lead: `${count === 1 ? 'Ein API-Schlüssel' : `${count} API-Schlüssel`} des Teams „${name}“ ${count === 1 ? 'läuft' : 'laufen'} bald ab: ${list}.`,
    action: 'API-Schlüssel ansehen',
    ending:
      'Nach dem Ablauf werden Anfragen mit dem Schlüssel abgelehnt. Legen Sie rechtzeitig einen neuen an und stellen Sie Ihre Systeme um.',
  }),
  en: ({ teamName: name, count, list }) => ({
    lead: `${count === 1 ? 'An API key' : `${count} API keys`} of the team “${name}” ${count === 1 ? 'expires' : 'expire'} soon: ${list}.`,
    action: 'Look at the API keys',
    ending: 'After that, requests with the key are refused. Create a new key in time and switch your systems to it.',
  }),
};

const locale: Readonly<Record<Language, string>> = { de: 'de-DE', en: 'en-GB' };

const written = { dateStyle: 'long', timeStyle: 'short', timeZone: 'Europe/Berlin' } as const;

const described: Readonly<Record<Language, (key: { name: string; prefix: string; at: string }) => string>> = {
  de: ({ name, prefix, at }) => `„${name}“ (svck_live_${prefix}…) am ${at}`,
  en: ({ name, prefix, at }) => `“${name}” (svck_live_${prefix}…) on ${at}`,
};

const more: Readonly<Record<Language, (count: number) => string>> = {
  de: (count) => `und ${count} weitere`,
  en: (count) => `and ${count} more`,
};

const expiryMail = (language: Language, team: Team, name: string, expiring: readonly ExpiringKey[]): MailContent => {
  const inOrder = expiring.toSorted((one, other) => one.expiresAt.localeCompare(other.expiresAt));
  const named = inOrder.slice(0, namedKeys).map((key) =>
    described[language]({
      name: quotable(key.name),
      prefix: key.prefix,
      at: new Date(key.expiresAt).toLocaleString(locale[language], written),
    }),
  );
  const unnamed = inOrder.length - named.length;
  const list = [...named, ...(unnamed > 0 ? [more[language](unnamed)] : [])].join('; ');
  return letter(language, {
    ...texts[language]({ teamName: quotable(name), count: expiring.length, list }),
    link: `${team.platform.publicUrl}/keys?team=${team.id}`,
  });
};

/** Who is mailed about which of the keys: the owner and the admins about all, a maker about their own while they are a member. */
const readersOf = async (tx: Tx, team: Team, expiring: readonly ExpiringKey[]) => {
  const readers = new Map(
    (await adminsOf(tx, team)).map(({ email, language }) => [email, { email, language, keys: [...expiring] }]),
  );
  const makers = [...new Set(expiring.map(({ createdBy }) => createdBy))];
  for (const { id, email, language } of await reports.readersOf(tx, team.id, makers)) {
    if (readers.has(email)) continue;
    readers.set(email, { email, language, keys: expiring.filter(({ createdBy }) => createdBy === id) });
  }
  return [...readers.values()];
};

/**
 * The team has used up its mails of the day, or each of the readers got too many: all is taken back, so that the keys are still due the next
 * time. A single reader who got too many, perhaps from other teams, does not keep the mail from the others.
 */
class Postponed extends Error {}

const warnTeam = (platform: Platform, team: Team, now: Date): Promise<void> =>
  platform.database.transaction(
    async (tx) => {
      const expiring = await keys.noteExpiring(tx, team, reachOf(now));
      if (expiring.length === 0) return;
      const name = await teamName(tx, team);
      const readers = await readersOf(tx, team, expiring);
      const refusals = await queueMails(
        tx,
        team,
        readers.map(({ email, language, keys: theirs }) => ({
          recipient: email,
          language,
          kind: 'keys_expiring' as const,
          content: expiryMail(language, team, name, theirs),
        })),
      );
      if (refusals.some((refusal) => refusal?.limit === 'team') || !refusals.includes(undefined)) throw new Postponed();
    },
    { group: team.id },
  );

const { first, second } = limits.keyExpiryNoticeDays;

const reachOf = (now: Date) => ({ now, first: later(now, daysToMs(first)), second: later(now, daysToMs(second)) });

/** Sends the mails that are due, team by team. `complain` is called with a team where it failed; the others get theirs, this one the next time. */
export const warnOfExpiringKeys = async (
  platform: Platform,
  complain: (error: unknown, tenantId: string) => void,
): Promise<void> => {
  const now = platform.clock.now();
  let after: string | undefined;
  for (;;) {
    const teams = await keys.teamsWithExpiring(platform.database, { ...reachOf(now), after: after ?? null });
    for (const { tenantId } of teams) {
      await actIn(platform, { kind: 'service' }, tenantId)
        .then((team) => warnTeam(platform, team, now))
        .catch((error: unknown) => {
          if (!(error instanceof Postponed)) complain(error, tenantId);
        });
    }
    after = teams.at(-1)?.tenantId;
    if (after === undefined) return;
  }
};
