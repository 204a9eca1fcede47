import { daysToMs, later } from '../core/clock.ts';
import { resealClientSecrets } from '../modules/company-sign-in/service.ts';
import { resealTokens } from '../modules/crm/credentials.ts';
import { resealMails } from '../modules/mail/service.ts';
import { resealSecondFactors } from '../modules/sign-ins/cleanup.ts';
import { resealSecrets } from '../modules/webhooks/cleanup.ts';
import type { Platform } from '../platform/team.ts';
import type { ResealResult } from '../core/crypto.ts';

type Reseal = (platform: Platform, max?: number) => Promise<ResealResult>;

/** All data that is stored encrypted for longer than a day. Each table with encrypted data has a line here. */
export const lastingSecrets: Readonly<Record<string, Reseal>> = {
  'endpoint secrets': resealSecrets,
  'tokens of CRM connections': resealTokens,
  'client secrets of company accounts': resealClientSecrets,
  'waiting mails': resealMails,
  'second factors': resealSecondFactors,
};

interface ResealProgress {
  what: string;
  resealed: number;
  /** How many values a previous secret still encrypts. */
  left: number;
  lost: number;
  lost_ids: string[];
}

export interface Rotation {
  kinds: ResealProgress[];
  resealed: number;
  left: number;
  lost: number;
  /** After this time no value needs a previous secret; null if some values still do. */
  former_needed_until: string | null;
}

/**
 * After this time all links of "Forgot your password?" that a previous secret signed have expired, and so have all
 * answers for idempotency keys that it encrypted. Without the previous secret, links of earlier welcome and weekly
 * mails end, and so do the sessions and tokens of assistants that were not used since the rotation.
 */
const neededForDays = 1;

/**
 * Encrypts with the first secret all values that a previous one encrypted. Processes may run meanwhile. One call
 * changes at most `max` values of all kinds together, each in its own statement, which leaves a value unchanged if
 * another process has changed it. The next call continues. At the end it counts the remaining values. Processes that
 * still use the previous secret may add to them.
 */
export const rotateSecrets = async (platform: Platform, max = Infinity): Promise<Rotation> => {
  const kinds: ResealProgress[] = [];
  let room = max;
  for (const [what, reseal] of Object.entries(lastingSecrets)) {
    const { resealed } = await reseal(platform, room);
    room -= resealed;
    const { left, lost, lostIds } = await reseal(platform, 0);
    kinds.push({ what, resealed, left, lost, lost_ids: lostIds });
  }
  const sumOf = (count: 'resealed' | 'left' | 'lost') => kinds.reduce((sum, kind) => sum + kind[count], 0);
  const left = sumOf('left');
  return {
    kinds,
    resealed: sumOf('resealed'),
    left,
    lost: sumOf('lost'),
    former_needed_until: left > 0 ? null : later(platform.clock.now(), daysToMs(neededForDays)).toISOString(),
  };
};
