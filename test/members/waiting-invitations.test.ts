import { describe, expect, it, onTestFinished } from 'vitest';
import { hoursToMs, minutesToMs } from '../../src/core/clock.ts';
import { limits, mailLimits } from '../../src/core/limits.ts';
import { addLostSendingJobs, sendWaiting } from '../../src/modules/members/waiting.ts';
import { aColleague, apiInTheApp, inTheApp } from '../support/app-caller.ts';
import { setInvitationsInHour, setMailsToday } from '../support/budgets.ts';
import { holdRows, untilLockWaits, onEachNode } from '../support/postgres.ts';
import { useTestService } from '../support/service.ts';
import { anEmail, aTeam, type TestTeam } from '../support/team.ts';
import { aWorker } from '../support/worker.ts';

const service = await useTestService();
const max = limits.invitationsPerHour;

const forward = (milliseconds: number): void => {
  service.clock.forward(milliseconds);
  onTestFinished(() => service.clock.set(new Date()));
};

const jobsOf = async ({ id }: TestTeam) => {
  const found = await onEachNode(
    service.database,
    async () => service.database.prisma.$queryRaw<{ wait: number }[]>`
      select extract(epoch from run_at - now())::float8 as wait from graphile_worker.jobs
       where key = ${`send_waiting_invitations ${id}`} and locked_at is null`,
  );
  return found.flat();
};

const audited = async ({ id: tenantId }: TestTeam, action: string) =>
  service.database.prisma.auditEntry.findMany({ where: { tenantId, action }, orderBy: { id: 'asc' } });

/** A team whose hour has this many invitations left. */
const aTeamWith = async (left: number, options: Parameters<typeof aTeam>[1] = {}) => {
  const team = await aTeam(service, { seats: 500, ...options });
  await setInvitationsInHour(service, team, max - left);
  return team;
};

const send = (team: TestTeam) => sendWaiting(service.platform, team.id);

describe('invitations beyond the hour’s limit', () => {
  it('wait, and are sent in the name of the person who invited once the hour is over', async () => {
    const team = await aTeamWith(1, { admins: 1 });
    const admin = await aColleague(team, 'admin');
    const app = (await inTheApp(team, admin)).members;
    const emails = [anEmail('first'), anEmail('second'), anEmail('third')];
    const { results } = await app.invite({
      people: emails.map((email) => ({ email, name: 'Mia', lang: 'en' as const })),
    });
    expect(results.map(({ outcome }) => outcome)).toEqual(['invited', 'waiting', 'waiting']);
    const waits = await app.waiting({});
    expect(waits).toMatchObject({ count: 2, data: [{ email: emails[1], name: 'Mia', lang: 'en', refusal: null }, {}] });
    expect(Date.parse(waits.next_at ?? '')).toBeGreaterThan(service.clock.now().getTime() + hoursToMs(0.99));
    expect(await jobsOf(team)).toEqual([{ wait: expect.closeTo(3_600, -2) }]);
    expect(await audited(team, 'invitation.queued')).toMatchObject([
      { actorId: admin.userId, data: { invitations: 2 } },
    ]);

    await send(team);
    expect((await app.waiting({})).count).toBe(2);
    forward(hoursToMs(1));
    await send(team);
    expect(await app.waiting({})).toEqual({ count: 0, next_at: null, data: [] });
    expect(await jobsOf(team)).toEqual([]);
    const { data } = await app.list({ status: 'invited' });
    expect(data.map(({ email, name, invitation }) => [email, name, invitation?.lang])).toEqual(
      emails.map((email) => [email, 'Mia', 'en']),
    );
    expect(await service.mailsTo(emails[2] ?? '')).toHaveLength(1);
    expect((await audited(team, 'member.joined')).slice(-2)).toMatchObject([
      { actorId: admin.userId },
      { actorId: admin.userId },
    ]);
  });

  it('are sent by the worker, as many in an hour as the limit allows', async () => {
    const team = await aTeam(service, { seats: 500 });
    await setInvitationsInHour(service, team, max, new Date(service.clock.now().getTime() + 500));
    const app = (await inTheApp(team)).members;
    for (const part of ['a', 'b']) {
      await app.invite({ people: Array.from({ length: 40 }, () => ({ email: anEmail(part) })) });
    }
    const before = (await app.list({ limit: 200 })).data.length;
    const waiting = (await app.waiting({})).count;
    expect(before - 1 + waiting).toBe(80);
    const worker = aWorker(service);
    await expect.poll(async () => (await app.waiting({})).count).toBe(80 - max);
    await expect.poll(async () => (await jobsOf(team))[0]?.wait ?? 0).toBeGreaterThan(3_000);
    await worker.stop();
  });

  it('can be canceled, some or all', async () => {
    const team = await aTeamWith(0);
    const app = (await inTheApp(team)).members;
    await app.invite({ people: [{ email: anEmail() }, { email: anEmail() }, { email: anEmail() }] });
    const [first] = (await app.waiting({})).data;
    expect(await app.cancelWaiting({ ids: [first?.id ?? '', 'none'] })).toEqual({ canceled: 1 });
    expect((await app.waiting({})).data.map(({ id }) => id)).not.toContain(first?.id);
    // Those of other teams stay.
    const other = await aTeamWith(0);
    await (await inTheApp(other)).members.invite({ people: [{ email: anEmail() }] });
    expect(await app.cancelWaiting({})).toEqual({ canceled: 2 });
    expect(await app.cancelWaiting({})).toEqual({ canceled: 0 });
    expect((await (await inTheApp(other)).members.waiting({})).count).toBe(1);
    expect(await jobsOf(team)).toEqual([]);
    expect((await audited(team, 'invitation.canceled')).map(({ data }) => data)).toEqual([
      { invitations: 1 },
      { invitations: 2 },
    ]);
    forward(hoursToMs(1));
    await send(team);
    expect((await app.list({ status: 'invited' })).data).toEqual([]);
  });

  it('are recognized: one that waits does not wait twice, and one that was invited meanwhile waits no more', async () => {
    const team = await aTeamWith(0);
    const app = (await inTheApp(team)).members;
    const email = anEmail('Twice');
    await app.invite({ people: [{ email }] });
    const { results } = await app.invite({ people: [{ email: email.toUpperCase() }] });
    expect(results).toMatchObject([{ outcome: 'conflict' }]);
    expect((await app.known({ emails: [email] })).data).toEqual([{ email: email.toLowerCase(), status: 'waiting' }]);
    await setInvitationsInHour(service, team, 0);
    expect((await team.client.post('/users', { email })).status).toBe(201);
    expect((await app.waiting({})).count).toBe(0);
  });

  it('take a seat among those that wait', async () => {
    const team = await aTeamWith(0, { seats: 3 });
    const app = (await inTheApp(team)).members;
    const invite = async (...emails: string[]) =>
      (await app.invite({ people: emails.map((email) => ({ email })) })).results.map(({ outcome }) => outcome);
    const email = anEmail();
    expect(await invite(email, email.toUpperCase(), anEmail(), anEmail())).toEqual([
      'waiting',
      'conflict',
      'waiting',
      'seat_limit_reached',
    ]);
    expect(await invite(anEmail())).toEqual(['seat_limit_reached']);
    expect(await audited(team, 'invitation.queued')).toHaveLength(1);
  });

  it('are tried again an hour later, with the reason, if they are refused: by seats, or by the right of the person who invited', async () => {
    const team = await aTeamWith(0, { seats: 6, admins: 1 });
    const admin = await aColleague(team, 'admin');
    const app = (await inTheApp(team)).members;
    const people = [{ email: anEmail('boss'), role: 'admin' as const }, { email: anEmail('plain') }];
    await (await inTheApp(team, admin)).members.invite({ people });
    await (await apiInTheApp(team, ['users:write'])).members.changeRole({ member_id: admin.memberId, role: 'member' });
    forward(hoursToMs(1));
    await team.change({ seats: 1 });
    await send(team);
    expect((await app.waiting({})).data.map(({ refusal }) => refusal)).toEqual([
      'insufficient_scope',
      'seat_limit_reached',
    ]);
    await team.change({ seats: 6 });
    await send(team);
    expect((await app.waiting({})).count).toBe(2);
    forward(hoursToMs(1));
    await send(team);
    expect((await app.waiting({})).data.map(({ refusal }) => refusal)).toEqual(['insufficient_scope']);
    expect((await app.list({ status: 'invited' })).data.map(({ email }) => email)).toEqual([people[1]?.email]);
  });

  it.each<[string, (team: TestTeam) => Promise<unknown>]>([
    [
      'the recipient’s',
      // The same mailbox, which gets three invitations of a team in a day.
      async ({ client }) => {
        const statuses = [];
        for (const part of [1, 2, 3]) {
          statuses.push((await client.post('/users', { email: `mia+${part}@example.com` })).status);
        }
        expect(statuses).toEqual([201, 201, 201]);
      },
    ],
    ['the team’s', (team) => setMailsToday(service, `mails of ${team.id}`, mailLimits.perTeam.team)],
  ])('wait for the next day, and are not refused, if %s limit of the day is reached meanwhile', async (_whose, use) => {
    service.clock.set(new Date('2026-12-01T12:00:00.000Z'));
    onTestFinished(() => service.clock.set(new Date()));
    const team = await aTeamWith(0);
    const app = (await inTheApp(team)).members;
    await app.invite({ people: [{ email: 'mia@example.com' }] });
    forward(hoursToMs(1));
    await use(team);
    await send(team);
    const { data } = await app.waiting({});
    // Waits are counted in whole seconds.
    const due_at = expect.stringMatching(/^2026-12-02T00:00:00/);
    expect(data).toMatchObject([{ email: 'mia@example.com', refusal: null, due_at }]);
    service.clock.set(new Date('2026-12-02T00:00:01.000Z'));
    await send(team);
    expect((await app.waiting({})).count).toBe(0);
    expect(await service.mailsTo('mia@example.com')).not.toEqual([]);
  });

  it('stay due if the hour allows only some of them, and wait for its end when it allows none', async () => {
    const team = await aTeamWith(0);
    const app = (await inTheApp(team)).members;
    await app.invite({ people: [{ email: anEmail() }, { email: anEmail() }, { email: anEmail() }] });
    forward(hoursToMs(1));
    await setInvitationsInHour(service, team, max - 1);
    const now = service.clock.now().getTime();
    const waits = async () => {
      const { count, next_at } = await app.waiting({});
      return { count, isDue: Date.parse(next_at ?? '') <= now };
    };
    await send(team);
    expect(await waits()).toEqual({ count: 2, isDue: true });
    await send(team);
    expect(await waits()).toEqual({ count: 2, isDue: false });
  });

  it('are not sent if they are canceled meanwhile', async () => {
    const team = await aTeamWith(0);
    const app = (await inTheApp(team)).members;
    const [canceled, other] = [anEmail(), anEmail()];
    await app.invite({ people: [{ email: canceled }, { email: other }] });
    forward(hoursToMs(1));
    // Holds the team as a cancellation does, and cancels one when both are about to be sent.
    const release = await holdRows(service, async (tx) => {
      await tx.$executeRaw`select from team where id = ${team.id}::uuid for update`;
      await tx.$executeRaw`delete from waiting_invitation where tenant_id = ${team.id}::uuid and email = ${canceled}`;
    });
    const sending = send(team);
    await untilLockWaits(service);
    await release();
    await sending;
    expect((await app.list({ status: 'invited' })).data.map(({ email }) => email)).toEqual([other]);
  });

  it('are not sent while the team is suspended', async () => {
    const team = await aTeamWith(0);
    const app = (await inTheApp(team)).members;
    await app.invite({ people: [{ email: anEmail() }] });
    await team.change({ status: 'suspended' });
    forward(hoursToMs(1));
    await send(team);
    await team.change({ status: 'active' });
    expect((await app.waiting({})).data).toMatchObject([{ refusal: 'api_disabled' }]);
  });

  it('get their job back if it was lost', async () => {
    const team = await aTeamWith(0);
    await (await inTheApp(team)).members.invite({ people: [{ email: anEmail() }] });
    await onEachNode(
      service.database,
      async () =>
        service.database.prisma.$executeRaw`select remove_jobs(array[${`send_waiting_invitations ${team.id}`}])`,
    );
    await addLostSendingJobs(service.platform);
    expect(await jobsOf(team)).toEqual([]);
    // Perhaps the job is only late.
    forward(hoursToMs(1) + minutesToMs(9));
    await addLostSendingJobs(service.platform);
    expect(await jobsOf(team)).toEqual([]);
    forward(minutesToMs(2));
    await addLostSendingJobs(service.platform);
    expect(await jobsOf(team)).toHaveLength(1);
  });
});
