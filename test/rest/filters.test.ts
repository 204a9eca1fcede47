import { describe, expect, it } from 'vitest';
import { minutesToMs } from '../../src/core/clock.ts';
import { makeId } from '../../src/core/ids.ts';
import type { Member } from '../../src/modules/membership/schema.ts';
import type { Client } from '../support/client.ts';
import { allListed } from '../support/pages.ts';
import { anAssignment, anEvaluation, theTrainings } from '../support/practice.ts';
import { useTestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';

// The filters of lists: each alone, and each together with the others, against the whole list.

const service = await useTestService();

const at = (minutes: number): Date => new Date(Date.UTC(2026, 10, 20, 8) + minutesToMs(minutes));

/** A team with members in each role and state, and assignments and trainings of some of them. */
const aFilledTeam = async () => {
  const team = await aTeam(service, { admins: 2, members: 2 });
  const invited = await team.anInvitedMember();
  await team.anInvitedMember({ role: 'admin' });
  const people = [...team.members];
  const assignmentIds: string[] = [];
  for (const { id: memberId } of [...people, invited]) {
    for (const status of ['open', 'in_progress', 'done', 'revoked'] as const) {
      for (const day of [null, '2026-11-30', '2026-12-01', '2026-12-24']) {
        const dueDate = day === null ? null : new Date(day);
        assignmentIds.push(await anAssignment(service, team, { memberId, status, dueDate }));
      }
    }
  }
  const trainings = people.flatMap(({ user_id }) =>
    [null, ...assignmentIds.slice(0, 2)].flatMap((assignmentId, place) =>
      [0, 1, 2, 3].map((minute) => ({
        userId: user_id ?? '',
        assignmentId,
        createdAt: at(minute),
        ...(minute > 0 && { status: 'ended' as const, finishedAt: at(minute) }),
        // The order of the evaluations is not that of the trainings.
        ...(minute > 1 && { evaluation: { ...anEvaluation(), savedAt: at(10 - minute + place) } }),
      })),
    ),
  );
  await theTrainings(service, team, trainings);
  return { team, people, invited, assignmentIds };
};

const { team, people, invited, assignmentIds } = await aFilledTeam();
const other = await aFilledTeam();

type Row = Record<string, unknown>;
type Given = Readonly<Record<string, string>>;
type Meets = (row: Row, value: string) => boolean;

/** For each filter some values, and which rows meet one. */
type Filters = Readonly<Record<string, readonly [values: readonly string[], meets: Meets]>>;

const has =
  (field: string): Meets =>
  (row, value) =>
    row[field] === value;

const emailOf = ({ email = '' }: Pick<Member, 'email'>): string => email;
const emails = new Map([...people, invited].map((member) => [member.id, emailOf(member)]));

const stored = await service.database.prisma.training.findMany({ where: { tenantId: team.id } });
const evaluatedAt = new Map(stored.map((row) => [row.id, row.evaluatedAt?.getTime() ?? Number.NaN]));

const between = (from: number, to: number, momentOf: (row: Row) => number): Filters => ({
  since: [[at(from).toISOString()], (row, value) => momentOf(row) >= Date.parse(value)],
  until: [[at(to).toISOString()], (row, value) => momentOf(row) < Date.parse(value)],
});

const ofUserAndAssignment: Filters = {
  user_id: [[people[0]?.user_id ?? ''], has('user_id')],
  assignment_id: [[assignmentIds[0] ?? ''], has('assignment_id')],
};

const lists: Readonly<Record<string, Filters>> = {
  users: {
    email: [[emailOf(invited), team.owner.email.toUpperCase()], (row, value) => row['email'] === value.toLowerCase()],
    role: [['owner', 'admin', 'member'], has('role')],
    status: [['invited', 'active'], has('status')],
  },
  assignments: {
    member_id: [[people[0]?.id ?? '', invited.id], (row, value) => row['member_email'] === emails.get(value)],
    status: [['open', 'in_progress', 'done', 'revoked'], has('status')],
    due_before: [
      ['2026-12-01', '2026-12-25'],
      (row, day) => typeof row['due_date'] === 'string' && row['due_date'] < day,
    ],
  },
  trainings: {
    ...ofUserAndAssignment,
    ...between(1, 3, (row) => Date.parse(String(row['created_at']))),
    status: [['running', 'scored'], has('status')],
  },
  evaluations: { ...ofUserAndAssignment, ...between(8, 9, ({ id }) => evaluatedAt.get(String(id)) ?? Number.NaN) },
};

/** All sets of filters, with each value of each. */
const setsOf = (filters: Filters): Given[] =>
  Object.entries(filters).reduce<Given[]>(
    (sets, [name, [values]]) => sets.flatMap((set) => [set, ...values.map((value) => ({ ...set, [name]: value }))]),
    [{}],
  );

let uses = 0;
let client = team.client;
/** A client whose key has requests left: the tests send more than one key may in a minute. */
const aClient = async (): Promise<Client> => {
  if (uses % 10 === 9) client = await team.aClient();
  uses += 1;
  return client;
};

const queryOf = (given: Given): string => new URLSearchParams(given).toString();
const idsIn = (rows: readonly Row[]): unknown[] => rows.map(({ id }) => id);

describe.each(Object.entries(lists))('GET /%s', (list, filters) => {
  // The evaluations have no other order.
  it.each(list === 'evaluations' ? [''] : ['', '&updated_since=2000-01-01T00:00:00Z'])(
    '200: has the rows that meet all filters, in the order of the list, page by page%s',
    async (further) => {
      const all = await allListed(await aClient(), `/${list}?limit=200${further}`);
      const seen = new Set<string>();
      for (const given of setsOf(filters)) {
        const expected = all.filter((row) =>
          Object.entries(given).every(([name, value]) => filters[name]?.[1](row, value)),
        );
        const rows = await allListed(await aClient(), `/${list}?limit=7&${queryOf(given)}${further}`);
        expect(idsIn(rows), queryOf(given)).toEqual(idsIn(expected));
        if (rows.length > 0) seen.add(idsIn(rows).join());
      }
      // The filters make a difference.
      expect(seen.size).toBeGreaterThan(6);
    },
  );

  it('422 validation_error: a cursor with another value of a filter, or without it', async () => {
    const own = await team.aClient();
    const page = (given: Given, from: Given = {}) => own.get(`/${list}?${queryOf({ limit: '1', ...given, ...from })}`);
    const cursorOf = async (given: Given): Promise<Given> => {
      const cursor = (await page(given)).body['next_cursor'];
      return typeof cursor === 'string' ? { cursor } : {};
    };
    const plain = await cursorOf({});
    let crossed = 0;
    for (const [name, [values]] of Object.entries(filters)) {
      for (const value of values) {
        const given = { [name]: value };
        expect(await page(given, plain)).toBeProblem('validation_error', { field: 'cursor' });
        const next = await cursorOf(given);
        // A list of one row has no second page.
        if (next['cursor'] === undefined) continue;
        expect((await page(given, next)).status).toBe(200);
        expect(await page({}, next)).toBeProblem('validation_error', { field: 'cursor' });
        for (const another of values.filter((one) => one !== value)) {
          expect(await page({ [name]: another }, next)).toBeProblem('validation_error', { field: 'cursor' });
          crossed += 1;
        }
      }
    }
    if (list !== 'evaluations') expect(crossed).toBeGreaterThan(0);
  });
});

it.each([
  ...[other.people[0]?.user_id, makeId(), 'nobody'].flatMap((id) => [
    `/trainings?user_id=${id}`,
    `/evaluations?user_id=${id}`,
  ]),
  ...[other.assignmentIds[0], makeId(), 'none'].flatMap((id) => [
    `/trainings?assignment_id=${id}`,
    `/evaluations?assignment_id=${id}`,
  ]),
  ...[other.people[0]?.id, makeId(), 'nobody'].map((id) => `/assignments?member_id=${id}`),
  ...[emailOf(other.invited), 'nobody@example.com'].map((email) => `/users?email=${email}`),
])('200: nothing of another team, and nothing for a value that nobody has (GET %s)', async (path) => {
  const answer = await (await aClient()).get(path);
  expect([answer.status, answer.body]).toEqual([200, { data: [], next_cursor: null }]);
});

it.each([
  ['/users?email=mia', 'email'],
  ['/users?email=', 'email'],
  ['/users?role=boss', 'role'],
  ['/users?status=ended', 'status'],
  ['/assignments?status=overdue', 'status'],
  ['/assignments?due_before=2026-02-30', 'due_before'],
  ['/assignments?due_before=2026-12-01T00:00:00Z', 'due_before'],
  ['/evaluations?since=yesterday', 'since'],
  ['/evaluations?until=2026-12-01', 'until'],
  ['/trainings?until=tomorrow', 'until'],
])('422 validation_error: names the filter (GET %s)', async (path, field) => {
  expect(await (await aClient()).get(path)).toBeProblem('validation_error', {
    errors: [expect.objectContaining({ in: 'query', path: [field] })],
  });
});

it('200: a member is found by each form of the address', async () => {
  const { body } = await team.client.post('/users', { email: 'Jo.Gross@Bücher.Example' });
  for (const email of ['Jo.Gross@Bücher.Example', 'jo.gross@BÜCHER.example', 'JO.GROSS@xn--bcher-kva.example'])
    expect(idsIn((await (await aClient()).get(`/users?email=${encodeURIComponent(email)}`)).data)).toEqual([
      body['id'],
    ]);
});

it('403 privacy_restricted: nobody is looked for by an address while member details are off, so no answer says whether somebody has it', async () => {
  const hiding = await aTeam(service, { members: 1, memberDetail: false });
  const { client, owner } = hiding;
  for (const email of [owner.email, 'nobody@example.com'])
    for (const further of ['', '&status=active', '&updated_since=2000-01-01T00:00:00Z', '&cursor=x'])
      expect(await client.get(`/users?email=${email}${further}`)).toBeProblem('privacy_restricted');
  expect(idsIn((await client.get('/users?role=owner&status=active')).data)).toEqual([owner.member_id]);
  await hiding.change({ memberDetail: true });
  expect(idsIn((await client.get(`/users?email=${owner.email}`)).data)).toEqual([owner.member_id]);
});
