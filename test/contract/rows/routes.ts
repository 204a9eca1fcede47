import { aCombination, anAssignment, aCase, aScoredTraining } from '../../support/practice.ts';
import { anEmail } from '../../support/team.ts';
import { aDelivery, anEndpoint } from '../../support/webhooks.ts';
import { userOf, without, type Effect, type Place, type Prepare } from '../../changes/writes.ts';
import { computed, type RouteRow, type RouteRows, type WritingRoute } from './kinds.ts';

/** The path of a route such as `PATCH /cases/{case_id}`, with this id. */
const pathOf = (route: string, id = ''): string => route.slice(route.indexOf('/')).replace(/\{\w+\}/, id);

/** The row with this path, with the name of its list: `cases 0199…`. */
const rowAt = (path: string): string => path.slice(1).replace('/', ' ');

/** Creates something with an `Idempotency-Key`, and sends the same request again. */
const creating =
  (bodyOf: (place: Place) => Promise<object>): Prepare =>
  async (place, route) => {
    const [path, body] = [pathOf(route), await bodyOf(place)];
    const send = () => place.team.client.post(path, body, { headers: { 'Idempotency-Key': 'once' } });
    return {
      call: async () => ({ changed: [rowAt(`${path}/${String((await send()).body['id'])}`)] }),
      again: send,
      plain: () => place.api('POST', path, body),
    };
  };

/** Sends a PATCH twice: the second one changes nothing. */
const patching =
  (make: (place: Place) => Promise<string>, body: object): Prepare =>
  async (place, route) => {
    const path = pathOf(route, await make(place));
    return {
      call: async () => {
        await place.api('PATCH', path, body);
        return { changed: [rowAt(path)] };
      },
      again: () => place.team.client.patch(path, body),
    };
  };

/** Deletes a row twice: the second time there is none. */
const deleting =
  (make: (place: Place) => Promise<Effect & { id: string }>): Prepare =>
  async (place, route) => {
    const { id, ...others } = await make(place);
    const path = pathOf(route, id);
    return {
      call: async () => {
        await place.api('DELETE', path);
        return { ...others, gone: [rowAt(path)] };
      },
      again: () => place.team.client.delete(path),
    };
  };

const onEndpoint = (body?: object): Prepare =>
  without(async ({ companies: { service }, team, api }, route) => {
    const path = pathOf(route, await anEndpoint(service, team));
    return () => api(route.replace(/ .*/, ''), path, body);
  });

const ownAssignment = ({ companies: { service }, team }: Place) =>
  anAssignment(service, team, { memberId: team.owner.member_id });

const ownCase = ({ companies: { service }, team }: Place) => aCase(service, team, { userId: team.owner.user_id });

/** The limits of a check. */
const ofCheck = { '.': 'computed; results of unknown probes are left out as they are read' };

const webhooks = { scopes: ['webhooks:manage'], people: 'admin' } as const;

export const routes: Readonly<Record<string, RouteRow & Partial<WritingRoute>>> = {
  'GET /me': {
    scopes: [],
    people: 'member',
    limits: { '.kind': computed, '.scopes[]': 'unknown ones are left out as the key is looked up' },
  },

  // Who is in the team is no member-level data: only addresses, names and external ids are left out while it is hidden,
  // and nobody is found by one.
  'GET /users': { scopes: ['users:read'], people: 'admin', problems: ['privacy_restricted'] },
  'POST /users': {
    scopes: ['users:write'],
    people: 'admin',
    status: 201,
    problems: ['seat_limit_reached'],
    audit: 'member.joined',
    write: creating(async () => ({ email: anEmail('invited'), role: 'member' })),
    unknownIds: { external_id: null },
    trips: [
      'keys.gate',
      'begin + lock team + select team',
      'directory.returning + select member',
      'select member',
      'insert member',
      'delete waiting_invitation',
      'members.find',
      'webhooks.insertEvent + audit.insert + windows.count',
      'insert invitation',
      'select team',
      'windows.count',
      'windows.count',
      'select mail',
      'insert mail + jobs.add + commit',
    ],
  },
  'GET /users/{member_id}': { scopes: ['users:read'], people: 'admin' },
  'PATCH /users/{member_id}': {
    scopes: ['users:write'],
    people: 'admin',
    problems: ['conflict', 'last_admin', 'owner'],
    audit: 'member.role_changed',
    write: patching(async ({ team }) => (await team.anActiveMember()).id, { role: 'admin' }),
    unknownIds: { external_id: null },
    trips: [
      'keys.gate',
      'begin + lock team + select team',
      'members.find',
      'select api_key',
      'select member',
      'update member + audit.insert + commit',
    ],
  },
  'DELETE /users/{member_id}': {
    scopes: ['users:write'],
    people: 'admin',
    problems: ['last_admin', 'owner'],
    audit: 'member.removed',
    write: deleting(async ({ companies: { service }, team }) => {
      const member = await team.anActiveMember();
      const userId = userOf(member);
      const open = await anAssignment(service, team, { memberId: member.id });
      await anAssignment(service, team, { memberId: member.id, status: 'revoked' });
      const training = await aScoredTraining(service, team, { userId });
      await aCase(service, team, { userId });
      return { id: member.id, changed: [`assignments ${open}`], hidden: [`trainings ${training}`] };
    }),
    trips: [
      'keys.gate',
      'begin + lock team + select team',
      'members.find',
      'update member + update directory_user + insert deletion + select member',
      'update training + delete invitation + delete member_policy_block + select assignment',
      'update assignment + audit.insert + webhooks.insertEvent + audit.insert + commit',
    ],
  },

  'GET /trainings': { scopes: ['trainings:read'], refusedWhileHidden: true, people: 'admin' },
  'GET /trainings?include=evaluation': {
    scopes: ['trainings:read', 'evaluations:read'],
    refusedWhileHidden: true,
    people: 'admin',
  },
  'GET /trainings/{training_id}': { scopes: ['trainings:read'], refusedWhileHidden: true, people: 'admin' },
  'GET /evaluations': { scopes: ['evaluations:read'], refusedWhileHidden: true, people: 'admin' },
  'GET /evaluations?include=evaluation': { scopes: ['evaluations:read'], refusedWhileHidden: true, people: 'admin' },
  'GET /trainings/{training_id}/evaluation': {
    scopes: ['evaluations:read'],
    refusedWhileHidden: true,
    people: 'admin',
  },

  // A change answers without names while they are hidden; reading is refused.
  'GET /assignments': { scopes: ['assignments:read'], refusedWhileHidden: true, people: 'admin' },
  'POST /assignments': {
    scopes: ['assignments:write'],
    people: 'admin',
    status: 201,
    problems: ['kombination_ungueltig', 'not_found', 'vorgabe_gesperrt'],
    audit: 'assignment.created',
    unknownIds: {
      member_id: 'not_found',
      situation_id: 'kombination_ungueltig',
      personality_id: 'kombination_ungueltig',
      industry_id: 'kombination_ungueltig',
    },
    write: creating(async ({ companies: { service }, team }) => ({
      member_id: (await team.anActiveMember()).id,
      title: 'Price talk',
      ...(await aCombination(service)),
    })),
    trips: [
      'keys.gate',
      'begin + teams.lockShared + catalog.judge + members.find',
      'assignments.insert + webhooks.insertEvent + audit.insert + commit',
    ],
  },
  'POST /assignments/bulk': {
    scopes: ['assignments:write'],
    people: 'admin',
    audit: 'assignment.created',
    limits: {
      '.results[].problem.code': computed,
      '.results[].problem.errors[].in': computed,
      '.results[].problem.required_scope': computed,
    },
    write: async ({ companies: { service }, team, api }, route) => {
      const path = pathOf(route);
      const item = {
        member_id: (await team.anActiveMember()).id,
        title: 'Price talk',
        ...(await aCombination(service)),
      };
      const body = { items: [item, { ...item, title: '' }] };
      const send = () => team.client.post(path, body, { headers: { 'Idempotency-Key': 'once' } });
      return {
        call: async () => {
          const { body: answer } = await send();
          const created = Array.isArray(answer['results']) ? Object(answer['results'][0])['assignment'] : undefined;
          return { changed: [rowAt(`/assignments/${String(Object(created)['id'])}`)] };
        },
        again: send,
        plain: () => api('POST', path, body),
      };
    },
    trips: [
      'keys.gate',
      'begin + teams.lockShared + catalog.judge + members.find',
      'assignments.insert + webhooks.insertEvent + audit.insert + commit',
    ],
  },
  'GET /assignments/{assignment_id}': { scopes: ['assignments:read'], refusedWhileHidden: true, people: 'admin' },
  'PATCH /assignments/{assignment_id}': {
    scopes: ['assignments:write'],
    people: 'admin',
    audit: 'assignment.changed',
    write: patching(ownAssignment, { status: 'done', note: 'Well done', due_date: '2026-12-24' }),
    trips: [
      'keys.gate',
      'begin + teams.lockShared + lock assignment + select assignment',
      'select member',
      'update assignment + audit.insert + webhooks.insertEvent + commit',
    ],
  },
  'DELETE /assignments/{assignment_id}': {
    scopes: ['assignments:write'],
    people: 'admin',
    audit: 'assignment.deleted',
    write: deleting(async (place) => {
      const { companies, team } = place;
      const id = await ownAssignment(place);
      const ofAssignment = { userId: team.owner.user_id, assignmentId: id };
      const training = await aScoredTraining(companies.service, team, ofAssignment);
      return { id, changed: [`trainings ${training}`] };
    }),
    trips: [
      'keys.gate',
      'begin + teams.lockShared + lock assignment + select assignment',
      'select member',
      'update training + delete assignment + insert deletion + audit.insert + commit',
    ],
  },

  'GET /cases': { scopes: ['cases:read'], refusedWhileHidden: true, people: 'admin' },
  'POST /cases': {
    scopes: ['cases:write'],
    people: 'admin',
    status: 201,
    problems: ['not_found'],
    audit: 'case.created',
    unknownIds: { user_id: 'not_found', persona_id: null },
    write: creating(async ({ team }) => ({ user_id: team.owner.user_id, title: 'Renewal' })),
    trips: ['keys.gate', 'begin + teams.lockShared + select member', 'cases.insert + audit.insert + commit'],
  },
  'GET /cases/{case_id}': { scopes: ['cases:read'], refusedWhileHidden: true, people: 'admin' },
  'PATCH /cases/{case_id}': {
    scopes: ['cases:write'],
    people: 'admin',
    problems: ['privacy_restricted'],
    audit: 'case.changed',
    unknownIds: { persona_id: null },
    write: patching(ownCase, {
      title: 'Renewal',
      fields: { size: 1.5 },
      persona_id: 'p',
      external_ref: { deal: 'd' },
    }),
    trips: ['keys.gate', 'begin + lock case + select case', 'update case + audit.insert + commit'],
  },
  'DELETE /cases/{case_id}': {
    scopes: ['cases:write'],
    people: 'admin',
    audit: 'case.deleted',
    write: deleting(async (place) => ({ id: await ownCase(place) })),
    trips: ['keys.gate', 'begin + lock case + select case', 'delete case + insert deletion + audit.insert + commit'],
  },

  'GET /catalog': { scopes: ['catalog:read'], people: 'member' },
  'GET /analytics/team': { scopes: ['analytics:read'], people: 'member' },

  'GET /crm/deals': { scopes: ['cases:read'], people: 'admin' },
  'GET /crm/objections': { scopes: ['cases:read'], people: 'admin' },

  // As the list of the same resource.
  'GET /deletions?resource=users': { scopes: ['users:read'], people: 'admin' },
  'GET /deletions?resource=trainings': { scopes: ['trainings:read'], refusedWhileHidden: true, people: 'admin' },
  'GET /deletions?resource=assignments': { scopes: ['assignments:read'], refusedWhileHidden: true, people: 'admin' },
  'GET /deletions?resource=cases': { scopes: ['cases:read'], refusedWhileHidden: true, people: 'admin' },
  'GET /deletions?resource=deals': { scopes: ['cases:read'], people: 'admin' },
  'GET /deletions?resource=objections': { scopes: ['cases:read'], people: 'admin' },

  // As the list of the same resource.
  'GET /exports/members': { scopes: ['users:read'], people: 'admin' },
  'GET /exports/trainings': { scopes: ['trainings:read'], refusedWhileHidden: true, people: 'admin' },
  'GET /exports/trainings?include=evaluation': {
    scopes: ['trainings:read', 'evaluations:read'],
    refusedWhileHidden: true,
    people: 'admin',
  },
  'GET /exports/assignments': { scopes: ['assignments:read'], refusedWhileHidden: true, people: 'admin' },
  'GET /exports/cases': { scopes: ['cases:read'], refusedWhileHidden: true, people: 'admin' },
  'GET /exports/deals': { scopes: ['cases:read'], people: 'admin' },
  'GET /exports/objections': { scopes: ['cases:read'], people: 'admin' },

  'GET /events': webhooks,
  'GET /audit-entries': { scopes: ['audit:export'], people: 'admin' },
  'GET /webhook-endpoints': webhooks,
  'POST /webhook-endpoints': {
    ...webhooks,
    status: 201,
    audit: 'webhook_endpoint.created',
    write: without(
      async ({ api }) =>
        () =>
          api('POST', '/webhook-endpoints', { url: 'https://example.com/', events: ['training.completed'] }),
    ),
    trips: [
      'keys.gate',
      'begin + lock team + select team',
      'select webhook_endpoint',
      'insert webhook_endpoint',
      'audit.insert + commit',
    ],
  },
  'GET /webhook-endpoints/{endpoint_id}': webhooks,
  'PATCH /webhook-endpoints/{endpoint_id}': {
    ...webhooks,
    audit: 'webhook_endpoint.changed',
    write: onEndpoint({ status: 'disabled' }),
    trips: [
      'keys.gate',
      'begin + lock team + select team',
      'lock webhook_endpoint + select webhook_endpoint',
      'update webhook_endpoint + audit.insert + commit',
    ],
  },
  'DELETE /webhook-endpoints/{endpoint_id}': {
    ...webhooks,
    audit: 'webhook_endpoint.deleted',
    write: onEndpoint(),
    trips: [
      'keys.gate',
      'begin + lock team + select team',
      'lock webhook_endpoint + select webhook_endpoint',
      'delete webhook_endpoint + delete webhook_waiting + jobs.add + audit.insert + commit',
    ],
  },
  'POST /webhook-endpoints/{endpoint_id}/test': {
    ...webhooks,
    status: 202,
    audit: 'webhook_endpoint.tested',
    write: onEndpoint(),
    trips: [
      'keys.gate',
      'begin + teams.lockShared',
      'lock webhook_endpoint + select webhook_endpoint',
      'windows.count',
      'windows.count',
      'insert webhook_event',
      'insert event_feed_entry',
      'insert webhook_delivery + insert webhook_waiting + audit.insert + commit',
    ],
  },
  'POST /webhook-endpoints/{endpoint_id}/check': {
    ...webhooks,
    status: 202,
    audit: 'webhook_endpoint.checked',
    limits: ofCheck,
    write: onEndpoint(),
    trips: [
      'keys.gate',
      'begin + teams.lockShared',
      'lock webhook_endpoint + select webhook_endpoint',
      'select webhook_check',
      'windows.count',
      'insert webhook_check',
      'jobs.add + audit.insert + commit',
    ],
  },
  'POST /webhook-endpoints/{endpoint_id}/recover': {
    ...webhooks,
    status: 202,
    audit: 'webhook_endpoint.recovered',
    write: onEndpoint({ since: '2026-01-01T00:00:00Z', include_older: true }),
    trips: [
      'keys.gate',
      'begin + teams.lockShared',
      'lock webhook_endpoint + select webhook_endpoint',
      'webhooks.missed',
      'webhooks.missed',
      'commit',
    ],
  },
  'GET /webhook-endpoints/{endpoint_id}/checks': {
    ...webhooks,
    limits: ofCheck,
  },
  'GET /webhook-endpoints/{endpoint_id}/deliveries': webhooks,
  'GET /webhook-deliveries': webhooks,
  'GET /webhook-deliveries/{delivery_id}': webhooks,
  'POST /webhook-deliveries/{delivery_id}/retry': {
    ...webhooks,
    status: 202,
    audit: 'webhook_delivery.retried',
    write: without(async ({ companies: { service }, team, api }, route) => {
      const endpointId = await anEndpoint(service, team);
      const path = pathOf(route, await aDelivery(service, team, { endpointId, status: 'failed' }));
      return () => api('POST', path);
    }),
    trips: [
      'keys.gate',
      'begin + teams.lockShared',
      'select webhook_delivery',
      'lock webhook_endpoint + select webhook_endpoint',
      'lock webhook_waiting + select webhook_waiting',
      'lock webhook_delivery + select webhook_delivery',
      'windows.count',
      'windows.count',
      'insert webhook_waiting',
      'update webhook_delivery',
      'audit.insert + commit',
    ],
  },
} satisfies RouteRows;
