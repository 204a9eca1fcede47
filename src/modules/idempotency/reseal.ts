import type { Platform } from '../../platform/team.ts';
import { resealAll } from '../../core/crypto.ts';
import type { SealedRow, Resealed } from '../../core/crypto.ts';
import { answerPurpose, contextOf } from './sealed-answer.ts';
import { answers } from './store.ts';

interface KeptRecord extends SealedRow {
  readonly tenantId: string;
  readonly key: string;
}

const beforeAll = { tenantId: '00000000-0000-0000-0000-000000000000', key: '' };

/** Seals the kept answers with the secret in use. */
export const resealAnswers = (platform: Platform, most?: number): Promise<Resealed> => {
  const { database, clock } = platform;
  const store = {
    purpose: answerPurpose,
    next: async (last?: KeptRecord) => {
      const { tenantId, key } = last ?? beforeAll;
      const rows = await answers.after(database, { tenantId, key, now: clock.now() });
      return rows.map((row): KeptRecord => ({ ...row, id: contextOf(row.tenantId, row.key) }));
    },
    replace: ({ tenantId, key, sealed: former }: KeptRecord, sealed: Uint8Array) =>
      answers.replace(
        database.prisma,
        { tenantId, key },
        { former: Uint8Array.from(former), answer: Uint8Array.from(sealed) },
      ),
  };
  return resealAll<KeptRecord>(platform.vault, store, most);
};
