import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, it, onTestFinished } from 'vitest';
import { inBatches } from '../../src/core/batch.ts';
import { secondsToMs } from '../../src/core/clock.ts';
import { FairSemaphore } from '../../src/core/fair-semaphore.ts';
import { makeId } from '../../src/core/ids.ts';
import type { Database } from '../../src/db/database.ts';
import { openDeliverer } from '../../src/deliveries/deliver.ts';
import { raise, sweep, type DeliverJob } from '../../src/deliveries/outbox.ts';
import { crmSyncFailed } from '../../src/modules/crm/events.ts';
import { makeAdmission, readKey } from '../../src/modules/keys/admission.ts';
import type { Platform } from '../../src/platform/team.ts';
import { lockTeamShared } from '../../src/platform/team-row.ts';
import { noopTelemetry } from '../../src/platform/telemetry/telemetry.ts';
import { addressBudget, keyBudget, spend, teamBudget, usedOf } from '../support/budgets.ts';
import { anEndpointAt, deliveriesTo, silentLog } from '../support/worker.ts';
import { startTestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';
import { waitingFor } from '../support/webhooks.ts';
import { repeatable } from './walks.ts';

// The same work in every order of its awaits: fast-check's scheduler holds each step, and decides which one goes on.

/** A point at which the scheduler may let others go first. */
const pointOf =
  (s: fc.Scheduler) =>
  (what: string): Promise<void> =>
    s.schedule(Promise.resolve(), what);

/** A database whose statements begin and return when the scheduler says so. */
const scheduled = (s: fc.Scheduler, database: Database, who: string, isDead = () => false): Database => {
  const point = pointOf(s);
  const living = async (what: string) => {
    await point(what);
    if (isDead()) throw new Error(`${who} was killed`);
  };
  const run: Database['run'] = async (query, parameters) => {
    await living(`${who} begins ${query.name}`);
    // Others stay where they are until the database has answered.
    const running = database.run(query, parameters);
    await s.schedule(
      running.then(() => {}),
      `${who} has the rows of ${query.name}`,
    );
    if (isDead()) throw new Error(`${who} was killed`);
    return running;
  };
  return { ...database, run };
};

/** Slots, and the batches of calls: in memory. */
const slotsAndBatches = (runs: number): void => {
  const { title, timeout, parameters } = repeatable(runs);

  it(`no order of tasks exceeds or loses a slot, and all tasks run ${title}`, { timeout }, async () => {
    const task = fc.record({ group: fc.constantFrom('a', 'b', 'c'), fails: fc.boolean() });
    const perGroup = fc.constantFrom(1, 2, 'half' as const);
    const tasks = fc.array(task, { minLength: 1, maxLength: 12 });
    const property = fc.asyncProperty(fc.scheduler(), tasks, perGroup, async (s, wanted, limit) => {
      const slots = 3;
      // A slot that is lost shows as a refusal: without a time-out the task would wait for ever.
      const waiting = { timeoutMs: 20_000, refusal: () => new Error('refused') };
      const semaphore = new FairSemaphore({ slots, perGroup: limit, ...waiting });
      const running: string[] = [];
      const most = limit === 'half' ? 2 : limit;
      const results = wanted.map(({ group, fails }, at) =>
        semaphore.run(group, async () => {
          running.push(group);
          expect(running.length).toBeLessThanOrEqual(slots);
          expect(running.filter((one) => one === group).length).toBeLessThanOrEqual(most);
          await s.schedule(Promise.resolve(), `task ${at} of ${group} ends`);
          running.splice(running.indexOf(group), 1);
          if (fails) throw new Error('failed');
        }),
      );
      const ended = await s.waitFor(Promise.allSettled(results));
      expect(ended.map(({ status }) => status)).toEqual(wanted.map(({ fails }) => (fails ? 'rejected' : 'fulfilled')));
      expect(semaphore.waiting).toBe(0);
      // All slots are free again.
      const releases: (() => void)[] = [];
      for (const group of ['d', 'e', 'f']) releases.push(await semaphore.acquire(group));
      expect(releases).toHaveLength(slots);
    });
    await fc.assert(property, parameters);
  });

  it(
    `no order of calls loses an item, calls for it twice or gives it another one’s result ${title}`,
    { timeout },
    async () => {
      const property = fc.asyncProperty(
        fc.scheduler(),
        fc.array(fc.nat(20), { minLength: 1, maxLength: 8 }),
        fc.constantFrom(0, Infinity),
        async (s, items, nextAfterMs) => {
          const called: number[] = [];
          const double = inBatches(
            async (batch: readonly number[]) => {
              called.push(...batch);
              await s.schedule(Promise.resolve(), `the call for ${batch.join(', ')} ends`);
              if (batch.includes(20)) throw new Error('failed');
              return batch.map((item) => item * 2);
            },
            { max: 3, nextAfterMs },
          );
          const results = items.map(async (item) => {
            await s.schedule(Promise.resolve(), `${item} comes`);
            return double(item).catch(() => 'failed');
          });
          const got = await s.waitFor(Promise.all(results));
          expect(called.toSorted()).toEqual(items.toSorted());
          for (const [at, result] of got.entries()) expect([(items[at] ?? 0) * 2, 'failed']).toContain(result);
          if (!items.includes(20)) expect(got).not.toContain('failed');
          await nextTurn();
        },
      );
      await fc.assert(property, parameters);
    },
  );
};

/** The gate of two processes, for callers of two teams and without keys. */
const gate = (runs: number): void => {
  const { title, timeout, parameters } = repeatable(runs);

  it(`in no order of its calls does the gate admit one request too many or too few ${title}`, { timeout }, async () => {
    const service = await startTestService({ own: true });
    onTestFinished(() => service.close());
    const caller = fc.record({ process: fc.nat(1), key: fc.nat(3) });
    let addresses = 0;
    const property = fc.asyncProperty(
      fc.scheduler(),
      fc.array(caller, { minLength: 2, maxLength: 14 }),
      fc.tuple(fc.nat(4), fc.nat(6)),
      async (s, callers, [roomOfKey, roomOfTeam]) => {
        const limit = 300;
        const teams = [await aTeam(service, { rateLimit: limit }), await aTeam(service, { rateLimit: limit })];
        const [one, other] = teams;
        const keys = [await one?.aKey(), await one?.aKey(), await other?.aKey(), undefined];
        addresses += 1;
        const address = `10.${Math.trunc(addresses / 250)}.${addresses % 250}.1`;
        if (roomOfKey < 4) await spend(service, keyBudget(keys[0]?.id ?? ''), 120 - roomOfKey);
        if (roomOfTeam < 6) await spend(service, teamBudget(one?.id ?? ''), limit - roomOfTeam);
        const gates = [0, 1].map((at) => makeAdmission(scheduled(s, service.database, `process ${at}`), 3));
        const point = pointOf(s);
        const asked = callers.map(async ({ process, key }, at) => {
          await point(`request ${at} with key ${key} comes to process ${process}`);
          const text = keys[key]?.text;
          const decision = await gates[process]?.admit(
            text === undefined ? text : readKey([`Bearer ${text}`]),
            address,
          );
          return { key, outcome: decision?.outcome };
        });
        const decided = await s.waitFor(Promise.all(asked));
        const count = (key: number) => callers.filter((each) => each.key === key).length;
        const got = (key: number, outcome: string) =>
          decided.filter((each) => each.key === key && each.outcome === outcome).length;
        const room = { key: roomOfKey < 4 ? roomOfKey : 120, team: roomOfTeam < 6 ? roomOfTeam : limit };
        const admitted = got(0, 'admitted') + got(1, 'admitted');
        expect(got(0, 'admitted')).toBeLessThanOrEqual(room.key);
        expect(admitted).toBeLessThanOrEqual(room.team);
        // What is refused is refused for a spent budget alone.
        if (got(0, 'limited') > 0) expect([got(0, 'admitted') === room.key, admitted === room.team]).toContain(true);
        if (got(1, 'limited') > 0) expect(admitted).toBe(room.team);
        expect(got(0, 'admitted') + got(0, 'limited')).toBe(count(0));
        expect(got(1, 'admitted') + got(1, 'limited')).toBe(count(1));
        expect(got(2, 'admitted')).toBe(count(2));
        expect([got(3, 'unauthorized'), got(3, 'limited')]).toEqual([Math.min(3, count(3)), Math.max(0, count(3) - 3)]);
        expect(await usedOf(service, teamBudget(one?.id ?? ''))).toBe(
          (roomOfTeam < 6 ? limit - roomOfTeam : 0) + admitted,
        );
        expect(await usedOf(service, addressBudget(address))).toBe(got(3, 'unauthorized'));
      },
    );
    await fc.assert(property, parameters);
  });
};

/** Claims, outcomes, the relay and the sweep. */
const deliveries = (runs: number): void => {
  const { title, timeout, parameters } = repeatable(runs);
  const settings = { concurrency: 8, perEndpoint: 2 };

  it(
    `in no order is a delivery lost, sent twice without a lost outcome, or a slot leaked ${title}`,
    { timeout },
    async () => {
      const service = await startTestService({ own: true });
      onTestFinished(() => service.close());
      const event = fc.record({ relayIsLost: fc.boolean(), answer: fc.constantFrom(200, 200, 500) });
      const property = fc.asyncProperty(
        fc.scheduler(),
        fc.array(event, { minLength: 1, maxLength: 8 }),
        fc.boolean(),
        async (s, events, isKilled) => {
          service.clock.set(new Date());
          const point = pointOf(s);
          const team = await aTeam(service);
          const { id: endpointId } = await anEndpointAt(service, team, 'https://127.0.0.1:1/hooks');
          const answers = events.map(({ answer }) => answer);

          // What the receiver got, and from whom.
          const sent: { id: string; by: string }[] = [];
          let running = 0;
          let mostRunning = 0;
          const post = (who: string): Platform['egress']['post'] => {
            return async ({ body }) => {
              const { id }: { id: string } = JSON.parse(body);
              sent.push({ id, by: who });
              running += 1;
              mostRunning = Math.max(mostRunning, running);
              await point(`${who} gets an answer`);
              running -= 1;
              const code = answers.shift() ?? 200;
              const startedAt = service.clock.now();
              return { startedAt, ms: 1, code, headers: {}, excerpt: '', error: null, fault: null };
            };
          };

          const jobs = new Set<Promise<void>>();
          const dead = new Set<string>();
          const aWorker = (who: string) => {
            const platform: Platform = {
              ...service.platform,
              database: scheduled(s, service.database, who, () => dead.has(who)),
              egress: { ...service.platform.egress, post: post(who) },
              addDeliverJob: async (job) => {
                await point(`${who} adds a job`);
                if (!dead.has(who) && job.inMs <= 0) startJob(job);
              },
            };
            const deliverer = openDeliverer({ platform, log: silentLog, telemetry: noopTelemetry(), settings });
            return { who, deliverer };
          };
          const workers = [aWorker('the first worker'), aWorker('the second worker')];
          let started = 0;
          const startJob = ({ tenantId, endpointId: to }: DeliverJob): void => {
            const living = workers.filter(({ who }) => !dead.has(who));
            started += 1;
            const worker = living[started % living.length];
            const run = async () => {
              await point('a job begins');
              // The job of a killed worker fails.
              await worker?.deliverer.run({ tenantId, endpointId: to }, String(started)).catch(() => {});
            };
            const job = run().finally(() => jobs.delete(job));
            jobs.add(job);
          };

          const raiseOne = async ({ relayIsLost }: { relayIsLost: boolean }) => {
            const relayed = Promise.withResolvers<void>();
            const acting = await team.acting();
            const platform: Platform = {
              ...acting.platform,
              addDeliverJob: async (job) => {
                await point('the relay adds a job');
                if (!relayIsLost) startJob(job);
                relayed.resolve();
              },
            };
            await point('an event is raised');
            await service.database.transaction(async (tx) => {
              const held = await lockTeamShared(tx, { ...acting, platform });
              const data = { connection_id: makeId(), provider: 'hubspot', reason: 'refused' };
              raise(tx, held, crmSyncFailed, { data, personal: {} });
            });
            await relayed.promise;
          };
          const work = async () => {
            await Promise.all(events.map(raiseOne));
            while (jobs.size > 0) await Promise.all(jobs);
          };
          const kill = async () => {
            await point('the first worker is killed');
            dead.add('the first worker');
            workers[0]?.deliverer.stop(0);
          };
          await s.waitFor(Promise.all([work(), ...(isKilled ? [kill()] : [])]));

          // What is left is found by the sweep: jobs of later times are forgotten here.
          for (let sweeps = 0; ; sweeps += 1) {
            const waiting = await waitingFor(service, endpointId);
            if (waiting.length === 0) break;
            expect(sweeps, 'the sweep has found everything by now').toBeLessThan(8);
            const lastDue = Math.max(...waiting.map(({ dueAt }) => dueAt.getTime()));
            service.clock.set(new Date(lastDue + secondsToMs(10)));
            expect(await sweep(service.platform)).toBe(1);
            const added = await service.database.prisma.$executeRaw`
            delete from graphile_worker._private_jobs where key = ${`deliver:${endpointId}`}`;
            expect(added).toBe(1);
            startJob({ tenantId: team.id, endpointId });
            await s.waitFor(
              (async () => {
                while (jobs.size > 0) await Promise.all(jobs);
              })(),
            );
          }
          const made = await deliveriesTo(service, endpointId);
          expect(made.map(({ status }) => status)).toEqual(events.map(() => 'ok'));
          for (const { eventId, attempt } of made) {
            const mine = sent.filter(({ id }) => id === `evt_${eventId.replaceAll('-', '')}`);
            const ofKilled = mine.filter(({ by }) => dead.has(by)).length;
            // The outcome of an attempt is lost if its worker is killed.
            const lost = mine.length - attempt;
            expect(lost).toBeGreaterThanOrEqual(0);
            expect(lost).toBeLessThanOrEqual(Math.min(1, ofKilled));
          }
          expect(running).toBe(0);
          expect(mostRunning, 'attempts at once').toBeLessThanOrEqual(settings.perEndpoint);
        },
      );
      await fc.assert(property, parameters);
    },
  );
};

/** Schedules: `runs` of those with a database, ten times as many in memory. */
export const trySchedules = (runs: number): void => {
  slotsAndBatches(runs * 10);
  gate(runs);
  deliveries(runs);
};
