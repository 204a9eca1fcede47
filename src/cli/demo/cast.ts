import { daysToMs, later } from '../../core/clock.ts';
import type { Language } from '../../core/language.ts';
import type { Platform, Team } from '../../platform/team.ts';

/** A member of a demo team. */
export interface CastMember {
  memberId: string;
  email: string;
  /** Null for an invited member. */
  userId: string | null;
  role: 'owner' | 'admin' | 'member';
  joined: Date;
}

/** A member who has joined, and so can practise. */
export interface ActiveMember extends CastMember {
  userId: string;
}

/** A demo team while it is being created. */
export interface Cast {
  team: Team;
  language: Language;
  chance: Chance;
  people: readonly CastMember[];
}

export const isActive = (member: CastMember): member is ActiveMember => member.userId !== null;

/** The same platform with a clock that is some days behind, so that everything done with it gets an earlier date. */
export const daysAgo = (platform: Platform, count: number): Platform => {
  const then = later(platform.clock.now(), -daysToMs(count));
  return { ...platform, clock: { now: () => then } };
};

/** Random numbers that are the same for the same seed, so that every demo looks alike. */
export interface Chance {
  /** From 0 up to, not including, 1. */
  next(): number;
  /** A whole number from `min` to `max`. */
  between(min: number, max: number): number;
  pick<T>(items: readonly [T, ...T[]]): T;
  /** A number around 0, rarely beyond ±`width`. */
  around(width: number): number;
}

export const chanceFrom = (seed: number): Chance => {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x9e3779b9) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x85ebca6b);
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
    return ((mixed ^ (mixed >>> 16)) >>> 0) / 2 ** 32;
  };
  return {
    next,
    between: (min, max) => min + Math.floor(next() * (max - min + 1)),
    pick: (items) => items[Math.floor(next() * items.length)] ?? items[0],
    around: (width) => (next() + next() + next() - 1.5) * (width / 1.5),
  };
};

const spelledOut: Readonly<Record<string, string>> = { ä: 'ae', ö: 'oe', ü: 'ue', ß: 'ss', ı: 'i' };

/** A name in the form that it has before the @ of an email address. */
export const emailName = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[äöüßı]/g, (letter) => spelledOut[letter] ?? letter)
    .normalize('NFD')
    .replace(/[^a-z -]/g, '')
    .replaceAll(' ', '.');
