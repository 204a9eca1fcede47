import { exampleIds } from '../../core/example-ids.ts';
import { z } from 'zod';
import { eventTypes, type EventType } from '../../core/events.ts';
import { CalendarDay, Time } from '../../platform/values.ts';
import type { Tx } from '../../db/database.ts';
import { apiVersion, bodyOf } from '../../deliveries/message.ts';
import { writeEvent } from '../../deliveries/outbox.ts';
import { Assignment } from '../assignments/schema.ts';
import { Member } from '../members/schema.ts';
import type { ShareLockedTeam } from '../teams/service.ts';
import { pointRange, Training } from '../trainings/schema.ts';

type SentType = EventType | 'ping';

interface Payload<Data extends z.ZodRawShape, Personal extends z.ZodRawShape> {
  /** Always present, in addition to `team_id`. */
  data: z.ZodObject<Data>;
  /** Present only while the team shows member details. */
  personal: z.ZodObject<Personal>;
  example: z.output<z.ZodObject<Data & Personal>>;
}

const payload = <Data extends z.ZodRawShape, Personal extends z.ZodRawShape>(row: Payload<Data, Personal>) => row;

const text = (description: string) => z.string().meta({ description });

const whilePeopleAreShown = 'Absent while `member_detail_enabled` is off';
const notYetAUser = `${whilePeopleAreShown}, and until the member accepts the invitation.`;

const nothingPersonal = z.object({});

const assignment = payload({
  data: z.object({
    assignment_id: text('The assignment, as in `/assignments/{assignment_id}`.'),
    status: Assignment.shape.status.meta({ description: 'As it was when this happened.' }),
    due_date: CalendarDay.nullable().meta({ description: 'The day by which it should be done, if it has one.' }),
    completed_training_id: z.string().nullable().meta({ description: 'The training that completed it, if one did.' }),
  }),
  personal: z.object({
    user_id: text(`The member who has the assignment. ${notYetAUser}`).exactOptional(),
  }),
  example: {
    assignment_id: exampleIds.assignment,
    status: 'open',
    due_date: '2026-12-24',
    completed_training_id: null,
    user_id: exampleIds.user,
  },
});

const member = payload({
  data: z.object({
    member_id: text('The membership, as in `/users/{member_id}`.'),
    role: Member.shape.role.meta({ description: 'The member’s role in the team.' }),
  }),
  personal: z.object({
    user_id: text(`The person, as sessions and cases name them. ${notYetAUser}`).exactOptional(),
  }),
  example: {
    member_id: exampleIds.member,
    role: 'member',
    user_id: exampleIds.user,
  },
});

/** The data of each type of event. Within an `api_version`, fields may be added but never removed. */
export const payloads = {
  'training.completed': payload({
    data: z.object({
      training_id: text('The session, as in `/trainings/{training_id}`.'),
      status: z.literal('ended').meta({ description: 'An evaluation comes later, if one comes.' }),
      source: Training.shape.source,
      assignment_id: Training.shape.assignment_id,
      finished_at: Time.meta({ description: 'When the session ended.' }),
      duration_s: z.int().meta({ minimum: 0, description: 'Seconds.' }),
    }),
    personal: z.object({ user_id: text(`The person who practised. ${whilePeopleAreShown}.`) }),
    example: {
      training_id: exampleIds.training,
      status: 'ended',
      source: 'app',
      assignment_id: exampleIds.assignment,
      finished_at: '2026-11-20T08:29:41.310Z',
      duration_s: 611,
      user_id: exampleIds.user,
    },
  }),

  'evaluation.completed': payload({
    data: z.object({
      training_id: text('The session; read the rest at `/trainings/{training_id}/evaluation`.'),
    }),
    personal: z.object({
      user_id: text(`The person who practised. ${whilePeopleAreShown}.`),
      score: z
        .int()
        .meta({
          ...pointRange,
          description: `The total, 0 to 100. ${whilePeopleAreShown}, and where the evaluation has no total.`,
        })
        .exactOptional(),
    }),
    example: {
      training_id: exampleIds.training,
      user_id: exampleIds.user,
      score: 72,
    },
  }),

  'assignment.created': assignment,
  'assignment.completed': {
    ...assignment,
    example: {
      ...assignment.example,
      status: 'done',
      completed_training_id: exampleIds.training,
    },
  },

  'member.joined': member,
  'member.removed': member,

  'crm.sync.failed': payload({
    data: z.object({
      connection_id: text('The CRM connection, as the app names it.'),
      provider: text('The CRM, for instance `hubspot`.'),
      reason: text('For people: why it failed, at most 1000 characters.'),
    }),
    personal: nothingPersonal,
    example: {
      connection_id: exampleIds.connection,
      provider: 'hubspot',
      reason: 'The CRM refused the stored sign-in.',
    },
  }),

  ping: payload({
    data: z.object({ endpoint_id: text('The endpoint that is tested.') }),
    personal: nothingPersonal,
    example: { endpoint_id: exampleIds.endpoint },
  }),
} satisfies Record<SentType, Payload<z.ZodRawShape, z.ZodRawShape>>;

type Payloads = typeof payloads;

/** The data with which an event of this type is raised. */
export interface EventData<Type extends SentType> {
  data: z.output<Payloads[Type]['data']>;
  /** Sent only while the team shows member details. */
  personal: z.output<Payloads[Type]['personal']>;
}

/**
 * Raises an event in the transaction of the change that it reports. That transaction has locked the team, so its switches and endpoints
 * are those that hold at the commit.
 */
export const raise = <Type extends EventType>(
  tx: Tx,
  team: ShareLockedTeam,
  type: Type,
  payload: EventData<Type>,
): Promise<void> => writeEvent(tx, team, type, payload);

const isSentType = (type: string): type is SentType => Object.hasOwn(payloads, type);

/** All types that are sent: the events, and the ping of a test. */
export const sentTypes = Object.keys(payloads).filter(isSentType);

/** When an event is raised, in the words of the contract. */
export const triggers: Readonly<Record<SentType, string>> = { ...eventTypes, ping: 'an endpoint is tested' };

const team_id = text('The team; the same as `tenant_id`.');

/** `data` as receivers get it. Personal fields may be absent. */
export const dataOf = (type: SentType) => {
  const { data, personal } = payloads[type];
  return z.object({ team_id, ...data.shape, ...personal.partial().shape });
};

/** An example of a body, while the team shows member details. */
export const exampleBodyOf = (type: SentType): string => {
  const tenantId = exampleIds.team;
  return bodyOf({
    tenantId,
    eventId: exampleIds.event,
    type,
    createdAt: '2026-11-20T08:30:00.000Z',
    apiVersion,
    data: { team_id: tenantId, ...payloads[type].example },
  });
};

/** The whole body of an event of this type. */
export const bodySchemaOf = (type: SentType) =>
  z.object({
    id: z.string().meta({
      description: 'The id of the event, the same in every attempt. Use it to detect duplicates.',
      pattern: '^evt_.+$',
    }),
    type: z.literal(type).meta({ description: 'The event type. It determines the fields of `data`.' }),
    created_at: Time.meta({ description: 'When it happened.' }),
    api_version: z
      .string()
      .meta({ description: 'The version that the endpoint was created with.', pattern: '^\\d{4}-\\d{2}$' }),
    tenant_id: text('The team.'),
    data: dataOf(type).meta({ description: 'The details of the event.' }),
  });
