import { z } from 'zod';
import { PageQuery, pageOf } from '../../platform/paging.ts';
import { Instant, Time } from '../../platform/values.ts';
import { allActions, targetTypes } from './actions.ts';

const actorKinds = ['key', 'person', 'operator', 'service'] as const;

export const AuditEntry = z.object({
  id: z.string(),
  action: z.string(),
  actor: z.object({
    kind: z.enum(actorKinds),
    id: z.string().nullable().meta({ description: 'The key’s id, or the user id of a person.' }),
    name: z.string().nullable(),
  }),
  target: z.object({
    type: z.string(),
    id: z.string().nullable(),
    name: z.string().nullable().meta({ description: 'As it is called now; null for what has no name or is gone.' }),
  }),
  data: z.record(z.string(), z.unknown()).meta({ description: 'What changed.' }),
  request_id: z.string().nullable(),
  created_at: Time,
});
export type AuditEntry = z.output<typeof AuditEntry>;
export const AuditPage = pageOf(AuditEntry);

export const AuditQuery = PageQuery.extend({
  action: z.enum(allActions).optional(),
  actor_kind: z.enum(actorKinds).optional(),
  target_type: z.enum(targetTypes).optional(),
  target_id: z.string().optional(),
  since: Instant.optional().meta({ description: 'Then or later.' }),
  until: Instant.optional().meta({ description: 'Before then.' }),
});
export type AuditQuery = z.output<typeof AuditQuery>;

export const ActionList = z.object({ actions: z.array(z.object({ action: z.string(), label: z.string() })) });
