import { days, later } from '../core/clock.ts';
import type { Language } from '../core/language.ts';
import type { Platform } from '../platform/platform.ts';
import type { Team } from '../platform/team.ts';
import type { Chance } from './chance.ts';

/** Somebody of a demo team. */
export interface CastMember {
  memberId: string;
  /** Null while only invited. */
  userId: string | null;
  role: 'owner' | 'admin' | 'member';
  joined: Date;
}

/** Somebody who has joined, and so can practise. */
export interface ActiveMember extends CastMember {
  userId: string;
}

/** A demo team while it is made: what every part of its story is told with. */
export interface Cast {
  team: Team;
  language: Language;
  chance: Chance;
  people: readonly CastMember[];
}

export const isActive = (member: CastMember): member is ActiveMember => member.userId !== null;

/** The same platform some days ago: what services do with it is dated then. */
export const daysAgo = (platform: Platform, count: number): Platform => {
  const then = later(platform.clock.now(), -days(count));
  return { ...platform, clock: { now: () => then } };
};
