import pg from 'pg';
import { expect, it, vi } from 'vitest';
import { z } from 'zod';
import { definedQueries } from '../../src/db/query.ts';
import { RoundTrip, type Statement } from '../../src/db/round-trip.ts';
import { aCombination } from '../support/assignments.ts';
import { useTestService } from '../support/service.ts';
import { aTeam, anEmail } from '../support/team.ts';
import { anEndpoint } from '../support/webhooks.ts';

// What a write costs is mainly its round trips to the database, so each route that writes has its number here.

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

/** Each route, the number of its round trips, and how it is prepared and called. */
const routes: readonly [route: string, trips: number, prepare: () => Promise<() => Promise<Answered>>][] = [
  ['POST /cases', 5, async () => makes.case],
  ['PATCH /cases/{case_id}', 5, () => before(makes.case, (id) => client.patch(`/cases/${id}`, { title: 'y' }))],
  ['DELETE /cases/{case_id}', 6, () => before(makes.case, (id) => client.delete(`/cases/${id}`))],
  ['POST /assignments', 6, async () => makes.assignment],
  [
    'PATCH /assignments/{assignment_id}',
    7,
    () => before(makes.assignment, (id) => client.patch(`/assignments/${id}`, { status: 'done' })),
  ],
  [
    'DELETE /assignments/{assignment_id}',
    9,
    () => before(makes.assignment, (id) => client.delete(`/assignments/${id}`)),
  ],
  ['POST /users', 16, async () => makes.member],
  ['PATCH /users/{member_id}', 7, () => before(makes.member, (id) => client.patch(`/users/${id}`, { role: 'admin' }))],
  ['DELETE /users/{member_id}', 10, () => before(makes.member, (id) => client.delete(`/users/${id}`))],
  ['POST /webhook-endpoints', 5, async () => makes.endpoint],
  [
    'PATCH /webhook-endpoints/{endpoint_id}',
    6,
    () => before(makes.endpoint, (id) => client.patch(`/webhook-endpoints/${id}`, { description: 'y' })),
  ],
  [
    'DELETE /webhook-endpoints/{endpoint_id}',
    8,
    () => before(makes.endpoint, (id) => client.delete(`/webhook-endpoints/${id}`)),
  ],
];

const nameOf = ({ name, text }: Statement): string =>
  definedQueries().find(({ statement }) => name?.startsWith(statement))?.name ?? text.slice(0, 80);

/** What runs beside requests, or after them for several: the team's log, uses of keys, storage, the relay. */
const beside =
  /^(requests\.|keys\.(use|note|days)|webhooks\.addJobs|INSERT INTO "public"\."team_usage"|UPDATE "public"\."api_key" SET "last_used_at")/;

// Again, because something else of the process may run at the same moment.
it.each(routes)('%s takes %i round trips', { retry: 3 }, async (_route, trips, prepare) => {
  const act = await prepare();
  const sent = vi.spyOn(pg.Client.prototype, 'query');
  try {
    expect((await act()).status).toBeLessThan(300);
    const seen: unknown[] = sent.mock.calls.map(([given]) => given);
    const names = seen.flatMap((given) =>
      given instanceof RoundTrip ? [given.statements.map(nameOf).join(' + ')] : [],
    );
    const own = names.filter((name) => !beside.test(name));
    expect(own.length, own.join('\n')).toBe(trips);
  } finally {
    sent.mockRestore();
  }
});
