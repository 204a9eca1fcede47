import type { Platform } from '../../platform/team.ts';
import { resealAll } from '../../core/crypto.ts';
import type { SealedRow, Resealed } from '../../core/crypto.ts';
import { mailPurpose } from './service.ts';
import { mails } from './store.ts';

interface KeptMail extends SealedRow {
  readonly createdAt: string;
}

const beforeAll = { createdAt: '-infinity', id: '00000000-0000-0000-0000-000000000000' };

/** Seals mails that still wait with the secret in use: a server may refuse them for days, and without one they stay. */
export const resealMails = (platform: Platform, most?: number): Promise<Resealed> => {
  const { database } = platform;
  return resealAll<KeptMail>(
    platform.vault,
    {
      purpose: mailPurpose,
      next: async (last = { ...beforeAll, sealed: new Uint8Array() }) => {
        const rows = await mails.waitingAfter(database, { createdAt: last.createdAt, id: last.id });
        return rows.map(({ id, created_at: createdAt, body: sealed }) => ({ id, createdAt, sealed }));
      },
      replace: ({ id, sealed: former }, sealed) =>
        mails.replaceBody(database.prisma, id, { former: Uint8Array.from(former), body: Uint8Array.from(sealed) }),
    },
    most,
  );
};
