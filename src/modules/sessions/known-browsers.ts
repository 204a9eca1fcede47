import { daysToMs, later } from '../../core/clock.ts';
import { randomText } from '../../core/crypto.ts';
import { newId } from '../../core/ids.ts';
import { signInLimits } from '../../core/limits.ts';
import type { Tx } from '../../db/database.ts';
import type { Platform } from '../../platform/team.ts';
import { cookiePrefix, valueOf } from './cookies.ts';
import type { Visitor } from './visitor.ts';
import { verifications } from './store.ts';

// A browser in which a person has signed in is known: its tries for that person have a budget of their own, so that strangers who
// use up the account's budget don't lock its person out there. The browser keeps a signed cookie; the row beside it (a
// `verification` of the sign-in library, with the person as its value) lets a password reset or signing out everywhere end it.

const purpose = 'known browser';
const rowPrefix = 'known-browser-';

/** A browser may be known for so many people; the one who signed in last comes first. */
const peoplePerBrowser = 4;

export interface KnownBrowser {
  readonly personId: string;
  readonly id: string;
}

const claimOf = ({ personId, id }: KnownBrowser): string => `${personId}.${id}`;

const cookieName = ({ publicUrl }: Platform): string => `${cookiePrefix(publicUrl)}.known_browser`;

/** The browsers that a `Cookie` header claims to be, as far as we signed that. They may have been forgotten since. */
export const claimedBrowsers = (platform: Platform, header: string | null): KnownBrowser[] =>
  (valueOf(header ?? '', cookieName(platform)) ?? '')
    .split('~')
    .slice(0, peoplePerBrowser)
    .flatMap((text) => {
      const [personId = '', id = '', signature = '', ...more] = text.split('.');
      const browser = { personId, id };
      const isOurs = more.length === 0 && platform.vault.isSigned(purpose, claimOf(browser), signature);
      return isOurs ? [browser] : [];
    });

/** Those of these browsers that are still known. */
export const stillKnown = async (
  { database, clock }: Platform,
  claimed: readonly KnownBrowser[],
  tx: Tx = database.prisma,
): Promise<KnownBrowser[]> => {
  if (claimed.length === 0) return [];
  const identifiers = claimed.map(({ id }) => `${rowPrefix}${id}`);
  const rows = await verifications.among(tx, identifiers, clock.now());
  return claimed.filter(({ id, personId }) =>
    rows.some(({ identifier, value }) => identifier === `${rowPrefix}${id}` && value === personId),
  );
};

/** Forgets a person's browsers beyond the newest ones. */
const forgetSurplus = async (tx: Tx, personId: string): Promise<void> => {
  const kept = signInLimits.knownBrowsers;
  await verifications.remove(tx, await verifications.beyondNewest(tx, personId, { startsWith: rowPrefix, kept }));
};

/** From now on this browser is known for this person, who has just proven there who they are. */
export const rememberBrowser = async (
  visitor: Visitor,
  personId: string,
  tx: Tx = visitor.platform.database.prisma,
): Promise<void> => {
  const { platform } = visitor;
  const { clock, vault } = platform;
  const claimed = claimedBrowsers(platform, visitor.headers.get('cookie'));
  const known = await stillKnown(platform, claimed, tx);
  const now = clock.now();
  const expiresAt = later(now, daysToMs(signInLimits.knownBrowserDays));
  const before = known.find((one) => one.personId === personId);
  const browser = before ?? { personId, id: randomText(22) };
  const identifier = `${rowPrefix}${browser.id}`;
  if (before) await verifications.extend(tx, identifier, expiresAt);
  else {
    await verifications.insert(tx, { id: newId(), identifier, value: personId, expiresAt, createdAt: now });
    await forgetSurplus(tx, personId);
  }
  const all = [browser, ...known.filter((one) => one.personId !== personId)].slice(0, peoplePerBrowser);
  const text = all.map((one) => `${claimOf(one)}.${vault.sign(purpose, claimOf(one))}`).join('~');
  const seconds = signInLimits.knownBrowserDays * 24 * 3600;
  const secure = platform.publicUrl.startsWith('https:') ? ' Secure;' : '';
  visitor.give(
    new Headers({
      'Set-Cookie': `${cookieName(platform)}=${text}; Max-Age=${seconds}; Path=/; HttpOnly;${secure} SameSite=Lax`,
    }),
  );
};
