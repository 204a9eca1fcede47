import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { daysToMs, hoursToMs, later } from '../../src/core/clock.ts';
import { limits } from '../../src/core/limits.ts';
import { disconnect } from '../../src/modules/crm/service.ts';
import { erasePerson } from '../../src/modules/erasure/service.ts';
import { startDeletion } from '../../src/modules/team-deletion/service.ts';
import { inTheApp } from '../support/app-caller.ts';
import { anAssistantConnection } from '../support/assistants.ts';
import { setInvitationsInHour } from '../support/budgets.ts';
import { aCrmConnection } from '../support/crm.ts';
import { aLoggedRequest } from '../support/logs.ts';
import { aPerson } from '../support/people.ts';
import { aCase } from '../support/practice.ts';
import { useTestService } from '../support/service.ts';
import { anEmail, aTeam } from '../support/team.ts';
import { afterJobs, aWorker } from '../support/worker.ts';

// What each recurring task does is tested beside its rule. Here a worker does all of it.

const service = await useTestService({ own: true });
const { prisma } = service.database;

/** Jobs that earlier tests left, and those of changes, are lost. */
const loseJobs = () => prisma.$executeRaw`delete from graphile_worker._private_jobs`;

beforeEach(() => {
  service.clock.set(new Date());
  onTestFinished(() => service.clock.set(new Date()));
});

const addJob = (task: string) => prisma.$executeRaw`select graphile_worker.add_job(${task}, job_key => ${task})`;

/** Runs the task in a worker that keeps history for a week. */
const run = async (task: string): Promise<void> => {
  await addJob(task);
  aWorker(service, { retentionDays: 7, scheduled: false });
};

describe('the task that cleans up', () => {
  it('continues what has lost its job, and deletes assistants that nobody used for long', async () => {
    const team = await aTeam(service, { seats: 50 });
    const { memberId, userId } = await aPerson(team);
    await anAssistantConnection(service, team, { memberId, userId: userId ?? '' });
    await erasePerson(service.platform, { kind: 'operator' }, (await aPerson(team)).email);
    await disconnect(await team.acting(), await aCrmConnection(service, team));
    await setInvitationsInHour(service, team, limits.invitationsPerHour);
    await (await inTheApp(team)).members.invite({ people: [{ email: anEmail() }] });
    const where = { where: { tenantId: team.id } };
    const left = async () => ({
      erasures: await prisma.erasure.count(where),
      connections: await prisma.crmConnection.count(where),
      invitations: await prisma.waitingInvitation.count(where),
      assistants: await prisma.assistantConnection.count(where),
    });
    expect(await left()).toEqual({ erasures: 1, connections: 1, invitations: 1, assistants: 1 });
    await loseJobs();
    service.clock.forward(daysToMs(40));
    await run('clean_up');
    await afterJobs(service, async () =>
      expect(await left()).toEqual({ erasures: 0, connections: 0, invitations: 0, assistants: 0 }),
    );
  });
});

describe('the task that deletes history', () => {
  it('deletes all that is older than it is kept', async () => {
    const team = await aTeam(service, { seats: 50 });
    const member = await team.anActiveMember();
    const { id: tenantId } = team;
    await aCase(service, team, { userId: member.user_id ?? '', private: true });
    expect((await team.client.delete(`/users/${member.id}`)).status).toBe(200);
    await team.anInvitedMember();
    await aLoggedRequest(service, team);
    const where = { where: { tenantId } };
    const left = async () => ({
      cases: await prisma.case.count({ where: { tenantId, private: true } }),
      mails: await prisma.mail.count(where),
      entries: await prisma.eventFeedEntry.count(where),
      events: await prisma.webhookEvent.count(where),
      requests: await prisma.requestLogEntry.count(where),
      deletions: await prisma.deletion.count(where),
    });
    const before = await left();
    expect(Object.entries(before).filter(([, count]) => count === 0)).toEqual([]);
    await loseJobs();
    service.clock.forward(daysToMs(60));
    await run('retention');
    const none = { cases: 0, mails: 0, entries: 0, events: 0, requests: 0, deletions: 0 };
    await afterJobs(service, async () => expect(await left()).toEqual(none));
  });
});

describe('a task of several steps', () => {
  it.each([
    ['clean_up', 'idempotency_record'],
    ['retention', 'case'],
  ])('does the others if one fails, and is tried again: %s', async (task, table) => {
    const team = await aTeam(service);
    const { memberId, userId } = await aPerson(team);
    await anAssistantConnection(service, team, { memberId, userId: userId ?? '' });
    await aLoggedRequest(service, team);
    const where = { where: { tenantId: team.id } };
    const left = () =>
      task === 'clean_up' ? prisma.assistantConnection.count(where) : prisma.requestLogEntry.count(where);
    expect(await left()).toBeGreaterThan(0);
    await loseJobs();
    service.clock.forward(daysToMs(60));
    await prisma.$executeRawUnsafe(`alter table "${table}" rename to away`);
    try {
      await run(task);
      await afterJobs(service, async () => expect(await left()).toBe(0));
      const failed = () => prisma.$queryRaw<{ attempts: number; last_error: string | null }[]>`
        select attempts, last_error from graphile_worker.jobs where task_identifier = ${task}`;
      await afterJobs(service, async () =>
        expect(await failed()).toMatchObject([{ last_error: expect.stringContaining(table) }]),
      );
    } finally {
      await prisma.$executeRawUnsafe(`alter table away rename to "${table}"`);
    }
  });
});

describe('the other recurring tasks', () => {
  it('delete teams that ended long ago, and those whose deletion has lost its job; not those that ended a moment ago', async () => {
    const [old, young, begun] = [await aTeam(service), await aTeam(service), await aTeam(service)];
    await old.change({ status: 'ended' });
    await startDeletion(await begun.acting());
    service.clock.forward(daysToMs(31));
    await young.change({ status: 'ended' });
    await loseJobs();
    await run('delete_ended_teams');
    const teams = () =>
      prisma.team.findMany({ where: { id: { in: [old.id, young.id, begun.id] } }, select: { id: true } });
    await afterJobs(service, async () => expect(await teams()).toEqual([{ id: young.id }]));
  });

  it('warn of keys that expire', async () => {
    const team = await aTeam(service);
    await team.aKey({ expiresAt: later(service.clock.now(), hoursToMs(48)) });
    await loseJobs();
    await run('warn_of_expiring_keys');
    await afterJobs(service, async () =>
      expect((await service.mailsTo(team.owner.email)).map(({ kind }) => kind)).toContain('keys_expiring'),
    );
  });
});
