import { makeId } from '../../../src/core/ids.ts';
import { anAssistantConnection } from '../../support/assistants.ts';
import {
  anAssignment,
  aCase,
  aCatalogItem,
  block,
  anEvaluation,
  aScoredTraining,
  dimensions,
} from '../../support/practice.ts';
import { aCrmConnection, aDeal, anObjection } from '../../support/crm.ts';
import type { TestTeam } from '../../support/team.ts';
import { aDelivery, anAttempt, anEndpoint, anEvent } from '../../support/webhooks.ts';
import type { AppTest } from './app.ts';

/** Calls a dialog if a page interprets it as anything but text. */
export const script = `<img src=x onerror=alert(1)><script>alert(2)</script>"'\`{{7*7}}\${7*7}`;

interface HostileTeam {
  team: TestTeam;
  /** The ids for those pages of the app that show one object, by the path of their routes. */
  addresses: Readonly<Record<string, string>>;
}

/** A team with data on every page, and a script in every text that a person can set. */
export const aHostileTeam = async (app: AppTest): Promise<HostileTeam> => {
  const { service } = app;
  const { prisma } = service.database;
  const team = await app.team({ name: script, members: 6 });
  const tenantId = team.id;
  await prisma.person.updateMany({ where: { users: { some: { tenantId } } }, data: { name: script } });
  await team.anInvitedMember();

  const item = (dimension: 'situation' | 'personality' | 'industry' | 'methodology') =>
    aCatalogItem(service, { dimension, tenantId, nameDe: script, nameEn: script, icon: script });
  const situation = await item('situation');
  const personality = await item('personality');
  const industry = await item('industry');
  await block(service, { tenantId, itemId: await item('situation') });

  const { member_id: memberId, user_id: userId } = team.owner;
  const task = {
    situationId: situation,
    personalityId: personality,
    industryId: industry,
    note: script,
    title: script,
  };
  const assignmentId = await anAssignment(service, team, { memberId, ...task });
  const fields = { [script]: script, list: [script, 1, null] };
  for (const isPrivate of [false, true]) {
    await aCase(service, team, { userId, title: script, fields, personaId: script, private: isPrivate });
  }
  const tip = { issue: script, moment: script, principle: script, rewrite: script, impact: script };
  const evaluation = {
    ...anEvaluation({ dimensions, tips: [tip], goal: 'partial', strongest: script, biggest_lever: script }),
    savedAt: service.clock.now(),
  };
  const trainings = [];
  for (const user_id of [userId, ...team.members.flatMap((member) => member.user_id ?? [])]) {
    trainings.push(
      await aScoredTraining(service, team, {
        userId: user_id,
        assignmentId,
        situationId: situation,
        evaluation,
      }),
    );
  }

  const { id: keyId } = await team.aKey();
  await prisma.apiKey.updateMany({ where: { tenantId }, data: { name: script } });
  await team.client.get(`/users/${encodeURIComponent(script)}?${encodeURIComponent(script)}=1`);
  await team.client.get('/users');
  await service.requestLog.write();
  const logged = await prisma.requestLogEntry.findFirstOrThrow({ where: { tenantId, status: 422 } });
  await prisma.requestLogEntry.updateMany({
    where: { tenantId },
    data: {
      query: script,
      userAgent: script,
      problem: { detail: script, errors: [{ path: [script], code: script, message: script }] },
    },
  });

  const endpointId = await anEndpoint(service, team);
  await prisma.webhookEndpoint.updateMany({ where: { tenantId }, data: { description: script } });
  const eventId = await anEvent(service, team, { data: { reason: script } });
  const deliveryId = await aDelivery(service, team, { endpointId, eventId, status: 'gave_up' });
  await anAttempt(service, team, { deliveryId, code: 500 });
  const results = [{ probe: 'valid', code: null, ms: 1, error: script, errorDe: script }];
  const check = { id: makeId(), endpointId, results, createdAt: new Date(), completedAt: new Date() };
  await prisma.webhookCheck.create({ data: { tenantId, ...check } });
  await prisma.webhookDelivery.updateMany({
    where: { tenantId },
    data: { responseExcerpt: script, error: script, errorDe: script },
  });
  await prisma.webhookAttempt.updateMany({
    where: { tenantId },
    data: { responseExcerpt: script, error: script, errorDe: script, responseHeaders: { [script]: script } },
  });
  await prisma.auditEntry.create({
    data: {
      tenantId,
      id: makeId(),
      actorKind: 'person',
      actorId: userId,
      action: 'team.changed',
      targetType: 'team',
      targetId: tenantId,
      data: { before: { name: script }, after: { name: script } },
      createdAt: service.clock.now(),
    },
  });

  await anAssistantConnection(service, team, { memberId, userId, clientName: script });

  const connectionId = await aCrmConnection(service, team, { provider: script });
  await prisma.crmConnection.updateMany({ where: { tenantId }, data: { label: script, url: script } });
  const now = service.clock.now();
  await prisma.crmRun.create({
    data: {
      tenantId,
      id: makeId(),
      connectionId,
      kind: 'full',
      startedAt: now,
      endedAt: now,
      outcome: 'failed',
      reason: script,
      reasonDe: script,
    },
  });
  const texts = { title: script, externalId: script, lostReason: script };
  const dealId = await aDeal(service, team, connectionId, texts);
  await anObjection(service, team, dealId, { text: script, category: script, lang: script });
  return {
    team,
    addresses: {
      '/trainings/:id': `/trainings/${trainings[0] ?? ''}`,
      '/members/:id': `/members/${memberId}`,
      '/requests/:id': `/requests/${logged.id}`,
      '/keys/:id': `/keys/${keyId}`,
      '/webhooks/:id': `/webhooks/${endpointId}`,
      '/webhooks/:id/deliveries/:deliveryId': `/webhooks/${endpointId}/deliveries/${deliveryId}`,
      '/webhooks/events/:id': `/webhooks/events/${eventId}`,
      '/crm/:id': `/crm/${connectionId}`,
    },
  };
};
