import pg from 'pg';
import { expect, it, vi } from 'vitest';
import { z } from 'zod';
import { definedQueries } from '../../src/db/query.ts';
import { RoundTrip, type Statement } from '../../src/db/round-trip.ts';
import { aCombination } from '../support/assignments.ts';
import { useTestService } from '../support/service.ts';
import { aTeam, anEmail } from '../support/team.ts';
import { anEndpoint } from '../support/webhooks.ts';

// What a write costs is mainly its round trips to the database, so those of each route that writes stand here.

const service = await useTestService();
const team = await aTeam(service, { seats: 50 });
const { client, owner } = team;
const combination = await aCombination(service);
await anEndpoint(service, team, {}); // an endpoint that gets events, so that they have deliveries

interface Answered {
  status: number;
  body: unknown;
}

const idOf = ({ body }: Answered): string => z.object({ id: z.string() }).parse(body).id;

const makes = {
  case: () => client.post('/cases', { user_id: owner.user_id, title: 'x' }),
  assignment: () => client.post('/assignments', { member_id: owner.member_id, title: 'x', ...combination }),
  member: () => client.post('/users', { email: anEmail() }),
  endpoint: () => client.post('/webhook-endpoints', { url: 'https://hooks.example.com/x', events: ['member.joined'] }),
};

await makes.case(); // the first write of a process looks at the team's quota

const before = async (make: () => Promise<Answered>, act: (id: string) => Promise<Answered>) => {
  const id = idOf(await make());
  return () => act(id);
};

/** Each route, how it is prepared and called, and the statements of each round trip. */
const routes: readonly [route: string, prepare: () => Promise<() => Promise<Answered>>, trips: readonly string[]][] = [
  [
    'POST /cases',
    async () => makes.case,
    ['keys.gate', 'begin + teams.lockShared', 'select member', 'insert case', 'audit.insert + commit'],
  ],
  [
    'PATCH /cases/{case_id}',
    () => before(makes.case, (id) => client.patch(`/cases/${id}`, { title: 'y' })),
    ['keys.gate', 'begin + lock case + select case', 'update case', 'audit.insert + commit'],
  ],
  [
    'DELETE /cases/{case_id}',
    () => before(makes.case, (id) => client.delete(`/cases/${id}`)),
    ['keys.gate', 'begin + lock case + select case', 'delete case', 'insert deletion', 'audit.insert + commit'],
  ],
  [
    'POST /assignments',
    async () => makes.assignment,
    [
      'keys.gate',
      'begin + teams.lockShared',
      'catalog.judge + members.find',
      'insert assignment',
      'webhooks.insertEvent + audit.insert + commit',
    ],
  ],
  [
    'PATCH /assignments/{assignment_id}',
    () => before(makes.assignment, (id) => client.patch(`/assignments/${id}`, { status: 'done' })),
    [
      'keys.gate',
      'begin + teams.lockShared',
      'lock assignment + select assignment',
      'select member',
      'update assignment',
      'audit.insert + webhooks.insertEvent + commit',
    ],
  ],
  [
    'DELETE /assignments/{assignment_id}',
    () => before(makes.assignment, (id) => client.delete(`/assignments/${id}`)),
    [
      'keys.gate',
      'begin + teams.lockShared',
      'lock assignment + select assignment',
      'select member',
      'update training',
      'delete assignment',
      'insert deletion',
      'audit.insert + commit',
    ],
  ],
  [
    'POST /users',
    async () => makes.member,
    [
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
  ],
  [
    'PATCH /users/{member_id}',
    () => before(makes.member, (id) => client.patch(`/users/${id}`, { role: 'admin' })),
    [
      'keys.gate',
      'begin + lock team + select team',
      'members.find',
      'select api_key',
      'select member',
      'update member',
      'audit.insert + commit',
    ],
  ],
  [
    'DELETE /users/{member_id}',
    () => before(makes.member, (id) => client.delete(`/users/${id}`)),
    [
      'keys.gate',
      'begin + lock team + select team',
      'members.find',
      'update member',
      'insert deletion',
      'delete invitation',
      'delete member_policy_block',
      'select assignment',
      'update assignment',
      'audit.insert + webhooks.insertEvent + audit.insert + commit',
    ],
  ],
  [
    'POST /webhook-endpoints',
    async () => makes.endpoint,
    [
      'keys.gate',
      'begin + lock team + select team',
      'select webhook_endpoint',
      'insert webhook_endpoint',
      'audit.insert + commit',
    ],
  ],
  [
    'PATCH /webhook-endpoints/{endpoint_id}',
    () => before(makes.endpoint, (id) => client.patch(`/webhook-endpoints/${id}`, { description: 'y' })),
    [
      'keys.gate',
      'begin + lock team + select team',
      'lock webhook_endpoint + select webhook_endpoint',
      'update webhook_endpoint',
      'audit.insert + commit',
    ],
  ],
  [
    'DELETE /webhook-endpoints/{endpoint_id}',
    () => before(makes.endpoint, (id) => client.delete(`/webhook-endpoints/${id}`)),
    [
      'keys.gate',
      'begin + lock team + select team',
      'lock webhook_endpoint + select webhook_endpoint',
      'delete webhook_endpoint',
      'delete webhook_waiting',
      'jobs.add',
      'audit.insert + commit',
    ],
  ],
];

/** A statement in short: `keys.gate`, `lock case`, `update case`. */
const nameOf = ({ name, text }: Statement): string => {
  const named = definedQueries().find(({ statement }) => name?.startsWith(statement))?.name;
  if (named !== undefined) return named.replace(/^db\.lockRow (\w+).*/, 'lock $1');
  const [, verb = '', table = ''] =
    /^(SELECT|INSERT|UPDATE|DELETE)(?:.*? FROM| INTO)? "public"\."(\w+)"/.exec(text) ?? [];
  return verb === '' ? text.toLowerCase() : `${verb.toLowerCase()} ${table}`;
};

/** Role and team are set in each round trip that begins something. */
const setsNoTeam = ({ text }: Statement): boolean => !text.includes("set_config('role'");

/** What runs beside requests, or after them for several: the team's log, uses of keys, storage, the relay. */
const beside = /^(requests\.|keys\.(use|note|days)|webhooks\.addJobs|insert team_usage|update api_key)/;

// Again, because something else of the process may run at the same moment.
it.each(routes)('%s makes these round trips', { retry: 3 }, async (_route, prepare, trips) => {
  const act = await prepare();
  const sent = vi.spyOn(pg.Client.prototype, 'query');
  try {
    expect((await act()).status).toBeLessThan(300);
    const seen: unknown[] = sent.mock.calls.map(([given]) => given);
    const names = seen.flatMap((given) =>
      given instanceof RoundTrip ? [given.statements.filter(setsNoTeam).map(nameOf).join(' + ')] : [],
    );
    const own = names.filter((name) => !beside.test(name));
    expect(own).toEqual(trips);
  } finally {
    sent.mockRestore();
  }
});
