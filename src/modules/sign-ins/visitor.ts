import { isAPIError } from 'better-auth/api';
import { hoursToMs, later, minutesToMs } from '../../core/clock.ts';
import type { Language, Message } from '../../core/language.ts';
import { companyLimits, signInLimits } from '../../core/limits.ts';
import { accessMessages } from '../../core/messages/people.ts';
import { mayEnter } from '../../core/sign-in-demand.ts';
import { allScopes, type Scope } from '../../core/scopes.ts';
import { allNeeds, type Need, type Person, type Platform } from '../../platform/team.ts';
import { fail } from '../../core/problem.ts';
import { keyRight } from '../keys/schema.ts';
import { findPerson } from '../people/store.ts';
import { reports, type TeamOfPerson } from '../reporting/store.ts';
import {
  cookiePrefix,
  ownCookies,
  secretsOf,
  sessionCookie,
  signedWithCurrentSecret,
  signedValueOf,
  claimedBrowsers,
  stillKnown,
  type KnownBrowser,
} from './cookies.ts';
import { addressHeader, type Auth } from './library.ts';
import { inServiceTime } from './library-time.ts';
import type { SignedIn } from './schema.ts';
import { sessions } from './store.ts';

// A visitor: one request to the app, from a browser that may be signed in. This file finds out which person it is, and
// which procedures that person may call.

/**
 * Events of the entrance. Each one is counted in a metric and logged; a repeated one (`limited`, locks) is logged once
 * for each address or account and window.
 */
const signInEvents = [
  'signed_in',
  'password_wrong',
  'code_wrong',
  'passkey_wrong',
  'sign_in_locked',
  'second_factor_locked',
  'reset_asked',
  'reset_done',
  'origin_refused',
  'limited',
] as const;
type SignInEvent = (typeof signInEvents)[number];

export interface SignInDetails {
  personId?: string | undefined;
  /** Logged if the person is unknown, as a code from which the address can't be read. */
  email?: string | undefined;
  /** A repeated event is counted, but not logged once more. */
  repeated?: boolean;
}

/** A request to the app: the data that the browser sent, and the headers that are sent back with the answer. */
export interface Visitor {
  readonly platform: Platform;
  readonly auth: Auth;
  readonly language: Language;
  readonly address: string;
  /** The headers of the request, as the sign-in library gets them. */
  readonly headers: Headers;
  /** The session's token, if we signed it. Without one no query is made. */
  readonly sessionToken: string | undefined;
  /** The known browsers in cookies that we signed. */
  readonly claimedBrowsers: readonly KnownBrowser[];
  /** The known browsers among `claimedBrowsers` that have not been forgotten; queried once for each request. */
  knownBrowsers(): Promise<readonly KnownBrowser[]>;
  /** The person who is signed in; queried once for each request. */
  signedIn(): Promise<SignedIn | undefined>;
  /** Sends the `Set-Cookie` headers among these headers to the browser. */
  setCookies(headers: Headers): void;
  /** Counts and logs an event of the entrance. */
  report(event: SignInEvent, details?: SignInDetails): void;
}

/** An event in the form that the HTTP adapter logs and counts. */
export interface SignInReport {
  event: SignInEvent;
  personId: string | undefined;
  account: string | undefined;
  repeated: boolean;
}

interface IncomingRequest {
  cookie: string | undefined;
  userAgent: string | undefined;
  address: string;
  language: Language;
  setCookies: (cookies: string[]) => void;
  report: (report: SignInReport) => void;
}

/** The teams in which a person is an active member. */
export const teamsOf = (platform: Platform, personId: string): Promise<TeamOfPerson[]> =>
  reports.teamsOfPerson(platform, personId);

const wayOf = (text: unknown): SignedIn['way'] => (text === 'company' || text === 'second_factor' ? text : 'password');

/** Whether the database that has the sessions is unavailable. */
const isAway = async ({ database }: Platform): Promise<boolean> =>
  !(await database.ofNoTeam(() => database.acceptsWrites()));

/**
 * The session in the library's answer. The library answers 500 for every failure: if the database is unavailable, that
 * counts as the cause.
 */
const sessionOf = async ({ auth, platform, headers }: Visitor) => {
  try {
    const answered = await auth.api.getSession({ headers, returnHeaders: true });
    return { headers: answered.headers, response: inServiceTime(platform.clock, answered.response) };
  } catch (error) {
    if (isAPIError(error) && error.statusCode >= 500 && (await isAway(platform))) fail('unavailable');
    throw error;
  }
};

/**
 * The membership in a session that began with the team's company account. A person who controls the provider could
 * enter as the owner, so such a session has no powers that only the owner has.
 */
const withoutOwnersPowers = (team: TeamOfPerson): TeamOfPerson =>
  team.role === 'owner' ? { ...team, role: 'admin', rights: [...team.rights, keyRight] } : team;

/** The person of a session. A person without an active membership in any team is signed out at once. */
const lookUpSignedIn = async (visitor: Visitor): Promise<SignedIn | undefined> => {
  const { platform } = visitor;
  if (visitor.sessionToken === undefined) return undefined;
  const { headers, response: found } = await sessionOf(visitor);
  visitor.setCookies(headers);
  if (!found) return undefined;
  const { prisma } = platform.database;
  const [person, memberships] = await Promise.all([
    findPerson(prisma, found.user.id),
    teamsOf(platform, found.user.id),
  ]);
  if (!person || memberships.length === 0) {
    await sessions.remove(prisma, { personId: found.user.id });
    return undefined;
  }
  const { id: personId, email, name, language, twoFactorEnabled } = person;
  const { id: sessionId, createdAt, provedAt, companyTeamId = null, companyMemberId } = found.session;
  const way = wayOf(found.session.way);
  const common = { personId, sessionId, email, name, language, twoFactor: twoFactorEnabled, way };
  if (typeof companyTeamId === 'string') {
    const teams = memberships.filter(({ memberId }) => memberId === companyMemberId).map(withoutOwnersPowers);
    if (teams.length === 0 || later(createdAt, hoursToMs(companyLimits.sessionHours)) < platform.clock.now()) {
      await sessions.remove(prisma, { id: sessionId });
      return undefined;
    }
    // The provider may have let the person in without asking for a proof, so signing in is no fresh proof.
    return { ...common, lastProof: provedAt ?? new Date(0), companyTeamId, teams, closedTeams: [] };
  }
  const teams = memberships.filter((team) => mayEnter(team, way));
  const closedTeams = memberships.filter((team) => !mayEnter(team, way));
  return { ...common, lastProof: provedAt ?? createdAt, companyTeamId: null, teams, closedTeams };
};

/**
 * Whether a person has given a proof in this session a short time ago. Signing in counts, except by a company account.
 */
export const hasFreshProof = ({ clock }: Platform, { lastProof }: Pick<SignedIn, 'lastProof'>): boolean =>
  clock.now() < later(lastProof, minutesToMs(signInLimits.freshProofMinutes));

export const visitorOf = (platform: Platform, auth: Auth, request: IncomingRequest): Visitor => {
  const headers = new Headers({ [addressHeader]: request.address });
  const prefix = cookiePrefix(platform.publicUrl);
  const ownHeader = ownCookies(request.cookie ?? '', prefix);
  const secrets = ownHeader === undefined ? [] : secretsOf(platform).map(({ value }) => value);
  const cookie = ownHeader === undefined ? null : signedWithCurrentSecret(ownHeader, prefix, secrets);
  if (cookie !== null) headers.set('cookie', cookie);
  const claimed = claimedBrowsers(platform, cookie);
  if (request.userAgent !== undefined) headers.set('user-agent', request.userAgent.slice(0, 300));
  let signedIn: Promise<SignedIn | undefined> | undefined;
  let known: Promise<readonly KnownBrowser[]> | undefined;
  const visitor: Visitor = {
    platform,
    auth,
    language: request.language,
    address: request.address,
    headers,
    sessionToken:
      cookie === null ? undefined : signedValueOf(cookie, sessionCookie(platform.publicUrl), secrets[0] ?? ''),
    claimedBrowsers: claimed,
    knownBrowsers: () => (known ??= stillKnown(platform, claimed)),
    signedIn: () => (signedIn ??= lookUpSignedIn(visitor)),
    report(event, { personId, email, repeated = false } = {}) {
      const account =
        personId === undefined && email !== undefined ? platform.vault.sign('account in logs', email) : undefined;
      request.report({ event, personId, account, repeated });
    },
    setCookies(sent) {
      const cookies = sent.getSetCookie();
      if (cookies.length > 0) request.setCookies(cookies);
    },
  };
  return visitor;
};

const isAdmin = ({ role }: Pick<Person, 'role'>): boolean => role !== 'member';

type MayCall = (person: Pick<Person, 'role' | 'rights'>) => boolean;

const needs: Readonly<Record<Need, { isMet: MayCall; refusal: Message }>> = {
  member: { isMet: () => true, refusal: accessMessages.adminsOnly },
  admin: { isMet: isAdmin, refusal: accessMessages.adminsOnly },
  keys: {
    isMet: (person) => person.role === 'owner' || (isAdmin(person) && person.rights.includes(keyRight)),
    refusal: accessMessages.rightNeeded,
  },
  owner: { isMet: ({ role }) => role === 'owner', refusal: accessMessages.ownerOnly },
};

/** The reason why a person may not call procedures with this need; undefined if they may. */
export const refusalFor = (person: Pick<Person, 'role' | 'rights'>, need: Need): Message | undefined =>
  needs[need].isMet(person) ? undefined : needs[need].refusal;

/**
 * The scopes that a person has in the public operations. Members have only those that show nothing about other people.
 */
export const scopesOfRole: Readonly<Record<Person['role'], ReadonlySet<Scope>>> = {
  owner: new Set(allScopes),
  admin: new Set(allScopes),
  member: new Set<Scope>(['catalog:read', 'analytics:read']),
};

/**
 * All needs that a person meets. The app shows and hides actions by them; every procedure checks its own need again.
 */
export const needsMetBy = (person: Pick<Person, 'role' | 'rights'>): Need[] =>
  allNeeds.filter((need) => refusalFor(person, need) === undefined);
