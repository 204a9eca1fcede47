import { z } from 'zod';
import { exampleIds } from '../../core/example-ids.ts';
import { nothingPersonal, payload } from '../../deliveries/payload.ts';
import { AuditEntry } from './schema.ts';

const { id, action, actor, target, data, request_id, address, created_at } = AuditEntry.shape;

/**
 * An audit entry without names, because looking them up would take further reads in each write. The statement that
 * writes the entry also writes the event (`recordedEvents` in deliveries/outbox.ts). Which fields name a person depends
 * on the entry: `impersonal` in core/events.ts removes them.
 */
export const auditRecorded = payload('audit.recorded', {
  data: z.object({
    id,
    action,
    actor: actor.omit({ name: true }).loose().meta({ description: 'The actor: `kind` and `id`.' }),
    target: target.omit({ name: true }).loose().meta({ description: 'The target: `type` and `id`.' }),
    data,
    request_id,
    address,
    created_at,
  }),
  personal: nothingPersonal,
  example: {
    id: exampleIds.auditEntry,
    action: 'member.role_changed',
    actor: { kind: 'person', id: exampleIds.user },
    target: { type: 'member', id: exampleIds.member },
    data: { from: 'member', to: 'admin' },
    request_id: '01990c1e-7a00-4000-8000-0000000000a1',
    address: '203.0.113.7',
    created_at: '2026-11-20T08:30:00.000Z',
  },
});
