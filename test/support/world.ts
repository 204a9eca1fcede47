import { randomUUID } from 'node:crypto';
import { later, secondsToMs } from '../../src/core/clock.ts';
import { makeId } from '../../src/core/ids.ts';
import type { Prisma } from '../../src/db/generated/client.ts';
import { deletionResources } from '../../src/modules/deletions/schema.ts';
import { queueMails } from '../../src/modules/mail/service.ts';
import { anAssistantConnection } from './assistants.ts';
import { aCrmConnection, aDeal, anObjection } from './crm.ts';
import { aPerson, aSignedInPerson, aStoredProvider } from './people.ts';
import { aCase, aCatalogItem, anEvaluation, aRule, block, dimensions, theTrainings } from './practice.ts';
import type { TestService } from './service.ts';
import { aTeam, anEmail, type TestTeam } from './team.ts';
import { anAttempt, deliveryRow, endpointRow, eventRow } from './webhooks.ts';

/**
 * A team with rows of every kind: in all tables for rows of teams but that of erasures, on all pages of the app, and
 * for all ids that the API takes.
 */
export interface World {
  readonly team: TestTeam;
  /** The owner's, with every scope. */
  readonly key: { readonly id: string; readonly text: string };
  /** Texts that name only one person: an active admin, whom every text of the team names that can name a person. */
  readonly needles: Readonly<Record<'name' | 'email' | 'personId' | 'userId' | 'memberId', string>>;
  /** Its ids, by the name of the property or parameter for them. */
  readonly ids: Readonly<Record<string, readonly string[]>>;
  /** Ids among them that all teams share. */
  readonly shared: ReadonlySet<string>;
  readonly emails: readonly string[];
  /** The pages of the app that show one object, by the path of their routes. */
  readonly addresses: Readonly<Record<string, string>>;
}

interface WorldOptions {
  /** The name of the person whom the texts name. */
  name?: string;
  /** Is in every text that a person can set, in place of the person. */
  text?: string;
  /** So many more rows of each kind, one after the other in each of its states. */
  more?: number;
  /** By default it names the person. */
  teamName?: string;
  ownerPassword?: string;
}

/** A text for `text` that calls a dialog if a page interprets it as anything but text. */
export const script = `<img src=x onerror=alert(1)><script>alert(2)</script>"'\`{{7*7}}\${7*7}`;

export const aWorld = async (
  service: TestService,
  {
    text,
    name = text ?? `Wilhelmine Sörgel-"Ödön ${randomUUID().slice(0, 8)}"`,
    more = 0,
    teamName = text ?? `The team of ${name}`,
    ownerPassword,
  }: WorldOptions = {},
): Promise<World> => {
  const team = await aTeam(service, {
    name: teamName,
    ownerName: text ?? 'Otto Owner',
    ownerPassword,
    seats: 10_000,
    rateLimit: 1_000_000,
  });
  const people = await populate(service, team, { name, text, more });
  const { email, personId } = people;
  const [memberId = '', userId = ''] = [people.members[0], people.users[0]];
  const readable = email.replace('xn--srgel-jua', 'sörgel');
  const mention =
    text ?? `${name.toUpperCase()} (${email}, ${readable}, ${encodeURIComponent(email)}) ${userId} ${memberId}`;
  const facts = { text: mention, email, [text ?? email]: name, name, list: [userId, memberId, personId], big: 1 };
  const place: Place = {
    service,
    team,
    tenantId: team.id,
    now: service.clock.now(),
    more,
    people,
    name,
    mention,
    text,
    facts,
  };

  const items = await stock(place);
  const { assignments, trainings } = await practise(place, items);
  const cases = await fileCases(place);
  const { id: keyId, text: key } = await team.aKey();
  await team.aKey({ by: memberId });
  await service.database.prisma.apiKey.updateMany({ where: { tenantId: team.id }, data: { name: `${name}'s key` } });
  const connectionId = await synchronize(place, items);
  const { endpoints, deliveries, eventId } = await subscribe(place);
  await signInEverywhere(place);
  await record(place);
  const requestId = await logRequests(place);

  const { member_id: owner, user_id: ownersUser } = team.owner;
  return {
    team,
    key: { id: keyId, text: key },
    needles: { name, email, personId, userId, memberId },
    ids: {
      // The owner is included often enough that refusals of changes to the owner are tested.
      member_id: [...people.members, ...times(1 + Math.ceil(more / 4), () => owner)],
      user_id: [...people.users, ...times(more, (at) => pick(people.busy, at)), ownersUser],
      training_id: trainings,
      assignment_id: assignments,
      case_id: cases,
      endpoint_id: endpoints,
      delivery_id: deliveries,
      situation_id: items.situations,
      personality_id: items.personalities,
      industry_id: items.industries,
    },
    shared: items.shared,
    emails: [...people.emails, team.owner.email],
    addresses: {
      '/trainings/:id': `/trainings/${trainings[0]}`,
      '/members/:id': `/members/${owner}`,
      '/requests/:id': `/requests/${requestId}`,
      '/keys/:id': `/keys/${keyId}`,
      '/webhooks/:id': `/webhooks/${endpoints[0]}`,
      '/webhooks/:id/deliveries/:deliveryId': `/webhooks/${endpoints[0]}/deliveries/${deliveries[0]}`,
      '/webhooks/events/:id': `/webhooks/events/${eventId}`,
      '/crm/:id': `/crm/${connectionId}`,
    },
  };
};

/** What all parts of a world need. */
interface Place {
  readonly service: TestService;
  readonly team: TestTeam;
  readonly tenantId: string;
  readonly now: Date;
  readonly more: number;
  readonly people: People;
  /** The person's name, and a text with everything that names the person. */
  readonly name: string;
  readonly mention: string;
  /** The wanted text, for places where nobody is named. */
  readonly text: string | undefined;
  /** The same as free-form data. */
  readonly facts: Prisma.InputJsonObject;
}

const times = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at));

const pick = <T>(items: readonly T[], index: number): T => {
  const item = items[index % items.length];
  if (item === undefined) throw new Error('nothing to pick from');
  return item;
};

/** The rows of the person and of the colleague have every field, a fourth of the others too. */
const some = <T>(index: number, value: T): T | null => (index < 2 || index % 4 === 0 ? value : null);

/** The person and a colleague, who can sign in, and others with every role and status. */
const populate = async (
  service: TestService,
  team: TestTeam,
  { name, text, more }: { name: string; text: string | undefined; more: number },
) => {
  const { id: tenantId } = team;
  const { prisma } = service.database;
  const now = service.clock.now();
  const person = await aSignedInPerson(service, team, {
    role: 'admin',
    rights: ['schnittstellen'],
    email: `wilhelmine.${randomUUID().slice(0, 8)}@xn--srgel-jua.example`,
    name,
  });
  const another = await aPerson(team, { role: 'admin', name: text ?? 'Carla Colleague' });
  const invitation = await team.anInvitedMember();
  const tenantId_id = { tenantId, id: person.userId };
  const { personId } = await prisma.teamUser.findUniqueOrThrow({ where: { tenantId_id } });
  await prisma.member.updateMany({ where: { tenantId, id: person.memberId }, data: { externalId: name } });

  const users = times(more, () => ({ personId: makeId(), userId: makeId(), memberId: makeId(), email: anEmail() }));
  const invited = times(Math.ceil(more / 4), () => ({ memberId: makeId(), email: anEmail('invited') }));
  await prisma.person.createMany({
    data: users.map((one) => ({ id: one.personId, email: one.email, name: text ?? null, createdAt: now })),
  });
  await prisma.teamUser.createMany({
    data: users.map((one) => ({ tenantId, id: one.userId, personId: one.personId })),
  });
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
  const active = [person, another, ...users];
  return {
    email: person.email,
    personId,
    emails: [...active, ...invited].map(({ email }) => email),
    members: [...[...active, ...invited].map(({ memberId }) => memberId), invitation.id],
    users: active.map(({ userId }) => userId),
    // A few people have most of the objects, so that their own lists have several pages too.
    busy: active.slice(0, 4).map(({ userId }) => userId),
  };
};
type People = Awaited<ReturnType<typeof populate>>;

/** Items of the team and of all teams, of which policies block one in each dimension, and rules that exclude combinations. */
const stock = async ({ service, tenantId, people, name, text }: Place) => {
  type Dimension = Prisma.CatalogItemCreateManyInput['dimension'];
  const item = (dimension: Dimension, own: boolean) =>
    own
      ? aCatalogItem(service, { dimension, tenantId, icon: text ?? 'star', nameDe: name, nameEn: name })
      : aCatalogItem(service, { dimension, nameEn: 'An item' });
  const items = async (dimension: Dimension) => Promise.all(times(5, (at) => item(dimension, at % 2 === 0)));
  const ofAll = <T>(them: readonly T[]) => them.filter((_item, at) => at % 2 === 1);
  const situations = await items('situation');
  const personalities = await items('personality');
  const industries = await items('industry');
  const [roles, methodologies] = [await items('role'), await items('methodology')];

  const rule = (kind: 'only' | 'never', one: string) =>
    aRule(service, { tenantId, kind, situation: pick(situations, 1), item: one });
  await rule('only', pick(personalities, 0));
  await rule('only', pick(personalities, 1));
  await rule('never', pick(industries, 0));
  for (const itemId of [pick(situations, 4), pick(industries, 4)]) await block(service, { tenantId, itemId });
  for (const memberId of people.members.slice(0, 2)) {
    await block(service, { tenantId, memberId, itemId: pick(personalities, 4) });
  }
  const shared = new Set([situations, personalities, industries].flatMap(ofAll));
  return { situations, personalities, industries, roles, methodologies, shared };
};
type Stock = Awaited<ReturnType<typeof stock>>;

/** Assignments, of which requests have made the first two, for the person and the colleague, and trainings. */
const practise = async ({ service, team, tenantId, now, more, people, name, mention, facts }: Place, items: Stock) => {
  const { prisma } = service.database;
  const before = (seconds: number) => later(now, -secondsToMs(seconds));
  const combination = (at: number) => ({
    situationId: pick(items.situations, at),
    personalityId: pick(items.personalities, at),
    industryId: some(at, pick(items.industries, at)),
  });
  const assign = async (memberId: string): Promise<string> => {
    const { situationId, personalityId, industryId } = combination(0);
    const wanted = { situation_id: situationId, personality_id: personalityId, industry_id: industryId, note: mention };
    const headers = { 'Idempotency-Key': `for ${people.email} ${memberId}` };
    const body = { member_id: memberId, title: `For ${name}`.slice(0, 120), ...wanted };
    return String((await team.client.post('/assignments', body, { headers })).body['id']);
  };
  const first = [await assign(pick(people.members, 0)), await assign(pick(people.members, 1))];
  const others = times(more, (at) => ({
    tenantId,
    id: makeId(),
    memberId: pick(people.members, at),
    status: pick(['open', 'in_progress', 'done', 'revoked'] as const, at),
    title: at % 3 === 0 ? null : `Assignment ${at}`,
    dueDate: at % 2 === 0 ? new Date('2026-12-24') : null,
    focusDimension: at % 4 === 0 ? pick(['closing', 'value_argument'] as const, at) : null,
    ...combination(at + 2),
    createdAt: before(at),
    updatedAt: now,
  }));
  await prisma.assignment.createMany({ data: others });
  const assignments = [...first, ...others.map(({ id }) => id)];

  const tip = { issue: mention, moment: name, principle: mention, rewrite: mention, impact: mention };
  const evaluation = (at: number) => ({
    ...anEvaluation({
      dimensions: { ...dimensions, closing: 0, conversation_control: 100 },
      total: at % 3 === 2 ? null : 42,
      goal: some(at, pick(['reached', 'partial', 'missed'] as const, at)),
      tips: times(at < 2 ? 1 : at % 6, () => tip),
      methodology: some(at, pick(items.methodologies, at)),
      strongest: at < 2 || at % 2 === 0 ? mention : null,
      biggest_lever: some(at, mention),
    }),
    savedAt: before(at),
  });
  const trainings = await theTrainings(
    service,
    team,
    times(2 + more, (at) => {
      const status = pick(['scored', 'scored', 'running', 'ended', 'aborted'] as const, at);
      return {
        userId: pick(people.busy, at),
        status: status === 'scored' ? 'ended' : status,
        source: pick(['app', 'phone', 'api'] as const, at),
        assignmentId: at % 2 === 0 ? pick(assignments, at % 8) : null,
        ...(at % 2 === 0 && { externalRef: { crm: at, deep: { list: [1, 'zwei', null] } } }),
        ...combination(at),
        roleId: some(at, pick(items.roles, at)),
        createdAt: before(at),
        ...(status !== 'running' && { finishedAt: now }),
        ...(status === 'scored' && { evaluation: evaluation(at) }),
      };
    }),
  );
  const [completedTrainingId = '', colleagues = ''] = trainings;
  await prisma.assignment.updateMany({ where: { tenantId, id: pick(first, 0) }, data: { completedTrainingId } });
  const externalRef = withLongNumber(facts);
  await prisma.training.updateMany({
    where: { tenantId, id: { in: [completedTrainingId, colleagues] } },
    data: { externalRef },
  });
  return { assignments, trainings };
};

/** Free-form data with a number that JavaScript can't represent. */
const withLongNumber = (facts: object): string =>
  JSON.stringify(facts).replace('"big":1', '"big":12345678901234567890.10');

/** Cases, of which some are private. Returns the ids of the others. */
const fileCases = async ({ service, team, tenantId, now, more, people, name, facts }: Place): Promise<string[]> => {
  const shared: string[] = [];
  for (const user_id of people.users.slice(0, 2)) {
    const content = { title: `Case of ${name}`, persona_id: people.email, fields: facts, external_ref: { name } };
    shared.push(String((await team.client.post('/cases', { user_id, ...content })).body['id']));
    await aCase(service, team, { userId: user_id, title: name, personaId: name, fields: facts, private: true });
  }
  const others = times(more, (at) => ({
    tenantId,
    id: makeId(),
    userId: pick(people.busy, at),
    title: at % 3 === 0 ? null : `Case ${at}`,
    personaId: at % 4 === 0 ? 'persona' : null,
    fields: pick(['{"a":1}', '[1,{"b":null}]', null], at),
    externalRef: at % 2 === 0 ? '{"ref":"x"}' : null,
    private: at % 5 === 4,
    createdAt: later(now, -secondsToMs(at)),
    updatedAt: now,
  }));
  await service.database.prisma.case.createMany({ data: others });
  return [...shared, ...others.filter((one) => !one.private).map(({ id }) => id)];
};

/** A connection whose last run failed, and what earlier runs found. */
const synchronize = async (
  { service, team, tenantId, now, more, people, name, mention, text, facts }: Place,
  items: Stock,
) => {
  const connectionId = await aCrmConnection(service, team, {
    provider: text ?? 'feed',
    label: name,
    url: text ?? null,
    // The pages of the app read settings, which these are not.
    ...(text === undefined && { settings: facts }),
    failureReason: mention,
  });
  const failed = { startedAt: now, endedAt: now, outcome: 'failed', reason: mention, reasonDe: mention } as const;
  await service.database.prisma.crmRun.create({
    data: { tenantId, id: makeId(), connectionId, kind: 'full', ...failed },
  });
  const dealId = await aDeal(service, team, connectionId, {
    externalId: `deal of ${people.email}`,
    title: mention,
    lostReason: mention,
    pipelineId: people.email,
    stageId: mention,
    ownerUserId: pick(people.users, 0),
  });
  const objection = { externalId: people.email, category: name, text: mention, lang: people.email };
  await anObjection(service, team, dealId, objection);
  for (const at of times(Math.min(more, 8), (index) => index)) {
    const id = await aDeal(service, team, connectionId, {
      outcome: pick(['open', 'won', 'lost'] as const, at),
      title: at % 2 === 0 ? 'Ein Abschluss' : null,
      amount: at % 2 === 0 ? '1234.50' : null,
      currency: at % 2 === 0 ? 'EUR' : null,
      closeDate: at % 3 === 0 ? null : new Date('2026-12-31'),
      probability: at % 3 === 0 ? null : at * 10,
      industryId: at % 4 === 0 ? pick(items.industries, at) : null,
      ownerUserId: at % 4 === 0 ? pick(people.users, at) : null,
      createdAt: later(now, -secondsToMs(at)),
    });
    await anObjection(service, team, id);
  }
  return connectionId;
};

/** Endpoints in every status, one after the other, and deliveries in every status to those that come first. */
const subscribe = async ({ service, team, tenantId, now, more, people, name, mention, facts }: Place) => {
  const { prisma } = service.database;
  const endpoints = times(1 + more, (at) =>
    endpointRow(service, team, {
      events: at === 0 ? ['crm.sync.failed'] : ['member.joined', 'crm.sync.failed'],
      status: pick(['active', 'disabled', 'active', 'disabled_failures'] as const, at),
      ...(at === 0 && { description: mention }),
    }),
  );
  const event = { ...eventRow(service, team, { type: 'member.removed' }), data: withLongNumber(facts) };
  const others = times(2 * more, (at) =>
    eventRow(service, team, { type: pick(['member.joined', 'ping'] as const, at) }),
  );
  const deliveries = times(1 + 2 * more, (at) =>
    deliveryRow(service, team, {
      endpointId: pick(endpoints, at % 5).id,
      status: pick(['failed', 'gave_up', 'ok', 'pending'] as const, at),
      ...(at === 0 && { eventId: event.id, type: 'member.removed' }),
    }),
  );
  const [{ id: endpointId }, { id: deliveryId }] = [pick(endpoints, 0), pick(deliveries, 0)];
  await prisma.webhookEndpoint.createMany({ data: endpoints });
  await prisma.webhookDelivery.createMany({ data: deliveries });
  await prisma.webhookEvent.createMany({ data: [event, ...others] });
  await prisma.$executeRaw`
    insert into webhook_waiting (tenant_id, delivery_id, endpoint_id, due_at, by_hand)
    select tenant_id, id, endpoint_id, next_try_at, false
      from webhook_delivery
     where tenant_id = ${tenantId}::uuid and next_try_at is not null`;

  await anAttempt(service, team, { deliveryId });
  const answer = { responseExcerpt: mention, error: mention, errorDe: mention };
  await prisma.webhookDelivery.updateMany({ where: { tenantId, id: deliveryId }, data: answer });
  const headers = { [name]: mention, 'x-of': people.email };
  const sent = { url: `https://hooks.example/?of=${encodeURIComponent(people.email)}`, requestHeaders: headers };
  await prisma.webhookAttempt.updateMany({
    where: { tenantId },
    data: { ...sent, responseHeaders: headers, ...answer },
  });
  const results = [{ probe: 'valid', code: null, ms: 1, error: mention, errorDe: mention, facts }];
  const check = { id: makeId(), endpointId, results, createdAt: now, completedAt: now };
  await prisma.webhookCheck.create({ data: { tenantId, ...check } });
  const day = new Date('2026-11-20');
  const quarter = { start: day, delivered: true, duration: 1, attempts: 1 };
  await prisma.webhookQuarterHour.create({ data: { tenantId, endpointId, ...quarter } });
  await prisma.webhookTeamDay.create({ data: { tenantId, day } });
  await prisma.webhookEndpointDay.create({ data: { tenantId, endpointId, day } });
  return { endpoints: endpoints.map(({ id }) => id), deliveries: deliveries.map(({ id }) => id), eventId: event.id };
};

/** What lets people and their assistants in, and lists of people who are not in yet. */
const signInEverywhere = async ({ service, team, tenantId, now, people, name, mention }: Place): Promise<void> => {
  const { prisma } = service.database;
  const { email, personId, members, users } = people;
  for (const at of [0, 1]) {
    const [memberId, userId] = [pick(members, at), pick(users, at)];
    await anAssistantConnection(service, team, { memberId, userId, clientName: `Assistant of ${name}` });
    await prisma.versionNotice.create({ data: { tenantId, userId, version: 'v1', sentAt: now } });
  }
  await aStoredProvider(service, team);
  const passkey = { credentialId: randomUUID(), publicKey: Uint8Array.of(0), counter: 0, transports: [] };
  await prisma.passkey.create({
    data: { id: makeId(), personId, name: `Laptop of ${name}`, ...passkey, createdAt: now },
  });
  await prisma.twoFactor.create({ data: { id: makeId(), personId, secret: 'sealed', backupCodes: 'sealed' } });
  const waiting = { tenantId, role: 'member', dueAt: now, createdAt: now } as const;
  await prisma.waitingInvitation.createMany({
    data: [
      { ...waiting, id: makeId(), email, externalId: `${name} waits`, invitedBy: pick(users, 1) },
      { ...waiting, id: makeId(), email: `waits-${tenantId}@example.com`, invitedBy: pick(users, 0) },
    ],
  });
  const colleague = `colleague-${tenantId}@example.com`;
  const own = { userName: email, address: email, memberId: pick(members, 0), memberAddress: email, externalId: name };
  const said = { tenantId, createdAt: now, updatedAt: now };
  await prisma.directoryUser.createMany({
    data: [
      { ...said, ...own, id: makeId(), attributes: JSON.stringify({ displayName: name }) },
      {
        ...said,
        id: makeId(),
        userName: colleague,
        address: colleague,
        attributes: JSON.stringify({ title: mention, emails: [{ value: email }] }),
      },
    ],
  });
};

/** Entries of the audit log, the ids of deleted rows, and mails. */
const record = async ({ service, tenantId, now, more, people, name, mention, facts }: Place): Promise<void> => {
  const { database, platform } = service;
  const [memberId, userId] = [pick(people.members, 0), pick(people.users, 0)];
  const acted = { tenantId, actorKind: 'person', actorId: userId, address: '203.0.113.9', createdAt: now } as const;
  const changed = { action: 'member.role_changed', targetType: 'member', targetId: memberId, data: facts };
  const data = { before: { name }, after: { name: mention } };
  const renamed = { action: 'team.changed', targetType: 'team', targetId: tenantId, data };
  await database.prisma.auditEntry.createMany({
    data: [changed, renamed].map((entry) => ({ id: makeId(), ...acted, ...entry })),
  });
  await database.prisma.deletion.createMany({
    data: deletionResources.flatMap((resource) =>
      times(1 + more, (at) => ({ tenantId, resource, id: makeId(), deletedAt: later(now, -secondsToMs(at)) })),
    ),
  });
  const mail = {
    recipient: people.email,
    language: 'de',
    kind: 'password_reset',
    content: { subject: mention, text: mention, html: '' },
  } as const;
  await database.transaction((tx) => queueMails(tx, { platform, id: null }, [mail]));
  await database.transaction((tx) => queueMails(tx, { platform, id: tenantId }, [{ ...mail, kind: 'team_received' }]));
  await database.prisma.mail.updateMany({ where: { recipient: people.email }, data: { error: mention } });
};

/** Returns the id of a refused request in the log. */
const logRequests = async ({ service, team, tenantId, people, name, mention }: Place): Promise<string> => {
  const { prisma } = service.database;
  await team.client.get('/users');
  await team.client.get(`/users/${encodeURIComponent(name)}?${encodeURIComponent(name)}=1`);
  await service.requestLog.write();
  const refused = await prisma.requestLogEntry.findFirstOrThrow({ where: { tenantId, status: 422 } });
  const [memberId, userId] = [pick(people.members, 0), pick(people.users, 0)];
  await prisma.requestLogEntry.updateMany({
    where: { tenantId },
    data: {
      path: `/api/public/v1/users/${memberId}`,
      query: `search=${encodeURIComponent(people.email)}&user_id=${userId}&text=${mention}`,
      userAgent: mention,
      problem: { detail: mention, errors: [{ path: [userId], code: 'custom', message: mention }] },
    },
  });
  return refused.id;
};
