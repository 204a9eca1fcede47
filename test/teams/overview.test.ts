import { afterEach, describe, expect, it } from 'vitest';
import { daysToMs, hoursToMs, later, secondsToMs } from '../../src/core/clock.ts';
import { makeId } from '../../src/core/ids.ts';
import type { Prisma } from '../../src/db/generated/client.ts';
import { rotateKey } from '../../src/modules/keys/service.ts';
import { aColleague, inTheApp } from '../support/app-caller.ts';
import { anAssignment, anEvaluation, theTrainings } from '../support/practice.ts';
import { aCrmConnection } from '../support/crm.ts';
import { useTestService } from '../support/service.ts';
import { aTeam, anEmail, type TestTeam } from '../support/team.ts';
import { anEndpoint } from '../support/webhooks.ts';

const service = await useTestService();
afterEach(() => service.clock.set(new Date()));

const overviewOf = async (team: TestTeam) => (await inTheApp(team)).overview.show({});

describe('overview.show', () => {
  it('of a new team has only zeros', async () => {
    const team = await aTeam(service, { seats: 3 });
    service.clock.set(new Date('2027-03-01T00:30:00.000Z'));
    const overview = await overviewOf(team);
    expect(overview).toMatchObject({
      attention: [],
      keys: { active: 1, last_used_at: null },
      endpoints: { active: 0, disabled: 0, paused: 0 },
      seats: { total: 3, taken: 1 },
      invitations_open: 0,
      invitations_expired: 0,
      trainings: { this_week: 0, last_week: 0 },
      assignments: { open: 0, overdue: 0 },
    });
    const none = { requests: 0, limited: 0, refused: 0, failed: 0 };
    expect(overview.requests).toHaveLength(14);
    expect(overview.requests[0]).toEqual({ day: '2027-02-16', ...none });
    expect(overview.requests[13]).toEqual({ day: '2027-03-01', ...none });
    expect(overview.latest.map(({ action }) => action)).toEqual(['key.created', 'team.created']);
  });

  it('counts keys, and names the active ones that end within two weeks and have no successor', async () => {
    const team = await aTeam(service);
    const now = service.clock.now();
    const at = (time: number) => ({ expiresAt: later(now, time) });
    const second = await team.aKey(at(daysToMs(13)));
    const first = await team.aKey(at(hoursToMs(1)));
    const ended = await team.aKey(at(hoursToMs(1)));
    await team.aKey(at(daysToMs(15)));
    const rotated = await team.aKey();
    await rotateKey(await team.acting(), rotated.id, { graceSeconds: 3_600 });
    await service.database.prisma.apiKey.update({
      where: { tenantId_id: { tenantId: team.id, id: ended.id } },
      data: { revokedAt: now, lastUsedAt: now },
    });
    const { keys, attention } = await overviewOf(team);
    const expiring = { kind: 'key_expiring', name: 'test' };
    expect(attention).toEqual([
      { ...expiring, key_id: first.id, expires_at: at(hoursToMs(1)).expiresAt.toISOString() },
      { ...expiring, key_id: second.id, expires_at: at(daysToMs(13)).expiresAt.toISOString() },
    ]);
    expect(keys.active).toBe(6);
    expect(keys.last_used_at).toBe(now.toISOString());
  });

  it('names keys that somebody has found before all else, until they are revoked or have ended', async () => {
    const team = await aTeam(service);
    const { prisma } = service.database;
    const now = service.clock.now();
    const ends = { expiresAt: later(now, hoursToMs(1)) };
    const [first, last, revoked, ended] = [
      await team.aKey(ends),
      await team.aKey(),
      await team.aKey(),
      await team.aKey(ends),
    ];
    const change = ({ id }: { id: string }, data: object) =>
      prisma.apiKey.update({ where: { tenantId_id: { tenantId: team.id, id } }, data });
    await change(first, { reportedAt: later(now, -hoursToMs(2)) });
    await change(last, { reportedAt: later(now, -hoursToMs(1)) });
    await change(revoked, { reportedAt: now, revokedAt: now });
    await change(ended, { reportedAt: now, expiresAt: later(now, -1) });
    const reported = { kind: 'key_reported', name: 'test' };
    expect((await overviewOf(team)).attention).toEqual([
      { ...reported, key_id: last.id, reported_at: later(now, -hoursToMs(1)).toISOString() },
      { ...reported, key_id: first.id, reported_at: later(now, -hoursToMs(2)).toISOString() },
      { kind: 'key_expiring', name: 'test', key_id: first.id, expires_at: ends.expiresAt.toISOString() },
    ]);
  });

  it('counts endpoints, and names those that failed longest', async () => {
    const team = await aTeam(service);
    const now = service.clock.now();
    await anEndpoint(service, team);
    await anEndpoint(service, team, { status: 'disabled', failingSince: later(now, -daysToMs(9)) });
    const failing: string[] = [];
    for (const ago of [6, 5, 4, 3, 2, 1]) {
      const status = ago > 3 ? 'disabled_failures' : 'active';
      failing.push(await anEndpoint(service, team, { status, failingSince: later(now, -daysToMs(ago)) }));
    }
    const { endpoints, attention } = await overviewOf(team);
    expect(endpoints).toEqual({ active: 4, disabled: 1, paused: 3 });
    expect(attention).toEqual(
      failing.slice(0, 5).map((endpoint_id, index) => ({
        kind: index < 3 ? 'endpoint_paused' : 'endpoint_failing',
        endpoint_id,
        url: 'https://example.com/',
        failing_since: later(now, -daysToMs(6 - index)).toISOString(),
      })),
    );
  });

  it('ignores a single failure of an endpoint, but not a second one in a row', async () => {
    const team = await aTeam(service);
    const now = service.clock.now();
    await anEndpoint(service, team, { failingSince: later(now, -hoursToMs(1)), failedAgainAt: null });
    expect((await overviewOf(team)).attention).toEqual([]);
    const failing = await anEndpoint(service, team, { failingSince: later(now, -secondsToMs(2)), failedAgainAt: now });
    expect((await overviewOf(team)).attention).toMatchObject([{ kind: 'endpoint_failing', endpoint_id: failing }]);
  });

  it('names CRM connections that the CRM refuses or whose last sync failed, and no others', async () => {
    const team = await aTeam(service);
    const now = service.clock.now();
    const words = { provider: 'feed', label: 'Sales' };
    const connection = (changes: Parameters<typeof aCrmConnection>[2]) =>
      aCrmConnection(service, team, { ...words, ...changes });
    const [before, after] = [later(now, -hoursToMs(2)), later(now, -hoursToMs(1))];
    const failed = await connection({ lastSyncedAt: before, lastFailedAt: after });
    const refused = await connection({ status: 'credentials_refused', lastFailedAt: now });
    await connection({ lastSyncedAt: after, lastFailedAt: before });
    await connection({ lastFailedAt: now, status: 'paused' });
    await connection({ lastFailedAt: now, disconnectedAt: now, active: false });
    await connection({});
    expect((await overviewOf(team)).attention).toEqual([
      { kind: 'crm_failing', connection_id: failed, failed_at: after.toISOString(), ...words },
      { kind: 'crm_refused', connection_id: refused, failed_at: now.toISOString(), ...words },
    ]);
  });

  it('counts the mails of the last week that were not sent', async () => {
    const team = await aTeam(service);
    const now = service.clock.now();
    const mail = (changes: Partial<Prisma.MailUncheckedCreateInput>) =>
      service.database.prisma.mail.create({
        data: {
          tenantId: team.id,
          id: makeId(),
          recipient: anEmail('mia'),
          language: 'de',
          kind: 'invitation',
          body: new Uint8Array(),
          createdAt: later(now, -daysToMs(1)),
          ...changes,
        },
      });
    await mail({});
    await mail({ sentAt: now });
    await mail({ error: '550', failedAt: now, createdAt: later(now, -daysToMs(8)) });
    expect((await overviewOf(team)).attention).toEqual([]);
    for (const tries of [1, 2]) await mail({ error: '550', failedAt: now, tries });
    expect((await overviewOf(team)).attention).toEqual([{ kind: 'mails_failed', count: 2 }]);
  });

  it.each([
    { what: 'few failures', requests: 1000, failed: 4, attention: [] },
    { what: 'failures', requests: 500, failed: 5, attention: ['failed'] },
    { what: 'a small share of failures', requests: 501, failed: 5, attention: [] },
    { what: 'many limited and refused', requests: 100, limited: 20, refused: 20, attention: ['limited', 'refused'] },
    { what: 'less of both', requests: 100, limited: 19, refused: 19, attention: [] },
    {
      what: 'shares just reached',
      requests: 1000,
      failed: 10,
      limited: 50,
      refused: 200,
      attention: ['failed', 'limited', 'refused'],
    },
    { what: 'shares just below', requests: 1001, failed: 10, limited: 50, refused: 200, attention: [] },
  ])(
    'names unusual shares of answers: $what',
    async ({ attention, requests, failed = 0, limited = 0, refused = 0 }) => {
      const team = await aTeam(service);
      service.clock.set(new Date('2027-03-14T00:10:00.000Z'));
      const key = await team.aKey();
      const on = (day: string, data: object) => ({ tenantId: team.id, keyId: key.id, day: new Date(day), ...data });
      await service.database.prisma.apiKeyDay.createMany({
        data: [
          on('2027-03-13', { requests, failed, limited, refused }),
          on('2027-03-12', { requests: 100, failed: 100, limited: 0, refused: 0 }),
        ],
      });
      const found = (await overviewOf(team)).attention.flatMap((one) => (one.kind === 'requests' ? one.answer : []));
      expect(found).toEqual(attention);
    },
  );

  it('counts seats, invitations and unfinished assignments', async () => {
    const team = await aTeam(service, { members: 1 });
    const memberId = team.members[0]?.id ?? '';
    const began = service.clock.now();
    for (const days of [0, 3, 15]) {
      service.clock.set(later(began, daysToMs(days)));
      await team.anInvitedMember();
    }
    const [, ending] = await service.database.prisma.invitation.findMany({
      where: { tenantId: team.id },
      orderBy: { expiresAt: 'asc' },
    });
    const dueOn = (ago: number) => new Date(later(service.clock.now(), -daysToMs(ago)).toISOString().slice(0, 10));
    await anAssignment(service, team, { memberId, status: 'open', dueDate: dueOn(0) });
    for (const status of ['in_progress', 'done', 'revoked'] as const) {
      await anAssignment(service, team, { memberId, status, dueDate: dueOn(1) });
    }
    expect(await overviewOf(team)).toMatchObject({
      seats: { taken: 5 },
      invitations_open: 2,
      invitations_ending: 1,
      invitations_ending_at: ending?.expiresAt.toISOString(),
      invitations_expired: 1,
      assignments: { open: 2, overdue: 1 },
      attention: [
        { kind: 'invitations_expired', count: 1 },
        { kind: 'invitations_ending', count: 1 },
        { kind: 'assignments_overdue', count: 1 },
      ],
    });
    const { attention, assignments } = await overviewOf(team);
    await team.change({ memberDetail: false });
    expect(await overviewOf(team)).toMatchObject({ attention, assignments });
  });

  it('names full seats, which invitations take, too', async () => {
    const team = await aTeam(service, { seats: 2 });
    const attention = async () => (await overviewOf(team)).attention;
    expect(await attention()).toEqual([]);
    await team.anInvitedMember();
    expect(await attention()).toEqual([{ kind: 'seats_full' }]);
    await team.change({ seats: 1 });
    expect(await attention()).toEqual([{ kind: 'seats_full' }]);
    await team.change({ seats: 3 });
    expect(await attention()).toEqual([]);
  });

  it('counts the scored sessions of active members by the week in which they started', async () => {
    const team = await aTeam(service, { members: 2 });
    const [mia, gone] = team.members;
    service.clock.set(new Date('2027-03-10T12:00:00.000Z'));
    const scored = (member: typeof mia, started: string) => {
      const createdAt = new Date(started);
      const evaluation = { ...anEvaluation({ total: 70 }), savedAt: createdAt };
      const userId = member?.user_id ?? '';
      return { userId, status: 'ended' as const, createdAt, finishedAt: createdAt, evaluation };
    };
    await theTrainings(service, team, [
      scored(mia, '2027-03-08T00:00:00.000Z'),
      scored(mia, '2027-03-10T08:00:00.000Z'),
      scored(mia, '2027-03-03T11:59:59.999Z'),
      scored(mia, '2027-03-07T23:59:59.999Z'),
      scored(mia, '2027-02-28T23:59:59.999Z'),
      scored(gone, '2027-03-09T08:00:00.000Z'),
    ]);
    // Last week is counted up to the same time: Sunday is not over yet.
    expect((await overviewOf(team)).trainings).toEqual({ this_week: 3, last_week: 1 });
    await team.client.delete(`/users/${gone?.id}`);
    expect((await overviewOf(team)).trainings).toEqual({ this_week: 2, last_week: 1 });
  });

  it('ends with the latest actions, as the audit log shows them', async () => {
    const team = await aTeam(service, { members: 9 });
    const app = await inTheApp(team, await aColleague(team, 'admin'), 'en');
    const { latest } = await app.overview.show({});
    expect(latest).toHaveLength(8);
    expect(latest).toEqual((await app.audit.list({ limit: 8 })).data);
  });
});
