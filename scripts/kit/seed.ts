import { minutesToMs } from '../../src/core/clock.ts';
import { randomText } from '../../src/core/crypto.ts';
import { makeId } from '../../src/core/ids.ts';
import { allScopes } from '../../src/core/scopes.ts';
import { readConfig } from '../../src/config.ts';
import type { Database } from '../../src/db/database.ts';
import { makeSecret } from '../../src/modules/keys/service.ts';
import { openFoundation } from '../../src/run/foundation.ts';

type Prisma = Database['prisma'];

export interface SeededTeam {
  tenantId: string;
  members: string[];
  keys: string[];
  /** Trainings that have an evaluation. */
  scored: string[];
}

export interface Seeded {
  teams: SeededTeam[];
  /** Catalog items that every team can choose from. */
  catalog: Record<'situation' | 'personality' | 'industry', string[]>;
}

export interface Sizes {
  teams: number;
  membersEach: number;
  keysEach: number;
  trainingsEach: number;
}

const tip = {
  issue: 'Der Preis kam vor dem Nutzen.',
  moment: 'Nach der zweiten Frage des Kunden.',
  principle: 'Erst der Wert, dann die Zahl.',
  rewrite: 'Was würde es Ihnen bringen, wenn die Auswertung jeden Montag fertig wäre?',
  impact: 'Das Gespräch bleibt beim Bedarf und nicht beim Rabatt.',
};

const evaluation = {
  closing: 61,
  conversationControl: 72,
  needsAnalysis: 55,
  objectionHandling: 48,
  valueArgument: 80,
  total: 63,
  spread: 12.5,
  goal: 'partial',
  tips: [tip, tip, tip],
  strongest: 'Sie hören zu und fassen zusammen.',
  biggestLever: 'Nennen Sie den Preis erst, wenn der Nutzen steht.',
} as const;

const ids = (count: number): string[] => Array.from({ length: count }, makeId);

/** The item of the list with this index, which starts again at its end. */
export const pick = <T>(items: readonly T[], index: number): T => {
  const item = items[index % items.length];
  if (item === undefined) throw new Error('nothing to pick from');
  return item;
};

/**
 * A combination that every team may use: the first situation is left out, because teams block it and only it has rules.
 */
export const aCombination = (index: number, { situation, personality, industry }: Seeded['catalog']) => ({
  situation_id: pick(situation.slice(1), index),
  personality_id: pick(personality, index),
  industry_id: pick(industry, index),
});

const seedCatalog = async (prisma: Prisma, createdAt: Date): Promise<Seeded['catalog']> => {
  const catalog = { situation: ids(12), personality: ids(8), industry: ids(10) };
  for (const dimension of ['situation', 'personality', 'industry'] as const) {
    await prisma.catalogItem.createMany({
      data: catalog[dimension].map((id, index) => ({
        id,
        dimension,
        key: id,
        nameDe: `Ein Eintrag ${index + 1}`,
        nameEn: `An item ${index + 1}`,
        position: index + 1,
        createdAt,
      })),
    });
  }
  const situationId = pick(catalog.situation, 0);
  const ruled = catalog.personality.slice(0, 3);
  await prisma.catalogRule.createMany({
    data: ruled.map((itemId) => ({ id: makeId(), kind: 'never', situationId, itemId, createdAt })),
  });
  return catalog;
};

const seedTeam = async (
  prisma: Prisma,
  { membersEach, keysEach, trainingsEach }: Sizes,
  { catalog, createdAt }: { catalog: Seeded['catalog']; createdAt: Date },
): Promise<SeededTeam> => {
  const tenantId = makeId();
  const team = { id: tenantId, name: 'Bench', plan: 'team', seats: 100_000, rateLimitPerMin: 1_000_000 } as const;
  await prisma.team.create({ data: { ...team, createdAt } });

  // A person has the same id as their user in the team.
  const people = ids(membersEach).map((id) => ({ userId: id, memberId: makeId(), email: `${id}@example.com` }));
  const members = people.map(({ memberId }) => memberId);
  const owner = pick(members, 0);
  await prisma.person.createMany({ data: people.map(({ userId, email }) => ({ id: userId, email, createdAt })) });
  await prisma.teamUser.createMany({
    data: people.map(({ userId }) => ({ tenantId, id: userId, personId: userId })),
  });
  await prisma.member.createMany({
    data: people.map(({ memberId, userId, email }) => ({
      tenantId,
      id: memberId,
      userId,
      email,
      role: memberId === owner ? 'owner' : 'member',
      status: 'active',
      joinedAt: createdAt,
      listedAt: createdAt,
      createdAt,
      updatedAt: createdAt,
    })),
  });

  const keys = Array.from({ length: keysEach }, () => ({ id: makeId(), ...makeSecret() }));
  await prisma.apiKeyPrefix.createMany({ data: keys.map(({ prefix, id: keyId }) => ({ prefix, tenantId, keyId })) });
  await prisma.apiKey.createMany({
    data: keys.map(({ id, prefix, secretHash }) => ({
      tenantId,
      id,
      prefix,
      secretHash,
      name: 'bench',
      scopes: [...allScopes],
      createdBy: owner,
      createdAt,
    })),
  });
  await prisma.teamPolicyBlock.create({ data: { tenantId, itemId: pick(catalog.situation, 0), createdAt } });
  const endpoint = { url: 'https://example.com/hooks', events: ['assignment.created'], apiVersion: '2026-11' };
  await prisma.webhookEndpoint.create({
    data: { tenantId, id: makeId(), ...endpoint, secret: new Uint8Array(1), createdAt },
  });

  // They start one minute apart, so that lists have an order. Every fourth has no evaluation yet.
  const trainings = ids(trainingsEach).map((id, index) => {
    const startedAt = createdAt.getTime() - minutesToMs(index + 1);
    const isScored = (index + 1) % 4 > 0;
    return {
      tenantId,
      id,
      userId: pick(people, index + 1).userId,
      status: isScored ? ('scored' as const) : ('ended' as const),
      source: 'app' as const,
      situationId: pick(catalog.situation, 1),
      personalityId: pick(catalog.personality, 1),
      industryId: pick(catalog.industry, 1),
      externalRef: index % 2 === 0 ? null : '{"crm": "deal 4711", "stage": 3}',
      finishedAt: new Date(startedAt + minutesToMs(9)),
      durationS: 540,
      evaluatedAt: isScored ? new Date(startedAt + minutesToMs(10)) : null,
      createdAt: new Date(startedAt),
      updatedAt: createdAt,
    };
  });
  const scored = trainings.filter(({ status }) => status === 'scored').map(({ id }) => id);
  await prisma.training.createMany({ data: trainings });
  await prisma.evaluation.createMany({
    data: scored.map((trainingId) => ({ tenantId, trainingId, ...evaluation, tips: [...evaluation.tips], createdAt })),
  });
  return { tenantId, members, keys: keys.map(({ text }) => text), scored };
};

/** Creates teams with members, trainings, and so many keys that a load spread over the keys stays below every limit. */
export const seedTeams = async (databaseUrl: string, sizes: Sizes): Promise<Seeded> => {
  const foundation = await openFoundation(readConfig({ DATABASE_URL: databaseUrl, APP_SECRET: randomText(32) }));
  try {
    const { database } = foundation.platform;
    const createdAt = new Date();
    const catalog = await seedCatalog(database.prisma, createdAt);
    const teams: SeededTeam[] = [];
    while (teams.length < sizes.teams) teams.push(await seedTeam(database.prisma, sizes, { catalog, createdAt }));
    await database.prisma.$executeRawUnsafe('vacuum analyze');
    return { teams, catalog };
  } finally {
    await foundation.close();
  }
};
