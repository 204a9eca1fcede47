import { z } from 'zod';
import { randomText } from '../../core/crypto.ts';
import { isEventType, type EventType } from '../../core/events.ts';
import { later, secondsToMs } from '../../core/clock.ts';
import { makeId } from '../../core/ids.ts';
import { english } from '../../core/language.ts';
import { fail } from '../../core/problem.ts';
import { isRecord } from '../../core/json.ts';
import { changeAssignment, createAssignment } from '../../modules/assignments/service.ts';
import { listConnections } from '../../modules/crm/service.ts';
import { createKey, revokeKey } from '../../modules/keys/service.ts';
import { noteFailure } from '../../modules/crm/sync.ts';
import { removeMember, roster } from '../../modules/members/service.ts';
import { inviteMember } from '../../modules/members/invitations.ts';
import { evaluationWith, recordTraining } from '../../cli/record-training.ts';
import { saveEvaluation } from '../../modules/trainings/service.ts';
import type { Prisma } from '../../db/generated/client.ts';
import { tendEndpoint } from '../../modules/webhooks/failing-endpoints.ts';
import { createEndpoint, deleteEndpoint, listEndpoints } from '../../modules/webhooks/service.ts';
import { inTransaction, type Platform, type Team } from '../../platform/team.ts';
import { actIn, lockTeamShared } from '../../platform/team-row.ts';
import { Email } from '../../platform/values.ts';
import { publicEventId } from '../../deliveries/message.ts';
import type { Seeded } from './seed.ts';

// Each event is raised by the action that raises it in the service: a training is recorded, a member invited, an
// assignment given.

const usualScore = 72;

/** The options of a trigger. Each event uses some of them. */
export const TriggerOptions = z.strictObject({
  /** The id of a member; if absent, an active one, or for `member.removed` a new one. */
  member: z.string().optional(),
  score: z.int().min(0).max(100).optional(),
  /** The id of a training whose evaluation is saved again. */
  training: z.string().optional(),
  /** The id of the practised assignment, or of the one to complete. */
  assignment: z.string().optional(),
  email: Email.optional(),
  reason: z.string().min(1).optional(),
  /**
   * The id of the endpoint that fails, is paused or works again; if absent, one that is made for this and then deleted.
   */
  endpoint: z.string().optional(),
});
export type TriggerOptions = z.output<typeof TriggerOptions>;
type TriggerOption = keyof TriggerOptions;

export interface SeededPlatform {
  platform: Platform;
  seeded: Seeded;
}

/** The objects on which a trigger works. */
interface TriggerObjects {
  /** The team with the operator as its actor (`operator`), and with an API key as its actor (`key`). */
  operator: Team;
  key: Team;
  /** An active member: the given one, or the first that is neither owner nor admin. */
  member: () => Promise<{ memberId: string }>;
  seeded: Seeded;
}

/** The ids of the created objects. */
type CreatedIds = Readonly<Record<string, string>>;

interface Trigger {
  readonly uses: readonly TriggerOption[];
  readonly run: (scene: TriggerObjects, options: TriggerOptions) => Promise<CreatedIds>;
}

const makeEmail = (): string => `new.${randomText(8).toLowerCase()}@sandbox.example`;

const invite = async ({ operator }: TriggerObjects, email = makeEmail()) => {
  const { id } = await inviteMember(operator, { email, role: 'member' });
  return { member_id: id, email };
};

const giveAssignment = async ({ key, member, seeded }: TriggerObjects): Promise<string> => {
  const { memberId } = await member();
  const { situation = '', personality = '', industry = '' } = seeded.seed.ids;
  const { id } = await createAssignment(key, {
    memberId,
    title: 'Triggered in the sandbox',
    situationId: situation,
    personalityId: personality,
    industryId: industry,
  });
  return id;
};

/**
 * An endpoint about which an event is raised. It is not the customer's receiver, because an endpoint does not get
 * events about itself.
 */
const anEndpoint = async ({ operator }: TriggerObjects): Promise<string> => {
  const verdict = { allowed: true, url: 'https://unreachable.sandbox.example/hooks' } as const;
  return (await createEndpoint(operator, { events: ['endpoint.failing'] }, verdict)).id;
};

/** Gives an endpoint a state that deliveries would cause, and lets the worker's check find it. */
const aboutEndpoint = (
  state: (now: Date, pauseAfterSeconds: number) => Prisma.WebhookEndpointUncheckedUpdateInput,
) => ({
  uses: ['endpoint'] as const,
  run: async (scene: TriggerObjects, { endpoint }: TriggerOptions) => {
    const { id: tenantId, platform } = scene.operator;
    const id = endpoint ?? (await anEndpoint(scene));
    if (!(await listEndpoints(scene.operator)).some((one) => one.id === id)) fail('not_found');
    const { clock, deliverySchedule, database } = platform;
    await database.prisma.webhookEndpoint.update({
      where: { tenantId_id: { tenantId, id } },
      data: {
        status: 'active',
        failingEventAt: null,
        pausedEventAt: null,
        recoveredEventAt: null,
        ...state(clock.now(), deliverySchedule.pauseAfterSeconds),
      },
    });
    await tendEndpoint(platform, { tenantId, id });
    if (endpoint === undefined) await deleteEndpoint(scene.operator, id);
    return { endpoint_id: id };
  },
});

const failingFor = (now: Date, seconds: number) => {
  const failingSince = later(now, -secondsToMs(seconds));
  return { failingSince, failedAgainAt: failingSince };
};

const triggers: Readonly<Record<EventType, Trigger>> = {
  'training.completed': {
    uses: ['member', 'assignment'],
    run: async ({ operator, member }, { assignment: assignmentId }) => {
      const { memberId } = await member();
      const training_id = await recordTraining(operator, {
        memberId,
        assignmentId,
        status: 'ended',
        score: usualScore,
      });
      return { training_id };
    },
  },
  'evaluation.completed': {
    uses: ['member', 'score', 'training', 'assignment'],
    run: async ({ operator, member }, { training, score = usualScore, assignment: assignmentId }) => {
      if (training !== undefined) {
        await saveEvaluation(operator, training, evaluationWith(score, 'en'));
        return { training_id: training };
      }
      const { memberId } = await member();
      return { training_id: await recordTraining(operator, { memberId, assignmentId, status: 'scored', score }) };
    },
  },
  'assignment.created': {
    uses: ['member'],
    run: async (scene) => ({ assignment_id: await giveAssignment(scene) }),
  },
  'assignment.completed': {
    uses: ['member', 'assignment'],
    run: async (scene, { assignment }) => {
      const assignment_id = assignment ?? (await giveAssignment(scene));
      await changeAssignment(scene.key, assignment_id, { status: 'done' });
      return { assignment_id };
    },
  },
  'member.joined': { uses: ['email'], run: (scene, { email }) => invite(scene, email) },
  'member.removed': {
    uses: ['member'],
    run: async (scene, { member }) => {
      const member_id = member ?? (await invite(scene)).member_id;
      await removeMember(scene.key, member_id);
      return { member_id };
    },
  },
  'crm.sync.failed': {
    uses: ['reason'],
    run: async ({ operator }, { reason = 'The CRM answered with status 502.' }) => {
      const [connection] = await listConnections(operator);
      if (!connection) return fail('not_found', { detail: english('The team has no CRM connection.') });
      const { connectionId, provider } = connection;
      await inTransaction(operator, async (tx) => {
        await noteFailure(tx, await lockTeamShared(tx, operator), { connectionId, provider, reason });
      });
      return { connection_id: connectionId };
    },
  },
  'endpoint.failing': aboutEndpoint((now, pauseAfter) => ({ ...failingFor(now, pauseAfter / 3), alarmedAt: null })),
  'endpoint.paused': aboutEndpoint((now, pauseAfter) => ({ ...failingFor(now, pauseAfter), alarmedAt: now })),
  'endpoint.recovered': aboutEndpoint((now) => ({
    failingSince: null,
    failedAgainAt: null,
    warnedAt: null,
    alarmedAt: later(now, -1),
    lastSuccessAt: now,
  })),
  'audit.recorded': {
    uses: [],
    run: async ({ operator, seeded }) => {
      const isWanted = (await listEndpoints(operator)).some(
        ({ status, events }) => status === 'active' && events.includes('audit.recorded'),
      );
      if (!isWanted) {
        fail('validation_error', {
          field: 'event',
          detail: english('audit.recorded is raised only while an active endpoint subscribes to it: create one.'),
        });
      }
      const key = { name: 'Triggered in the sandbox', by: seeded.ownerId, scopes: ['catalog:read'] };
      const { keyId } = await createKey(operator, key);
      const raised = await operator.platform.database.prisma.webhookEvent.findFirst({
        where: { tenantId: operator.id, type: 'audit.recorded' },
        orderBy: { id: 'desc' },
      });
      await revokeKey(operator, keyId);
      // The event has the same id as its audit entry.
      return { id: raised?.id ?? fail('not_found') };
    },
  },
};

const sceneOf = async ({ platform, seeded }: SeededPlatform, wanted: string | undefined): Promise<TriggerObjects> => {
  const { tenant_id: id } = seeded.seed;
  const operator = await actIn(platform, { kind: 'operator' }, id);
  return {
    operator,
    key: await actIn(platform, { kind: 'key', id: seeded.actingKeyId }, id),
    member: async () => {
      if (wanted !== undefined) return { memberId: wanted };
      const people = await roster(operator);
      const active = people.find(({ role, status }) => role === 'member' && status === 'active');
      return active ?? fail('not_found', { detail: english('The team has no active member left.') });
    },
    seeded,
  };
};

/** The events about these objects that were raised after an id, in order. */
const eventsAbout = async (
  { platform, seeded }: SeededPlatform,
  made: CreatedIds,
  after: string,
): Promise<RaisedEvent[]> => {
  const raised = await platform.database.prisma.webhookEvent.findMany({
    where: { tenantId: seeded.seed.tenant_id, id: { gt: after } },
    orderBy: { id: 'asc' },
  });
  const isAbout = (data: unknown) =>
    isRecord(data) && Object.entries(made).every(([name, value]) => data[name] === value);
  return raised
    .filter(({ data }) => isAbout(JSON.parse(data)))
    .map(({ id, type }) => ({ event_id: publicEventId(id), type }));
};

export interface RaisedEvent {
  event_id: string;
  type: string;
}

export interface TriggeredEvents extends RaisedEvent {
  /** All events that the action raised, in order: a completed evaluation also completes a training. */
  events: RaisedEvent[];
  /** The ids of the objects that the action created or changed. */
  made: CreatedIds;
}

/** Raises an event by running the action that raises it. */
export const trigger = async (
  stage: SeededPlatform,
  type: string,
  options: TriggerOptions,
): Promise<TriggeredEvents> => {
  if (!isEventType(type)) {
    const known = Object.keys(triggers).join(', ');
    return fail('validation_error', {
      field: 'event',
      detail: english(`There is no event ${type}. There are: ${known}.`),
    });
  }
  const { uses, run } = triggers[type];
  const unused = Object.keys(options).find((name) => !uses.some((used) => used === name));
  if (unused !== undefined) {
    return fail('validation_error', { field: unused, detail: english(`${type} takes ${uses.join(', ')}.`) });
  }
  const after = makeId();
  const { email, ...made } = await run(await sceneOf(stage, options.member), options);
  const events = await eventsAbout(stage, made, after);
  const raised = events.findLast((event) => event.type === type);
  if (!raised) throw new Error(`the action raised no ${type}`);
  return { ...raised, events, made: { ...made, ...(email !== undefined && { email }) } };
};
