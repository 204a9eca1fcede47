import { expect, it } from 'vitest';
import { publicRouter } from '../../src/modules/public-router.ts';
import { operationsOf } from '../../src/platform/trpc/procedures.ts';

/**
 * The contract of each route: success status, and problems in addition to those of every route. Who may call it is in
 * access.ts.
 */
const promised: Readonly<Record<string, [status: number, problems: string[]]>> = {
  'GET /me': [200, []],
  'GET /users': [200, ['insufficient_scope']],
  'POST /users': [201, ['conflict', 'idempotency_mismatch', 'insufficient_scope', 'seat_limit_reached']],
  'GET /users/{member_id}': [200, ['insufficient_scope', 'not_found']],
  'PATCH /users/{member_id}': [200, ['insufficient_scope', 'last_admin', 'not_found', 'owner']],
  'DELETE /users/{member_id}': [200, ['insufficient_scope', 'last_admin', 'not_found', 'owner']],
  'GET /catalog': [200, ['insufficient_scope']],
  'GET /analytics/team': [200, ['insufficient_scope']],
  'GET /crm/deals': [200, ['insufficient_scope']],
  'GET /crm/objections': [200, ['insufficient_scope']],
  'GET /assignments': [200, ['insufficient_scope', 'privacy_restricted']],
  'POST /assignments': [
    201,
    [
      'conflict',
      'idempotency_mismatch',
      'insufficient_scope',
      'kombination_ungueltig',
      'not_found',
      'vorgabe_gesperrt',
    ],
  ],
  'GET /assignments/{assignment_id}': [200, ['insufficient_scope', 'not_found', 'privacy_restricted']],
  'PATCH /assignments/{assignment_id}': [200, ['insufficient_scope', 'not_found']],
  'DELETE /assignments/{assignment_id}': [200, ['insufficient_scope', 'not_found']],
  'GET /cases': [200, ['insufficient_scope', 'privacy_restricted']],
  'POST /cases': [201, ['conflict', 'idempotency_mismatch', 'insufficient_scope', 'not_found']],
  'GET /cases/{case_id}': [200, ['insufficient_scope', 'not_found', 'privacy_restricted']],
  'PATCH /cases/{case_id}': [200, ['insufficient_scope', 'not_found', 'privacy_restricted']],
  'DELETE /cases/{case_id}': [200, ['insufficient_scope', 'not_found']],
  'GET /trainings': [200, ['insufficient_scope', 'privacy_restricted']],
  'GET /trainings/{training_id}': [200, ['insufficient_scope', 'not_found', 'privacy_restricted']],
  'GET /evaluations': [200, ['insufficient_scope', 'privacy_restricted']],
  'GET /trainings/{training_id}/evaluation': [200, ['insufficient_scope', 'not_found', 'privacy_restricted']],
  'GET /deletions': [200, ['insufficient_scope', 'privacy_restricted']],
  'GET /events': [200, ['insufficient_scope']],
  'GET /webhook-endpoints': [200, ['insufficient_scope']],
  'POST /webhook-endpoints': [201, ['conflict', 'idempotency_mismatch', 'insufficient_scope']],
  'GET /webhook-endpoints/{endpoint_id}': [200, ['insufficient_scope', 'not_found']],
  'PATCH /webhook-endpoints/{endpoint_id}': [200, ['insufficient_scope', 'not_found']],
  'DELETE /webhook-endpoints/{endpoint_id}': [200, ['insufficient_scope', 'not_found']],
  'POST /webhook-endpoints/{endpoint_id}/test': [
    202,
    ['conflict', 'idempotency_mismatch', 'insufficient_scope', 'not_found'],
  ],
  'POST /webhook-endpoints/{endpoint_id}/check': [
    202,
    ['conflict', 'idempotency_mismatch', 'insufficient_scope', 'not_found'],
  ],
  'POST /webhook-endpoints/{endpoint_id}/recover': [
    202,
    ['conflict', 'idempotency_mismatch', 'insufficient_scope', 'not_found'],
  ],
  'GET /webhook-endpoints/{endpoint_id}/checks': [200, ['insufficient_scope', 'not_found']],
  'GET /webhook-endpoints/{endpoint_id}/deliveries': [200, ['insufficient_scope', 'not_found']],
  'GET /webhook-deliveries': [200, ['insufficient_scope']],
  'GET /webhook-deliveries/{delivery_id}': [200, ['insufficient_scope', 'not_found']],
  'POST /webhook-deliveries/{delivery_id}/retry': [
    202,
    ['conflict', 'idempotency_mismatch', 'insufficient_scope', 'not_found'],
  ],
};

it('the router has exactly the routes, statuses and problems of the contract', () => {
  const built = operationsOf(publicRouter).map(({ operation }) => [
    operation.route,
    [operation.status, [...operation.errors].sort()],
  ]);
  expect(Object.fromEntries(built)).toEqual(promised);
});
