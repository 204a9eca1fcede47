import { isAPIError } from 'better-auth/api';
import type { Language } from '../../core/language.ts';
import { fail } from '../../core/problem.ts';
import type { Platform } from '../../platform/team.ts';
import { findPerson } from '../people/service.ts';
import { reports } from '../reporting/store.ts';
import { addressHeader, secretsOf } from './auth.ts';
import type { Auth } from './auth.ts';
import { cookiePrefix, ownCookies, sessionCookie, signedAnew, signedValueOf } from './cookies.ts';
import type { SignInDetails, SignInEvent } from './events.ts';
import { claimedBrowsers, stillKnown } from './known-browsers.ts';
import type { KnownBrowser } from './known-browsers.ts';
import type { SessionMemory } from './session-memory.ts';
import type { SignedIn, TeamOfPerson } from './schema.ts';
import { sessions } from './store.ts';

/** Somebody at the app's door: what their browser sent, and what it is to be told. */
export interface Visitor {
  readonly platform: Platform;
  readonly auth: Auth;
  readonly language: Language;
  readonly address: string;
  /** What the sign-in library may see of the request. */
  readonly headers: Headers;
  /**
   * The token of the session that the browser shows, if we signed it and it is not known to be over: without one nobody is
   * signed in, and the database is not asked.
   */
  readonly sessionToken: string | undefined;
  /** Whose browser it claims to be, in cookies that we signed. */
  readonly claimedBrowsers: readonly KnownBrowser[];
  /** Those that were not forgotten since; asked of the database once a request. */
  knownBrowsers(): Promise<readonly KnownBrowser[]>;
  /** Who is signed in; asked of the database once a request. */
  signedIn(): Promise<SignedIn | undefined>;
  /** Gives the browser the cookies that are in these headers. */
  give(headers: Headers): void;
  /** Lets the operator see what happened at the entrance. */
  report(event: SignInEvent, details?: SignInDetails): void;
}

/** An event as the adapter logs and counts it. */
export interface Reported {
  event: SignInEvent;
  personId: string | undefined;
  account: string | undefined;
  again: boolean;
}

interface Arrival {
  cookie: string | undefined;
  userAgent: string | undefined;
  address: string;
  language: Language;
  setCookies: (cookies: string[]) => void;
  sessions: SessionMemory;
  report: (reported: Reported) => void;
}

/** The teams that somebody is an active member of. */
export const teamsOf = ({ database }: Platform, personId: string): Promise<TeamOfPerson[]> =>
  reports.teamsOfPerson(database, personId);

/** The library says of whatever went wrong that it failed, and no more: nearly always the database is away. */
const sessionOf = async ({ auth, platform, headers }: Visitor) => {
  try {
    return await auth.api.getSession({ headers, returnHeaders: true });
  } catch (error) {
    if (isAPIError(error) && error.statusCode >= 500 && !(await platform.database.isReachable())) fail('unavailable');
    throw error;
  }
};

/** A session is as good as a membership: whoever has none left is signed out, in the middle of whatever they do. */
const whoIs = async (visitor: Visitor): Promise<SignedIn | undefined> => {
  const { platform } = visitor;
  if (visitor.sessionToken === undefined) return undefined;
  const { headers, response: found } = await sessionOf(visitor);
  visitor.give(headers);
  if (!found) return undefined;
  const { prisma } = platform.database;
  const [person, teams] = await Promise.all([findPerson(prisma, found.user.id), teamsOf(platform, found.user.id)]);
  if (!person || teams.length === 0) {
    await sessions.remove(prisma, { personId: found.user.id });
    return undefined;
  }
  const { id: personId, email, name, language, twoFactorEnabled } = person;
  return { personId, sessionId: found.session.id, email, name, language, twoFactor: twoFactorEnabled, teams };
};

export const visitorOf = (platform: Platform, auth: Auth, arrival: Arrival): Visitor => {
  const headers = new Headers({ [addressHeader]: arrival.address });
  const prefix = cookiePrefix(platform.publicUrl);
  const own = ownCookies(arrival.cookie ?? '', prefix);
  const secrets = own === undefined ? [] : secretsOf(platform).map(({ value }) => value);
  const cookie = own === undefined ? null : signedAnew(own, prefix, secrets);
  if (cookie !== null) headers.set('cookie', cookie);
  const token =
    cookie === null ? undefined : signedValueOf(cookie, sessionCookie(platform.publicUrl), secrets[0] ?? '');
  const claimed = claimedBrowsers(platform, cookie);
  if (arrival.userAgent !== undefined) headers.set('user-agent', arrival.userAgent.slice(0, 300));
  let asked: Promise<SignedIn | undefined> | undefined;
  let known: Promise<readonly KnownBrowser[]> | undefined;
  const lookUp = async (): Promise<SignedIn | undefined> => {
    const signedIn = await whoIs(visitor);
    if (token !== undefined) arrival.sessions.note(token, signedIn);
    return signedIn;
  };
  const visitor: Visitor = {
    platform,
    auth,
    language: arrival.language,
    address: arrival.address,
    headers,
    sessionToken: token === undefined || arrival.sessions.hasEnded(token) ? undefined : token,
    claimedBrowsers: claimed,
    knownBrowsers: () => (known ??= stillKnown(platform, claimed)),
    signedIn: () => (asked ??= lookUp()),
    report(event, { personId, email, again = false } = {}) {
      const account =
        personId === undefined && email !== undefined ? platform.vault.sign('account in logs', email) : undefined;
      arrival.report({ event, personId, account, again });
    },
    give(given) {
      const cookies = given.getSetCookie();
      if (cookies.length > 0) arrival.setCookies(cookies);
    },
  };
  return visitor;
};
