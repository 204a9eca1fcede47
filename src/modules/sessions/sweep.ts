import type { Platform } from '../../platform/team.ts';
import { sessions, verifications } from './store.ts';

/** Deletes what ran out by itself: sessions that nobody used, first steps that nobody followed up, trust in browsers. */
export const forgetOldSessions = async ({ database, clock }: Platform): Promise<void> => {
  const now = clock.now();
  await sessions.removeExpired(database.prisma, now);
  await verifications.removeExpired(database.prisma, now);
};
