import { statement } from '../../db/statement.ts';
import type { Platform } from '../../platform/platform.ts';
import { resealAll } from '../../platform/reseal.ts';
import type { Kept, Resealed } from '../../platform/reseal.ts';
import { mailPurpose } from './service.ts';

interface KeptMail extends Kept {
  readonly createdAt: string;
}

const batch = 500;
const beforeAll = { createdAt: '-infinity', id: '00000000-0000-0000-0000-000000000000' };

const next = statement<KeptMail, [createdAt: string, id: string]>(
  `select id, created_at as "createdAt", body as sealed from mail
    where sent_at is null and (created_at, id) > ($1, $2) order by created_at, id limit ${batch}`,
);

const replace = statement<{ id: string }, [id: string, former: Uint8Array, sealed: Uint8Array]>(
  'update mail set body = $3 where id = $1 and body = $2 returning id',
);

/** Seals mails that still wait with the secret in use: a server may refuse them for days, and without one they stay. */
export const resealMails = (platform: Platform): Promise<Resealed> => {
  const { database } = platform;
  return resealAll<KeptMail>(platform, {
    purpose: mailPurpose,
    next: (last) => {
      const { createdAt, id } = last ?? beforeAll;
      return database.rows(next, createdAt, id);
    },
    replace: async ({ id, sealed: former }, sealed) => (await database.rows(replace, id, former, sealed)).length > 0,
  });
};
