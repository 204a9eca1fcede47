import { randomUUID } from 'node:crypto';
import { makeId } from '../../src/core/ids.ts';
import { removeMember } from '../../src/modules/members/service.ts';
import { queueMails } from '../../src/modules/mail/service.ts';
import { aCombination, aCase, aCatalogItem, aRule, block, anEvaluation, aScoredTraining } from './practice.ts';
import { anAssistantConnection } from './assistants.ts';
import { aStoredProvider, aPerson, aSignedInPerson } from './people.ts';
import { aCrmConnection, aDeal, anObjection } from './crm.ts';
import type { TestService } from './service.ts';
import { aTeam, type TestTeam } from './team.ts';
import { aDelivery, anAttempt, anEndpoint, eventRow } from './webhooks.ts';

/** A person whose data is in every place of a team that can hold personal data. */
export interface Everywhere {
  team: TestTeam;
  /** Texts that name only this person: name, address, and the ids of account, user and membership. */
  needles: Record<'name' | 'email' | 'personId' | 'userId' | 'memberId', string>;
}

/** A team with rows in every table. One active admin is named in every text that can name a person. */
export const aTeamWithEverything = async (
  service: TestService,
  {
    name = `Wilhelmine Sörgel-"Ödön ${randomUUID().slice(0, 8)}"`,
    email = `wilhelmine.${randomUUID().slice(0, 8)}@sörgel.example`,
  } = {},
): Promise<Everywhere> => {
  const combination = await aCombination(service);
  const team = await aTeam(service, { name: `The team of ${name}`, ownerName: 'Otto Owner' });
  const canonical = email.replace('sörgel', 'xn--srgel-jua');
  const { memberId, userId } = await aSignedInPerson(service, team, {
    role: 'admin',
    rights: ['schnittstellen'],
    email: canonical,
    name,
  });
  const { memberId: colleague, userId: colleagueUser } = await aPerson(team, {
    role: 'admin',
    name: 'Carla Colleague',
  });
  await team.anInvitedMember();
  const { prisma } = service.database;
  const { personId } = await prisma.teamUser.findUniqueOrThrow({
    where: { tenantId_id: { tenantId: team.id, id: userId } },
  });
  const mention = `${name.toUpperCase()} (${canonical}, ${email}, ${encodeURIComponent(canonical)}) ${userId} ${memberId}`;
  const facts = { text: mention, email: canonical, [canonical]: 1, name, list: [userId, memberId, personId], big: 1 };
  /** The same with a number that JavaScript can't represent. */
  const json = JSON.stringify(facts).replace('"big":1', '"big":12345678901234567890.10');
  const { client } = team;
  for (const [member, user] of [
    [memberId, userId],
    [colleague, colleagueUser],
  ] as const) {
    await anAssistantConnection(service, team, { memberId: member, userId: user, clientName: `Assistant of ${name}` });
  }
  await aStoredProvider(service, team);

  const wanted = { title: `For ${name}`.slice(0, 120), ...combination, note: mention };
  const assigned = await client.post('/assignments', { member_id: memberId, ...wanted });
  await client.post(
    '/assignments',
    { member_id: colleague, ...wanted },
    { headers: { 'Idempotency-Key': `for ${canonical}` } },
  );
  const content = { title: `Case of ${name}`, persona_id: canonical, fields: facts, external_ref: { name } };
  await client.post('/cases', { user_id: userId, ...content });
  await client.post('/cases', { user_id: colleagueUser, ...content });
  await team.aKey({ by: memberId });

  const of = { tenantId: team.id };
  const now = service.clock.now();
  await prisma.apiKey.updateMany({ where: of, data: { name: `${name}'s key` } });

  const itemId = await aCatalogItem(service, { ...of, dimension: 'situation', nameDe: name, nameEn: name });
  await aRule(service, { ...of, kind: 'never', situation: itemId, item: combination.personality_id });
  await block(service, { ...of, itemId });
  for (const id of [memberId, colleague]) await block(service, { ...of, itemId, memberId: id });

  const tips = [{ issue: mention, moment: name, principle: '', rewrite: '', impact: canonical }];
  const evaluation = { ...anEvaluation({ tips, strongest: mention, biggest_lever: mention }), savedAt: now };
  const assignmentId = String(assigned.body['id']);
  const practised = { situationId: itemId, evaluation };
  const completedTrainingId = await aScoredTraining(service, team, { userId, assignmentId, ...practised });
  await prisma.assignment.updateMany({ where: { ...of, id: assignmentId }, data: { completedTrainingId } });
  await aScoredTraining(service, team, { userId: colleagueUser, ...practised });
  await prisma.training.updateMany({ where: of, data: { externalRef: json } });
  for (const id of [userId, colleagueUser]) {
    await aCase(service, team, { userId: id, title: name, fields: facts, private: true });
    await prisma.versionNotice.create({ data: { ...of, userId: id, version: 'v1', sentAt: now } });
  }
  const waiting = { ...of, role: 'member', dueAt: now, createdAt: now } as const;
  await prisma.waitingInvitation.createMany({
    data: [
      { ...waiting, id: makeId(), email: canonical, invitedBy: colleagueUser },
      { ...waiting, id: makeId(), email: `waits-${team.id}@example.com`, invitedBy: userId },
    ],
  });

  const ofCrm = { provider: 'feed', label: name, settings: facts, failureReason: mention };
  const connectionId = await aCrmConnection(service, team, ofCrm);
  const failed = { startedAt: now, endedAt: now, outcome: 'failed', reason: mention, reasonDe: mention } as const;
  await prisma.crmRun.create({ data: { ...of, id: makeId(), connectionId, kind: 'full', ...failed } });
  const dealId = await aDeal(service, team, connectionId, {
    externalId: `deal of ${canonical}`,
    title: mention,
    lostReason: mention,
    pipelineId: canonical,
    stageId: mention,
    ownerUserId: userId,
  });
  const objection = { externalId: canonical, category: name, text: mention, lang: canonical };
  await anObjection(service, team, dealId, objection);

  const endpointId = await anEndpoint(service, team, { events: ['crm.sync.failed'], description: mention });
  const event = eventRow(service, team, { type: 'member.removed' });
  await prisma.webhookEvent.create({ data: { ...event, data: json } });
  const ofEvent = { endpointId, eventId: event.id, type: event.type, status: 'failed' } as const;
  const deliveryId = await aDelivery(service, team, ofEvent);
  await anAttempt(service, team, { deliveryId });
  const answer = { responseExcerpt: mention, error: mention, errorDe: mention };
  await prisma.webhookDelivery.updateMany({ where: of, data: answer });
  const url = `https://hooks.example/?of=${encodeURIComponent(canonical)}`;
  const sent = { url, requestHeaders: facts, responseHeaders: facts, ...answer };
  await prisma.webhookAttempt.updateMany({ where: of, data: sent });
  await prisma.webhookCheck.create({ data: { ...of, id: makeId(), endpointId, results: facts, createdAt: now } });
  const day = new Date('2026-11-20');
  const quarter = { start: day, delivered: true, duration: 1, attempts: 1 };
  await prisma.webhookQuarterHour.create({ data: { ...of, endpointId, ...quarter } });
  await prisma.webhookTeamDay.create({ data: { ...of, day } });
  await prisma.webhookEndpointDay.create({ data: { ...of, endpointId, day } });

  const passkey = { credentialId: randomUUID(), publicKey: Uint8Array.of(0), counter: 0, transports: [] };
  await prisma.passkey.create({
    data: { id: makeId(), personId, name: `Laptop of ${name}`, ...passkey, createdAt: now },
  });
  await prisma.twoFactor.create({ data: { id: makeId(), personId, secret: 'sealed', backupCodes: 'sealed' } });
  const acted = { actorKind: 'person', actorId: userId, address: '203.0.113.9', createdAt: now } as const;
  const changed = { action: 'member.role_changed', targetType: 'member', targetId: memberId, data: facts };
  await prisma.auditEntry.create({ data: { ...of, id: makeId(), ...acted, ...changed } });

  const mail = {
    recipient: canonical,
    language: 'de',
    kind: 'password_reset',
    content: { subject: mention, text: mention, html: '' },
  } as const;
  await service.database.transaction((tx) => queueMails(tx, { platform: service.platform, id: null }, [mail]));
  await service.database.transaction((tx) =>
    queueMails(tx, { platform: service.platform, id: team.id }, [{ ...mail, kind: 'team_received' }]),
  );
  await prisma.mail.updateMany({ where: { recipient: canonical }, data: { error: mention } });
  await service.requestLog.write();
  await prisma.requestLogEntry.updateMany({
    where: { tenantId: team.id },
    data: {
      path: `/api/public/v1/users/${memberId}`,
      query: `search=${encodeURIComponent(canonical)}&user_id=${userId}`,
      userAgent: mention,
      problem: { detail: mention, errors: [{ path: [userId], code: 'custom', message: mention }] },
    },
  });
  return { team, needles: { name, email: canonical, personId, userId, memberId } };
};

/** The owner ends the person's membership. */
export const removeFrom = async ({ team, needles }: Everywhere): Promise<void> =>
  removeMember({ ...(await team.acting()), actor: { kind: 'person', userId: team.owner.user_id } }, needles.memberId);
