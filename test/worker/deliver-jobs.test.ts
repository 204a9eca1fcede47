import pino from 'pino';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { openDatabase, type Database } from '../../src/db/database.ts';
import { makeId } from '../../src/core/ids.ts';
import { leaseMs } from '../../src/deliveries/claim.ts';
import { DeliverJob, sweep } from '../../src/deliveries/outbox.ts';
import { later, secondsToMs } from '../../src/core/clock.ts';
import { webhookLimits, workerConnections } from '../../src/core/limits.ts';
import type { Platform } from '../../src/platform/team.ts';
import {
  aDispatcher,
  anEndpointAt,
  anEvent,
  aReceivingEndpoint,
  deliveriesTo,
  forgetDeliveries,
  statusesOf,
  untilAllAre,
  delivererWithoutQueue,
} from '../support/worker.ts';
import { untilLockWaits } from '../support/postgres.ts';
import { useTestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';
import { aDelivery, anEvent as aStoredEvent, waitingFor } from '../support/webhooks.ts';
import { inTheApp } from '../support/app-caller.ts';

const service = await useTestService({ own: true });
const team = await aTeam(service);
/** Resolves when the jobs of all events so far are added: one batch after the other is added. */
const jobsAreAdded = () => service.platform.addDeliverJob({ tenantId: makeId(), endpointId: makeId(), inMs: 0 });
beforeEach(async () => {
  service.clock.set(new Date());
  await jobsAreAdded();
  await forgetDeliveries(service);
});

interface Job {
  id: string;
  key: string | null;
  task: string;
  inMs: number;
  payload: unknown;
}
const jobs = () => service.database.prisma.$queryRaw<Job[]>`
  select job.id::text, job.key, task.identifier as task, payload,
         (extract(epoch from run_at - now()) * 1000)::float8 as "inMs"
    from graphile_worker._private_jobs job join graphile_worker._private_tasks task on task.id = job.task_id
   order by job.id`;
const forgetJobs = () => service.database.prisma.$executeRaw`delete from graphile_worker._private_jobs`;

const settings = { concurrency: 64, perEndpoint: 8 };
const jobOf = (endpointId: string): DeliverJob => ({ tenantId: team.id, endpointId });

/** A receiver that answers when the test says so. */
const aHeldEndpoint = async () => {
  const held = Promise.withResolvers<void>();
  onTestFinished(() => held.resolve());
  const answer = () => held.promise.then(() => ({ status: 200 }));
  return { ...(await aReceivingEndpoint(service, team, { answer })), letGo: () => held.resolve() };
};

/** A deliverer with a list of the jobs that it has added, at a time that stands still. */
const aRecordedDeliverer = async (wanted: typeof settings) => {
  service.clock.stop();
  const added: Parameters<Platform['addDeliverJob']>[0][] = [];
  const addDeliverJob: Platform['addDeliverJob'] = (job) => {
    added.push(job);
    return service.platform.addDeliverJob(job);
  };
  return { deliverer: await delivererWithoutQueue(service, { settings: wanted, addDeliverJob }), added };
};

describe('the job of an endpoint', () => {
  it('is added after the commit, one for each endpoint, however many deliveries wait for it', async () => {
    const ids = [await aReceivingEndpoint(service, team), await aReceivingEndpoint(service, team)].map(({ id }) => id);
    await anEvent(service, team, 20);
    await anEvent(service, team, 1);
    await jobsAreAdded();
    const found = await jobs();
    expect(found.map(({ key }) => key)).toEqual(ids.map((id) => `deliver:${id}`).toSorted());
    expect(found.map(({ task }) => task)).toEqual(['deliver', 'deliver']);
    expect(found.map(({ payload }) => DeliverJob.parse(payload).tenantId)).toEqual([team.id, team.id]);
  });

  it('is a throttled one while the endpoint fails or was slow recently', async () => {
    const endpoints = [await aReceivingEndpoint(service, team), await aReceivingEndpoint(service, team)];
    for (const [index, data] of [{ failingSince: new Date() }, { slowAt: new Date() }].entries()) {
      await service.database.prisma.webhookEndpoint.updateMany({ where: { id: endpoints[index]?.id ?? '' }, data });
    }
    await anEvent(service, team);
    await jobsAreAdded();
    expect((await jobs()).map(({ task }) => task)).toEqual(['deliver_throttled', 'deliver_throttled']);
  });

  const byHand: Readonly<Record<string, (id: string) => Promise<unknown>>> = {
    'a test': (id) => team.client.post(`/webhook-endpoints/${id}/test`),
    'a retry': async (id) => {
      const delivery = await aDelivery(service, team, { endpointId: id, status: 'failed' });
      return team.client.post(`/webhook-deliveries/${delivery}/retry`);
    },
    'a replay': async (endpoint_id) => {
      const event_id = await aStoredEvent(service, team);
      return (await inTheApp(team)).webhookHistory.replay({ event_id, endpoint_id });
    },
    'a recovery': async (id) => {
      await aStoredEvent(service, team, { type: 'crm.sync.failed' });
      const since = later(service.clock.now(), -secondsToMs(60)).toISOString();
      return team.client.post(`/webhook-endpoints/${id}/recover`, { since });
    },
    'the reactivation of an endpoint for which something waits': async (id) => {
      await aDelivery(service, team, { endpointId: id });
      await team.client.patch(`/webhook-endpoints/${id}`, { status: 'disabled' });
      expect(await jobs()).toEqual([]);
      return team.client.patch(`/webhook-endpoints/${id}`, { status: 'active' });
    },
  };

  it.each(Object.entries(byHand))('is added by %s, for now', async (_, act) => {
    const { id } = await aReceivingEndpoint(service, team);
    await act(id);
    await jobsAreAdded();
    const found = await jobs();
    expect(found.map(({ key }) => key)).toEqual([`deliver:${id}`]);
    expect(found[0]?.inMs).toBeLessThanOrEqual(0);
  });

  it('sends the deliveries: while no worker runs nothing arrives', async () => {
    const { receiver, id } = await aReceivingEndpoint(service, team);
    const worker = await aDispatcher(service);
    await anEvent(service, team, 5);
    await receiver.untilReceived(5);
    await worker.stop();

    await anEvent(service, team, 5);
    await expect.poll(async () => (await jobs()).map(({ key }) => key)).toEqual([`deliver:${id}`]);
    expect(receiver.received).toHaveLength(5);
    await aDispatcher(service);
    await receiver.untilReceived(10);
  });

  it('is never postponed by another one: the earliest time counts', async () => {
    const { id } = await aReceivingEndpoint(service, team);
    const inMinutes = async (wanted: number) => {
      await service.platform.addDeliverJob({ ...jobOf(id), inMs: wanted * 60_000 });
      const [job, ...more] = await jobs();
      expect(more).toEqual([]);
      return Math.round((job?.inMs ?? NaN) / 60_000);
    };
    expect(await inMinutes(60)).toBe(60);
    expect(await inMinutes(5)).toBe(5);
    expect(await inMinutes(30)).toBe(5);
  });

  it('is added again for the next attempt of a delivery that failed', async () => {
    const { id } = await aReceivingEndpoint(service, team, { answer: () => ({ status: 500 }) });
    const deliverer = await delivererWithoutQueue(service, { settings });
    await anEvent(service, team, 3);
    await jobsAreAdded();
    await forgetJobs();
    await deliverer.run(jobOf(id), '1');
    expect(await statusesOf(service, id)).toEqual(['failed', 'failed', 'failed']);
    const [job, ...more] = await jobs();
    expect(more).toEqual([]);
    expect(job).toMatchObject({ key: `deliver:${id}`, task: 'deliver_throttled' });
    expect(Math.round((job?.inMs ?? NaN) / 10_000)).toBe(6);
  });

  it('gets in line again after its time, if the backlog is longer', async () => {
    const { receiver, id } = await aReceivingEndpoint(service, team);
    await anEvent(service, team, 60);
    await jobsAreAdded();
    await forgetJobs();
    const now = performance.now.bind(performance);
    const begin = now();
    vi.spyOn(performance, 'now').mockImplementation(() => (receiver.received.length > 0 ? begin + 6_000 : begin));
    const deliverer = await delivererWithoutQueue(service, { settings });
    await deliverer.run(jobOf(id), '1');
    expect(receiver.received).toHaveLength(8);
    expect((await jobs()).map(({ key, inMs }) => [key, inMs <= 0])).toEqual([[`deliver:${id}`, true]]);
  });
});

describe('attempts that get no slot in time', () => {
  it('do not begin, and their deliveries are due as before', async () => {
    const held = await aHeldEndpoint();
    const { deliverer, added } = await aRecordedDeliverer({ ...settings, concurrency: 1 });
    await anEvent(service, team);
    const first = deliverer.run(jobOf(held.id), '1');
    await held.receiver.untilReceived(1);
    const { receiver, id } = await aReceivingEndpoint(service, team);
    await anEvent(service, team);
    const [{ dueAt } = {}] = await waitingFor(service, id);
    await deliverer.run(jobOf(id), '2');
    expect(receiver.received).toEqual([]);
    // It keeps its turn, and how long it waits is known.
    expect(await waitingFor(service, id)).toMatchObject([{ claimId: null, dueAt }]);
    expect(added).toEqual([{ ...jobOf(id), inMs: 1_000 }]);
    held.letGo();
    await first;
  });
});

describe('a process that stands still between a claim and its attempt', () => {
  it.each([
    ['begins no attempt if the claim could end before it', -1, 0],
    ['begins it if the claim lasts as long as an attempt may take', 0, 1],
  ])('%s', async (_, moreMs, sent) => {
    service.clock.stop();
    const { receiver, id } = await aReceivingEndpoint(service, team);
    const left = secondsToMs(webhookLimits.timeoutSeconds) + moreMs;
    const database: Database = {
      ...service.database,
      async run(query, parameters) {
        const rows = await service.database.run(query, parameters);
        if (query.name === 'webhooks.claim') service.clock.forward(leaseMs - left);
        return rows;
      },
    };
    const deliverer = await delivererWithoutQueue(service, { settings, database });
    await anEvent(service, team);
    await deliverer.run(jobOf(id), '1');
    expect(receiver.received).toHaveLength(sent);
    expect(await statusesOf(service, id)).toEqual([sent === 0 ? 'pending' : 'ok']);
    // The claim is given back.
    expect((await waitingFor(service, id)).map(({ claimId }) => claimId)).toEqual(sent === 0 ? [null] : []);
  });
});

describe('the claims of many jobs', () => {
  it('that wait do not delay the outcome of an attempt that ends', async () => {
    // As many connections as a worker has for its deliveries.
    const database = openDatabase(service.databaseUrl, { poolSize: workerConnections.deliveries, lockWaitMs: 0 });
    onTestFinished(() => database.close());
    const deliverer = await delivererWithoutQueue(service, { settings, database });
    const held = await aHeldEndpoint();
    const others: string[] = [];
    while (others.length < 50) others.push((await anEndpointAt(service, team, held.receiver.url)).id);
    await anEvent(service, team);
    const ended = [deliverer.run(jobOf(held.id), 'held')];
    await held.receiver.untilReceived(1);
    await service.database.transaction(async (tx) => {
      await tx.$executeRaw`select from webhook_waiting where endpoint_id <> ${held.id}::uuid for update`;
      ended.push(...others.map((id) => deliverer.run(jobOf(id), id)));
      await untilLockWaits(service, { count: 4 });
      held.letGo();
      await untilAllAre(service, 'ok', held.id, 1);
    });
    await Promise.all(ended);
  });
});

describe('an attempt that takes long', () => {
  it('does not keep a job from getting in line again after its time', async () => {
    let answered = 0;
    const held = Promise.withResolvers<void>();
    onTestFinished(() => held.resolve());
    const { receiver, id } = await aReceivingEndpoint(service, team, {
      async answer() {
        answered += 1;
        if (answered === 1) await held.promise;
        return { status: 200 };
      },
    });
    await anEvent(service, team, 20);
    await jobsAreAdded();
    await forgetJobs();
    const now = performance.now.bind(performance);
    const begin = now();
    vi.spyOn(performance, 'now').mockImplementation(() => (receiver.received.length > 0 ? begin + 6_000 : begin));
    const deliverer = await delivererWithoutQueue(service, { settings });
    const run = deliverer.run(jobOf(id), '1');
    await expect.poll(async () => (await jobs()).map(({ key }) => key)).toEqual([`deliver:${id}`]);
    held.resolve();
    await run;
  });
});

describe('an event that comes while the endpoint’s job runs', () => {
  it('has a job of its own, which sends it if a place is free', async () => {
    const { receiver, id, letGo } = await aHeldEndpoint();
    await aDispatcher(service);
    await anEvent(service, team);
    await receiver.untilReceived(1);
    await anEvent(service, team);
    await receiver.untilReceived(2);
    letGo();
    await untilAllAre(service, 'ok', id, 2);
  });

  it('and finds no free place is sent by the job that has the last one; its own job ends, and comes again in a second', async () => {
    const { receiver, id, letGo } = await aHeldEndpoint();
    const { deliverer, added } = await aRecordedDeliverer({ ...settings, perEndpoint: 1 });
    await anEvent(service, team);
    const first = deliverer.run(jobOf(id), '1');
    await receiver.untilReceived(1);
    await anEvent(service, team);
    await deliverer.run(jobOf(id), '2');
    expect(receiver.received).toHaveLength(1);
    expect(added).toEqual([{ ...jobOf(id), inMs: 1_000 }]);
    letGo();
    await first;
    expect(await statusesOf(service, id)).toEqual(['ok', 'ok']);
  });
});

describe('a worker that stops', () => {
  it('begins no further attempts: what it has claimed is due for others', async () => {
    const held = await aHeldEndpoint();
    const deliverer = await delivererWithoutQueue(service, { settings: { ...settings, concurrency: 1 } });
    await anEvent(service, team);
    const first = deliverer.run(jobOf(held.id), '1');
    await held.receiver.untilReceived(1);
    const { receiver, id } = await aReceivingEndpoint(service, team);
    await forgetJobs();
    await anEvent(service, team);
    await jobsAreAdded();
    await forgetJobs();
    const second = deliverer.run(jobOf(id), '2');
    await expect.poll(async () => (await waitingFor(service, id))[0]?.claimId).not.toBeNull();
    deliverer.stop(0);
    held.letGo();
    await Promise.all([first, second]);
    expect(receiver.received).toEqual([]);
    expect(await waitingFor(service, id)).toMatchObject([{ claimId: null }]);
    const job = (await jobs()).find(({ key }) => key === `deliver:${id}`);
    expect(job?.inMs).toBeLessThan(2_000);
  });
});

describe('a database that fails while outcomes are written', () => {
  /** Fails these statements in the given way, and then no more. */
  const failing = (part: string, times: number, code: string): Database => {
    let left = times;
    return {
      ...service.database,
      run(query, parameters) {
        if (!query.text.includes(part) || left === 0) return service.database.run(query, parameters);
        left -= 1;
        return Promise.reject(Object.assign(new Error(code), { code }));
      },
    };
  };

  it('delays them: nothing is sent twice', async () => {
    const { receiver, id } = await aReceivingEndpoint(service, team);
    const database = failing('insert into webhook_attempt', 3, '57P01');
    const deliverer = await delivererWithoutQueue(service, { settings, database });
    await anEvent(service, team, 5);
    await deliverer.run(jobOf(id), '1');
    expect(receiver.received).toHaveLength(5);
    expect(await statusesOf(service, id)).toEqual(Array(5).fill('ok'));
  });

  it('loses them if the worker gives up: the deliveries are sent again after their leases', async () => {
    const { receiver, id } = await aReceivingEndpoint(service, team);
    const database = failing('insert into webhook_attempt', Infinity, '57P01');
    const lines: unknown[] = [];
    const log = pino({ level: 'error' }, { write: (line) => void lines.push(JSON.parse(line)) });
    const deliverer = await delivererWithoutQueue(service, { settings, database, log });
    await anEvent(service, team);
    const run = deliverer.run(jobOf(id), '1');
    await receiver.untilReceived(1);
    deliverer.stop(0);
    await run;
    expect(await statusesOf(service, id)).toEqual(['pending']);
    const msg: unknown = expect.stringMatching('^the outcome of an attempt is unknown');
    expect(lines).toMatchObject([{ msg, err: { code: '57P01' }, tenant_id: team.id, endpoint_id: id, job_id: '1' }]);
    service.clock.forward(leaseMs + 1);
    await (await delivererWithoutQueue(service, { settings })).run(jobOf(id), '2');
    expect(await statusesOf(service, id)).toEqual(['ok']);
    expect(receiver.received).toHaveLength(2);
  });
});

describe('the sweep', () => {
  const swept = async () => {
    await sweep(service.platform);
    return (await jobs()).map(({ key, inMs }) => [key, inMs <= 0]);
  };
  const anOverdueEndpoint = async () => {
    const endpoint = await aReceivingEndpoint(service, team);
    await anEvent(service, team, 3);
    await jobsAreAdded();
    await forgetJobs();
    return endpoint;
  };

  it('adds the job of an endpoint whose deliveries are overdue for five seconds', async () => {
    const { id } = await anOverdueEndpoint();
    expect(await swept()).toEqual([]);
    service.clock.forward(5_100);
    expect(await swept()).toEqual([[`deliver:${id}`, true]]);
  });

  it('makes a job that waits for later due now, and leaves one alone that waits for a slot', async () => {
    const { id } = await anOverdueEndpoint();
    service.clock.forward(5_100);
    await service.platform.addDeliverJob({ ...jobOf(id), inMs: 3_600_000 });
    expect(await swept()).toEqual([[`deliver:${id}`, true]]);
    const revisions = () => service.database.prisma.$queryRaw`select id, revision from graphile_worker.jobs`;
    const before = await revisions();
    await sweep(service.platform);
    expect(await revisions()).toEqual(before);
  });

  it.each([
    ['leaves an endpoint alone whose job a worker has just fetched', 5, 0],
    ['adds the job of an endpoint whose job was fetched longer ago: its worker may be gone', 7, 1],
  ])('%s', async (_, seconds, added) => {
    const { id } = await anOverdueEndpoint();
    await service.platform.addDeliverJob({ ...jobOf(id), inMs: 0 });
    await service.database.prisma.$executeRaw`
      update graphile_worker._private_jobs set locked_by = 'w', locked_at = now() - ${seconds} * interval '1 second'`;
    service.clock.forward(5_100);
    expect(await sweep(service.platform)).toBe(added);
  });

  it('leaves an endpoint alone to which a job sends, until its lease ends', async () => {
    const { id } = await anOverdueEndpoint();
    const [first] = await waitingFor(service, id);
    const lease = { claimId: id, dueAt: new Date(service.clock.now().getTime() + leaseMs) };
    await service.database.prisma.webhookWaiting.updateMany({
      where: { deliveryId: first?.deliveryId ?? '' },
      data: lease,
    });
    service.clock.forward(5_100);
    expect(await swept()).toEqual([]);
    service.clock.forward(leaseMs);
    expect(await swept()).toEqual([[`deliver:${id}`, true]]);
  });

  it('leaves a disabled endpoint alone, except for what was sent by hand', async () => {
    const { id } = await anOverdueEndpoint();
    const { webhookEndpoint, webhookWaiting } = service.database.prisma;
    await webhookEndpoint.updateMany({ where: { id }, data: { status: 'disabled' } });
    service.clock.forward(5_100);
    expect(await swept()).toEqual([]);
    const [first] = await waitingFor(service, id);
    await webhookWaiting.updateMany({ where: { deliveryId: first?.deliveryId ?? '' }, data: { byHand: true } });
    expect(await swept()).toEqual([[`deliver:${id}`, true]]);
  });

  it('by a worker sends what lost its job', async () => {
    const { receiver, id } = await anOverdueEndpoint();
    await service.database.prisma.webhookWaiting.updateMany({ data: { dueAt: new Date(Date.now() - 6_000) } });
    await aDispatcher(service);
    await receiver.untilReceived(3);
    expect(await deliveriesTo(service, id)).toHaveLength(3);
  });
});
