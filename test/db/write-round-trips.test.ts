import pg from 'pg';
import { expect, it, vi } from 'vitest';
import { definedQueries } from '../../src/db/query.ts';
import { RoundTrip, type Statement } from '../../src/db/round-trip.ts';
import { apiWrites } from '../changes/api-writes.ts';
import { aPlace, without, type Writes } from '../changes/writes.ts';
import { aCombination } from '../support/practice.ts';
import { useCompanies } from '../support/company.ts';
import { anEmail } from '../support/team.ts';
import { anEndpoint } from '../support/webhooks.ts';

// What a write costs is mainly its round trips to the database. So the statements of each round trip of every route
// that writes stand here.

/** Routes, and the statements of each of their round trips. */
const expected: Readonly<Record<string, readonly string[]>> = {
  'POST /assignments': [
    'keys.gate',
    'begin + teams.lockShared',
    'catalog.judge + members.find',
    'insert assignment',
    'webhooks.insertEvent + audit.insert + commit',
  ],
  'PATCH /assignments/{assignment_id}': [
    'keys.gate',
    'begin + teams.lockShared',
    'lock assignment + select assignment',
    'select member',
    'update assignment',
    'audit.insert + webhooks.insertEvent + commit',
  ],
  'DELETE /assignments/{assignment_id}': [
    'keys.gate',
    'begin + teams.lockShared',
    'lock assignment + select assignment',
    'select member',
    'update training',
    'delete assignment',
    'insert deletion',
    'audit.insert + commit',
  ],
  'POST /cases': ['keys.gate', 'begin + teams.lockShared', 'select member', 'insert case', 'audit.insert + commit'],
  'PATCH /cases/{case_id}': ['keys.gate', 'begin + lock case + select case', 'update case', 'audit.insert + commit'],
  'DELETE /cases/{case_id}': [
    'keys.gate',
    'begin + lock case + select case',
    'delete case',
    'insert deletion',
    'audit.insert + commit',
  ],
  'POST /users': [
    'keys.gate',
    'begin + lock team + select team',
    'select member',
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
    'insert mail',
    'jobs.add',
    'commit',
  ],
  'PATCH /users/{member_id}': [
    'keys.gate',
    'begin + lock team + select team',
    'members.find',
    'select api_key',
    'select member',
    'update member',
    'audit.insert + commit',
  ],
  'DELETE /users/{member_id}': [
    'keys.gate',
    'begin + lock team + select team',
    'members.find',
    'update member',
    'insert deletion',
    'select member',
    'update training',
    'delete invitation',
    'delete member_policy_block',
    'select assignment',
    'update assignment',
    'audit.insert + webhooks.insertEvent + audit.insert + commit',
  ],
  'POST /webhook-endpoints': [
    'keys.gate',
    'begin + lock team + select team',
    'select webhook_endpoint',
    'insert webhook_endpoint',
    'audit.insert + commit',
  ],
  'PATCH /webhook-endpoints/{endpoint_id}': [
    'keys.gate',
    'begin + lock team + select team',
    'lock webhook_endpoint + select webhook_endpoint',
    'update webhook_endpoint',
    'audit.insert + commit',
  ],
  'DELETE /webhook-endpoints/{endpoint_id}': [
    'keys.gate',
    'begin + lock team + select team',
    'lock webhook_endpoint + select webhook_endpoint',
    'delete webhook_endpoint',
    'delete webhook_waiting',
    'jobs.add',
    'audit.insert + commit',
  ],
  'POST /webhook-endpoints/{endpoint_id}/test': [
    'keys.gate',
    'begin + teams.lockShared',
    'lock webhook_endpoint + select webhook_endpoint',
    'windows.count',
    'windows.count',
    'insert webhook_event',
    'insert event_feed_entry',
    'insert webhook_delivery',
    'insert webhook_waiting',
    'audit.insert + commit',
  ],
  'POST /webhook-endpoints/{endpoint_id}/check': [
    'keys.gate',
    'begin + teams.lockShared',
    'lock webhook_endpoint + select webhook_endpoint',
    'select webhook_check',
    'windows.count',
    'insert webhook_check',
    'jobs.add',
    'audit.insert + commit',
  ],
  'POST /webhook-endpoints/{endpoint_id}/recover': [
    'keys.gate',
    'begin + teams.lockShared',
    'lock webhook_endpoint + select webhook_endpoint',
    'webhooks.missed',
    'commit',
  ],
  'POST /webhook-deliveries/{delivery_id}/retry': [
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
};

const companies = await useCompanies();
const { service } = companies;

/** Requests without an `Idempotency-Key`. */
const creating: Writes = {
  'POST /assignments': without(async ({ team, api }) => {
    const body = { member_id: team.owner.member_id, title: 'Price talk', ...(await aCombination(service)) };
    return () => api('POST', '/assignments', body);
  }),
  'POST /cases': without(
    async ({ team, api }) =>
      () =>
        api('POST', '/cases', { user_id: team.owner.user_id, title: 'Renewal' }),
  ),
  'POST /users': without(
    async ({ api }) =>
      () =>
        api('POST', '/users', { email: anEmail('invited'), role: 'member' }),
  ),
};

/** A statement in short: `keys.gate`, `lock case`, `update case`. */
const nameOf = ({ name, text }: Statement): string => {
  const named = definedQueries().find(({ statement }) => name?.startsWith(statement))?.name;
  if (named !== undefined) return named.replace(/^db\.lockRow (\w+).*/, 'lock $1');
  const [, verb = '', table = ''] =
    /^(SELECT|INSERT|UPDATE|DELETE)(?:.*? FROM| INTO)?? "public"\."(\w+)"/.exec(text) ?? [];
  return verb === '' ? text.toLowerCase() : `${verb.toLowerCase()} ${table}`;
};

/** Role and team are set in each round trip that begins something. */
const setsNoTeam = ({ text }: Statement): boolean => !text.includes("set_config('role'");

/** What runs beside requests, or after them for several: the team's log, uses of keys, storage, the relay. */
const beside = /^(requests\.|keys\.(use|note|days)|webhooks\.addJobs|insert team_usage|update api_key)/;

/** The round trips that an action makes. */
const tripsOf = async (action: () => Promise<unknown>): Promise<string[]> => {
  const sent = vi.spyOn(pg.Client.prototype, 'query');
  try {
    await action();
    const seen: unknown[] = sent.mock.calls.map(([given]) => given);
    return seen
      .flatMap((one) => (one instanceof RoundTrip ? [one.statements.filter(setsNoTeam).map(nameOf).join(' + ')] : []))
      .filter((trip) => !beside.test(trip));
  } finally {
    sent.mockRestore();
  }
};

// Again, because something else of the process may run at the same moment.
it.each(Object.entries({ ...apiWrites, ...creating }))(
  'the round trips of %s',
  { retry: 3 },
  async (route, prepare) => {
    const place = await aPlace(companies);
    await anEndpoint(service, place.team, {}); // it gets events, so that they have deliveries
    // The first write of a team looks at its quota.
    await place.api('POST', '/cases', { user_id: place.team.owner.user_id, title: 'Renewal' });
    const { call } = await prepare(place);
    expect(await tripsOf(call)).toEqual(expected[route]);
  },
);
