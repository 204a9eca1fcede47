import type { Platform } from '../../platform/platform.ts';

/** Deletes what ran out by itself: sessions that nobody used, first steps that nobody followed up, trust in browsers. */
export const forgetOldSessions = async ({ database, clock }: Platform): Promise<void> => {
  const ranOut = { where: { expiresAt: { lt: clock.now() } } };
  await database.prisma.session.deleteMany(ranOut);
  await database.prisma.verification.deleteMany(ranOut);
};
