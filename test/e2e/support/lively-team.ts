import { buildTeam, teamPlans } from '../../../src/cli/demo/build-team.ts';
import { daysToMs, later } from '../../../src/core/clock.ts';
import { makeId } from '../../../src/core/ids.ts';
import type { Language } from '../../../src/core/language.ts';
import { hashPassword } from '../../../src/core/password.ts';
import { importStarterCatalog } from '../../../src/modules/catalog/document.ts';
import { createKey } from '../../../src/modules/keys/service.ts';
import { removeMember } from '../../../src/modules/members/service.ts';
import { setPassword } from '../../../src/modules/people/store.ts';
import { actIn } from '../../../src/platform/team-row.ts';
import { theRequests } from '../../support/logs.ts';
import { anAssignment } from '../../support/practice.ts';
import { aDelivery, anAttempt, anEndpoint, anEvent } from '../../support/webhooks.ts';
import { password, type AppTest } from './app.ts';

interface LivelyTeam {
  /** The address of the owner. */
  owner: string;
  /** The pages that show one object, by the path of their routes. */
  addresses: Readonly<Record<string, string>>;
}

/** A demo team whose programs work, too. Its pages and dialogs look as customers see them. */
export const aLivelyTeam = async ({ service }: AppTest, language: Language): Promise<LivelyTeam> => {
  const { platform, database } = service;
  const { prisma } = database;
  const now = service.clock.now();
  const [plan] = teamPlans;
  if (plan === undefined) throw new Error('there is no demo team');
  const built = await database.transaction(
    async (tx) => {
      await importStarterCatalog(tx, platform);
      return buildTeam(tx, platform, { ...plan, language });
    },
    { timeout: 180_000 },
  );
  const { tenant_id: tenantId, ids } = built;
  const team = { id: tenantId };
  const acting = await actIn(platform, { kind: 'operator' }, tenantId);
  const owner = await prisma.person.findFirstOrThrow({ where: { email: built.owner.email } });
  const hash = await hashPassword(password, platform.signIn.passwordCost);
  await prisma.$transaction((tx) => setPassword(tx, platform, owner.id, hash));

  const [leaving] = await prisma.member.findMany({
    where: { tenantId, role: 'member', status: 'active', id: { not: ids.member } },
    orderBy: { id: 'desc' },
  });
  if (leaving) await removeMember(acting, leaving.id);

  const key = await prisma.apiKey.findFirstOrThrow({ where: { tenantId }, orderBy: { id: 'asc' } });
  await prisma.apiKey.update({ where: { tenantId_id: { tenantId, id: key.id } }, data: { reportedAt: now } });
  await theRequests(service, team, key.id, [
    {},
    {},
    { route: '/trainings', ms: 12.1 },
    { method: 'POST', route: '/assignments', status: 201, ms: 31.7 },
    { status: 404, code: 'not_found', route: '/users/{member_id}' },
    { status: 422, code: 'validation_error', method: 'POST', route: '/assignments' },
    { status: 429, code: 'rate_limited' },
    { status: 503, code: 'unavailable' },
  ]);
  const logged = await prisma.requestLogEntry.findFirstOrThrow({ where: { tenantId, status: 422 } });

  const endpointId = await anEndpoint(service, team, {
    description: 'Data warehouse',
    failingSince: later(now, -daysToMs(1)),
  });
  await anEndpoint(service, team, { description: 'Slack', events: ['assignment.created'] });
  const eventId = await anEvent(service, team, { data: { training_id: ids.training_scored } });
  for (const status of ['ok', 'ok', 'ok', 'failed'] as const) await aDelivery(service, team, { endpointId, status });
  const deliveryId = await aDelivery(service, team, { endpointId, eventId, status: 'gave_up' });
  for (const number of [1, 2]) await anAttempt(service, team, { deliveryId, number, code: 500 });

  const { userId: invitedBy } = await prisma.member.findFirstOrThrow({
    where: { tenantId, id: built.owner.member_id, userId: { not: null } },
  });
  await prisma.waitingInvitation.create({
    data: {
      tenantId,
      id: makeId(),
      email: 'waiting@nordlicht.example',
      role: 'member',
      invitedBy: invitedBy ?? '',
      dueAt: later(now, daysToMs(1)),
      createdAt: now,
    },
  });
  await anAssignment(service, team, { memberId: built.owner.member_id });

  // Nobody signs in with it, so its secret is none.
  const times = { createdAt: now, updatedAt: now };
  await prisma.companySignIn.create({
    data: {
      tenantId,
      issuer: 'https://login.example.com/tenant',
      clientId: 'sales-training',
      clientSecret: Uint8Array.of(0),
      ...times,
    },
  });
  for (const [domain, provenAt] of [
    ['nordlicht-energie.example', now] as const,
    ['nordlicht.example', null] as const,
  ]) {
    await prisma.companyDomain.create({ data: { tenantId, domain, provenAt, createdAt: now } });
  }

  const { keyId: directoryKey } = await createKey(acting, {
    name: 'Okta',
    by: built.owner.member_id,
    scopes: ['directory:manage'],
  });
  const isTaken = JSON.stringify({ detail: 'Another person of the team has this userName.' });
  await theRequests(service, team, directoryKey, [
    { route: '/scim/v2/Users' },
    { method: 'POST', route: '/scim/v2/Users', status: 409, code: 'validation_error', problem: isTaken },
    { method: 'PATCH', route: '/scim/v2/Users/{id}', status: 403, code: 'seat_limit_reached' },
    { method: 'PATCH', route: '/scim/v2/Users/{id}' },
  ]);
  const known = await prisma.member.findMany({ where: { tenantId, role: 'member' }, orderBy: { id: 'asc' }, take: 5 });
  await prisma.directoryUser.createMany({
    data: known.map(({ id: memberId, email }) => ({
      tenantId,
      id: makeId(),
      memberId,
      userName: email,
      address: email,
      attributes: '{}',
      ...times,
    })),
  });

  const connection = await prisma.crmConnection.findFirstOrThrow({ where: { tenantId } });
  return {
    owner: built.owner.email,
    addresses: {
      '/trainings/:id': `/trainings/${ids.training_scored}`,
      '/members/:id': `/members/${ids.member}`,
      '/requests/:id': `/requests/${logged.id}`,
      '/keys/:id': `/keys/${key.id}`,
      '/webhooks/:id': `/webhooks/${endpointId}`,
      '/webhooks/:id/deliveries/:deliveryId': `/webhooks/${endpointId}/deliveries/${deliveryId}`,
      '/webhooks/events/:id': `/webhooks/events/${eventId}`,
      '/crm/:id': `/crm/${connection.id}`,
    },
  };
};
