import { betterAuth } from 'better-auth/minimal';
import { twoFactor } from 'better-auth/plugins/two-factor';
import { daysToMs } from '../../core/clock.ts';
import { newId } from '../../core/ids.ts';
import { signInLimits } from '../../core/limits.ts';
import { hashPassword, isPassword } from '../../core/password.ts';
import { serviceName } from '../../core/product.ts';
import type { Platform } from '../../platform/team.ts';
import { cookiePrefix } from './cookies.ts';
import { libraryDatabase } from './library-address.ts';
import { shownPasswordLength } from './schema.ts';

/** Where the visitor's address stands in the headers that the library gets: it must not guess it from what a client sends. */
export const addressHeader = 'x-visitor-address';

const seconds = (milliseconds: number): number => milliseconds / 1000;

/** What encrypts and signs here, the secret in use first. */
export const secretsOf = ({ vault }: Pick<Platform, 'vault'>) => vault.secretsFor('sign-in');

/**
 * The sign-in library on our tables. Nothing of it is reached over HTTP by itself: what the app may do, its procedures call.
 * People are made by invitations and operators alone, so signing up is off.
 */
export const openAuth = (platform: Platform) => {
  const { database, publicUrl } = platform;
  return betterAuth({
    appName: serviceName,
    baseURL: publicUrl,
    secrets: secretsOf(platform),
    database: libraryDatabase(database),
    emailAndPassword: {
      enabled: true,
      disableSignUp: true,
      // Our own schemas have looked already, and count characters as people do.
      minPasswordLength: 1,
      maxPasswordLength: shownPasswordLength,
      password: { hash: hashPassword, verify: ({ hash, password }) => isPassword(password, hash) },
    },
    user: { modelName: 'person' },
    session: {
      fields: { userId: 'personId' },
      expiresIn: seconds(daysToMs(signInLimits.sessionDays)),
      updateAge: seconds(daysToMs(1)),
    },
    account: { modelName: 'credential', fields: { userId: 'personId' } },
    plugins: [
      twoFactor({
        issuer: serviceName,
        schema: { twoFactor: { fields: { userId: 'personId' } } },
        trustDeviceMaxAge: seconds(daysToMs(signInLimits.trustedDeviceDays)),
        // It counts a wrong code after it was judged; ours are counted before, so that a burst gets no more tries than a row.
        accountLockout: { enabled: false },
      }),
    ],
    // Counted by us, in every process at once.
    rateLimit: { enabled: false },
    telemetry: { enabled: false },
    logger: { disabled: true },
    advanced: {
      cookiePrefix: cookiePrefix(publicUrl),
      // It would set another prefix in front of ours.
      useSecureCookies: false,
      defaultCookieAttributes: { httpOnly: true, sameSite: 'lax', path: '/', secure: publicUrl.startsWith('https:') },
      ipAddress: { ipAddressHeaders: [addressHeader] },
      // What only other ways of signing in would write has no column.
      database: { generateId: () => newId(), validateSchema: false },
    },
  });
};

export type Auth = ReturnType<typeof openAuth>;
