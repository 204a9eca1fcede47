import fc from 'fast-check';
import { expect } from 'vitest';
import { daysToMs, hoursToMs, later, minutesToMs, secondsToMs } from '../../src/core/clock.ts';
import { expectRefusal, inTheApp } from '../support/app-caller.ts';
import { makeClient, type Answer } from '../support/client.ts';
import { aTeam, type TestTeam } from '../support/team.ts';
import { aMovedService, type MovedService } from './moved-service.ts';
import { itWalks, pick, step } from './walks.ts';

// Keys, budgets and idempotency as the contract describes them.

const anonymousPerMinute = 15;
/** A budget: a minute that starts with the first request counted in it. */
class Budget {
  #start = -Infinity;
  #used = 0;
  limit: number;

  constructor(limit: number) {
    this.limit = limit;
  }

  get end(): number {
    return this.#start + minutesToMs(1);
  }

  left(now: number): number {
    return Math.max(0, this.limit - (now < this.end ? this.#used : 0));
  }

  count(now: number): void {
    if (now >= this.end) [this.#start, this.#used] = [now, 0];
    this.#used += 1;
  }
}

interface Key {
  name: string;
  id: string;
  text: string;
  scopes: 'all' | 'reading';
  /** Whether only the office may use it. */
  office: boolean;
  expiresAt: number;
  revoked: boolean;
  rotated: boolean;
  budget: Budget;
}

/** The stored answer of an Idempotency-Key. */
interface Stored {
  body: Body;
  status: number;
  id: unknown;
  shown: object;
  until: number;
}

interface Model {
  now: () => number;
  suspended: boolean;
  team: Budget;
  addresses: Record<Place, Budget>;
  keys: Key[];
  answers: Map<string, Stored>;
  cases: unknown[];
}

type Place = 'office' | 'elsewhere';
interface Real extends MovedService {
  team: TestTeam;
  addresses: Record<Place, string>;
}

const isValid = ({ revoked, expiresAt, office }: Key, place: Place, now: number): boolean =>
  !revoked && expiresAt > now && (!office || place === 'office');

/** What a request must be answered with, before its own rules; `undefined`: it is admitted. */
interface Admitted {
  refusal: 'unauthorized' | 'api_disabled' | 'rate_limited' | undefined;
  limit: number;
  left: number;
}

const admit = (model: Model, key: Key | undefined, place: Place): Admitted => {
  const now = model.now();
  const valid = key && isValid(key, place, now);
  const budgets = valid ? [model.team, key.budget] : [model.addresses[place]];
  const isSpent = budgets.some((budget) => budget.left(now) === 0);
  if (!isSpent) for (const budget of budgets) budget.count(now);
  const [tighter] = budgets.toSorted((a, b) => a.left(now) - b.left(now) || b.end - a.end);
  const refusal = isSpent ? 'rate_limited' : !valid ? 'unauthorized' : model.suspended ? 'api_disabled' : undefined;
  return { refusal, limit: tighter?.limit ?? 0, left: tighter?.left(now) ?? 0 };
};

/** Ten seconds pass if a minute, a key or a stored answer would end while the next requests run. */
const awayFromEnds = async ({ now, team, addresses, keys, answers }: Model, { forward }: Real): Promise<void> => {
  const budgets = [team, ...Object.values(addresses), ...keys.map(({ budget }) => budget)];
  const ends = [
    ...budgets.map(({ end }) => end),
    ...keys.map(({ expiresAt }) => expiresAt),
    ...[...answers.values()].map(({ until }) => until),
  ];
  const isNear = () => ends.some((end) => Math.abs(end - now()) < secondsToMs(5));
  while (isNear()) await forward(secondsToMs(10));
};

const send = (real: Real, key: Key | undefined, place: Place, method: string, path: string, more: object = {}) => {
  const { headers = {}, ...others }: { headers?: Record<string, string> } = more;
  const client = makeClient(real.service.baseUrl, key?.text);
  const all = { ...headers, 'X-Forwarded-For': real.addresses[place] };
  return client.request(method, path, { ...others, headers: all });
};

const codeOf = ({ status, body }: Answer): unknown => (status < 300 ? undefined : body['code']);
const budgetIn = ({ headers }: Answer) => ({
  limit: Number(headers.get('ratelimit-limit')),
  left: Number(headers.get('ratelimit-remaining')),
});

/** The answers' results in an order that does not depend on which came first. */
const sorted = (results: readonly object[]): string[] => results.map((result) => JSON.stringify(result)).toSorted();

const which = fc.nat(5);
const place = fc.constantFrom('office' as const, 'elsewhere' as const);

const created = fc
  .record({
    scopes: fc.constantFrom('all' as const, 'reading' as const),
    office: fc.boolean(),
    hours: fc.constantFrom(undefined, undefined, 3),
  })
  .map(({ scopes, office, hours }) => {
    const about = [
      scopes === 'all' ? 'for everything' : 'for reading',
      ...(office ? ['from the office alone'] : []),
      ...(hours ? [`for ${hours} hours`] : []),
    ];
    const told = `a key is created ${about.join(', ')}`;
    return step<Model, Real>(told, async (model, { service, team }) => {
      const expiresAt = hours ? later(service.clock.now(), hoursToMs(hours)) : null;
      const { keys } = await inTheApp(team);
      const { key_id, key } = await keys.create({
        name: 'A key',
        template: scopes === 'all' ? 'all' : 'read_only',
        allowed_ips: office ? ['10.1.0.0/16'] : [],
        expires_at: expiresAt?.toISOString() ?? null,
      });
      const ends = expiresAt?.getTime() ?? Infinity;
      model.keys.push({
        name: `key ${model.keys.length + 1}`,
        id: key_id,
        text: key,
        scopes,
        office,
        expiresAt: ends,
        revoked: false,
        rotated: false,
        budget: new Budget(120),
      });
    });
  });

const hasKeys = ({ keys }: Readonly<Model>): boolean => keys.length > 0;

const rotated = fc.record({ at: which, days: fc.constantFrom(0, 1, 7) }).map(({ at, days }) =>
  step<Model, Real>(
    `key ${at} is rotated with ${days} days of grace`,
    async (model, real) => {
      await awayFromEnds(model, real);
      const key = pick(model.keys, at);
      const rotation = (await inTheApp(real.team)).keys.rotate({ key_id: key.id, grace_days: days });
      if (key.revoked || key.expiresAt <= model.now() || key.rotated) {
        await expectRefusal(rotation, { code: 'conflict' });
        return;
      }
      const { key_id, key: text } = await rotation;
      model.keys.push({ ...key, name: `${key.name} renewed`, id: key_id, text, budget: new Budget(120) });
      key.rotated = true;
      key.revoked = days === 0;
      key.expiresAt = Math.min(key.expiresAt, model.now() + daysToMs(days));
    },
    hasKeys,
  ),
);

const revoked = which.map((at) =>
  step<Model, Real>(
    `key ${at} is revoked`,
    async (model, { team }) => {
      const key = pick(model.keys, at);
      await (await inTheApp(team)).keys.revoke({ key_id: key.id });
      key.revoked = true;
    },
    hasKeys,
  ),
);

const requested = fc
  .record({
    at: which,
    from: place,
    what: fc.constantFrom('GET /me', 'GET /cases/unknown', 'DELETE /cases/unknown'),
    count: fc.constantFrom(1, 1, 2, 9, 30),
  })
  .map(({ at, from, what, count }) =>
    step<Model, Real>(
      `${count} at once from ${from} with key ${at}: ${what}`,
      async (model, real) => {
        await awayFromEnds(model, real);
        const key = pick(model.keys, at);
        const [method = '', path = ''] = what.split(' ');
        const results = Array.from({ length: count }, () => {
          const { refusal, limit, left } = admit(model, key, from);
          const isOutOfScope = method === 'DELETE' && key.scopes === 'reading';
          const code = isOutOfScope ? 'insufficient_scope' : path === '/me' ? undefined : 'not_found';
          return { code: refusal ?? code, limit, left };
        });
        const answers = await Promise.all(results.map(() => send(real, key, from, method, path)));
        expect(sorted(answers.map((answer) => ({ code: codeOf(answer), ...budgetIn(answer) })))).toEqual(
          sorted(results),
        );
      },
      hasKeys,
    ),
  );

const stranger = fc.record({ from: place, count: fc.constantFrom(1, 9) }).map(({ from, count }) =>
  step<Model, Real>(`${count} at once from ${from} without a key`, async (model, real) => {
    await awayFromEnds(model, real);
    const results = Array.from({ length: count }, () => admit(model, undefined, from));
    const answers = await Promise.all(results.map(() => send(real, undefined, from, 'GET', '/me')));
    const wanted = results.map(({ refusal: code, limit, left }) => ({ code, limit, left }));
    expect(sorted(answers.map((answer) => ({ code: codeOf(answer), ...budgetIn(answer) })))).toEqual(sorted(wanted));
  }),
);

/** What a POST of a case has in its body: `incomplete` is refused before the action, `for a stranger` by it. */
const bodies = ['first', 'second', 'for a stranger', 'incomplete'] as const;
type Body = (typeof bodies)[number];

const textOf = (body: Body, { team }: Real): string =>
  JSON.stringify({
    ...(body !== 'incomplete' && { user_id: body === 'for a stranger' ? 'nobody' : team.owner.user_id }),
    title: body,
  });

/** The answer without what each call has of its own. */
const shownIn = ({ body: { request_id: _own, ...shown } }: Answer): object => shown;

/** The result of a POST with an Idempotency-Key whose answer is stored, or that is not understood. */
const repeated = ({ body: first, status, id, shown }: Stored, body: Body): object => {
  if (first !== body) return { code: 'idempotency_mismatch', id: undefined, shown: expect.anything() };
  return { code: status === 201 ? undefined : 'not_found', id, shown, replayed: true };
};

const posted = fc
  .record({
    at: which,
    idempotencyKey: fc.constantFrom('one', 'two'),
    given: fc.oneof(
      { weight: 3, arbitrary: fc.constantFrom(...bodies).map((body) => [body]) },
      { weight: 2, arbitrary: fc.array(fc.constantFrom(...bodies), { minLength: 2, maxLength: 4 }) },
    ),
  })
  .map(({ at, idempotencyKey, given }) =>
    step<Model, Real>(
      `key ${at} sends with Idempotency-Key ${idempotencyKey}: ${given.join(' and at once ')}`,
      async (model, real) => {
        await awayFromEnds(model, real);
        const key = pick(model.keys, at);
        const admitted = given.map(() => admit(model, key, 'office'));
        const headers = { 'Idempotency-Key': idempotencyKey };
        const sent = await Promise.all(
          given.map(async (body) => {
            const answer = await send(real, key, 'office', 'POST', '/cases', { body: textOf(body, real), headers });
            const replayed = answer.headers.get('idempotent-replayed') === 'true';
            const result = { body, code: codeOf(answer), id: answer.body['id'], shown: shownIn(answer) };
            return { result: { ...result, ...(replayed && { replayed }) }, budget: budgetIn(answer) };
          }),
        );
        const answers = sent.map(({ result }) => result);
        // A repeated answer has the budget of its own call.
        expect(sorted(sent.map(({ budget }) => budget))).toEqual(
          sorted(admitted.map(({ limit, left }) => ({ limit, left }))),
        );
        // Which of them came too late for the budget is not known.
        const refused = admitted.flatMap(({ refusal }) => refusal ?? []);
        const isRefused = ({ code }: { code: unknown }) =>
          code === 'rate_limited' || code === 'unauthorized' || code === 'api_disabled';
        expect(
          answers
            .filter(isRefused)
            .map(({ code }) => code)
            .toSorted(),
        ).toEqual(refused.toSorted());

        for (const answer of answers.filter((each) => !isRefused(each))) {
          if (key.scopes === 'reading') expect(answer.code).toBe('insufficient_scope');
          else if (answer.body === 'incomplete') expect(answer.code).toBe('validation_error');
        }
        const understood = answers.filter(
          (answer) => !isRefused(answer) && key.scopes === 'all' && answer.body !== 'incomplete',
        );
        if (understood.length === 0) return;
        let stored = model.answers.get(idempotencyKey);
        let rest = understood;
        if (!stored || stored.until <= model.now()) {
          const ran = understood.filter(
            ({ code, replayed }) => !replayed && (code === undefined || code === 'not_found'),
          );
          expect(ran).toHaveLength(1);
          const [first] = ran;
          if (!first) return;
          expect(first.code).toBe(first.body === 'for a stranger' ? 'not_found' : undefined);
          stored = { ...first, status: first.code === undefined ? 201 : 404, until: model.now() + hoursToMs(24) };
          model.answers.set(idempotencyKey, stored);
          if (first.code === undefined) model.cases.push(first.id);
          // While it ran, the others of the same moment were refused.
          rest = understood.filter((answer) => answer !== first && answer.code !== 'conflict');
        }
        const kept = stored;
        expect(rest).toEqual(rest.map(({ body }) => ({ body, ...repeated(kept, body) })));
      },
      hasKeys,
    ),
  );

const suspended = fc.boolean().map((suspend) =>
  step<Model, Real>(
    suspend ? 'the team is suspended' : 'the team is active again',
    async (model, { team }) => {
      await team.change({ status: suspend ? 'suspended' : 'active' });
      model.suspended = suspend;
    },
    (model) => model.suspended !== suspend,
  ),
);

const limited = fc.constantFrom(40, 150).map((rateLimit) =>
  step<Model, Real>(`the team may make ${rateLimit} requests a minute now`, async (model, { team }) => {
    await team.change({ rateLimit });
    model.team.limit = rateLimit;
  }),
);

const spans = { '25 seconds': 25, 'a minute': 61, '2 hours': 7_200, '23 hours': 82_800, '2 days': 172_800 } as const;
const passed = fc
  .constantFrom('25 seconds' as const, 'a minute' as const, '2 hours' as const, '23 hours' as const, '2 days' as const)
  .map((span) => step<Model, Real>(`${span} pass`, (_model, { forward }) => forward(secondsToMs(spans[span]))));

/** Walks through the life of keys. */
export const walkWithKeys = (runs: number): void =>
  itWalks<Model, Real>('keys, budgets and Idempotency-Keys do what the contract says', runs, {
    steps: [
      [3, created],
      [2, rotated],
      [1, revoked],
      [6, requested],
      [2, stranger],
      [6, posted],
      [1, suspended],
      [2, limited],
      [3, passed],
    ],
    // Some faults need a key whose answer or grace ends before it is used again.
    maxSteps: 30,

    open: async () => {
      const moved = await aMovedService({
        environment: { ANON_RATE_PER_MIN: String(anonymousPerMinute), TRUST_PROXY: '1' },
      });
      let walks = 0;
      return {
        begin: async () => {
          await moved.reset();
          walks += 1;
          // A budget small enough that a walk spends it.
          const rateLimit = 150;
          const team = await aTeam(moved.service, { rateLimit });
          return {
            model: {
              now: () => moved.service.clock.now().getTime(),
              suspended: false,
              team: new Budget(rateLimit),
              addresses: { office: new Budget(anonymousPerMinute), elsewhere: new Budget(anonymousPerMinute) },
              keys: [],
              answers: new Map(),
              cases: [],
            },
            real: {
              ...moved,
              team,
              addresses: {
                office: `10.1.${walks >> 8}.${walks & 255}`,
                elsewhere: `10.2.${walks >> 8}.${walks & 255}`,
              },
            },
          };
        },

        end: async ({ cases }, { team, forward }) => {
          await team.change({ status: 'active' });
          await forward(minutesToMs(2));
          const { data } = await team.client.get('/cases?limit=200');
          expect(data.map(({ id }) => id).toSorted()).toEqual(cases.toSorted());
        },
      };
    },
  });
