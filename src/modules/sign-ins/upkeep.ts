import type { Resealed } from '../../core/crypto.ts';
import type { Platform } from '../../platform/team.ts';
import { secretsOf } from './cookies.ts';
import { secondFactors, sessions, verifications } from './store.ts';

// The worker's part. It loads the sign-in library's encryption only when a factor has to be encrypted again: the library would be half of
// the code that a worker loads when it starts.

/** Deletes what has expired: sessions, first steps without a second one, trust in browsers. */
export const deleteOldSessions = async ({ database, clock }: Platform): Promise<void> => {
  const now = clock.now();
  await sessions.removeExpired(database.prisma, now);
  await verifications.removeExpired(database.prisma, now);
};

type StoredFactor = Awaited<ReturnType<typeof secondFactors.all>>[number];

const maxLostIds = 20;

/** Encrypts second factors of a previous secret with the current one, in the library's own format. */
export const resealSecondFactors = async (platform: Platform, most = Infinity): Promise<Resealed> => {
  const { prisma } = platform.database;
  const secrets = secretsOf(platform);
  const [{ version: currentVersion } = { version: 0 }] = secrets;
  const key = { keys: new Map(secrets.map(({ version, value }) => [version, value])), currentVersion };
  const isCurrent = (text: string) => text.startsWith(`$ba$${currentVersion}$`);

  const done: Resealed = { resealed: 0, left: 0, lost: 0, lostIds: [] };
  const reseal = async ({ id, ...former }: StoredFactor): Promise<void> => {
    if (isCurrent(former.secret) && isCurrent(former.backupCodes)) return;
    // If this fails, the whole task does: no factor is lost because a file can't be read.
    const { symmetricDecrypt, symmetricEncrypt } = await import('better-auth/crypto');
    const reencrypt = async (data: string) => symmetricEncrypt({ key, data: await symmetricDecrypt({ key, data }) });
    const sealed = await Promise.all([reencrypt(former.secret), reencrypt(former.backupCodes)]).catch(() => undefined);
    if (sealed) {
      const [secret, backupCodes] = sealed;
      if (done.resealed >= most) {
        done.left += 1;
        return;
      }
      // A factor that was changed meanwhile is not replaced: it is encrypted with the current secret already.
      if (await secondFactors.replace(prisma, id, former, { secret, backupCodes })) done.resealed += 1;
    } else {
      done.lost += 1;
      if (done.lostIds.length < maxLostIds) done.lostIds.push(id);
    }
  };
  for (const factor of await secondFactors.all(prisma)) await reseal(factor);
  return done;
};
