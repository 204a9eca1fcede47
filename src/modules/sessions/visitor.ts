import { isAPIError } from 'better-auth/api';
import type { Language } from '../../core/language.ts';
import { fail } from '../../core/problem.ts';
import { statement } from '../../db/statement.ts';
import type { Platform } from '../../platform/platform.ts';
import { addressHeader, secretsOf } from './auth.ts';
import type { Auth } from './auth.ts';
import { cookiePrefix, signedAnew } from './cookies.ts';
import type { SignedIn, TeamOfPerson } from './schema.ts';

/** Somebody at the app's door: what their browser sent, and what it is to be told. */
export interface Visitor {
  readonly platform: Platform;
  readonly auth: Auth;
  readonly language: Language;
  readonly address: string;
  /** What the sign-in library may see of the request. */
  readonly headers: Headers;
  /** Who is signed in; asked of the database once a request. */
  signedIn(): Promise<SignedIn | undefined>;
  /** Gives the browser the cookies that are in these headers. */
  give(headers: Headers): void;
}

interface Arrival {
  cookie: string | undefined;
  userAgent: string | undefined;
  address: string;
  language: Language;
  setCookies: (cookies: string[]) => void;
}

const memberships = statement<TeamOfPerson, [personId: string]>(
  `select team.id as "tenantId", team.name, team.status, team.plan, team.rate_limit_per_min as "rateLimitPerMin",
          team.member_detail_enabled as "memberDetail", team.leaderboard_enabled as leaderboard,
          member.id as "memberId", member.user_id as "userId", member.role, member.rights
     from team_user
     join member on member.tenant_id = team_user.tenant_id and member.user_id = team_user.id and member.status = 'active'
     join team on team.id = team_user.tenant_id
    where team_user.person_id = $1
    order by team.name, team.id`,
);

/** The teams that somebody is an active member of. */
export const teamsOf = ({ database }: Platform, personId: string): Promise<TeamOfPerson[]> =>
  database.rows(memberships, personId);

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
  if (!visitor.headers.has('cookie')) return undefined;
  const { headers, response: found } = await sessionOf(visitor);
  visitor.give(headers);
  if (!found) return undefined;
  const { prisma } = platform.database;
  const [person, teams] = await Promise.all([
    prisma.person.findUnique({ where: { id: found.user.id } }),
    teamsOf(platform, found.user.id),
  ]);
  if (!person || teams.length === 0) {
    await prisma.session.deleteMany({ where: { personId: found.user.id } });
    return undefined;
  }
  const { id: personId, email, name, language, twoFactorEnabled } = person;
  return { personId, sessionId: found.session.id, email, name, language, twoFactor: twoFactorEnabled, teams };
};

export const visitorOf = (platform: Platform, auth: Auth, arrival: Arrival): Visitor => {
  const headers = new Headers({ [addressHeader]: arrival.address });
  if (arrival.cookie !== undefined) {
    const secrets = secretsOf(platform).map(({ value }) => value);
    headers.set('cookie', signedAnew(arrival.cookie, cookiePrefix(platform.publicUrl), secrets));
  }
  if (arrival.userAgent !== undefined) headers.set('user-agent', arrival.userAgent.slice(0, 300));
  let asked: Promise<SignedIn | undefined> | undefined;
  const visitor: Visitor = {
    platform,
    auth,
    language: arrival.language,
    address: arrival.address,
    headers,
    signedIn: () => (asked ??= whoIs(visitor)),
    give(given) {
      const cookies = given.getSetCookie();
      if (cookies.length > 0) arrival.setCookies(cookies);
    },
  };
  return visitor;
};
