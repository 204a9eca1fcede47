import { later, secondsToMs } from '../../src/core/clock.ts';
import { makeId } from '../../src/core/ids.ts';
import type { Prisma } from '../../src/db/generated/client.ts';
import { deletionResources } from '../../src/modules/deletions/schema.ts';
import { aCatalogItem, aRule, block, anEvaluation, dimensions, theTrainings } from '../support/practice.ts';
import { aCrmConnection, aDeal, anObjection } from '../support/crm.ts';
import type { TestService } from '../support/service.ts';
import { aTeam, anEmail, type TestTeam } from '../support/team.ts';
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
  const item = (dimension: Prisma.CatalogItemCreateManyInput['dimension'], own: boolean) =>
    aCatalogItem(service, { dimension, ...(own && { tenantId }), icon: own ? 'star' : null, nameEn: 'An item' });
  const some = async (dimension: Prisma.CatalogItemCreateManyInput['dimension']) =>
    Promise.all(times(5, (at) => item(dimension, at % 2 === 0)));
  const global = <T>(items: readonly T[]) => items.filter((_item, at) => at % 2 === 1);
  const situations = await some('situation');
  const personalities = await some('personality');
  const industries = await some('industry');
  const [roles, methodologies] = [await some('role'), await some('methodology')];

  const rule = (kind: 'only' | 'never', item: string) =>
    aRule(service, { tenantId, kind, situation: pick(situations, 1), item });
  await rule('only', pick(personalities, 0));
  await rule('only', pick(personalities, 1));
  await rule('never', pick(industries, 0));
  for (const itemId of [pick(situations, 4), pick(industries, 4)]) await block(service, { tenantId, itemId });
  await block(service, { tenantId, memberId, itemId: pick(personalities, 4) });
  const shared = [situations, personalities, industries].flatMap(global);
  return { situations, personalities, industries, roles, methodologies, shared };
};

type Stock = Awaited<ReturnType<typeof stock>>;
type People = Awaited<ReturnType<typeof populate>>;

const practise = async (service: TestService, team: TestTeam, size: number, people: People, items: Stock) => {
  const createdAt = service.clock.now();
  const before = (seconds: number) => later(createdAt, -secondsToMs(seconds));
  const combination = (at: number) => ({
    situationId: pick(items.situations, at),
    personalityId: pick(items.personalities, at),
    industryId: everyFourth(items.industries, at),
  });
  const assignments = times(size, (at) => ({
    tenantId: team.id,
    id: makeId(),
    memberId: pick(people.members, at),
    status: pick(['open', 'in_progress', 'done', 'revoked'] as const, at),
    title: at % 3 === 0 ? null : `Assignment ${at}`,
    dueDate: at % 2 === 0 ? new Date('2026-12-24') : null,
    focusDimension: everyFourth(['closing', 'value_argument'] as const, at),
    ...combination(at),
    createdAt: before(at),
    updatedAt: createdAt,
  }));
  await service.database.prisma.assignment.createMany({ data: assignments });

  const tip = { issue: 'a', moment: 'b', principle: 'c', rewrite: 'd', impact: 'e' };
  const evaluation = (at: number) => ({
    ...anEvaluation({
      dimensions: { ...dimensions, closing: 0, conversation_control: 100 },
      total: at % 3 === 0 ? null : 42,
      goal: everyFourth(['reached', 'partial', 'missed'] as const, at),
      tips: times(at % 6, () => tip),
      methodology: everyFourth(items.methodologies, at),
      strongest: at % 2 === 0 ? 'Zuhören' : null,
    }),
    savedAt: before(at),
  });
  const trainings = times(size, (at) => {
    const status = pick(['running', 'ended', 'scored', 'aborted', 'scored'] as const, at);
    return {
      userId: pick(people.busy, at),
      status: status === 'scored' ? 'ended' : status,
      source: pick(['app', 'phone', 'api'] as const, at),
      assignmentId: at % 2 === 0 ? pick(assignments, at % 8).id : null,
      ...(at % 2 === 0 && { externalRef: { crm: at, deep: { list: [1, 'zwei', null] } } }),
      ...combination(at),
      roleId: everyFourth(items.roles, at),
      createdAt: before(at),
      ...(status !== 'running' && { finishedAt: createdAt }),
      ...(status === 'scored' && { evaluation: evaluation(at) }),
    } as const;
  });
  return { assignments: assignments.map(({ id }) => id), trainings: await theTrainings(service, team, trainings) };
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

const synchronize = async (service: TestService, team: TestTeam, people: People, items: Stock) => {
  const connectionId = await aCrmConnection(service, team, { provider: 'demo' });
  for (const at of times(8, (index) => index)) {
    const dealId = await aDeal(service, team, connectionId, {
      outcome: pick(['open', 'won', 'lost'] as const, at),
      title: at % 2 === 0 ? 'Ein Abschluss' : null,
      amount: at % 2 === 0 ? '1234.50' : null,
      currency: at % 2 === 0 ? 'EUR' : null,
      closeDate: at % 3 === 0 ? null : new Date('2026-12-31'),
      probability: at % 3 === 0 ? null : at * 10,
      industryId: everyFourth(items.industries, at),
      ownerUserId: everyFourth(people.users, at),
      createdAt: later(service.clock.now(), -secondsToMs(at)),
    });
    await anObjection(service, team, dealId);
  }
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
  const team = await aTeam(service, { seats: 10_000, rateLimit: 1_000_000, memberDetail });
  const { id: tenantId, owner } = team;
  const people = await populate(service, tenantId, size);
  const items = await stock(service, tenantId, pick(people.members, 0));
  const { assignments, trainings } = await practise(service, team, size, people, items);
  const cases = await fileCases(service, tenantId, size, people);
  await remember(service, tenantId, size);
  await synchronize(service, team, people, items);
  const { endpoints, deliveries } = await subscribe(service, team, size);
  return {
    tenantId,
    key: await team.aKey(),
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
