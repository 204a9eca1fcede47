import { createHmac, timingSafeEqual } from 'node:crypto';
import { daysToMs, later } from '../../core/clock.ts';
import { randomText } from '../../core/crypto.ts';
import { makeId } from '../../core/ids.ts';
import { signInLimits } from '../../core/limits.ts';
import { percentDecoded } from '../../core/percent.ts';
import type { Tx } from '../../db/database.ts';
import type { Platform } from '../../platform/team.ts';
import { verifications } from './store.ts';
import type { Visitor } from './visitor.ts';

// The app's cookies: those of the session and of the first step, which the sign-in library signs, and that of the known
// browser, which we sign.

/** The secrets that sign cookies and encrypt second factors, the current one first. */
export const secretsOf = ({ vault }: Pick<Platform, 'vault'>) => vault.secretsFor('sign-in');

/**
 * The start of our cookies' names. With `__Host-` a browser accepts the cookie from this host only, so another host of
 * the same domain can't set it.
 */
export const cookiePrefix = (publicUrl: string): string => (publicUrl.startsWith('https:') ? '__Host-team' : 'team');

export const sessionCookie = (publicUrl: string): string => `${cookiePrefix(publicUrl)}.session_token`;

/** The cookie that a browser has after the password was right, while the second factor is still missing. */
export const firstStepCookie = (publicUrl: string): string => `${cookiePrefix(publicUrl)}.two_factor`;

const pairsOf = (header: string): string[] => header.split(';').map((pair) => pair.trim());

const nameOf = (pair: string): string => pair.slice(0, Math.max(0, pair.indexOf('=')));

/** Only our cookies of a `Cookie` header; undefined if there are none. */
export const ownCookies = (header: string, prefix: string): string | undefined => {
  const own = pairsOf(header).filter((pair) => pair.startsWith(`${prefix}.`));
  return own.length === 0 ? undefined : own.join('; ');
};

/** The raw value of the first cookie with this name. */
export const ownCookie = (header: string, name: string): string | undefined =>
  pairsOf(header)
    .find((pair) => nameOf(pair) === name)
    ?.slice(name.length + 1);

/** A `Cookie` header without one of its cookies; undefined if no other is left. */
export const withoutCookie = (header: string, name: string): string | undefined => {
  const left = pairsOf(header).filter((pair) => nameOf(pair) !== name);
  return left.length === 0 ? undefined : left.join('; ');
};

/**
 * A header that sets one of our cookies; `seconds` 0 deletes it. `Lax`: a browser also sends the cookie when a link on
 * another site leads here.
 */
export const cookieHeader = ({ publicUrl }: Platform, name: string, value: string, seconds: number): Headers => {
  const secure = publicUrl.startsWith('https:') ? ' Secure;' : '';
  return new Headers({ 'Set-Cookie': `${name}=${value}; Max-Age=${seconds}; Path=/; HttpOnly;${secure} SameSite=Lax` });
};

const signatureOf = (secret: string, value: string): string =>
  createHmac('sha256', secret).update(value).digest('base64');

const isSignatureOf = (secret: string, value: string, signature: string): boolean => {
  const [expected, given] = [Buffer.from(signatureOf(secret, value)), Buffer.from(signature)];
  return expected.length === given.length && timingSafeEqual(expected, given);
};

/** The value of the cookie with this name, if the sign-in library signed it. */
export const signedValueOf = (header: string, name: string, secret: string): string | undefined => {
  const signed = percentDecoded(ownCookie(header, name) ?? '');
  const end = signed?.lastIndexOf('.') ?? -1;
  if (signed === undefined || end < 1) return undefined;
  const value = signed.slice(0, end);
  return isSignatureOf(secret, value, signed.slice(end + 1)) ? value : undefined;
};

/** The token of the session that an answer of the sign-in library begins. */
export const sessionTokenIn = (platform: Pick<Platform, 'publicUrl' | 'vault'>, answered: Headers) => {
  const pairs = answered.getSetCookie().map((line) => line.split(';', 1)[0]);
  return signedValueOf(pairs.join('; '), sessionCookie(platform.publicUrl), secretsOf(platform)[0]?.value ?? '');
};

/**
 * Replaces signatures that were made with a previous secret by signatures with the current one. The sign-in library
 * decrypts with previous secrets, but checks signatures with the current secret only.
 */
export const signedWithCurrentSecret = (
  header: string,
  prefix: string,
  [current = '', ...former]: readonly string[],
): string => {
  if (former.length === 0) return header;
  const resign = (pair: string): string => {
    const name = nameOf(pair);
    const signed = percentDecoded(pair.slice(name.length + 1));
    if (!name.startsWith(`${prefix}.`) || signed === undefined) return pair;
    const end = signed.lastIndexOf('.');
    const [value, signature] = [signed.slice(0, Math.max(0, end)), signed.slice(end + 1)];
    const isFormer = former.some((secret) => isSignatureOf(secret, value, signature));
    return isFormer ? `${name}=${encodeURIComponent(`${value}.${signatureOf(current, value)}`)}` : pair;
  };
  return pairsOf(header).map(resign).join('; ');
};

// A browser in which a person has signed in is a known browser. Its tries for that person have a budget of their own,
// so strangers who spend the account's budget don't lock the person out there. The browser has a signed cookie, to
// which a row belongs (a `verification` of the sign-in library, with the person as its value). A new password, signing
// out everywhere and turning off the second factor delete the person's rows; the browser in which the person does this
// becomes known again.

const purpose = 'known browser';
const rowPrefix = 'known-browser-';

/** A browser is known for the last people that signed in there, the latest first. */
const maxPeoplePerBrowser = 4;

export interface KnownBrowser {
  readonly personId: string;
  readonly id: string;
}

const signedTextOf = ({ personId, id }: KnownBrowser): string => `${personId}.${id}`;

const cookieName = ({ publicUrl }: Platform): string => `${cookiePrefix(publicUrl)}.known_browser`;

/** The known browsers that a `Cookie` header names, if our signature is right. They may have been forgotten since. */
export const claimedBrowsers = (platform: Platform, header: string | null): KnownBrowser[] =>
  (ownCookie(header ?? '', cookieName(platform)) ?? '')
    .split('~')
    .slice(0, maxPeoplePerBrowser)
    .flatMap((text) => {
      const [personId = '', id = '', signature = '', ...more] = text.split('.');
      const browser = { personId, id };
      const isOurs = more.length === 0 && platform.vault.isSigned(purpose, signedTextOf(browser), signature);
      return isOurs ? [browser] : [];
    });

/** The browsers among these that have not been forgotten. */
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

/** Makes this a known browser of a person who has just signed in there. */
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
  else await verifications.insert(tx, { id: makeId(), identifier, value: personId, expiresAt, createdAt: now });
  const all = [browser, ...known.filter((one) => one.personId !== personId)].slice(0, maxPeoplePerBrowser);
  const text = all.map((one) => `${signedTextOf(one)}.${vault.sign(purpose, signedTextOf(one))}`).join('~');
  const seconds = signInLimits.knownBrowserDays * 24 * 3600;
  visitor.setCookies(cookieHeader(platform, cookieName(platform), text, seconds));
};
