import { makeId } from '../../src/core/ids.ts';
import type { CatalogItem, CatalogRule, Prisma } from '../../src/db/generated/client.ts';
import { importTrainings, type PastTraining } from '../../src/modules/trainings/import.ts';
import { toCamel } from '../../src/core/spelling.ts';
import type { NewEvaluation } from '../../src/modules/trainings/schema.ts';
import type { TestService } from './service.ts';
import type { TestTeam } from './team.ts';

// What people practise: the catalog, assignments, cases and trainings, inserted into the database without checking any
// rule.

type WantedItem = Partial<Pick<CatalogItem, 'nameDe' | 'nameEn' | 'icon' | 'published' | 'position' | 'key'>> &
  Pick<CatalogItem, 'dimension'> & {
    /** The team of the item; without one it is global. */
    tenantId?: string;
  };

/** An item of the catalog that no other test uses. */
export const aCatalogItem = async (
  { database, clock }: TestService,
  { tenantId, ...wanted }: WantedItem,
): Promise<string> => {
  const id = makeId();
  await database.prisma.catalogItem.create({
    data: { id, tenantId: tenantId ?? null, key: id, nameDe: 'Ein Eintrag', createdAt: clock.now(), ...wanted },
  });
  return id;
};

interface WantedRule {
  kind: CatalogRule['kind'];
  situation: string;
  item: string;
  /** The team of the rule; without one it is global. */
  tenantId?: string;
}

export const aRule = async (
  { database, clock }: TestService,
  { kind, situation, item, tenantId }: WantedRule,
): Promise<void> => {
  await database.prisma.catalogRule.create({
    data: {
      id: makeId(),
      tenantId: tenantId ?? null,
      kind,
      situationId: situation,
      itemId: item,
      createdAt: clock.now(),
    },
  });
};

/** Blocks an item by the team's policy, or by the policy of one member. */
export const block = async (
  { database, clock }: TestService,
  { tenantId, itemId, memberId }: { tenantId: string; itemId: string; memberId?: string },
): Promise<void> => {
  const createdAt = clock.now();
  if (memberId === undefined) await database.prisma.teamPolicyBlock.create({ data: { tenantId, itemId, createdAt } });
  else await database.prisma.memberPolicyBlock.create({ data: { tenantId, memberId, itemId, createdAt } });
};

type WantedAssignment = Omit<Prisma.AssignmentUncheckedCreateInput, 'tenantId' | 'id' | 'createdAt' | 'updatedAt'> & {
  createdAt?: Date;
};

/** Inserts an assignment into the database without checking any rule. */
export const anAssignment = async (
  { database, clock }: TestService,
  team: { id: string },
  wanted: WantedAssignment,
): Promise<string> => {
  const id = makeId();
  await database.prisma.assignment.create({
    data: { tenantId: team.id, id, title: 'Practise', createdAt: clock.now(), updatedAt: clock.now(), ...wanted },
  });
  return id;
};

/** A combination of global items that no other test uses and that every team may use. */
export const aCombination = async (service: TestService) => ({
  situation_id: await aCatalogItem(service, { dimension: 'situation' }),
  personality_id: await aCatalogItem(service, { dimension: 'personality' }),
  industry_id: await aCatalogItem(service, { dimension: 'industry' }),
});

/** A combination of the team's own items, with names. */
export const anOwnCombination = async (service: TestService, team: { id: string }) => {
  const own = (dimension: 'situation' | 'personality' | 'industry', name: string) =>
    aCatalogItem(service, { tenantId: team.id, dimension, nameDe: name, nameEn: name });
  return {
    situation_id: await own('situation', 'Price talk'),
    personality_id: await own('personality', 'Sceptic'),
    industry_id: await own('industry', 'Energy'),
  };
};

interface WantedCase extends Pick<Prisma.CaseUncheckedCreateInput, 'userId' | 'title' | 'personaId' | 'private'> {
  fields?: object | null;
  externalRef?: object | null;
  createdAt?: Date;
}

const textOf = (value: object | null | undefined) => (value ? JSON.stringify(value) : null);

/** Inserts a case into the database without checking any rule. */
export const aCase = async (
  { database, clock }: TestService,
  team: { id: string },
  { fields: fieldsAsValue, externalRef: refAsValue, ...wanted }: WantedCase,
): Promise<string> => {
  const id = makeId();
  const [fields, externalRef] = [textOf(fieldsAsValue), textOf(refAsValue)];
  const bytes = Buffer.byteLength([wanted.title, wanted.personaId, fields, externalRef].join(''));
  await database.prisma.case.create({
    data: {
      tenantId: team.id,
      id,
      createdAt: clock.now(),
      updatedAt: clock.now(),
      ...wanted,
      fields,
      externalRef,
      bytes,
    },
  });
  return id;
};

type WantedTraining = Partial<PastTraining> & Pick<PastTraining, 'userId'>;

// Scores and evaluations are written as the API shows them.

/** Five different scores, so that a test notices if two are mixed up. */
export const dimensions = {
  closing: 41,
  conversation_control: 52,
  needs_analysis: 63,
  objection_handling: 74,
  value_argument: 85,
};

/** The same score in each dimension. */
export const equalScores = (score: number) => ({
  closing: score,
  conversation_control: score,
  needs_analysis: score,
  objection_handling: score,
  value_argument: score,
});

export const anEvaluation = (wanted: Partial<NewEvaluation> = {}) =>
  toCamel({
    dimensions,
    tips: [],
    goal: null,
    methodology: null,
    strongest: null,
    biggest_lever: null,
    ...wanted,
  });

/** Inserts trainings into the database and counts them, without checking any rule. Returns their ids. */
export const theTrainings = async (
  { database, clock }: TestService,
  team: Pick<TestTeam, 'acting'>,
  wanted: readonly WantedTraining[],
): Promise<string[]> => {
  const acting = await team.acting();
  const rows = wanted.map((one) => ({
    status: 'running' as const,
    source: 'app' as const,
    createdAt: clock.now(),
    ...one,
  }));
  return database.transaction((tx) => importTrainings(tx, acting, rows));
};

export const aTraining = async (service: TestService, team: Pick<TestTeam, 'acting'>, wanted: WantedTraining) => {
  const [id = ''] = await theTrainings(service, team, [wanted]);
  return id;
};

/** A training that ended and was scored. */
export const aScoredTraining = (
  service: TestService,
  team: Pick<TestTeam, 'acting'>,
  { evaluation, ...wanted }: WantedTraining,
): Promise<string> => {
  const now = service.clock.now();
  return aTraining(service, team, {
    status: 'ended',
    createdAt: now,
    finishedAt: now,
    evaluation: evaluation ?? { ...anEvaluation(), savedAt: now },
    ...wanted,
  });
};
