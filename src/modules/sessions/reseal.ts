import { symmetricDecrypt, symmetricEncrypt } from 'better-auth/crypto';
import { statement } from '../../db/statement.ts';
import type { Platform } from '../../platform/platform.ts';
import type { Resealed } from '../../platform/reseal.ts';
import { secretsOf } from './auth.ts';

interface KeptFactor {
  readonly id: string;
  readonly secret: string;
  readonly codes: string;
}

const next = statement<KeptFactor, [after: string]>(
  `select id, secret, backup_codes as codes from two_factor where id > $1 order by id limit 500`,
);

// Unless they were changed meanwhile: then they were encrypted with the secret in use.
const replace = statement<{ id: string }, [id: string, former: string, secret: string, codes: string]>(
  'update two_factor set secret = $3, backup_codes = $4 where id = $1 and secret || backup_codes = $2 returning id',
);

const lostNamed = 20;
const beforeAll = '00000000-0000-0000-0000-000000000000';

/** Encrypts second factors with the secret in use that a former one encrypted, as the sign-in library does it itself. */
export const resealSecondFactors = async (platform: Platform): Promise<Resealed> => {
  const { database } = platform;
  const secrets = secretsOf(platform);
  const [{ version: currentVersion } = { version: 0 }] = secrets;
  const key = { keys: new Map(secrets.map(({ version, value }) => [version, value])), currentVersion };
  const isCurrent = (text: string) => text.startsWith(`$ba$${currentVersion}$`);
  const anew = async (data: string) => symmetricEncrypt({ key, data: await symmetricDecrypt({ key, data }) });

  const done: Resealed = { resealed: 0, lost: 0, lostIds: [] };
  const reseal = async ({ id, secret, codes }: KeptFactor): Promise<void> => {
    if (isCurrent(secret) && isCurrent(codes)) return;
    const sealed = await Promise.all([anew(secret), anew(codes)]).catch(() => undefined);
    if (sealed) done.resealed += (await database.rows(replace, id, secret + codes, ...sealed)).length;
    else {
      done.lost += 1;
      if (done.lostIds.length < lostNamed) done.lostIds.push(id);
    }
  };
  let factors = await database.rows(next, beforeAll);
  while (factors.length > 0) {
    for (const factor of factors) await reseal(factor);
    factors = await database.rows(next, factors.at(-1)?.id ?? beforeAll);
  }
  return done;
};
