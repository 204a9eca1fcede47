import { exampleIds } from '../../core/example-ids.ts';
import { answer, toCamel } from '../../core/spelling.ts';
import { apiKeyProcedure, keyRouter, route } from '../../platform/trpc/procedures.ts';
import { exportEntries } from './listing.ts';
import { AuditEntriesQuery, AuditPage } from './schema.ts';

export const auditEntries = keyRouter({
  list: apiKeyProcedure
    .meta(
      route('GET /audit-entries', {
        operationId: 'listAuditEntries',
        scope: 'audit:export',
        summary: 'List audit log entries',
        description:
          'Who did what in the team, when, and from which address: in the app, with a key, by an assistant, by the operator. The list has the entries that the app shows. ' +
          'With `order=asc` a program follows the log. With filters that few entries match, a page may be short or empty and still have a `next_cursor`. ' +
          'While `member_detail_enabled` is off, entries about trainings are left out, entries about assignments and cases name no person, and members have no names. ' +
          'No ready-made selection of scopes has its scope.',
        example: {
          input: { order: 'asc', since: '2026-11-20T08:00:00Z', limit: 50 },
          output: {
            data: [
              {
                id: exampleIds.auditEntry,
                action: 'member.role_changed',
                actor: { kind: 'person', id: exampleIds.user, name: 'Mia Berg' },
                target: { type: 'member', id: exampleIds.member, name: 'Jo Smith' },
                data: { from: 'member', to: 'admin' },
                names: {},
                request_id: '01990c1e-7a00-4000-8000-0000000000a1',
                address: '203.0.113.7',
                created_at: '2026-11-20T08:30:00.000Z',
              },
            ],
            next_cursor: null,
          },
        },
      }),
    )
    .input(AuditEntriesQuery)
    .output(AuditPage)
    .query(({ ctx, input }) => answer(exportEntries(ctx.team, toCamel(input), ctx.language))),
});
