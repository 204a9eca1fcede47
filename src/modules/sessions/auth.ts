import { betterAuth } from 'better-auth/minimal';
import { prismaAdapter } from 'better-auth/adapters/prisma';
import { twoFactor } from 'better-auth/plugins/two-factor';
import { days } from '../../core/clock.ts';
import { newId } from '../../core/ids.ts';
import { limits, signInLimits } from '../../core/limits.ts';
import { hashPassword, isPassword } from '../../core/password.ts';
import { serviceName } from '../../core/product.ts';
import type { Platform } from '../../platform/platform.ts';

/** Where the visitor's address stands in the headers that the library gets: it must not guess it from what a client sends. */
export const addressHeader = 'x-visitor-address';

const seconds = (milliseconds: number): number => milliseconds / 1000;

/**
 * The sign-in library on our tables. Nothing of it is reached over HTTP by itself: what the app may do, its procedures call.
 * People are made by invitations and operators alone, so signing up is off.
 */
export const openAuth = ({ database, vault, publicUrl }: Platform) =>
  betterAuth({
    appName: serviceName,
    baseURL: publicUrl,
    secrets: vault.secretsFor('sign-in'),
    database: prismaAdapter(database.prisma, { provider: 'postgresql' }),
    emailAndPassword: {
      enabled: true,
      disableSignUp: true,
      minPasswordLength: limits.passwordCharacters.least,
      maxPasswordLength: limits.passwordCharacters.most,
      password: { hash: hashPassword, verify: ({ hash, password }) => isPassword(password, hash) },
    },
    user: { modelName: 'person' },
    session: {
      fields: { userId: 'personId' },
      expiresIn: seconds(days(signInLimits.sessionDays)),
      updateAge: seconds(days(1)),
    },
    account: { modelName: 'credential', fields: { userId: 'personId' } },
    plugins: [
      twoFactor({
        issuer: serviceName,
        schema: { twoFactor: { fields: { userId: 'personId' } } },
        trustDeviceMaxAge: seconds(days(signInLimits.trustedDeviceDays)),
      }),
    ],
    // Counted by us, in every process at once.
    rateLimit: { enabled: false },
    telemetry: { enabled: false },
    logger: { disabled: true },
    advanced: {
      cookiePrefix: 'team',
      useSecureCookies: publicUrl.startsWith('https:'),
      defaultCookieAttributes: { httpOnly: true, sameSite: 'lax', path: '/' },
      ipAddress: { ipAddressHeaders: [addressHeader] },
      // What only other ways of signing in would write has no column.
      database: { generateId: () => newId(), validateSchema: false },
    },
  });

export type Auth = ReturnType<typeof openAuth>;
