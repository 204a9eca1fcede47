import { daysToMs, later } from '../../../src/core/clock.ts';
import { makeId } from '../../../src/core/ids.ts';
import { addActivePerson } from '../../../src/modules/members/invitations.ts';
import { removeMember } from '../../../src/modules/members/service.ts';
import { aPerson } from '../../support/people.ts';
import { anAssignment, anEvaluation, aCase, aCatalogItem, aScoredTraining, aTraining } from '../../support/practice.ts';
import { anEmail, type TestTeam } from '../../support/team.ts';
import { anEndpoint } from '../../support/webhooks.ts';
import type { AppTest } from './app.ts';

// A team in which no two values are the same, so that a page that mixes two of them up shows it.

/** Opens with `Known`, so that a search finds the team's own items among those that other tests have made for all. */
const items = {
  situation: ['Known Preisgespräch', 'Known price talk'],
  personality: ['Known Skeptikerin', 'Known sceptic'],
  industry: ['Known Energie', 'Known energy'],
  role: ['Known Einkauf', 'Known buyer'],
  methodology: ['Known Klärung', 'Known calm'],
} as const;

type Dimension = keyof typeof items;
const dimensions = ['situation', 'personality', 'industry', 'role', 'methodology'] as const satisfies Dimension[];

const scoresOf = (first: number) => ({
  closing: first,
  conversation_control: first + 11,
  needs_analysis: first + 20,
  objection_handling: first + 28,
  value_argument: first + 35,
});

const tip = {
  issue: 'The issue',
  moment: 'The moment',
  principle: 'The principle.',
  rewrite: 'The rewrite',
  impact: 'The impact.',
};

/** The team, its people, and the names of its ids and addresses. */
export const aKnownTeam = async (app: AppTest, settings: Parameters<TestTeam['change']>[0]) => {
  const { service } = app;
  const { prisma } = service.database;
  const now = service.clock.now();
  const daysAgo = (days: number): Date => later(now, -daysToMs(days));
  const dayAgo = (days: number): Date => new Date(daysAgo(days).toISOString().slice(0, 10));
  const team = await app.team({ name: 'North', ownerName: 'Olga Owner', seats: 20 });
  const { id: tenantId, owner } = team;
  const [ada, mia, former] = [
    await aPerson(team, { role: 'admin', name: 'Ada Admin', rights: ['schnittstellen'] }),
    await aPerson(team, { name: 'Mia Berg' }),
    await aPerson(team, { name: 'Fred Former' }),
  ];
  const invited = await team.anInvitedMember({ role: 'admin' });
  await removeMember(await team.acting(), former.memberId);
  const change = (id: string, data: Parameters<typeof prisma.member.update>[0]['data']) =>
    prisma.member.update({ where: { tenantId_id: { tenantId, id } }, data });
  await change(owner.member_id, { joinedAt: daysAgo(400) });
  await change(ada.memberId, { joinedAt: daysAgo(350), invitedAt: daysAgo(351), externalId: 'E-ada' });
  await change(mia.memberId, { joinedAt: daysAgo(300), invitedAt: daysAgo(305), externalId: 'E-mia' });
  await change(invited.id, { invitedAt: daysAgo(3), invitedName: 'Ivo Invited' });
  await change(former.memberId, { endedAt: daysAgo(30) });
  await prisma.invitation.updateMany({ where: { tenantId }, data: { expiresAt: daysAgo(-2) } });
  await prisma.waitingInvitation.create({
    data: {
      tenantId,
      id: makeId(),
      email: anEmail('waiting'),
      name: 'Wanda Waiting',
      role: 'admin',
      invitedBy: owner.user_id,
      dueAt: daysAgo(-1),
      refusal: 'seat_limit_reached',
      createdAt: now,
    },
  });

  const practice = new Map<Dimension, string>();
  for (const [at, dimension] of dimensions.entries()) {
    const [nameDe, nameEn] = items[dimension];
    const wanted = { tenantId, dimension, nameDe, nameEn, icon: 'phone', position: at };
    practice.set(dimension, await aCatalogItem(service, wanted));
  }
  const unpublished = { tenantId, dimension: 'situation', nameDe: 'Known Entwurf', published: false } as const;
  const draft = await aCatalogItem(service, { ...unpublished, position: 9 });
  const itemOf = (dimension: Dimension): string => practice.get(dimension) ?? '';
  const combination = {
    situationId: itemOf('situation'),
    personalityId: itemOf('personality'),
    industryId: itemOf('industry'),
  };

  const assignmentOf = (memberId: string, title: string, wanted: object) =>
    anAssignment(service, team, { memberId, title, ...wanted });
  const assignment = await assignmentOf(mia.memberId, 'Price first', {
    ...combination,
    note: 'Then be silent.',
    dueDate: dayAgo(12),
    focusDimension: 'objection_handling',
    createdAt: daysAgo(40),
  });
  await assignmentOf(mia.memberId, 'Begun', {
    status: 'in_progress',
    dueDate: dayAgo(-12),
    focusDimension: 'closing',
    createdAt: daysAgo(41),
  });
  await assignmentOf(mia.memberId, 'Withdrawn', { status: 'revoked', createdAt: daysAgo(42) });
  const ofOwner = await assignmentOf(owner.member_id, 'Of the owner', { createdAt: daysAgo(43), dueDate: dayAgo(-5) });

  const evaluation = (first: number, more: object = {}) => ({
    ...anEvaluation({ dimensions: scoresOf(first), ...more }),
    savedAt: daysAgo(19),
  });
  const training = await aScoredTraining(service, team, {
    userId: mia.userId,
    ...combination,
    roleId: itemOf('role'),
    source: 'phone',
    createdAt: daysAgo(20),
    finishedAt: later(daysAgo(20), 754_000),
    assignmentId: assignment,
    externalRef: { crm: 'A-17' },
    evaluation: evaluation(40, {
      tips: [tip],
      goal: 'partial',
      methodology: itemOf('methodology'),
      strongest: 'Listens well.',
      biggest_lever: 'Name a date.',
    }),
  });
  const aborted = await aTraining(service, team, {
    userId: mia.userId,
    status: 'aborted',
    source: 'api',
    createdAt: daysAgo(22),
    finishedAt: later(daysAgo(22), 61_000),
  });
  for (const [days, first] of [
    [45, 36],
    [100, 30],
  ] as const) {
    const createdAt = daysAgo(days);
    const finishedAt = later(createdAt, 600_000);
    const of = { userId: mia.userId, assignmentId: assignment, evaluation: evaluation(first) };
    await aScoredTraining(service, team, { ...of, createdAt, finishedAt });
  }
  await aScoredTraining(service, team, {
    userId: owner.user_id,
    // In another week than the training of 20 days ago.
    createdAt: daysAgo(28),
    finishedAt: later(daysAgo(28), 300_000),
    evaluation: evaluation(50),
  });

  const shared = await aCase(service, team, {
    userId: mia.userId,
    title: 'Renewal',
    personaId: 'persona-17',
    fields: { branch: 'energy', size: 240 },
    externalRef: { crm_id: 'B-18' },
    createdAt: daysAgo(50),
  });
  const own = await aCase(service, team, {
    userId: owner.user_id,
    title: 'Own one',
    private: true,
    createdAt: daysAgo(51),
  });
  const failing = { status: 'disabled_failures', failingSince: daysAgo(4) } as const;
  for (const endpoint of [{}, failing, { status: 'disabled' } as const, { status: 'disabled' } as const])
    await anEndpoint(service, team, endpoint);
  const { personId } = await prisma.teamUser.findFirstOrThrow({ where: { tenantId, id: mia.userId } });
  await prisma.assistantConnection.create({
    data: {
      tenantId,
      id: makeId(),
      memberId: mia.memberId,
      personId,
      clientName: 'Helper',
      clientHash: Uint8Array.of(0),
      redirectUri: 'http://127.0.0.1:1/callback',
      // Nobody connects with it, so its codes are none.
      codeHash: Buffer.from(tenantId),
      codeChallenge: '',
      codeUsedAt: daysAgo(7),
      accessHash: null,
      refreshHash: null,
      expiresAt: daysAgo(-7),
      createdAt: daysAgo(7),
      lastUsedAt: daysAgo(6),
    },
  });
  // Another team of the same person.
  const other = await app.team({ name: 'South' });
  await addActivePerson(await other.acting(), { email: mia.email, role: 'admin' });
  await other.change({ status: 'suspended' });
  const key = await team.aKey({ by: ada.memberId, expiresAt: daysAgo(-90) });
  await prisma.apiKey.updateMany({ where: { tenantId }, data: { createdAt: daysAgo(60) } });

  await team.change(settings);
  // Those of the set-up have the time at which this test runs, and some have the same one.
  await prisma.auditEntry.deleteMany({ where: { tenantId } });
  type About = { targetType: string; targetId: string; data: Record<string, string> };
  const entryAgo = (days: number, action: string, by: string, more: About) =>
    prisma.auditEntry.create({
      data: { tenantId, id: makeId(), actorKind: 'person', actorId: by, action, createdAt: daysAgo(days), ...more },
    });
  const about = { targetType: 'member', targetId: mia.memberId };
  await entryAgo(10, 'member.role_changed', owner.user_id, { ...about, data: { from: 'admin', to: 'member' } });
  await entryAgo(11, 'key.created', mia.userId, { targetType: 'key', targetId: key.id, data: { name: 'test' } });
  const reminded = { targetType: 'assignment', targetId: assignment };
  const data = { member_id: mia.memberId, title: 'Price first' };
  await entryAgo(12, 'assignment.reminded', ada.userId, { ...reminded, data });

  const names = new Map<string, string>([
    [tenantId, 'TEAM'],
    [owner.member_id, 'OLGA'],
    [owner.user_id, 'OLGA-USER'],
    [ada.memberId, 'ADA'],
    [ada.userId, 'ADA-USER'],
    [mia.memberId, 'MIA'],
    [mia.userId, 'MIA-USER'],
    [former.memberId, 'FRED'],
    [invited.id, 'IVO'],
    [assignment, 'ASSIGNMENT'],
    [ofOwner, 'OWN-ASSIGNMENT'],
    [training, 'TRAINING'],
    [aborted, 'ABORTED'],
    [shared, 'CASE'],
    [own, 'OWN-CASE'],
    [draft, 'DRAFT-ITEM'],
    [key.id, 'KEY'],
    ...dimensions.map((one) => [itemOf(one), one.toUpperCase()] as const),
    [owner.email, 'olga@'],
    [ada.email, 'ada@'],
    [mia.email, 'mia@'],
    [former.email, 'fred@'],
    [invited.email ?? '', 'ivo@'],
  ]);
  return {
    team,
    emails: { owner: owner.email, admin: ada.email, member: mia.email },
    names,
    now,
    /** The members that make keys. */
    ada: ada.memberId,
    fred: former.memberId,
    training,
  };
};

const dayMs = daysToMs(1);

/** Numbers of days in place of times. */
const inDays = (days: number): string => (days === 0 ? 'NOW' : days > 0 ? `${days} DAYS AHEAD` : `${-days} DAYS AGO`);

/**
 * A text with the names of ids and addresses, and with times as they are from now on: it is the same for each such team.
 */
export const withNames = (
  text: string,
  { names, now }: Pick<Awaited<ReturnType<typeof aKnownTeam>>, 'names' | 'now'>,
) => {
  const today = new Date(now.toISOString().slice(0, 10)).getTime();
  const named = [...names].reduce((sofar, [id, name]) => sofar.replaceAll(id, name), text);
  return (
    named
      // Midnight is a number of whole days from today, and not from now.
      .replaceAll(/(\d{4}-\d\d-\d\d)T00:00:00(?:\.000)?Z/g, '$1')
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, (at) => inDays(Math.round((Date.parse(at) - now.getTime()) / dayMs)))
      .replaceAll(/\d{4}-\d\d-\d\d(?!\d)/g, (on) => inDays((Date.parse(on) - today) / dayMs))
      .replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'ID')
      .replaceAll(/evt_[0-9a-f]{32}/g, 'EVENT-ID')
      .replaceAll(/[\w.+-]+@example\.com/g, 'EMAIL')
      .replaceAll(/(?<=localhost:)\d+/g, 'PORT')
  );
};
