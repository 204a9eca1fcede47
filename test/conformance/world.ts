import { makeId } from '../../src/core/ids.ts';
import type { Prisma } from '../../src/db/generated/client.ts';
import { deletionResources } from '../../src/modules/deletions/schema.ts';
import { aCatalogItem } from '../support/catalog.ts';
import type { TestService } from '../support/service.ts';
import { aTeam, anEmail } from '../support/team.ts';
import { deliveryRow, endpointRow, eventRow } from '../support/webhooks.ts';

/** A team with some data of every kind that the API shows, inserted directly. */
export interface World {
  readonly tenantId: string;
  readonly key: { readonly id: string; readonly text: string };
  /** Its ids, by the name of the property or parameter for them. */
  readonly ids: Readonly<Record<string, readonly string[]>>;
  /** Ids among them that all teams share. */
  readonly shared: ReadonlySet<string>;
  readonly emails: readonly string[];
}

interface WorldOptions {
  /** The number of objects that requests may use up. */
  size: number;
  memberDetail?: boolean;
}

const times = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at));

const pick = <T>(items: readonly T[], index: number): T => {
  const item = items[index % items.length];
  if (item === undefined) throw new Error('nothing to pick from');
  return item;
};

const everyFourth = <T>(items: readonly T[], index: number): T | null => (index % 4 === 0 ? pick(items, index) : null);

/** Members with every role and status, and their accounts. */
const populate = async ({ database, clock }: TestService, tenantId: string, size: number) => {
  const now = clock.now();
  const users = times(size, () => ({ personId: makeId(), userId: makeId(), memberId: makeId(), email: anEmail() }));
  const invited = times(Math.ceil(size / 4), () => ({ memberId: makeId(), email: anEmail('invited') }));
  const { prisma } = database;
  await prisma.person.createMany({ data: users.map(({ personId: id, email }) => ({ id, email, createdAt: now })) });
  await prisma.teamUser.createMany({ data: users.map(({ userId: id, personId }) => ({ tenantId, id, personId })) });
  await prisma.member.createMany({
    data: [
      ...users.map(({ memberId, userId, email }, at) => ({
        id: memberId,
        userId,
        email,
        role: at % 5 === 0 ? ('admin' as const) : ('member' as const),
        status: 'active' as const,
        joinedAt: now,
      })),
      ...invited.map(({ memberId, email }) => ({ id: memberId, email, status: 'invited' as const, invitedAt: now })),
    ].map((member) => ({ tenantId, listedAt: now, createdAt: now, updatedAt: now, ...member })),
  });
  return {
    emails: [...users, ...invited].map(({ email }) => email),
    members: [...users, ...invited].map(({ memberId }) => memberId),
    users: users.map(({ userId }) => userId),
    // A few people have most of the objects, so that their own lists have several pages too.
    busy: users.slice(0, 4).map(({ userId }) => userId),
  };
};

/** Items of which policies block one in each dimension, and with rules that exclude combinations. */
const stock = async (service: TestService, tenantId: string, memberId: string) => {
  const { prisma } = service.database;
  const createdAt = service.clock.now();
  const item = (dimension: Prisma.CatalogItemCreateManyInput['dimension'], own: boolean) =>
    aCatalogItem(service, { dimension, ...(own && { tenantId }), icon: own ? 'star' : null, nameEn: 'An item' });
  const some = async (dimension: Prisma.CatalogItemCreateManyInput['dimension']) =>
    Promise.all(times(5, (at) => item(dimension, at % 2 === 0)));
  const global = <T>(items: readonly T[]) => items.filter((_item, at) => at % 2 === 1);
  const situations = await some('situation');
  const personalities = await some('personality');
  const industries = await some('industry');
  const [roles, methodologies] = [await some('role'), await some('methodology')];

  const rule = (kind: 'only' | 'never', itemId: string) =>
    ({ id: makeId(), tenantId, kind, situationId: pick(situations, 1), itemId, createdAt }) as const;
  await prisma.catalogRule.createMany({
    data: [
      rule('only', pick(personalities, 0)),
      rule('only', pick(personalities, 1)),
      rule('never', pick(industries, 0)),
    ],
  });
  await prisma.teamPolicyBlock.createMany({
    data: [pick(situations, 4), pick(industries, 4)].map((itemId) => ({ tenantId, itemId, createdAt })),
  });
  await prisma.memberPolicyBlock.create({ data: { tenantId, memberId, itemId: pick(personalities, 4), createdAt } });
  const shared = [situations, personalities, industries].flatMap(global);
  return { situations, personalities, industries, roles, methodologies, shared };
};

type Stock = Awaited<ReturnType<typeof stock>>;
type People = Awaited<ReturnType<typeof populate>>;

const practise = async (
  { database, clock }: TestService,
  tenantId: string,
  size: number,
  people: People,
  items: Stock,
) => {
  const { prisma } = database;
  const createdAt = clock.now();
  const combination = (at: number) => ({
    situationId: pick(items.situations, at),
    personalityId: pick(items.personalities, at),
    industryId: everyFourth(items.industries, at),
  });
  const assignments = times(size, (at) => ({
    tenantId,
    id: makeId(),
    memberId: pick(people.members, at),
    status: pick(['open', 'in_progress', 'done', 'revoked'] as const, at),
    title: at % 3 === 0 ? null : `Assignment ${at}`,
    dueDate: at % 2 === 0 ? new Date('2026-12-24') : null,
    focusDimension: everyFourth(['closing', 'value_argument'] as const, at),
    ...combination(at),
    createdAt: new Date(createdAt.getTime() - at * 1000),
    updatedAt: createdAt,
  }));
  await prisma.assignment.createMany({ data: assignments });

  const trainings = times(size, (at) => {
    const status = pick(['running', 'ended', 'scored', 'aborted', 'scored'] as const, at);
    return {
      tenantId,
      id: makeId(),
      userId: pick(people.busy, at),
      status,
      source: pick(['app', 'phone', 'api'] as const, at),
      assignmentId: at % 2 === 0 ? pick(assignments, at % 8).id : null,
      externalRef: at % 2 === 0 ? JSON.stringify({ crm: at, deep: { list: [1, 'zwei', null] } }) : null,
      finishedAt: status === 'running' ? null : createdAt,
      durationS: status === 'running' ? null : 60 + at,
      evaluatedAt: status === 'scored' ? new Date(createdAt.getTime() - at * 1000) : null,
      ...combination(at),
      roleId: everyFourth(items.roles, at),
      createdAt: new Date(createdAt.getTime() - at * 1000),
      updatedAt: createdAt,
    };
  });
  await prisma.training.createMany({ data: trainings });
  const tip = { issue: 'a', moment: 'b', principle: 'c', rewrite: 'd', impact: 'e' };
  await prisma.evaluation.createMany({
    data: trainings
      .filter(({ status }) => status === 'scored')
      .map(({ id: trainingId }, at) => ({
        tenantId,
        trainingId,
        closing: 0,
        conversationControl: 100,
        needsAnalysis: at,
        objectionHandling: 50,
        valueArgument: 60,
        total: at % 3 === 0 ? null : 42,
        spread: at % 2 === 0 ? null : 12.5,
        goal: everyFourth(['reached', 'partial', 'missed'] as const, at),
        tips: times(at % 6, () => tip),
        methodologyId: everyFourth(items.methodologies, at),
        strongest: at % 2 === 0 ? 'Zuhören' : null,
        createdAt,
      })),
  });
  return { assignments: assignments.map(({ id }) => id), trainings: trainings.map(({ id }) => id) };
};

const fileCases = async ({ database, clock }: TestService, tenantId: string, size: number, people: People) => {
  const cases = times(size, (at) => ({
    tenantId,
    id: makeId(),
    userId: pick(people.busy, at),
    title: at % 3 === 0 ? null : `Case ${at}`,
    personaId: everyFourth(['persona'], at),
    fields: pick(['{"a":1}', '[1,{"b":null}]', null], at),
    externalRef: at % 2 === 0 ? '{"ref":"x"}' : null,
    private: at % 5 === 4,
    createdAt: new Date(clock.now().getTime() - at * 1000),
    updatedAt: clock.now(),
  }));
  await database.prisma.case.createMany({ data: cases });
  return cases.filter((one) => !one.private).map(({ id }) => id);
};

const remember = ({ database, clock }: TestService, tenantId: string, size: number) =>
  database.prisma.deletion.createMany({
    data: deletionResources.flatMap((resource) =>
      times(size, (at) => ({
        tenantId,
        resource,
        id: makeId(),
        deletedAt: new Date(clock.now().getTime() - at * 1000),
      })),
    ),
  });

const synchronize = async ({ database, clock }: TestService, tenantId: string, people: People, items: Stock) => {
  const { prisma } = database;
  const [connectionId, createdAt] = [makeId(), clock.now()];
  await prisma.crmConnection.create({ data: { tenantId, id: connectionId, provider: 'demo', createdAt } });
  const deals = times(8, (at) => ({
    tenantId,
    id: makeId(),
    connectionId,
    externalId: `deal ${at}`,
    outcome: pick(['open', 'won', 'lost'] as const, at),
    title: at % 2 === 0 ? 'Ein Abschluss' : null,
    amount: at % 2 === 0 ? '1234.50' : null,
    currency: at % 2 === 0 ? 'EUR' : null,
    closeDate: at % 3 === 0 ? null : new Date('2026-12-31'),
    probability: at % 3 === 0 ? null : at * 10,
    industryId: everyFourth(items.industries, at),
    ownerUserId: everyFourth(people.users, at),
    syncedAt: createdAt,
    createdAt: new Date(createdAt.getTime() - at * 1000),
  }));
  await prisma.crmDeal.createMany({ data: deals });
  await prisma.crmObjection.createMany({
    data: deals.map(({ id: dealId }, at) => ({
      tenantId,
      id: makeId(),
      connectionId,
      dealId,
      externalId: `objection ${at}`,
      category: 'price',
      text: 'Zu teuer',
      lang: 'de',
      createdAt,
    })),
  });
};

/** Endpoints in every status, one after the other, and deliveries in every status to those that come first. */
const subscribe = async (service: TestService, team: { id: string }, size: number) => {
  const { prisma } = service.database;
  const endpoints = times(size, (at) =>
    endpointRow(service, team, {
      events: ['member.joined', 'crm.sync.failed'],
      status: pick(['active', 'disabled', 'active', 'disabled_failures'] as const, at),
    }),
  );
  const deliveries = times(2 * size, (at) =>
    deliveryRow(service, team, {
      endpointId: pick(endpoints, at % 5).id,
      status: pick(['failed', 'gave_up', 'ok', 'pending'] as const, at),
    }),
  );
  await prisma.webhookEndpoint.createMany({ data: endpoints });
  await prisma.webhookDelivery.createMany({ data: deliveries });
  await prisma.$executeRaw`
    insert into webhook_waiting (tenant_id, delivery_id, endpoint_id, due_at, by_hand)
    select tenant_id, id, endpoint_id, next_try_at, false
      from webhook_delivery
     where tenant_id = ${team.id}::uuid and next_try_at is not null`;
  await prisma.webhookEvent.createMany({
    data: times(2 * size, (at) => eventRow(service, team, { type: pick(['member.joined', 'ping'] as const, at) })),
  });
  return { endpoints: endpoints.map(({ id }) => id), deliveries: deliveries.map(({ id }) => id) };
};

export const aWorld = async (service: TestService, { size, memberDetail = true }: WorldOptions): Promise<World> => {
  const { id: tenantId, owner, aKey } = await aTeam(service, { seats: 10_000, rateLimit: 1_000_000, memberDetail });
  const people = await populate(service, tenantId, size);
  const items = await stock(service, tenantId, pick(people.members, 0));
  const { assignments, trainings } = await practise(service, tenantId, size, people, items);
  const cases = await fileCases(service, tenantId, size, people);
  await remember(service, tenantId, size);
  await synchronize(service, tenantId, people, items);
  const { endpoints, deliveries } = await subscribe(service, { id: tenantId }, size);
  return {
    tenantId,
    key: await aKey(),
    ids: {
      // The owner is included often enough that refusals of changes to the owner are tested.
      member_id: [...people.members, ...times(Math.ceil(size / 4), () => owner.member_id)],
      user_id: [...people.users, ...times(size, (at) => pick(people.busy, at)), owner.user_id],
      training_id: trainings,
      assignment_id: assignments,
      case_id: cases,
      endpoint_id: endpoints,
      delivery_id: deliveries,
      situation_id: items.situations,
      personality_id: items.personalities,
      industry_id: items.industries,
    },
    shared: new Set(items.shared),
    emails: [...people.emails, owner.email],
  };
};
