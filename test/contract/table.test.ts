import { expect, it } from 'vitest';
import { publicRouter } from '../../src/modules/public-router.ts';
import { operationsOf } from '../../src/platform/trpc/procedures.ts';

/** The contract of each route: scope, success status, and problems in addition to those of every route. */
const promised: Readonly<Record<string, [scope: string | null, status: number, problems: string[]]>> = {
  'GET /me': [null, 200, []],
  'GET /users': ['users:read', 200, ['insufficient_scope']],
  'POST /users': ['users:write', 201, ['conflict', 'idempotency_mismatch', 'insufficient_scope', 'seat_limit_reached']],
  'GET /users/{member_id}': ['users:read', 200, ['insufficient_scope', 'not_found']],
  'PATCH /users/{member_id}': ['users:write', 200, ['insufficient_scope', 'last_admin', 'not_found', 'owner']],
  'DELETE /users/{member_id}': ['users:write', 200, ['insufficient_scope', 'last_admin', 'not_found', 'owner']],
  'GET /catalog': ['catalog:read', 200, ['insufficient_scope']],
  'GET /analytics/team': ['analytics:read', 200, ['insufficient_scope']],
  'GET /crm/deals': ['cases:read', 200, ['insufficient_scope']],
  'GET /crm/objections': ['cases:read', 200, ['insufficient_scope']],
  'GET /assignments': ['assignments:read', 200, ['insufficient_scope', 'privacy_restricted']],
  'POST /assignments': [
    'assignments:write',
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
  'GET /assignments/{assignment_id}': [
    'assignments:read',
    200,
    ['insufficient_scope', 'not_found', 'privacy_restricted'],
  ],
  'PATCH /assignments/{assignment_id}': ['assignments:write', 200, ['insufficient_scope', 'not_found']],
  'DELETE /assignments/{assignment_id}': ['assignments:write', 200, ['insufficient_scope', 'not_found']],
  'GET /cases': ['cases:read', 200, ['insufficient_scope', 'privacy_restricted']],
  'POST /cases': ['cases:write', 201, ['conflict', 'idempotency_mismatch', 'insufficient_scope', 'not_found']],
  'GET /cases/{case_id}': ['cases:read', 200, ['insufficient_scope', 'not_found', 'privacy_restricted']],
  'PATCH /cases/{case_id}': ['cases:write', 200, ['insufficient_scope', 'not_found', 'privacy_restricted']],
  'DELETE /cases/{case_id}': ['cases:write', 200, ['insufficient_scope', 'not_found']],
  'GET /trainings': ['trainings:read', 200, ['insufficient_scope', 'privacy_restricted']],
  'GET /trainings/{training_id}': ['trainings:read', 200, ['insufficient_scope', 'not_found', 'privacy_restricted']],
  'GET /evaluations': ['evaluations:read', 200, ['insufficient_scope', 'privacy_restricted']],
  'GET /trainings/{training_id}/evaluation': [
    'evaluations:read',
    200,
    ['insufficient_scope', 'not_found', 'privacy_restricted'],
  ],
  'GET /deletions': [null, 200, ['insufficient_scope', 'privacy_restricted']],
  'GET /events': ['webhooks:manage', 200, ['insufficient_scope']],
  'GET /webhook-endpoints': ['webhooks:manage', 200, ['insufficient_scope']],
  'POST /webhook-endpoints': ['webhooks:manage', 201, ['conflict', 'idempotency_mismatch', 'insufficient_scope']],
  'GET /webhook-endpoints/{endpoint_id}': ['webhooks:manage', 200, ['insufficient_scope', 'not_found']],
  'PATCH /webhook-endpoints/{endpoint_id}': ['webhooks:manage', 200, ['insufficient_scope', 'not_found']],
  'DELETE /webhook-endpoints/{endpoint_id}': ['webhooks:manage', 200, ['insufficient_scope', 'not_found']],
  'POST /webhook-endpoints/{endpoint_id}/test': [
    'webhooks:manage',
    202,
    ['conflict', 'idempotency_mismatch', 'insufficient_scope', 'not_found'],
  ],
  'POST /webhook-endpoints/{endpoint_id}/check': [
    'webhooks:manage',
    202,
    ['conflict', 'idempotency_mismatch', 'insufficient_scope', 'not_found'],
  ],
  'POST /webhook-endpoints/{endpoint_id}/recover': [
    'webhooks:manage',
    202,
    ['conflict', 'idempotency_mismatch', 'insufficient_scope', 'not_found'],
  ],
  'GET /webhook-endpoints/{endpoint_id}/checks': ['webhooks:manage', 200, ['insufficient_scope', 'not_found']],
  'GET /webhook-endpoints/{endpoint_id}/deliveries': ['webhooks:manage', 200, ['insufficient_scope', 'not_found']],
  'GET /webhook-deliveries': ['webhooks:manage', 200, ['insufficient_scope']],
  'GET /webhook-deliveries/{delivery_id}': ['webhooks:manage', 200, ['insufficient_scope', 'not_found']],
  'POST /webhook-deliveries/{delivery_id}/retry': [
    'webhooks:manage',
    202,
    ['conflict', 'idempotency_mismatch', 'insufficient_scope', 'not_found'],
  ],
};

it('the router has exactly the routes, scopes, statuses and problems of the contract', () => {
  const built = operationsOf(publicRouter).map(({ operation }) => [
    operation.route,
    [operation.scope, operation.status, [...operation.errors].sort()],
  ]);
  expect(Object.fromEntries(built)).toEqual(promised);
});
