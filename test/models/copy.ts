import fc from 'fast-check';
import { expect, onTestFinished } from 'vitest';
import { secondsToMs } from '../../src/core/clock.ts';
import { toSnake } from '../../src/core/spelling.ts';
import { inTheApp, type Somebody } from '../support/app-caller.ts';
import { aCombination, anEvaluation, equalScores } from '../support/practice.ts';
import { readFeed } from '../support/pages.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { aTeam, anEmail, type TestTeam } from '../support/team.ts';
import { tireless, type Ask } from './client.ts';
import { itWalks, pick, step } from './walks.ts';

// A customer's copy of a team: writers change rows, and a reader follows them with `updated_since`, `/deletions` and
// the event feed, page by page, and crashes. The clock stands still between the steps, so many rows change at the same
// moment.

const lists = {
  users: '/users?',
  assignments: '/assignments?',
  cases: '/cases?',
  trainings: '/trainings?include=evaluation&',
} as const;
type List = keyof typeof lists;
const allLists: readonly List[] = ['users', 'assignments', 'cases', 'trainings'];

type Row = Record<string, unknown>;
type Rows = Map<string, Row>;

interface Person {
  memberId: string;
  userId: string;
  email: string;
}

/** What the team must have: of each row the fields that a writer has set. */
interface Model {
  rows: Record<List, Rows>;
  /** The active members who can be removed. */
  people: Person[];
  left: Person[];
  /** In any order. */
  events: string[];
}

interface Real {
  service: TestService;
  team: TestTeam;
  ask: Ask;
  combination: object;
  copy: Copy;
  feed: FeedReader;
}

/** How many rows the reader reads at once. */
const pageSize = 2;

/** The reader of one list, as the documentation describes it. What it has stored survives a crash. */
class ListReader {
  readonly rows: Rows = new Map();
  /** Where the next read begins. */
  #since: string | undefined;
  /** An unfinished read. */
  #startedAt: string | undefined;
  #cursor: string | undefined;
  #isAtDeletions = false;
  readonly #list: List;
  readonly #real: Pick<Real, 'ask' | 'service'>;

  constructor(list: List, real: Pick<Real, 'ask' | 'service'>) {
    this.#list = list;
    this.#real = real;
  }

  /** Reads a page and stores it; returns whether it was the last one. If it crashes before, nothing is stored. */
  async readPage({ crash = false } = {}): Promise<boolean> {
    const { ask, service } = this.#real;
    const startedAt = this.#startedAt ?? service.clock.now().toISOString();
    const query = new URLSearchParams({
      limit: String(pageSize),
      ...(this.#isAtDeletions && { resource: this.#list }),
      ...(this.#since !== undefined && { [this.#isAtDeletions ? 'since' : 'updated_since']: this.#since }),
      ...(this.#cursor !== undefined && { cursor: this.#cursor }),
    });
    const path = this.#isAtDeletions ? '/deletions?' : lists[this.#list];
    const answer = await ask('GET', `${path}${query.toString()}`);
    if (crash) return false;
    for (const row of answer.data) {
      const id = String(row['id']);
      if (this.#isAtDeletions) this.rows.delete(id);
      else this.rows.set(id, row);
    }
    const next = answer.body['next_cursor'];
    this.#startedAt = startedAt;
    this.#cursor = typeof next === 'string' ? next : undefined;
    if (this.#cursor !== undefined) return false;
    if (!this.#isAtDeletions && this.#since !== undefined) {
      this.#isAtDeletions = true;
      return false;
    }
    this.#since = startedAt;
    this.#leaveRead();
    return true;
  }

  #leaveRead(): void {
    [this.#startedAt, this.#cursor, this.#isAtDeletions] = [undefined, undefined, false];
  }

  /**
   * Loses its place in a read that is not finished. Those of the first one start with an empty copy: what was deleted
   * between two of them is named only by deletions that nobody asks for.
   */
  beginAnew(): void {
    this.#leaveRead();
    if (this.#since === undefined) this.rows.clear();
  }

  async readToEnd(): Promise<void> {
    while (!(await this.readPage())) continue;
  }
}

/** All lists. */
class Copy {
  readonly #real: Pick<Real, 'ask' | 'service'>;
  readonly readers: Readonly<Record<List, ListReader>>;
  /** The people whose trainings are all in the copy, each with the time of joining. */
  #complete = new Set<string>();

  constructor(real: Pick<Real, 'ask' | 'service'>) {
    this.#real = real;
    const reader = (list: List) => new ListReader(list, real);
    this.readers = {
      users: reader('users'),
      assignments: reader('assignments'),
      cases: reader('cases'),
      trainings: reader('trainings'),
    };
  }

  /** Reads what has changed in all lists, and follows who left and who came back. */
  async catchUp(): Promise<void> {
    for (const list of allLists) await this.readers[list].readToEnd();
    const { users, trainings } = this.readers;
    const active = [...users.rows.values()].filter(({ user_id }) => user_id !== null);
    const present = new Map(
      active.map(({ user_id, joined_at }) => [String(user_id), `${String(user_id)} ${String(joined_at)}`]),
    );
    for (const [id, { user_id }] of trainings.rows) if (!present.has(String(user_id))) trainings.rows.delete(id);
    for (const [userId, membership] of present) {
      if (this.#complete.has(membership)) continue;
      const { data } = await this.#real.ask('GET', `/trainings?include=evaluation&limit=200&user_id=${userId}`);
      for (const row of data) trainings.rows.set(String(row['id']), row);
    }
    this.#complete = new Set(present.values());
  }
}

/** The reader of the event feed. Its position is stored with the events of each page. */
class FeedReader {
  readonly events: string[] = [];
  #cursor: string | undefined;
  readonly #ask: Ask;

  constructor(ask: Ask) {
    this.#ask = ask;
  }

  async readPage({ crash = false } = {}): Promise<boolean> {
    const query = { limit: pageSize, ...(this.#cursor !== undefined && { cursor: this.#cursor }) };
    const { data, next_cursor, has_more } = await readFeed(await this.#ask.client(), query);
    if (crash) return true;
    this.#cursor = next_cursor;
    this.events.push(...data.map(({ type, data: about }) => eventOf(type, about)));
    return has_more;
  }
}

/** An event is about a training, an assignment or a member. */
const eventOf = (type: string, data: Row): string =>
  `${type} ${String(data['training_id'] ?? data['assignment_id'] ?? data['member_id'])}`;

// The writers

const which = fc.nat(9);
const text = fc.constantFrom('one', 'two', 'three');
const hasPeople = ({ people }: Readonly<Model>): boolean => people.length > 0;
const hasRows =
  (list: List) =>
  ({ rows }: Readonly<Model>): boolean =>
    rows[list].size > 0;

const has = (rows: Rows, id: unknown, fields: Row): void => {
  rows.set(String(id), { ...rows.get(String(id)), ...fields });
};

const idOf = (rows: Rows, at: number): string => pick([...rows.keys()], at);

const somebody = ({ memberId, userId }: Person): Somebody => ({ memberId, userId, role: 'member', rights: [] });

const join = async (model: Model, { team }: Real, email = anEmail('seller')): Promise<void> => {
  const { id, user_id } = await team.anActiveMember({ email });
  const person = { memberId: id, userId: user_id ?? '', email };
  model.people.push(person);
  has(model.rows.users, id, { role: 'member', status: 'active' });
  model.events.push(`member.joined ${id}`);
};

const joined = fc.constant(step<Model, Real>('somebody joins', (model, real) => join(model, real)));

const cameBack = fc.constant(
  step<Model, Real>(
    'somebody who had left comes back',
    async (model, real) => {
      const person = pick(model.left, 0);
      model.left = model.left.filter((one) => one !== person);
      await join(model, real, person.email);
      for (const [id, row] of away(model, person)) model.rows.trainings.set(id, row);
    },
    ({ left }) => left.length > 0,
  ),
);

/** The trainings of somebody who has left are hidden until they come back. */
const hidden = new WeakMap<Model, Map<string, Rows>>();
const away = (model: Model, { userId }: Person): Rows => {
  const ofModel = hidden.get(model) ?? new Map<string, Rows>();
  hidden.set(model, ofModel);
  const rows = ofModel.get(userId) ?? new Map<string, Row>();
  ofModel.set(userId, rows);
  return rows;
};

const left = which.map((at) =>
  step<Model, Real>(
    `person ${at} is removed`,
    async (model, { ask }) => {
      const person = pick(model.people, at);
      const { memberId, userId } = person;
      expect((await ask('DELETE', `/users/${memberId}`)).status).toBe(200);
      model.people = model.people.filter((one) => one !== person);
      model.left.push(person);
      const { users, assignments, trainings } = model.rows;
      users.delete(memberId);
      model.events.push(`member.removed ${memberId}`);
      for (const row of assignments.values()) if (row['member_user_id'] === userId) row['status'] = 'revoked';
      for (const [id, row] of trainings) {
        if (row['user_id'] !== userId) continue;
        away(model, person).set(id, row);
        trainings.delete(id);
      }
    },
    hasPeople,
  ),
);

const invited = fc.constant(
  step<Model, Real>('somebody is invited', async (model, { ask }) => {
    const { body } = await ask('POST', '/users', { email: anEmail('invited') });
    has(model.rows.users, body['id'], { status: 'invited' });
    model.events.push(`member.joined ${String(body['id'])}`);
  }),
);

const roleChanged = fc.record({ at: which, role: fc.constantFrom('admin', 'member') }).map(({ at, role }) =>
  step<Model, Real>(
    `person ${at} becomes ${role}`,
    async (model, { ask }) => {
      const { memberId } = pick(model.people, at);
      expect((await ask('PATCH', `/users/${memberId}`, { role })).status).toBe(200);
      has(model.rows.users, memberId, { role });
    },
    hasPeople,
  ),
);

const assigned = fc.record({ at: which, count: fc.constantFrom(1, 3) }).map(({ at, count }) =>
  step<Model, Real>(
    `${count} writers at once give person ${at} an assignment`,
    async (model, { ask, combination }) => {
      const { memberId, userId } = pick(model.people, at);
      const wanted = { member_id: memberId, title: 'Practise', ...combination };
      const made = await Promise.all(Array.from({ length: count }, () => ask('POST', '/assignments', wanted)));
      for (const { body } of made) {
        has(model.rows.assignments, body['id'], { status: 'open', note: null, member_user_id: userId });
        model.events.push(`assignment.created ${String(body['id'])}`);
      }
    },
    hasPeople,
  ),
);

const assignmentChanged = fc
  .record({
    at: which,
    change: fc.oneof(fc.record({ note: text }), fc.record({ status: fc.constantFrom('open', 'done', 'revoked') })),
  })
  .map(({ at, change }) =>
    step<Model, Real>(
      `assignment ${at} gets ${JSON.stringify(change)}`,
      async ({ rows, events }, { ask }) => {
        const id = idOf(rows.assignments, at);
        const isDone = rows.assignments.get(id)?.['status'] === 'done';
        expect((await ask('PATCH', `/assignments/${id}`, change)).status).toBe(200);
        has(rows.assignments, id, change);
        if ('status' in change && change.status === 'done' && !isDone) events.push(`assignment.completed ${id}`);
      },
      hasRows('assignments'),
    ),
  );

const caseMade = fc.record({ title: text, count: fc.constantFrom(1, 3) }).map(({ title, count }) =>
  step<Model, Real>(`${count} writers at once make the case ${title}`, async ({ rows }, { ask, team }) => {
    const wanted = { user_id: team.owner.user_id, title };
    const made = await Promise.all(Array.from({ length: count }, () => ask('POST', '/cases', wanted)));
    for (const { body } of made) has(rows.cases, body['id'], { title });
  }),
);

const caseChanged = fc.record({ at: which, title: text }).map(({ at, title }) =>
  step<Model, Real>(
    `case ${at} becomes ${title}`,
    async ({ rows }, { ask }) => {
      const id = idOf(rows.cases, at);
      expect((await ask('PATCH', `/cases/${id}`, { title })).status).toBe(200);
      has(rows.cases, id, { title });
    },
    hasRows('cases'),
  ),
);

const rowDeleted = fc
  .record({ list: fc.constantFrom('cases' as const, 'assignments' as const), at: which, count: fc.constantFrom(1, 3) })
  .map(({ list, at, count }) =>
    step<Model, Real>(
      `${count} of the ${list} from ${at} on are deleted at once`,
      async ({ rows }, { ask }) => {
        const ids = [...new Set(Array.from({ length: count }, (_, index) => idOf(rows[list], at + index)))];
        const answers = await Promise.all(ids.map((id) => ask('DELETE', `/${list}/${id}`)));
        for (const { status } of answers) expect(status).toBe(200);
        for (const id of ids) rows[list].delete(id);
      },
      ({ rows }) => rows[list].size > 0,
    ),
  );

const privateCase = fc.boolean().map((isShared) =>
  step<Model, Real>(
    isShared ? 'a member makes a case of their own and shares it' : 'a member makes a case of their own',
    async ({ rows, people }, { team }) => {
      const { ownCases } = await inTheApp(team, somebody(pick(people, 0)));
      const { id } = await ownCases.create({ title: 'own' });
      if (!isShared) return;
      await ownCases.share({ case_id: id });
      has(rows.cases, id, { title: 'own' });
    },
    hasPeople,
  ),
);

const trained = fc
  .record({ at: which, to: fc.constantFrom('running', 'ended', 'aborted', 'scored') })
  .map(({ at, to }) =>
    step<Model, Real>(
      `person ${at} trains: ${to}`,
      async (model, { team }) => {
        const person = pick(model.people, at);
        const { sessions } = await inTheApp(team, somebody(person));
        const { training_id } = await sessions.start({});
        if (to === 'aborted') await sessions.abort({ training_id });
        if (to === 'ended' || to === 'scored') {
          await sessions.end({ training_id });
          model.events.push(`training.completed ${training_id}`);
        }
        if (to === 'scored') await score(model, team, training_id, 50);
        has(model.rows.trainings, training_id, { status: to, user_id: person.userId });
      },
      hasPeople,
    ),
  );

const score = async (model: Model, team: TestTeam, training_id: string, points: number): Promise<void> => {
  const evaluation = toSnake(anEvaluation({ dimensions: equalScores(points) }));
  await (await inTheApp(team)).sessions.evaluate({ training_id, ...evaluation });
  model.events.push(`evaluation.completed ${training_id}`);
};

const isScored = (row: Row): boolean => row['status'] === 'scored';
const scoredAgain = fc.record({ at: which, points: fc.nat(100) }).map(({ at, points }) =>
  step<Model, Real>(
    `scored training ${at} gets ${points} points`,
    async (model, { team }) => {
      const [id] = pick(
        [...model.rows.trainings].filter(([, row]) => isScored(row)),
        at,
      );
      await score(model, team, id, points);
    },
    ({ rows }) => [...rows.trainings.values()].some(isScored),
  ),
);

const passed = fc.constant(
  step<Model, Real>('a second passes', async (_model, { service }) => service.clock.forward(secondsToMs(1))),
);

// The reader

const list = fc.constantFrom(...allLists);
const pageRead = fc
  .record({ list, crash: fc.constantFrom(false, false, true) })
  .map(({ list: name, crash }) =>
    step<Model, Real>(
      `the reader reads a page of ${name}${crash ? ' and crashes before it has stored it' : ''}`,
      async (_model, { copy }) => void (await copy.readers[name].readPage({ crash })),
    ),
  );

const begunAnew = list.map((name) =>
  step<Model, Real>(`the reader begins anew with ${name}`, async (_model, { copy }) => copy.readers[name].beginAnew()),
);

const caughtUp = fc.constant(
  step<Model, Real>('the reader reads what has changed in all lists', (_model, { copy }) => copy.catchUp()),
);

const eventsRead = fc
  .boolean()
  .map((crash) =>
    step<Model, Real>(
      `the reader reads a page of events${crash ? ' and crashes before it has stored it' : ''}`,
      async (_model, { feed }) => void (await feed.readPage({ crash })),
    ),
  );

/** All rows of a list, in its usual order. */
const listed = async ({ ask }: Real, name: List): Promise<Rows> => {
  const rows: Rows = new Map();
  let cursor = '';
  for (;;) {
    const { data, body } = await ask('GET', `${lists[name]}limit=7${cursor}`);
    for (const row of data) rows.set(String(row['id']), row);
    if (typeof body['next_cursor'] !== 'string') return rows;
    cursor = `&cursor=${body['next_cursor']}`;
  }
};

const inOrder = (rows: Rows): Row[] =>
  [...rows.values()].toSorted((a, b) => (String(a['id']) < String(b['id']) ? -1 : 1));

/** Walks with the writers and the reader of a copy. */
export const walkWithCopy = (runs: number): void =>
  itWalks<Model, Real>('a copy that is read in pages, with crashes, has every row and every event', runs, {
    steps: [
      [3, joined],
      [2, left],
      [1, cameBack],
      [1, invited],
      [1, roleChanged],
      [3, assigned],
      [3, assignmentChanged],
      [3, caseMade],
      [3, caseChanged],
      [3, rowDeleted],
      [1, privateCase],
      [3, trained],
      [2, scoredAgain],
      [3, passed],
      [8, pageRead],
      [1, begunAnew],
      [4, caughtUp],
      [2, eventsRead],
    ],
    maxSteps: 30,

    open: async () => {
      const service = await startTestService({ own: true });
      onTestFinished(() => service.close());
      const combination = await aCombination(service);
      return {
        begin: async () => {
          service.clock.set(new Date());
          service.clock.stop();
          // So that nobody is the last admin.
          const team = await aTeam(service, { admins: 1 });
          const { owner, admins } = team;
          const ask = tireless(team);
          const users = new Map([owner.member_id, ...admins.map(({ id }) => id)].map((id) => [id, {}]));
          return {
            model: {
              rows: { users, assignments: new Map(), cases: new Map(), trainings: new Map() },
              people: [],
              left: [],
              events: admins.map(({ id }) => `member.joined ${id}`),
            },
            real: { service, team, ask, combination, copy: new Copy({ ask, service }), feed: new FeedReader(ask) },
          };
        },

        end: async (model, real) => {
          // The first time, reads that had begun before the last changes come to their end.
          for (const _ of [1, 2]) await real.copy.catchUp();
          for (const name of allLists) {
            const truth = await listed(real, name);
            const ids = [...truth.keys()].toSorted();
            expect(ids, `the list of ${name}`).toEqual([...model.rows[name].keys()].toSorted());
            for (const [id, fields] of model.rows[name]) expect(truth.get(id)).toMatchObject(fields);
            expect(inOrder(real.copy.readers[name].rows), `the copy of ${name}`).toEqual(inOrder(truth));
          }
          while (await real.feed.readPage()) continue;
          expect(real.feed.events.toSorted()).toEqual(model.events.toSorted());
        },
      };
    },
  });
