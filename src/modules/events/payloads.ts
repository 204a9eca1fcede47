import { z } from 'zod';
import type { SentType } from '../../core/events.ts';
import { exampleIds } from '../../core/example-ids.ts';
import { Time } from '../../platform/values.ts';
import { apiVersion, bodyOf } from '../../deliveries/message.ts';
import { text, type Payload } from '../../deliveries/payload.ts';
import { auditRecorded } from '../audit/events.ts';
import { assignmentCompleted, assignmentCreated } from '../assignments/events.ts';
import { crmSyncFailed } from '../crm/events.ts';
import { memberJoined, memberRemoved } from '../members/events.ts';
import { evaluationCompleted, trainingCompleted } from '../trainings/events.ts';
import { endpointFailing, endpointPaused, endpointRecovered, ping } from '../webhooks/events.ts';

/** All events, each with the data that its module declares. */
export const payloads = {
  'training.completed': trainingCompleted,
  'evaluation.completed': evaluationCompleted,
  'assignment.created': assignmentCreated,
  'assignment.completed': assignmentCompleted,
  'member.joined': memberJoined,
  'member.removed': memberRemoved,
  'crm.sync.failed': crmSyncFailed,
  'endpoint.failing': endpointFailing,
  'endpoint.paused': endpointPaused,
  'endpoint.recovered': endpointRecovered,
  'audit.recorded': auditRecorded,
  ping,
} satisfies { [Type in SentType]: Payload<Type> };

const team_id = text('The team; the same as `tenant_id`.');

/** `data` in the form that receivers get. Personal fields may be absent. */
export const dataOf = (type: SentType) => {
  const { data, personal } = payloads[type];
  return z.object({ team_id, ...data.shape, ...personal.partial().shape });
};

/** An example of a body while the team shows member details. */
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
