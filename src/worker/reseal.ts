import { daysToMs, later } from '../core/clock.ts';
import { resealTokens } from '../modules/crm/credentials.ts';
import { resealAnswers } from '../modules/idempotency/service.ts';
import { resealMails } from '../modules/mail/reseal.ts';
import { resealSecondFactors } from '../modules/sessions/service.ts';
import { resealSecrets } from '../modules/webhooks/upkeep.ts';
import type { Platform } from '../platform/team.ts';
import type { Resealed } from '../core/crypto.ts';

type Reseal = (platform: Platform, most?: number) => Promise<Resealed>;

/** Everything that is kept encrypted for longer than a day. A table that begins to keep something encrypted adds a line. */
export const lastingSecrets: Readonly<Record<string, Reseal>> = {
  'endpoint secrets': resealSecrets,
  'tokens of CRM connections': resealTokens,
  'waiting mails': resealMails,
  'second factors': resealSecondFactors,
};

const everything: Readonly<Record<string, Reseal>> = { ...lastingSecrets, 'kept answers': resealAnswers };

interface Progress {
  what: string;
  resealed: number;
  /** What a former secret still seals. */
  left: number;
  lost: number;
  lost_ids: string[];
}

export interface Rotation {
  kinds: Progress[];
  resealed: number;
  left: number;
  lost: number;
  /** From then on nothing needs a former secret; null while something does. */
  former_needed_until: string | null;
}

/** Reset links are signed, not kept: the last one that a former secret signed has run out by then. */
const signedForDays = 1;

/**
 * Encrypts with the secret in use all that a former one has encrypted, beside running processes: at most so many values of all kinds
 * together, each in a statement of its own that leaves what was changed meanwhile alone. Called again it goes on where it ended. Then
 * it counts what is left, which may be more than it left: a process that still encrypts with the former secret adds to it.
 */
export const rotateSecrets = async (platform: Platform, most = Infinity): Promise<Rotation> => {
  const kinds: Progress[] = [];
  let room = most;
  for (const [what, reseal] of Object.entries(everything)) {
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
    former_needed_until: left > 0 ? null : later(platform.clock.now(), daysToMs(signedForDays)).toISOString(),
  };
};
