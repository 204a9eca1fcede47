import { resealAll, type ResealResult } from '../../core/crypto.ts';
import type { Platform } from '../../platform/team.ts';
import { secretsOf } from './cookies.ts';
import { secondFactors, sessions, verifications } from './store.ts';

// The part of this module that the worker runs. It loads the sign-in library's encryption only when a factor has to be
// encrypted again, because the library would be half of the code that a worker loads when it starts.

/** Deletes expired rows: sessions, first steps of sign-ins, trust in browsers, known browsers. */
export const deleteOldSessions = async ({ database, clock }: Platform): Promise<void> => {
  const now = clock.now();
  await sessions.removeExpired(database.prisma, now);
  await verifications.removeExpired(database.prisma, now);
};

/**
 * Encrypts again, with the current secret, the second factors that a previous secret encrypted. The format is the
 * library's.
 */
export const resealSecondFactors = async (platform: Platform, max?: number): Promise<ResealResult> => {
  const { prisma } = platform.database;
  const secrets = secretsOf(platform);
  const [{ version: currentVersion } = { version: 0 }] = secrets;
  const key = { keys: new Map(secrets.map(({ version, value }) => [version, value])), currentVersion };
  const isCurrent = (text: string) => text.startsWith(`$ba$${currentVersion}$`);

  const rows = (await secondFactors.all(prisma)).filter(
    ({ secret, backupCodes }) => !isCurrent(secret) || !isCurrent(backupCodes),
  );
  if (rows.length === 0) return { resealed: 0, left: 0, lost: 0, lostIds: [] };
  // If this import fails, the whole task fails, so that no factor counts as lost because a file can't be read.
  const { symmetricDecrypt, symmetricEncrypt } = await import('better-auth/crypto');
  const again = async (data: string) => symmetricEncrypt({ key, data: await symmetricDecrypt({ key, data }) });
  return resealAll(
    {
      rows,
      sealAgain: async ({ secret, backupCodes }) => ({
        secret: await again(secret),
        backupCodes: await again(backupCodes),
      }),
      replace: (factor, sealed) => secondFactors.replace(prisma, factor, sealed),
    },
    max,
  );
};
