import fc from 'fast-check';
import { expect, onTestFinished } from 'vitest';
import { z } from 'zod';
import { daysToMs, hoursToMs, minutesToMs, secondsToMs } from '../../src/core/clock.ts';
import { makeId } from '../../src/core/ids.ts';
import { claim, leaseMs } from '../../src/deliveries/claim.ts';
import { longestAttemptMs, sendOnce } from '../../src/deliveries/deliver.ts';
import { sweep } from '../../src/deliveries/outbox.ts';
import { tendEndpoints } from '../../src/modules/webhooks/failing-endpoints.ts';
import type { Platform } from '../../src/platform/team.ts';
import { noopTelemetry } from '../../src/platform/telemetry/telemetry.ts';
import { startDeliveries } from '../../src/worker/deliveries.ts';
import { inTheApp } from '../support/app-caller.ts';
import { aCombination } from '../support/practice.ts';
import { certificates } from '../support/certificates.ts';
import { forgetDeliveries, localEgress, silentLog } from '../support/worker.ts';
import { readToEnd } from '../support/pages.ts';
import { localFeeds, startReceiver, type Receiver } from '../support/receiver.ts';
import { aTeam, anEmail, type TestTeam } from '../support/team.ts';
import { tireless, type Ask } from './client.ts';
import { aMovedService, type MovedService } from './moved-service.ts';
import { itWalks, pick, step } from './walks.ts';

// Endpoints and their deliveries as the contract describes them, with a real worker and real receivers.

const schedule = [
  minutesToMs(1),
  minutesToMs(5),
  minutesToMs(30),
  hoursToMs(2),
  hoursToMs(6),
  hoursToMs(12),
  hoursToMs(24),
];
const pausedAfter = daysToMs(3);
/** After the end of its claim a delivery is found by the sweep. */
const foundAfter = leaseMs + secondsToMs(6);

const types = ['assignment.created', 'assignment.completed', 'member.joined'] as const;
type Type = (typeof types)[number];

/** `subject`: what the event is about, such as an assignment's id. */
interface Event {
  type: Type | 'ping';
  subject: string;
}

const answers = { thanks: 204, 'not found': 404, 'an error': 503, nothing: undefined } as const;
type AnswerKind = keyof typeof answers;

interface Endpoint {
  name: string;
  id: string;
  path: string;
  types: readonly Type[];
  status: 'active' | 'disabled' | 'disabled_failures';
  answer: AnswerKind;
  failingSince: number | undefined;
  /** How many events had been raised when it was created. */
  youngerThan: number;
}

interface Delivery {
  /** Known once it was listed. */
  id: string;
  endpoint: Endpoint;
  event: Event;
  status: 'pending' | 'failed' | 'ok' | 'gave_up';
  attempt: number;
  /** Attempts by the schedule. */
  scheduled: number;
  dueAt: number | undefined;
  byHand: boolean;
  /** What it goes back to if a retry by hand fails. */
  before: { status: 'failed' | 'gave_up'; dueAt: number | undefined } | undefined;
  error: string | undefined;
}

interface Model {
  now: () => number;
  /** When the last attempts were made. */
  attemptedAt: number;
  events: Event[];
  endpoints: Endpoint[];
  /** Of the present endpoints, in the order in which they were made. */
  deliveries: Delivery[];
  /** How often each event arrived at each path. */
  received: Map<string, number>;
  openAssignments: string[];
}

interface Real extends MovedService {
  team: TestTeam;
  ask: Ask;
  platform: Platform;
  receiver: Receiver;
  /** How each path answers. */
  behaviours: Map<string, AnswerKind>;
  combination: object;
  startedAt: Date;
  /** Another worker takes the place of the running one after this. */
  withoutWorker(action: () => Promise<void>): Promise<void>;
}

// The model

const arrival = (path: string, event: Event): string => `${path} ${nameOf(event)}`;

const arrives = ({ received }: Model, { endpoint, event }: Delivery): void => {
  const key = arrival(endpoint.path, event);
  received.set(key, (received.get(key) ?? 0) + 1);
};

const addDelivery = ({ deliveries, now }: Model, endpoint: Endpoint, event: Event): Delivery => {
  const delivery: Delivery = {
    id: '',
    endpoint,
    event,
    status: 'pending',
    attempt: 0,
    scheduled: 0,
    dueAt: now(),
    byHand: event.type === 'ping',
    before: undefined,
    error: undefined,
  };
  deliveries.push(delivery);
  return delivery;
};

const raise = (model: Model, event: Event): void => {
  model.events.push(event);
  for (const endpoint of model.endpoints) {
    const isSubscribed = endpoint.types.some((type) => type === event.type);
    if (endpoint.status === 'active' && isSubscribed) addDelivery(model, endpoint, event);
  }
};

const attempt = (model: Model, delivery: Delivery): void => {
  const { endpoint, event, before } = delivery;
  arrives(model, delivery);
  delivery.attempt += 1;
  if (!before) delivery.scheduled += 1;
  Object.assign(delivery, { dueAt: undefined, byHand: false, before: undefined, error: undefined });
  if (endpoint.answer === 'thanks') {
    delivery.status = 'ok';
    endpoint.failingSince = undefined;
    return;
  }
  endpoint.failingSince ??= model.now();
  const pause = schedule[delivery.scheduled - 1];
  const isForgotten =
    endpoint.status === 'disabled_failures' || (endpoint.status === 'disabled' && event.type === 'ping');
  if (isForgotten) delivery.status = 'gave_up';
  else if (before) Object.assign(delivery, before);
  else if (pause === undefined) delivery.status = 'gave_up';
  else Object.assign(delivery, { status: 'failed', dueAt: model.now() + pause });
};

const isSent = ({ byHand, endpoint, dueAt }: Delivery): boolean =>
  dueAt !== undefined && (byHand || endpoint.status === 'active');

const attemptDue = (model: Model): void => {
  model.attemptedAt = model.now();
  const due = model.deliveries.filter((delivery) => isSent(delivery) && (delivery.dueAt ?? 0) <= model.now());
  for (const delivery of due) attempt(model, delivery);
};

const pauseSilent = ({ endpoints, deliveries, now }: Model): void => {
  for (const endpoint of endpoints) {
    const isSilent = endpoint.status === 'active' && now() - (endpoint.failingSince ?? Infinity) >= pausedAfter;
    if (!isSilent) continue;
    endpoint.status = 'disabled_failures';
    for (const delivery of deliveries) {
      if (delivery.endpoint !== endpoint || delivery.dueAt === undefined || delivery.byHand) continue;
      Object.assign(delivery, { status: 'gave_up', dueAt: undefined, error: 'endpoint paused' });
    }
  }
};

/** The moments at which an attempt is due or an endpoint is paused. */
const momentsOf = ({ endpoints, deliveries }: Model): number[] => [
  ...endpoints.flatMap(({ status, failingSince }) =>
    status === 'active' && failingSince !== undefined ? [failingSince + pausedAfter] : [],
  ),
  ...deliveries.filter(isSent).flatMap(({ dueAt }) => dueAt ?? []),
];

/** This time or a later one, so that nothing becomes due while the next requests and attempts run. */
const quietFrom = (time: number, moments: readonly number[]): number => {
  const next = moments.find((moment) => moment > time && moment < time + secondsToMs(30));
  return next === undefined ? time : quietFrom(next + secondsToMs(1), moments);
};

// The service

const isDueJob = `select 1 from graphile_worker.jobs where key like 'deliver:%' and run_at <= now()`;

/** Looks often, because a walk waits hundreds of times. */
const untilTrue = (condition: () => Promise<boolean>) => expect.poll(condition, { interval: 2 }).toBe(true);

/** Waits until the worker has sent what is due. */
const settle = async ({ sql, service }: Real): Promise<void> => {
  const isSettled = async () => {
    const { rows } = await sql.query(
      `select 1 from webhook_waiting w join webhook_endpoint e on e.id = w.endpoint_id
        where (e.status = 'active' or w.by_hand) and (w.claim_id is not null or w.due_at <= $1)
       union all ${isDueJob}`,
      [service.clock.now()],
    );
    return rows.length === 0;
  };
  await untilTrue(async () => {
    if (await isSettled()) return true;
    // The worker looks for jobs that are due later a few times a second.
    await sql.query(`select pg_notify('jobs:insert', '{"count":8}')`);
    return false;
  });
};

/** Waits until the worker has run the jobs whose time has come. */
const untilNoJobIsDue = async ({ sql }: Real): Promise<void> => {
  await untilTrue(async () => (await sql.query(isDueJob)).rows.length === 0);
};

/** Does what the worker does every few seconds, so that no walk waits for it. */
const tend = async (real: Real): Promise<void> => {
  await tendEndpoints(real.platform, (error) => {
    throw error;
  });
  await settle(real);
};

const Listed = z.object({
  id: z.string(),
  event_id: z.string(),
  status: z.string(),
  attempt: z.number(),
  next_try_at: z.string().nullable(),
  error: z.string().nullable(),
});

const subjectIn = {
  'assignment.created': 'assignment_id',
  'assignment.completed': 'assignment_id',
  'member.joined': 'member_id',
  ping: 'endpoint_id',
} as const;

const Sent = z.object({ id: z.string(), type: z.enum([...types, 'ping']), data: z.record(z.string(), z.unknown()) });

const eventOf = ({ type, data }: Pick<z.output<typeof Sent>, 'type' | 'data'>): Event => ({
  type,
  subject: String(data[subjectIn[type]]),
});
const nameOf = ({ type, subject }: Event): string => `${type} ${subject}`;

/** By how much clocks and rounding may differ. */
const tolerance = secondsToMs(1);

/** The service has the model's endpoints and deliveries, and the receivers got what they must have got. */
const compare = async (model: Model, real: Real): Promise<void> => {
  const { ask, receiver } = real;
  const [{ data: endpoints }, ...deliveriesOf] = await Promise.all([
    ask('GET', '/webhook-endpoints'),
    ...model.endpoints.map(({ id }) => ask('GET', `/webhook-endpoints/${id}/deliveries?limit=200`)),
  ]);
  expect(endpoints.map(({ id, status }) => ({ id, status })).toReversed()).toEqual(
    model.endpoints.map(({ id, status }) => ({ id, status })),
  );
  const requests = receiver.received.map(({ path, body }) => ({ path, sent: Sent.parse(JSON.parse(body)) }));
  const came = Map.groupBy(requests, ({ path, sent }) => arrival(path, eventOf(sent)));
  const counts = Object.fromEntries(Array.from(came, ([key, some]) => [key, some.length]));
  expect(counts).toEqual(Object.fromEntries(model.received));

  const names = new Map(requests.map(({ sent }) => [sent.id, nameOf(eventOf(sent))]));
  for (const [at, endpoint] of model.endpoints.entries()) {
    const { data } = deliveriesOf[at] ?? expect.fail('it was not asked for');
    // By their events, because some are raised at once; those of the same event in the order of their creation.
    const listed = data
      .map((row) => Listed.parse(row))
      .map((row) => ({ ...row, name: names.get(row.event_id) ?? row.event_id }))
      .toReversed()
      .toSorted(byName);
    const wanted = model.deliveries
      .filter((delivery) => delivery.endpoint === endpoint)
      .map((delivery) => ({ delivery, name: nameOf(delivery.event) }))
      .toSorted(byName);
    expect(listed.map(({ name, status, attempt }) => `${name} is ${status} after ${attempt}`)).toEqual(
      wanted.map(({ name, delivery: { status, attempt } }) => `${name} is ${status} after ${attempt}`),
    );
    for (const [row, { delivery, name }] of wanted.entries()) {
      const { id, next_try_at, error } = listed[row] ?? expect.fail('there is no such delivery');
      delivery.id = id;
      if (delivery.error !== undefined) expect(error).toBe(delivery.error);
      if (delivery.status !== 'failed') expect(next_try_at).toBeNull();
      else {
        const next = Date.parse(next_try_at ?? '');
        expectTime(model, `${name} is tried again`, next, delivery.dueAt ?? 0);
        delivery.dueAt = next;
      }
    }
  }
  await learnFailures(model, real);
};

/** A time that follows from the last attempts, which were made at some time since the model made them. */
const expectTime = (model: Model, what: string, found: number, wanted: number): void => {
  const sinceThen = model.now() - model.attemptedAt;
  expect(found - wanted, `${what} at ${found}, not before ${wanted}`).toBeGreaterThan(-tolerance);
  expect(found - wanted, `${what} at ${found}, not after ${wanted}`).toBeLessThan(sinceThen + tolerance);
};

/** Since when endpoints fail, to the millisecond: it decides days later when each is paused. */
const learnFailures = async (model: Model, { sql, team }: Real): Promise<void> => {
  const failing = model.endpoints.filter(({ status, failingSince }) => status === 'active' && failingSince);
  if (failing.length === 0) return;
  const { rows } = await sql.query<{ id: string; failing_since: Date }>(
    'select id, failing_since from webhook_endpoint where tenant_id = $1 and failing_since is not null',
    [team.id],
  );
  for (const endpoint of failing) {
    const { failing_since } = rows.find(({ id }) => id === endpoint.id) ?? expect.fail(`${endpoint.name} fails`);
    expectTime(model, `${endpoint.name} fails`, failing_since.getTime(), endpoint.failingSince ?? 0);
    endpoint.failingSince = failing_since.getTime();
  }
};

const byName = (a: { name: string }, b: { name: string }): number => a.name.localeCompare(b.name);

/** Lets time pass, from one moment to the next at which something is due. */
const pass = async (model: Model, real: Real, span: number): Promise<void> => {
  const until = model.now() + span;
  for (;;) {
    const moments = momentsOf(model);
    const time = quietFrom(Math.min(until, ...moments.map((moment) => moment + secondsToMs(1))), moments);
    await real.forward(Math.max(0, time - model.now()));
    attemptDue(model);
    await sweep(real.platform);
    await settle(real);
    pauseSilent(model);
    await tend(real);
    await compare(model, real);
    if (time >= until) return;
  }
};

// The steps

/** A step, after which the worker sends what is due, and the service is compared with the model. */
const doing = (
  told: string,
  run: (model: Model, real: Real) => Promise<void>,
  isPossible?: (model: Readonly<Model>) => boolean,
) =>
  step<Model, Real>(
    told,
    async (model, real) => {
      const quiet = quietFrom(model.now(), momentsOf(model));
      if (quiet > model.now()) await pass(model, real, quiet - model.now());
      await run(model, real);
      attemptDue(model);
      await settle(real);
      await compare(model, real);
    },
    isPossible,
  );

const which = fc.nat(11);
const hasEndpoints = ({ endpoints }: Readonly<Model>): boolean => endpoints.length > 0;
const hasDeliveries = ({ deliveries }: Readonly<Model>): boolean => deliveries.length > 0;
const hasEvents = ({ events, endpoints }: Readonly<Model>): boolean =>
  endpoints.length > 0 && events.some(({ type }) => type !== 'ping');

const someTypes = fc.constantFrom<readonly Type[]>(
  types,
  ['assignment.created'],
  ['assignment.completed', 'member.joined'],
);
const answerKind = fc.constantFrom<AnswerKind>('thanks', 'not found', 'an error', 'nothing');

const endpointMade = fc.record({ wanted: someTypes, answer: answerKind }).map(({ wanted, answer }) =>
  doing(
    `an endpoint for ${wanted.join(', ')} is created, which answers ${answer}`,
    async (model, { ask, receiver, behaviours }) => {
      const path = `/${behaviours.size}`;
      behaviours.set(path, answer);
      const { body } = await ask('POST', '/webhook-endpoints', { url: `${receiver.url}${path}`, events: wanted });
      const name = `endpoint ${model.endpoints.length}`;
      model.endpoints.push({
        name,
        id: String(body['id']),
        path,
        types: wanted,
        status: 'active',
        answer,
        failingSince: undefined,
        youngerThan: model.events.length,
      });
    },
    ({ endpoints }) => endpoints.length < 3,
  ),
);

const receiverChanged = fc.record({ at: which, answer: answerKind }).map(({ at, answer }) =>
  doing(
    `the receiver of endpoint ${at} now answers ${answer}`,
    async ({ endpoints }, { behaviours }) => {
      const endpoint = pick(endpoints, at);
      endpoint.answer = answer;
      behaviours.set(endpoint.path, answer);
    },
    hasEndpoints,
  ),
);

const createAssignment = async (model: Model, { ask, team, combination }: Real): Promise<void> => {
  const member_id = team.owner.member_id;
  const { body } = await ask('POST', '/assignments', { member_id, title: 'Practise', ...combination });
  const subject = String(body['id']);
  model.openAssignments.push(subject);
  raise(model, { type: 'assignment.created', subject });
};

const assigned = fc.constantFrom(1, 1, 5).map((count) =>
  doing(`${count} assignments are created at once`, async (model, real) => {
    await Promise.all(Array.from({ length: count }, () => createAssignment(model, real)));
  }),
);

const completed = fc.constant(
  doing(
    'an assignment is completed',
    async (model, { ask }) => {
      const subject = model.openAssignments.pop() ?? '';
      await ask('PATCH', `/assignments/${subject}`, { status: 'done' });
      raise(model, { type: 'assignment.completed', subject });
    },
    ({ openAssignments }) => openAssignments.length > 0,
  ),
);

const invited = fc.constant(
  doing('somebody is invited', async (model, { ask }) => {
    const { body } = await ask('POST', '/users', { email: anEmail('invited') });
    raise(model, { type: 'member.joined', subject: String(body['id']) });
  }),
);

const tested = which.map((at) =>
  doing(
    `endpoint ${at} is tested`,
    async (model, { ask }) => {
      const endpoint = pick(model.endpoints, at);
      await ask('POST', `/webhook-endpoints/${endpoint.id}/test`);
      const event: Event = { type: 'ping', subject: endpoint.id };
      model.events.push(event);
      addDelivery(model, endpoint, event);
    },
    hasEndpoints,
  ),
);

const retried = which.map((at) =>
  doing(
    `delivery ${at} is retried by hand`,
    async (model, { ask }) => {
      const delivery = pick(model.deliveries, at);
      const { status, dueAt } = delivery;
      const answer = await ask('POST', `/webhook-deliveries/${delivery.id}/retry`);
      if (status === 'ok' || status === 'pending') {
        expect(answer).toBeProblem('validation_error', { field: 'status' });
        return;
      }
      expect(answer.status).toBe(202);
      Object.assign(delivery, { status: 'pending', dueAt: model.now(), byHand: true, before: { status, dueAt } });
    },
    hasDeliveries,
  ),
);

const recovered = fc.tuple(which, fc.boolean(), fc.boolean()).map(([at, includeOlder, isDryRun]) =>
  doing(
    `endpoint ${at} ${isDryRun ? 'counts' : 'recovers'} what it missed${includeOlder ? ', with what is older' : ''}`,
    async (model, { ask, startedAt }) => {
      const endpoint = pick(model.endpoints, at);
      const answer = await ask('POST', `/webhook-endpoints/${endpoint.id}/recover`, {
        since: startedAt.toISOString(),
        include_older: includeOlder,
        dry_run: isDryRun,
      });
      if (endpoint.status !== 'active') {
        expect(answer).toBeProblem('validation_error', { field: 'status' });
        return;
      }
      const isThere = (event: Event) =>
        model.deliveries.some((one) => one.endpoint === endpoint && one.event === event && one.status !== 'gave_up');
      const isMissed = (event: Event) => endpoint.types.some((type) => type === event.type) && !isThere(event);
      const older = model.events.slice(0, endpoint.youngerThan).filter(isMissed);
      const newer = model.events.slice(endpoint.youngerThan).filter(isMissed);
      const found = includeOlder ? [...older, ...newer] : newer;
      expect(answer.body).toEqual({ recovered: found.length, older: older.length, more: false });
      if (!isDryRun) for (const event of found) addDelivery(model, endpoint, event);
    },
    hasEndpoints,
  ),
);

const replayed = fc.record({ at: which, event: which }).map(({ at, event: eventAt }) =>
  doing(
    `event ${eventAt} is replayed to endpoint ${at}`,
    async (model, { team, ask }) => {
      const endpoint = pick(model.endpoints, at);
      const event = pick(
        model.events.filter(({ type }) => type !== 'ping'),
        eventAt,
      );
      const { events } = await readToEnd(await ask.client(), { limit: 200 });
      const isIt = (one: object): boolean => {
        const { data: sent } = Sent.safeParse(one);
        return sent !== undefined && nameOf(eventOf(sent)) === nameOf(event);
      };
      const found = events.find(isIt) ?? expect.fail('the event is not in the feed');
      const replaying = (await inTheApp(team)).webhookHistory.replay({ event_id: found.id, endpoint_id: endpoint.id });
      if (endpoint.status !== 'active') {
        await expect(replaying).rejects.toMatchObject({ cause: { code: 'validation_error' } });
        return;
      }
      await replaying;
      addDelivery(model, endpoint, event);
    },
    hasEvents,
  ),
);

const switched = fc
  .record({ at: which, to: fc.constantFrom('active' as const, 'disabled' as const) })
  .map(({ at, to }) =>
    doing(
      `endpoint ${at} becomes ${to}`,
      async (model, { ask }) => {
        const endpoint = pick(model.endpoints, at);
        await ask('PATCH', `/webhook-endpoints/${endpoint.id}`, { status: to });
        if (endpoint.status === to) return;
        endpoint.status = to;
        if (to === 'active') endpoint.failingSince = undefined;
      },
      hasEndpoints,
    ),
  );

const changed = fc.record({ at: which, wanted: someTypes, moved: fc.boolean() }).map(({ at, wanted, moved }) =>
  doing(
    `endpoint ${at} ${moved ? 'moves to another URL and ' : ''}subscribes to ${wanted.join(', ')}`,
    async (model, { ask, receiver, behaviours }) => {
      const endpoint = pick(model.endpoints, at);
      if (moved) {
        endpoint.path = `/${behaviours.size}`;
        behaviours.set(endpoint.path, endpoint.answer);
      }
      endpoint.types = wanted;
      const change = { events: wanted, url: `${receiver.url}${endpoint.path}` };
      await ask('PATCH', `/webhook-endpoints/${endpoint.id}`, change);
    },
    hasEndpoints,
  ),
);

const deleted = which.map((at) =>
  doing(
    `endpoint ${at} is deleted`,
    async (model, { ask }) => {
      const endpoint = pick(model.endpoints, at);
      await ask('DELETE', `/webhook-endpoints/${endpoint.id}`);
      model.endpoints = model.endpoints.filter((one) => one !== endpoint);
      model.deliveries = model.deliveries.filter((one) => one.endpoint !== endpoint);
      expect(await ask('GET', `/webhook-endpoints/${endpoint.id}/deliveries`)).toBeProblem('not_found');
    },
    hasEndpoints,
  ),
);

const killed = fc.boolean().map((hasSent) =>
  doing(
    `a worker that sends a new assignment’s event is killed ${hasSent ? 'after' : 'before'} that`,
    async (model, real) => {
      const { platform, team } = real;
      let claimedAt = 0;
      await real.withoutWorker(async () => {
        await createAssignment(model, real);
        claimedAt = model.now();
        for (const endpoint of model.endpoints) {
          const mine = model.deliveries.filter(
            (one) => one.endpoint === endpoint && isSent(one) && (one.dueAt ?? 0) <= model.now(),
          );
          const wanted = { tenantId: team.id, endpointId: endpoint.id, claimId: makeId(), perEndpoint: 8 };
          const { claimed } = await claim(platform, wanted);
          expect(claimed).toHaveLength(mine.length);
          for (const delivery of mine) {
            delivery.dueAt = model.now() + foundAfter;
            if (hasSent) arrives(model, delivery);
          }
          if (!hasSent) continue;
          const failed = (error: unknown) => expect.fail(String(error));
          await Promise.all(claimed.map((one) => sendOnce(platform, one, failed)));
        }
      });
      await untilNoJobIsDue(real);
      // As long as an attempt may take, nobody else may send them. On a busy machine, a part of that time is over by now.
      await real.forward(Math.max(0, claimedAt + longestAttemptMs - model.now()));
      expect(await sweep(platform), 'jobs that the sweep finds lost').toBe(0);
      await pass(model, real, minutesToMs(1));
    },
  ),
);

const spans = {
  '7 minutes': minutesToMs(7),
  '50 minutes': minutesToMs(50),
  '5 hours': hoursToMs(5),
  '30 hours': hoursToMs(30),
  '80 hours': hoursToMs(80),
} as const;
const passed = fc
  .constantFrom(
    '7 minutes' as const,
    '50 minutes' as const,
    '5 hours' as const,
    '30 hours' as const,
    '80 hours' as const,
  )
  .map((span) => doing(`${span} pass`, (model, real) => pass(model, real, spans[span])));

/** Opens a service with a worker whose walks each have a receiver of their own. */
const open = async () => {
  const moved = await aMovedService({ environment: localFeeds((await certificates()).caFile()) });
  const { service } = moved;
  const combination = await aCombination(service);
  const platform = { ...service.platform, egress: await localEgress(service) };
  const startWorker = () =>
    startDeliveries({
      platform,
      databaseUrl: service.databaseUrl,
      log: silentLog,
      telemetry: noopTelemetry(),
      settings: { concurrency: 16, perEndpoint: 8 },
    });
  let worker = startWorker();
  onTestFinished(() => worker.stop());
  const withoutWorker = async (action: () => Promise<void>) => {
    await worker.stop();
    await action();
    worker = startWorker();
  };
  let closeReceiver = async (): Promise<void> => {};
  onTestFinished(() => closeReceiver());

  const begin = async (): Promise<{ model: Model; real: Real }> => {
    await forgetDeliveries(service);
    await moved.reset();
    await closeReceiver();
    const behaviours = new Map<string, AnswerKind>();
    const receiver = await startReceiver({
      answer: ({ path }) => {
        const status = answers[behaviours.get(path) ?? 'thanks'];
        // A request that gets nothing on a connection that was used before is sent once more, which is no new attempt.
        return status === undefined ? 'reset' : { status, headers: { connection: 'close' } };
      },
    });
    closeReceiver = receiver.close;
    const team = await aTeam(service);
    return {
      model: {
        now: () => service.clock.now().getTime(),
        attemptedAt: 0,
        events: [],
        endpoints: [],
        deliveries: [],
        received: new Map(),
        openAssignments: [],
      },
      real: {
        ...moved,
        platform,
        withoutWorker,
        receiver,
        team,
        ask: tireless(team),
        behaviours,
        combination,
        startedAt: service.clock.now(),
      },
    };
  };
  return { begin };
};

/** Walks through the life of endpoints and their deliveries. */
export const walkWithDeliveries = (runs: number): void =>
  itWalks<Model, Real>('endpoints and deliveries do what the contract says', runs, {
    steps: [
      [3, endpointMade],
      [3, receiverChanged],
      [4, assigned],
      [2, completed],
      [1, invited],
      [1, tested],
      [2, retried],
      [1, recovered],
      [1, replayed],
      [2, switched],
      [1, changed],
      [1, deleted],
      [1, killed],
      [5, passed],
    ],
    maxSteps: 20,
    open,
  });
