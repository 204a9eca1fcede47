import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { daysToMs, later, minutesToMs } from '../../src/core/clock.ts';
import { toSnake } from '../../src/core/spelling.ts';
import { makeCli } from '../cli/cli.ts';
import { AddedMember } from '../cli/shapes.ts';
import { inTheApp, type Somebody } from '../support/app-caller.ts';
import { storeFound } from '../../src/modules/crm/sync.ts';
import { aCombination, anEvaluation, equalScores, theTrainings } from '../support/practice.ts';
import { aCrmConnection } from '../support/crm.ts';
import { useTestService } from '../support/service.ts';
import { aTeam, anEmail } from '../support/team.ts';
import { throwAwayFolder } from '../support/throw-away-postgres.ts';
import { aCopyProgram, listedRows, requestsOf } from './copy-program.ts';

const service = await useTestService({ own: true });
const cli = makeCli({ DATABASE_URL: service.databaseUrl, DATA_DIR: throwAwayFolder() });

/** Without minutes, this many changes are made. */
const changes = 400;
const kills = 10;
/** Changes are made for so long: `COPY_MINUTES=10 npx vitest run test/changes/copy-under-fire.slow.test.ts`. */
const minutes = Number(process.env['COPY_MINUTES'] ?? 0);
/**
 * The same seed makes the same changes in the same order: `COPY_SEED=… npx vitest run
 * test/changes/copy-under-fire.slow.test.ts`.
 */
const seed = Number(process.env['COPY_SEED'] ?? Date.now() % 1_000_000);

const team = await aTeam(service, { seats: 1_000 });
const combination = await aCombination(service);

type Person = Somebody & { email: string };
interface OfPerson {
  id: string;
  person: Person;
}
/** What there is now, in the order in which it was made. */
const world: {
  people: Person[];
  /** The addresses of people who left. */
  left: string[];
  assignments: OfPerson[];
  cases: string[];
  drafts: OfPerson[];
  running: OfPerson[];
  ended: OfPerson[];
} = { people: [], left: [], assignments: [], cases: [], drafts: [], running: [], ended: [] };

let client = await team.aClient();
let requests = 0;
/** Calls the API. A key may make 120 requests a minute, so there is a new one from time to time. */
const api = async (method: string, path: string, body?: object) => {
  requests += 1;
  if (requests % 100 === 0) client = await team.aClient();
  const answer = await client.request(method, path, body && { body });
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.text}`);
  return answer.body;
};

const addMember = async (email: string) => {
  const flags = ['--team', team.id, '--email', email, '--active'];
  const added = await cli.json(AddedMember, ['member', 'add', ...flags]);
  const person = { memberId: added.member_id, userId: added.user_id ?? '', role: 'member', rights: [], email } as const;
  world.people.push(person);
};

const pick = <Item>(items: readonly Item[], n: number): Item | undefined => items[n % Math.max(1, items.length)];
const without = <Item>(items: Item[], item: Item): void => void items.splice(items.indexOf(item), 1);
const start = async (person: Person, assignment_id: string | null = null) => {
  const { training_id: id } = await (await inTheApp(team, person)).sessions.start({ assignment_id });
  world.running.push({ id, person });
};

const connectionId = await aCrmConnection(service, team, { provider: 'feed' });
/** A sync finds a deal with an objection; without a title, that the CRM has deleted it. */
const sync = async (n: number, { title }: { title?: string } = {}) => {
  const id = `deal ${n}`;
  const objection = { id: '1', dealId: id, category: 'price', text: `At ${title}`, lang: 'en' };
  return storeFound(await team.acting(), connectionId, {
    deals: [title === undefined ? { id, deleted: true } : { id, outcome: 'open', title, ownerEmail: team.owner.email }],
    objections: title === undefined ? [] : [objection],
  });
};

/** A change with two random numbers; nothing happens if there is nothing that it could change. */
type Change = (one: number, two: number) => Promise<unknown>;

const onOne =
  <Item>(items: readonly Item[], change: (item: Item, n: number) => Promise<unknown>): Change =>
  async (one, two) => {
    const item = pick(items, one);
    if (item !== undefined) await change(item, two);
  };

/** All kinds of changes, each with how often it is made. */
const kinds: readonly [weight: number, Change][] = [
  // The API
  [
    10,
    onOne(world.people, async (person, n) => {
      const made = await api('POST', '/assignments', { member_id: person.memberId, title: `A ${n}`, ...combination });
      world.assignments.push({ id: String(made['id']), person });
    }),
  ],
  [12, onOne(world.assignments, ({ id }, n) => api('PATCH', `/assignments/${id}`, { note: `Note ${n % 3}` }))],
  [
    3,
    onOne(world.assignments, async (one) => {
      await api('DELETE', `/assignments/${one.id}`);
      without(world.assignments, one);
    }),
  ],
  [
    10,
    onOne(world.people, async ({ userId }, n) => {
      world.cases.push(String((await api('POST', '/cases', { user_id: userId, title: `Case ${n}` }))['id']));
    }),
  ],
  [12, onOne(world.cases, (id, n) => api('PATCH', `/cases/${id}`, { title: `Title ${n % 3}` }))],
  [
    4,
    onOne(world.cases, async (id) => {
      await api('DELETE', `/cases/${id}`);
      without(world.cases, id);
    }),
  ],
  [
    4,
    onOne(world.people, ({ memberId }, n) =>
      api('PATCH', `/users/${memberId}`, { role: n % 2 ? 'admin' : 'member' }).catch(() => {}),
    ),
  ],
  [
    2,
    onOne(world.people, async (person) => {
      // One admin stays, because the last one can't be removed.
      if (world.people.length < 4) return;
      await api('PATCH', `/users/${person.memberId}`, { role: 'member' }).catch(() => {});
      await api('DELETE', `/users/${person.memberId}`).catch(() => {});
      const { status } = await team.client.get(`/users/${person.memberId}`).catch(() => ({ status: 0 }));
      if (status !== 404) return;
      without(world.people, person);
      world.left.push(person.email);
      for (const list of [world.assignments, world.drafts, world.running, world.ended]) {
        for (const one of list.filter((row) => row.person === person)) without(list, one);
      }
    }),
  ],
  // The CRM
  [12, async (one, two) => sync(one % 20, { title: `Deal ${two % 3}` })],
  [3, async (one) => sync(one % 20)],
  // The app
  [12, onOne(world.people, (person) => start(person))],
  [6, onOne(world.assignments, ({ id, person }) => start(person, id))],
  [
    12,
    onOne(world.running, async (one) => {
      await (await inTheApp(team, one.person)).sessions.end({ training_id: one.id });
      without(world.running, one);
      world.ended.push(one);
    }),
  ],
  [
    3,
    onOne(world.running, async (one) => {
      await (await inTheApp(team, one.person)).sessions.abort({ training_id: one.id });
      without(world.running, one);
    }),
  ],
  [
    14,
    onOne(world.ended, async ({ id: training_id }, n) => {
      const evaluation = toSnake(anEvaluation({ dimensions: equalScores(n % 100), strongest: `Strong ${n}` }));
      await (await inTheApp(team)).sessions.evaluate({ training_id, ...evaluation });
    }),
  ],
  [
    4,
    onOne(world.assignments, async ({ id }, n) =>
      (await inTheApp(team)).assigning.change({ assignment_id: id, title: `T ${n % 2}` }),
    ),
  ],
  [
    4,
    onOne(world.people, async (person, n) => {
      const { id } = await (await inTheApp(team, person)).ownCases.create({ title: `Draft ${n}` });
      world.drafts.push({ id, person });
    }),
  ],
  [
    3,
    onOne(world.drafts, async (one) => {
      await (await inTheApp(team, one.person)).ownCases.share({ case_id: one.id });
      without(world.drafts, one);
      world.cases.push(one.id);
    }),
  ],
  // The command line
  [2, async () => addMember(anEmail('seller'))],
  [
    2,
    onOne(world.left, async (email) => {
      without(world.left, email);
      await addMember(email);
    }),
  ],
  [
    3,
    onOne(world.people, async ({ memberId }, n) => {
      const at = new Date(Date.now() - 60_000 * (1 + (n % 10_000))).toISOString();
      const flags = ['--team', team.id, '--member', memberId, '--score', String(n % 100), '--at', at];
      await cli.json(z.unknown(), ['training', 'record', ...flags]);
    }),
  ],
  [
    1,
    onOne(world.left, async (email) => {
      without(world.left, email);
      const erasing = await cli.run(['person', 'erase', '--email', email, '--confirm', email]);
      if (erasing.exitCode !== 0) throw new Error(erasing.stderr);
    }),
  ],
];

/** Revokes the key of a run, and makes it older: a team has a limited number of keys, and may make so many in a day. */
const putAway = (prefix: string) => {
  const now = service.clock.now();
  const data = { createdAt: later(now, -daysToMs(2)), revokedAt: now };
  return service.database.prisma.apiKey.updateMany({ where: { tenantId: team.id, prefix }, data });
};

/**
 * Runs the program again and again while changes are made. The first six runs, and then every second one, are killed
 * after some requests, until enough were killed.
 */
const readWhile = async (
  program: Awaited<ReturnType<typeof aCopyProgram>>,
  isOver: () => boolean,
  after: number[],
  delays: number[],
) => {
  let runs = 0;
  let killed = 0;
  for (; !isOver() || killed < kills; runs += 1) {
    const run = await program.start({ overlapSeconds: 2 });
    let hasEnded = false;
    const ended = run.ended.finally(() => (hasEnded = true));
    if ((runs < 6 || runs % 2 === 0) && killed < kills) {
      const requestsBefore = after[killed] ?? 0;
      await expect.poll(() => hasEnded || requestsOf(service, run).length > requestsBefore, { interval: 1 }).toBe(true);
      // At any moment between this answer and the next request.
      await sleep(delays[killed]);
      run.kill();
    }
    const { exitCode, complaints } = await ended;
    await putAway(run.keyPrefix);
    if (exitCode === null) killed += 1;
    else if (exitCode !== 0) throw new Error(complaints);
  }
  return killed;
};

it(
  `a reader that is killed ${kills} times has every row after ${changes} random changes, or minutes (seed ${seed})`,
  { timeout: minutesToMs(minutes + 5) },
  async () => {
    const change = fc.tuple(
      fc.oneof(...kinds.map(([weight, kind]) => ({ weight, arbitrary: fc.constant(kind) }))),
      fc.nat(),
      fc.nat(),
    );
    // The first copy reads the members and three pages of trainings: it is killed at these pages.
    const after = [1, 2, 2, 2, 2, 2, ...fc.sample(fc.nat(3), { numRuns: kills - 6, seed })];
    const delays = fc.sample(fc.nat(100), { numRuns: kills, seed });
    for (let count = 0; count < 5; count += 1) await addMember(anEmail('seller'));
    await theTrainings(
      service,
      team,
      Array.from({ length: 450 }, () => ({ userId: team.owner.user_id })),
    );

    const program = await aCopyProgram(service, team);
    let isOver = false;
    const reading = readWhile(program, () => isOver, after, delays);
    try {
      const until = performance.now() + minutesToMs(minutes);
      for (let made = 0; made === 0 || performance.now() < until; made += changes) {
        const sampled = fc.sample(change, { numRuns: changes, seed: seed + made });
        for (const [kind, one, two] of sampled) await kind(one, two);
      }
    } finally {
      isOver = true;
    }
    const killed = await reading;
    expect(killed).toBe(kills);
    await program.run({ overlapSeconds: 2 });

    const rows = program.rows();
    expect(rows).toEqual(await listedRows(team));
    const count = (list: string) => Object.keys(rows).filter((name) => name.startsWith(list)).length;
    for (const list of ['users', 'trainings', 'assignments', 'cases', 'deals', 'objections'])
      expect(count(list), list).toBeGreaterThan(0);
  },
);
