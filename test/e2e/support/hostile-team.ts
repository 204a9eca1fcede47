import { daysToMs, later } from '../../../src/core/clock.ts';
import { makeBrowser } from '../../support/people.ts';
import { aWorld, script, type World } from '../../support/world.ts';
import { password, type AppTest } from './app.ts';

/** The same with a word that is never broken, as long as names may be. */
export const longScript = `${script} ${'Donaudampfschifffahrtsgesellschaftskapitänsmützenabzeichen'.repeat(4)}`.slice(
  0,
  190,
);

/**
 * A team with data on every page, and this text wherever a person can set one. Its owner is in another team, too, and
 * has several sessions.
 */
export const aHostileTeam = async (app: AppTest, text = script): Promise<Pick<World, 'team' | 'addresses'>> => {
  const { service } = app;
  const { team, addresses, needles } = await aWorld(service, { text, more: 4, ownerPassword: password });
  const tenantId = team.id;
  // Its age in seconds would take more room with each digit.
  const invitedAt = later(service.clock.now(), -daysToMs(3));
  await service.database.prisma.member.updateMany({ where: { tenantId, status: 'invited' }, data: { invitedAt } });
  const { email } = team.owner;
  await (await app.team({ name: text })).anActiveMember({ email });
  for (const userAgent of ['Mozilla/5.0 (iPhone; CPU iPhone OS 19_0) Version/19.0 Safari/604.1', 'curl/8']) {
    await makeBrowser(service, { userAgent }).signIn(email, password);
  }
  return { team, addresses: { ...addresses, '/members/:id': `/members/${needles.memberId}` } };
};
