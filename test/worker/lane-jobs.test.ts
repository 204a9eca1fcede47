import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { openDatabase } from '../../src/db/database.ts';
import type { Database } from '../../src/db/database.ts';
import { noopTelemetry } from '../../src/telemetry/telemetry.ts';
import { LaneJob, scheduleLanes, startFeeder } from '../../src/webhooks/feeder.ts';
import { openLanes } from '../../src/webhooks/lane.ts';
import { freeAbandonedJobs } from '../../src/worker/abandoned-jobs.ts';
import { startLaneRunner } from '../../src/worker/deliveries.ts';
import {
  anEvent,
  aReceivingEndpoint,
  deliveriesTo,
  forgetDeliveries,
  localEgress,
  waitingFor,
} from '../support/deliveries.ts';
import { eventually } from '../support/eventually.ts';
import { startTestService } from '../support/service.ts';
import type { TestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';
import type { TestTeam } from '../support/team.ts';
import { aRun, lanesWithoutRunner, silentLog } from '../support/worker.ts';

let service: TestService;
let team: TestTeam;
let database: Database;
beforeAll(async () => {
  service = await startTestService({ own: true });
  team = await aTeam(service);
  database = openDatabase(service.databaseUrl, { poolSize: 5, queue: true });
});
afterAll(async () => {
  await database.close();
  await service.close();
});
beforeEach(() => forgetDeliveries(service));

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

const settings = { retrySeconds: [60], concurrency: 64, perEndpoint: 8 };

const withoutRunner = () => lanesWithoutRunner(service, { database, settings });

describe('a lane’s job', () => {
  it('is added by the feeder, one for each endpoint, however many deliveries wait for it', async () => {
    const [one, other] = [await aReceivingEndpoint(service, team), await aReceivingEndpoint(service, team)];
    await anEvent(service, team, 20);
    await withoutRunner();
    await eventually(async () => expect(await jobs()).toHaveLength(2));
    const found = await jobs();
    expect(found.map(({ key }) => key)).toEqual([one.id, other.id].map((id) => `deliver:${id}`).toSorted());
    expect(found.map(({ task }) => task)).toEqual(['deliver', 'deliver']);
    expect(found.map(({ payload }) => LaneJob.parse(payload).host)).toEqual(['127.0.0.1', '127.0.0.1']);
    await eventually(async () => {
      const rows = await service.database.prisma.webhookWaiting.findMany();
      expect(rows.map(({ hasJob }) => hasJob)).toEqual(Array(40).fill(true));
    });
    expect(await jobs()).toHaveLength(2);
  });

  it('is a throttled one while the endpoint fails or was slow recently', async () => {
    const endpoints = [await aReceivingEndpoint(service, team), await aReceivingEndpoint(service, team)];
    for (const [index, data] of [{ failingSince: new Date() }, { slowAt: new Date() }].entries()) {
      await service.database.prisma.webhookEndpoint.updateMany({ where: { id: endpoints[index]?.id ?? '' }, data });
    }
    await anEvent(service, team);
    await withoutRunner();
    await eventually(async () => expect(await jobs()).toHaveLength(2));
    expect((await jobs()).map(({ task }) => task)).toEqual(['deliver_throttled', 'deliver_throttled']);
  });

  it('sends the deliveries: while its runner is stopped nothing arrives', async () => {
    const { receiver, id } = await aReceivingEndpoint(service, team);
    const lanes = await withoutRunner();
    await anEvent(service, team, 5);
    await eventually(async () => expect(await jobs()).toHaveLength(1));
    const parts = {
      lanes,
      database,
      databaseUrl: service.databaseUrl,
      log: silentLog,
      telemetry: noopTelemetry(),
      concurrency: 64,
    };
    const runner = startLaneRunner({ ...parts, kind: 'usual' });
    onTestFinished(() => runner.stop());
    await receiver.untilReceived(5);
    await runner.stop();

    await anEvent(service, team, 5);
    await eventually(async () => {
      expect((await jobs()).map(({ key }) => key)).toEqual([`deliver:${id}`]);
      expect((await waitingFor(service, id)).map(({ hasJob }) => hasJob)).toEqual(Array(5).fill(true));
    });
    expect(receiver.received).toHaveLength(5);
    const another = startLaneRunner({ ...parts, kind: 'usual' });
    onTestFinished(() => another.stop());
    await receiver.untilReceived(10);
  });

  it('is never postponed by another one: the earliest time counts', async () => {
    const { id } = await aReceivingEndpoint(service, team);
    const inMs = async (wanted: number) => {
      await scheduleLanes(database, [{ tenantId: team.id, endpointId: id, inMs: wanted }]);
      const [job, ...more] = await jobs();
      expect(more).toEqual([]);
      return Math.round((job?.inMs ?? NaN) / 60_000);
    };
    const minutes = (count: number) => count * 60_000;
    expect(await inMs(minutes(60))).toBe(60);
    expect(await inMs(minutes(5))).toBe(5);
    expect(await inMs(minutes(30))).toBe(5);
  });

  it('that lost its key to a second one is run again when its worker has died', async () => {
    const { id } = await aReceivingEndpoint(service, team);
    const schedule = () => scheduleLanes(database, [{ tenantId: team.id, endpointId: id, inMs: 0 }]);
    await schedule();
    await service.database.prisma.$executeRaw`
      update graphile_worker._private_jobs set locked_by = 'dead', locked_at = now() - interval '20 seconds', attempts = 1`;
    await schedule();
    const [first] = await jobs();
    expect(first?.key).toBeNull();
    await freeAbandonedJobs(service.database);
    const available = await service.database.prisma.$queryRaw<{ id: string }[]>`
      select id::text from graphile_worker._private_jobs where is_available order by id`;
    expect(available.map((job) => job.id)).toEqual((await jobs()).map((job) => job.id));
    expect(available).toHaveLength(2);
  });
});

describe('new rows of a lane that runs in another process', () => {
  /** A feeder without lanes of its own, and the number of its statements so far. */
  const aFeeder = () => {
    const looks = { begun: 0 };
    const lanes = {
      endpointIds() {
        looks.begun += 1;
        return [];
      },
      justEnded: () => [],
      lookAgain: () => true,
    };
    const feeder = startFeeder({ platform: { ...service.platform, database }, log: silentLog, lanes });
    onTestFinished(() => feeder.stop());
    return looks;
  };
  const runElsewhere = async (endpointId: string, seconds: number) => {
    await scheduleLanes(database, [{ tenantId: team.id, endpointId, inMs: 0 }]);
    await service.database.prisma.$executeRaw`
      update graphile_worker._private_jobs set locked_by = 'another', locked_at = now() - make_interval(secs => ${seconds}), attempts = 1`;
  };

  it('are left to it, and get a job when it has ended', async () => {
    const { id } = await aReceivingEndpoint(service, team);
    await runElsewhere(id, 0);
    await anEvent(service, team);
    const looks = aFeeder();
    await eventually(() => expect(looks.begun).toBeGreaterThan(2));
    expect(await jobs()).toHaveLength(1);
    expect((await waitingFor(service, id)).map(({ hasJob }) => hasJob)).toEqual([false]);
    await service.database.prisma.$executeRaw`delete from graphile_worker._private_jobs`;
    await eventually(async () => expect((await jobs()).map(({ key }) => key)).toEqual([`deliver:${id}`]));
    expect((await waitingFor(service, id)).map(({ hasJob }) => hasJob)).toEqual([true]);
  });

  it('get another job if it has run for long, because its worker may be lost', async () => {
    const { id } = await aReceivingEndpoint(service, team);
    await runElsewhere(id, 6);
    await anEvent(service, team);
    aFeeder();
    await eventually(async () => expect((await jobs()).map(({ key }) => key)).toEqual([null, `deliver:${id}`]));
  });
});

describe('a new row and a lane that ends at the same moment', () => {
  /** Lanes, and what happens in them when the outcome of an attempt is passed on: nothing else is in flight then, so the lane is about to end. */
  const lanesThatEnd = async (onEnd: () => void) => {
    const platform = { ...service.platform, database, egress: await localEgress(service) };
    const { meter, ...telemetry } = noopTelemetry();
    const lanes = openLanes({
      platform,
      log: silentLog,
      telemetry: { ...telemetry, meter: { ...meter, attempt: onEnd } },
      settings,
    });
    onTestFinished(() => lanes.stop());
    return lanes;
  };
  const jobOf = (endpointId: string): LaneJob => ({
    tenantId: team.id,
    endpointId,
    host: '127.0.0.1',
    throttled: false,
  });

  it('reported before its end: the lane claims once more, and only then ends', async () => {
    // The second event is raised during the only attempt, which was the only thing that the lane had found.
    const answer = async () => {
      if (receiver.received.length === 1) await anEvent(service, team);
      return { status: 200 };
    };
    const { receiver, id } = await aReceivingEndpoint(service, team, { answer });
    await anEvent(service, team);
    const reports: boolean[] = [];
    const lanes = await lanesThatEnd(() => void (reports.length === 0 && reports.push(lanes.lookAgain([id]))));
    await lanes.run(jobOf(id), aRun('1'));
    expect(reports).toEqual([true]);
    expect(receiver.received).toHaveLength(2);
    expect(lanes.endpointIds()).toEqual([]);
  });

  it('reported after its end: the feeder hears that it has ended, and adds a job', async () => {
    const { id } = await aReceivingEndpoint(service, team);
    const lanes = await lanesThatEnd(() => {});
    const run = lanes.run(jobOf(id), aRun('1'));
    let reported = 0;
    const feeder = startFeeder({
      platform: { ...service.platform, database },
      log: silentLog,
      lanes: {
        // As if the lane had ended while the feeder's first statement ran.
        endpointIds: () => (reported === 0 ? [id] : lanes.endpointIds()),
        justEnded: () => lanes.justEnded(),
        lookAgain(endpointIds) {
          reported += endpointIds.length;
          return lanes.lookAgain(endpointIds);
        },
      },
    });
    onTestFinished(() => feeder.stop());
    await run;
    await anEvent(service, team);
    await eventually(async () => expect((await jobs()).map(({ key }) => key)).toEqual([`deliver:${id}`]));
    expect(reported).toBe(1);
    expect((await waitingFor(service, id)).map(({ hasJob }) => hasJob)).toEqual([true]);
  });

  it('soon after the endpoint’s former lane: the lane waits for another one, and ends when none comes', async () => {
    const { receiver, id } = await aReceivingEndpoint(service, team);
    const lanes = await lanesThatEnd(() => {});
    await anEvent(service, team);
    await lanes.run(jobOf(id), aRun('1'));
    const isSent = () => eventually(async () => expect(await waitingFor(service, id)).toEqual([]));
    // Again, should this test's process be too slow for the moment that the lane waits.
    const running = await eventually(async () => {
      await anEvent(service, team);
      const run = lanes.run(jobOf(id), aRun('2'));
      await isSent();
      const before = receiver.received.length;
      await anEvent(service, team);
      const isReported = lanes.lookAgain([id]);
      await run;
      expect(isReported).toBe(true);
      return { before };
    });
    await isSent();
    expect(receiver.received).toHaveLength(running.before + 1);
    expect(lanes.endpointIds()).toEqual([]);
    expect(await jobs()).toEqual([]);
  });

  it('soon after the endpoint’s former lane, but of an endpoint that was disabled: the lane ends although it is told of the row', async () => {
    const { id } = await aReceivingEndpoint(service, team);
    const lanes = await lanesThatEnd(() => {});
    const statements = vi.spyOn(database, 'run');
    onTestFinished(() => statements.mockRestore());
    const setStatus = (status: 'active' | 'disabled') =>
      service.database.prisma.webhookEndpoint.updateMany({ where: { id }, data: { status } });
    const told = await eventually(async () => {
      await setStatus('active');
      await anEvent(service, team);
      await lanes.run(jobOf(id), aRun('1'));
      await anEvent(service, team);
      await setStatus('disabled');
      statements.mockClear();
      const run = lanes.run(jobOf(id), aRun('2'));
      let reports = 0;
      do {
        await eventually(() => expect(statements.mock.calls.length).toBeGreaterThan(reports));
        await statements.mock.results.at(-1)?.value;
        await new Promise((resolve) => setImmediate(resolve));
      } while (lanes.lookAgain([id]) && (reports += 1) < 10);
      await run;
      // Otherwise this test's process was too slow for the moment that the lane waits.
      expect(reports).toBeGreaterThan(0);
      return reports;
    });
    expect(told).toBe(2);
  });

  it('of a backlog that is longer than the lane’s time: the lane ends, and goes on in a new job, which is due at once', async () => {
    const { receiver, id } = await aReceivingEndpoint(service, team);
    await anEvent(service, team, 60);
    const begin = performance.now();
    let later = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => begin + later);
    const lanes = await lanesThatEnd(() => {
      later = 2_100;
      lanes.lookAgain([id]);
    });
    await lanes.run(jobOf(id), aRun('1'));
    expect(receiver.received.length).toBeLessThanOrEqual(24);
    expect((await jobs()).map(({ key, inMs }) => [key, inMs <= 0])).toEqual([[`deliver:${id}`, true]]);
  });

  it('of a backlog that is longer than the lane’s time: it is sent although a slow attempt delays the lane’s end', async () => {
    const release = Promise.withResolvers<void>();
    onTestFinished(() => release.resolve());
    const answer = async () => {
      if (receiver.received.length === 1) await release.promise;
      return { status: 200 };
    };
    const { receiver, id } = await aReceivingEndpoint(service, team, { answer });
    await anEvent(service, team, 20);
    let later = 0;
    const now = performance.now.bind(performance);
    vi.spyOn(performance, 'now').mockImplementation(() => now() + later);
    const lanes = await lanesThatEnd(() => (later = 2_100));
    const run = lanes.run(jobOf(id), aRun('1'));
    await receiver.untilReceived(20);
    release.resolve();
    await run;
  });

  it('again and again for half a minute: the lane goes on in a new job, which is due at once', async () => {
    const { id } = await aReceivingEndpoint(service, team);
    await anEvent(service, team);
    let later = 0;
    const now = performance.now.bind(performance);
    vi.spyOn(performance, 'now').mockImplementation(() => now() + later);
    const lanes = await lanesThatEnd(() => {
      later += 31_000;
      lanes.lookAgain([id]);
    });
    await lanes.run(jobOf(id), aRun('1'));
    expect(lanes.endpointIds()).toEqual([]);
    const [job, ...more] = await jobs();
    expect(more).toEqual([]);
    expect(job?.key).toBe(`deliver:${id}`);
    expect(job?.inMs).toBeLessThanOrEqual(0);
  });

  it('in another job of the same lane: that one ends at once, and the running lane sends it', async () => {
    const { receiver, id } = await aReceivingEndpoint(service, team);
    const lanes = await withoutRunner();
    await anEvent(service, team);
    const job = { tenantId: team.id, endpointId: id, host: '127.0.0.1', throttled: false };
    await Promise.all([lanes.run(job, aRun('1')), lanes.run(job, aRun('2')), lanes.run(job, aRun('3'))]);
    await receiver.untilReceived(1);
    expect((await deliveriesTo(service, id)).map(({ status }) => status)).toEqual(['ok']);
  });
});
