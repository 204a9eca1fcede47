import { Lately } from './lately.ts';

/**
 * What to expect of a name, as its look-ups went lately.
 *
 *   new ──answered promptly──▶ known
 *    │ ▲                         │
 *    │ └── failed promptly, or not asked for an hour
 *    │ slow or silent            │ slow or silent
 *    └────────▶ slow ◀───────────┘
 *
 * It stays slow for a while even if it answers: else a name that is silent every other time would always count as known.
 */
export type Standing = 'known' | 'new' | 'slow';

export interface TrackRecord {
  of(name: string): Standing;
  /** It took too long a moment ago: asking again would only wait again. */
  isSilent(name: string): boolean;
  /** A look-up runs for so long that nobody else should wait for it. */
  isLate(name: string): void;
  answered(name: string, ms: number): void;
  failed(name: string, ms: number): void;
}

export interface Patience {
  /** A look-up that takes longer is slow, or if it then fails, silent. */
  promptMs: number;
  silentForMs: number;
}

const knownForMs = 60 * 60_000;
const slowForMs = 5 * 60_000;
const mostNames = 10_000;

export const makeTrackRecord = ({ promptMs, silentForMs }: Patience): TrackRecord => {
  // Each forgets for itself, so that however many silent names there are, they displace none that is known.
  const known = new Lately(knownForMs, mostNames);
  const slow = new Lately(slowForMs, mostNames);
  const silent = new Lately(silentForMs, mostNames);

  const tookLong = (name: string): void => {
    known.forget(name);
    slow.note(name);
  };
  const isLate = (name: string): void => {
    tookLong(name);
    silent.note(name);
  };

  return {
    of: (name) => {
      if (slow.has(name)) return 'slow';
      return known.has(name) ? 'known' : 'new';
    },
    isSilent: (name) => silent.has(name),
    isLate,
    answered: (name, ms) => {
      silent.forget(name);
      if (ms > promptMs) tookLong(name);
      else known.note(name);
    },
    failed: (name, ms) => {
      if (ms > promptMs) isLate(name);
      else known.forget(name);
    },
  };
};
