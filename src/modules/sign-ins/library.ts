import type { BetterAuthPlugin } from 'better-auth';
import { prismaAdapter } from 'better-auth/adapters/prisma';
import { createAuthEndpoint, isAPIError } from 'better-auth/api';
import { setSessionCookie } from 'better-auth/cookies';
import { betterAuth } from 'better-auth/minimal';
import { twoFactor } from 'better-auth/plugins/two-factor';
import { z } from 'zod';
import { daysToMs, type Clock } from '../../core/clock.ts';
import { makeId } from '../../core/ids.ts';
import { signInLimits } from '../../core/limits.ts';
import { signInMessages } from '../../core/messages/people.ts';
import { hashPassword, isPassword } from '../../core/password.ts';
import { fail } from '../../core/problem.ts';
import { serviceName } from '../../core/product.ts';
import type { Database } from '../../db/database.ts';
import type { Platform } from '../../platform/team.ts';
import { cookiePrefix, secretsOf } from './cookies.ts';
import { withLibraryTime } from './library-time.ts';
import type { SignInDetails, Visitor } from './visitor.ts';
import { maxPasswordLength } from './schema.ts';

// The sign-in library (better-auth): its set-up on our tables, and how its procedures are called.

/**
 * The header in which the library gets the visitor's address. The library must not take the address from headers of the
 * client.
 */
export const addressHeader = 'x-visitor-address';

const msToSeconds = (milliseconds: number): number => milliseconds / 1000;

/**
 * Begins a session of a person whose identity we have checked. A passkey needs no second factor, because it verifies
 * the person itself. A company's provider decides itself which factors it demands.
 */
const provenSignIn = {
  id: 'proven-sign-in',
  endpoints: {
    signInProven: createAuthEndpoint(
      {
        method: 'POST',
        body: z.object({
          personId: z.string(),
          company: z.object({ teamId: z.string(), memberId: z.string() }).optional(),
        }),
      },
      async (context): Promise<{ token: string }> => {
        const { internalAdapter } = context.context;
        const { personId, company } = context.body;
        const user = await internalAdapter.findUserById(personId);
        if (!user) return fail('unauthorized');
        const session = await internalAdapter.createSession(user.id, false, {
          way: company === undefined ? 'second_factor' : 'company',
          companyTeamId: company?.teamId,
          companyMemberId: company?.memberId,
        });
        await setSessionCookie(context, { session, user });
        return { token: session.token };
      },
    ),
  },
} satisfies BetterAuthPlugin;

/**
 * The sign-in library on our tables. Its own HTTP routes are not served: our procedures call it. Accounts are created
 * only by invitations, company accounts and operators, so signing up is off.
 */
export const makeAuth = (platform: Platform) => {
  const { database, publicUrl, clock } = platform;
  return betterAuth({
    appName: serviceName,
    baseURL: publicUrl,
    secrets: secretsOf(platform),
    database: libraryDatabase(database, clock),
    emailAndPassword: {
      enabled: true,
      disableSignUp: true,
      // Our own schemas have checked the length already, in code points.
      minPasswordLength: 1,
      maxPasswordLength: maxPasswordLength,
      password: {
        hash: (password) => hashPassword(password, platform.signIn.passwordCost),
        verify: ({ hash, password }) => isPassword(password, hash),
      },
    },
    user: { modelName: 'person' },
    session: {
      fields: { userId: 'personId' },
      expiresIn: msToSeconds(daysToMs(signInLimits.sessionDays)),
      updateAge: msToSeconds(daysToMs(1)),
      additionalFields: {
        provedAt: { type: 'date', required: false, input: false },
        way: { type: 'string', required: false, input: false },
        companyTeamId: { type: 'string', required: false, input: false },
        companyMemberId: { type: 'string', required: false, input: false },
      },
    },
    account: { modelName: 'credential', fields: { userId: 'personId' } },
    plugins: [
      provenSignIn,
      twoFactor({
        issuer: serviceName,
        schema: { twoFactor: { fields: { userId: 'personId' } } },
        trustDeviceMaxAge: msToSeconds(daysToMs(signInLimits.trustedDeviceDays)),
        // The library counts a code after checking it. We count before the check (`spendTry`), so that parallel
        // requests get no additional tries.
        accountLockout: { enabled: false },
      }),
    ],
    // Our own limits apply to all processes together.
    rateLimit: { enabled: false },
    telemetry: { enabled: false },
    logger: { disabled: true },
    advanced: {
      cookiePrefix: cookiePrefix(publicUrl),
      // The library would put another prefix before ours.
      useSecureCookies: false,
      defaultCookieAttributes: { httpOnly: true, sameSite: 'lax', path: '/', secure: publicUrl.startsWith('https:') },
      ipAddress: { ipAddressHeaders: [addressHeader] },
      // Our tables have no columns for the other ways of signing in.
      database: { generateId: () => makeId(), validateSchema: false },
    },
  });
};

export type Auth = ReturnType<typeof makeAuth>;

const domain = '@address.invalid';

/**
 * An email address in the form in which we pass it to the library. The library refuses some valid addresses
 * (`a&b@x.example`), so we encode all of them as letters and digits, and decode them when the library queries the
 * database. Every address is encoded, also a valid one: otherwise a visitor could send an encoded text as the address
 * and spend another person's tries.
 */
export const toLibrary = (email: string): string => `${Buffer.from(email).toString('hex')}${domain}`;

const fromLibrary = (text: string): string =>
  text.endsWith(domain) ? Buffer.from(text.slice(0, -domain.length), 'hex').toString() : text;

/**
 * The library's database adapter. It decodes the address in a query. In a row it encodes the address, because the
 * library compares it.
 */
const libraryDatabase = (database: Database, clock: Clock) => {
  const open = prismaAdapter(withLibraryTime(database, clock), { provider: 'postgresql' });
  return (options: Parameters<typeof open>[0]): ReturnType<typeof open> => {
    const adapter = open(options);
    const findOne: typeof adapter.findOne = async <T>({ where, ...query }: Parameters<typeof adapter.findOne>[0]) => {
      const address = where.find(({ field }) => field === 'email')?.value;
      if (typeof address !== 'string') return adapter.findOne<T>({ ...query, where });
      const person = await adapter.findOne<T>({
        ...query,
        where: where.map((condition) =>
          condition.field === 'email' ? { ...condition, value: fromLibrary(address) } : condition,
        ),
      });
      return person && { ...person, email: address };
    };
    return { ...adapter, findOne };
  };
};

/** Error codes of the library for a wrong password or code. */
const wrongCodes = new Set([
  'INVALID_EMAIL',
  'INVALID_EMAIL_OR_PASSWORD',
  'INVALID_PASSWORD',
  'INVALID_CODE',
  'INVALID_BACKUP_CODE',
  'CREDENTIAL_ACCOUNT_NOT_FOUND',
]);

/**
 * Error codes of the library after which the first step has to be repeated: it has expired, or too many codes were
 * wrong.
 */
const expiredCodes = new Set(['UNAUTHORIZED', 'INVALID_TWO_FACTOR_COOKIE', 'TOO_MANY_ATTEMPTS_REQUEST_NEW_CODE']);

interface LibraryAnswer<T> {
  headers: Headers;
  response: T;
}

/** The field that the visitor filled in to prove who they are, and the account, if it is known. */
interface Proof extends SignInDetails {
  field: 'password' | 'code' | 'passkey';
}

const wrong = {
  password: signInMessages.wrongPassword,
  code: signInMessages.wrongCode,
  passkey: signInMessages.passkeyNotAccepted,
} as const;

/**
 * Calls the library. A refusal becomes a problem; if the proof was wrong, it names the field. The caller decides
 * whether the cookies of the library are sent.
 */
export const callLibraryHoldingCookies = async <T>(
  visitor: Visitor,
  { field, ...account }: Proof,
  call: () => Promise<LibraryAnswer<T>>,
): Promise<LibraryAnswer<T>> => {
  try {
    return await call();
  } catch (error) {
    if (!isAPIError(error) || error.statusCode >= 500) throw error;
    const code = error.body?.code ?? String(error.status);
    if (wrongCodes.has(code)) {
      visitor.report(`${field}_wrong`, account);
      return fail('validation_error', { field, detail: wrong[field] });
    }
    if (expiredCodes.has(code)) return fail('unauthorized');
    return fail('conflict', { detail: signInMessages.notPossibleNow });
  }
};

/** Calls the library and sends its cookies to the browser. */
export const callLibrary = async <T>(
  visitor: Visitor,
  proof: Proof,
  call: () => Promise<LibraryAnswer<T>>,
): Promise<T> => {
  const { headers, response } = await callLibraryHoldingCookies(visitor, proof, call);
  visitor.setCookies(headers);
  return response;
};
