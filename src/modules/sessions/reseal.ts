import { symmetricDecrypt, symmetricEncrypt } from 'better-auth/crypto';
import type { Platform } from '../../platform/team.ts';
import type { Resealed } from '../../core/crypto.ts';
import { secretsOf } from './auth.ts';
import { secondFactors } from './store.ts';

type KeptFactor = Awaited<ReturnType<typeof secondFactors.after>>[number];

const batch = 500;
const lostNamed = 20;
const beforeAll = '00000000-0000-0000-0000-000000000000';

/** Encrypts second factors with the secret in use that a former one encrypted, as the sign-in library does it itself. */
export const resealSecondFactors = async (platform: Platform, most = Infinity): Promise<Resealed> => {
  const { prisma } = platform.database;
  const secrets = secretsOf(platform);
  const [{ version: currentVersion } = { version: 0 }] = secrets;
  const key = { keys: new Map(secrets.map(({ version, value }) => [version, value])), currentVersion };
  const isCurrent = (text: string) => text.startsWith(`$ba$${currentVersion}$`);
  const anew = async (data: string) => symmetricEncrypt({ key, data: await symmetricDecrypt({ key, data }) });

  const done: Resealed = { resealed: 0, left: 0, lost: 0, lostIds: [] };
  const reseal = async ({ id, ...former }: KeptFactor): Promise<void> => {
    if (isCurrent(former.secret) && isCurrent(former.backupCodes)) return;
    const sealed = await Promise.all([anew(former.secret), anew(former.backupCodes)]).catch(() => undefined);
    if (sealed) {
      const [secret, backupCodes] = sealed;
      if (done.resealed >= most) {
        done.left += 1;
        return;
      }
      // Unless they were changed meanwhile: then they were encrypted with the secret in use.
      if (await secondFactors.replace(prisma, id, former, { secret, backupCodes })) done.resealed += 1;
    } else {
      done.lost += 1;
      if (done.lostIds.length < lostNamed) done.lostIds.push(id);
    }
  };
  let factors = await secondFactors.after(prisma, beforeAll, batch);
  while (factors.length > 0) {
    for (const factor of factors) await reseal(factor);
    factors = await secondFactors.after(prisma, factors.at(-1)?.id ?? beforeAll, batch);
  }
  return done;
};
