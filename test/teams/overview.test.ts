import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { daysToMs, hoursToMs, later } from '../../src/core/clock.ts';
import { rotateKey } from '../../src/modules/keys/service.ts';
import { aColleague, inTheApp } from '../support/app-caller.ts';
import { anAssignment } from '../support/assignments.ts';
import { startTestService } from '../support/service.ts';
import type { TestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';
import type { TestTeam } from '../support/team.ts';
import { anEvaluation, theTrainings } from '../support/trainings.ts';
import { anEndpoint } from '../support/webhooks.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());
afterEach(() => service.clock.set(new Date()));

const overviewOf = async (team: TestTeam) => (await inTheApp(team)).team.overview({});

describe('team.overview', () => {
  it('of a new team has nothing in it but the team', async () => {
    const team = await aTeam(service, { seats: 3 });
    service.clock.set(new Date('2027-03-01T00:30:00.000Z'));
    const overview = await overviewOf(team);
    expect(overview).toMatchObject({
      keys: { active: 1, expiring: [], last_used_at: null },
      endpoints: { active: 0, disabled: 0, paused: 0, failing: [] },
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
    const { keys } = await overviewOf(team);
    expect(keys.expiring.map(({ key_id }) => key_id)).toEqual([first.id, second.id]);
    expect(keys.expiring[0]).toEqual({
      key_id: first.id,
      name: 'test',
      expires_at: at(hoursToMs(1)).expiresAt.toISOString(),
    });
    expect(keys.active).toBe(6);
    expect(keys.last_used_at).toBe(now.toISOString());
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
    const { endpoints } = await overviewOf(team);
    expect(endpoints).toMatchObject({ active: 4, disabled: 1, paused: 3 });
    expect(endpoints.failing.map(({ endpoint_id }) => endpoint_id)).toEqual(failing.slice(0, 5));
    expect(endpoints.failing[0]).toEqual({
      endpoint_id: failing[0],
      url: 'https://example.com/',
      status: 'disabled_failures',
      failing_since: later(now, -daysToMs(6)).toISOString(),
    });
  });

  it('adds up the requests of all keys by day', async () => {
    const [team, other] = [await aTeam(service), await aTeam(service)];
    service.clock.set(new Date('2027-03-14T12:00:00.000Z'));
    const count = async (of: TestTeam, keyId: string, day: string) =>
      service.database.prisma.apiKeyDay.create({
        data: { tenantId: of.id, keyId, day: new Date(day), requests: 10, limited: 1, refused: 2, failed: 3 },
      });
    const [one, two] = [await team.aKey(), await team.aKey()];
    for (const { id } of [one, two]) await count(team, id, '2027-03-14');
    await count(team, one.id, '2027-03-01');
    await count(team, two.id, '2027-02-28');
    await count(other, (await other.aKey()).id, '2027-03-14');
    const { requests } = await overviewOf(team);
    expect(requests).toHaveLength(14);
    expect(requests[0]).toEqual({ day: '2027-03-01', requests: 10, limited: 1, refused: 2, failed: 3 });
    expect(requests[13]).toEqual({ day: '2027-03-14', requests: 20, limited: 2, refused: 4, failed: 6 });
    expect(requests.reduce((all, day) => all + day.requests, 0)).toBe(30);
  });

  it('counts seats, invitations and what is still to be done', async () => {
    const team = await aTeam(service, { members: 1 });
    const memberId = team.members[0]?.id ?? '';
    await team.anInvitedMember();
    service.clock.forward(daysToMs(15));
    await team.anInvitedMember();
    await team.anInvitedMember();
    const dueOn = (ago: number) => new Date(later(service.clock.now(), -daysToMs(ago)).toISOString().slice(0, 10));
    await anAssignment(service, team, { memberId, status: 'open', dueDate: dueOn(0) });
    for (const status of ['in_progress', 'done', 'revoked'] as const) {
      await anAssignment(service, team, { memberId, status, dueDate: dueOn(1) });
    }
    expect(await overviewOf(team)).toMatchObject({
      seats: { taken: 5 },
      invitations_open: 2,
      invitations_expired: 1,
      assignments: { open: 2, overdue: 1 },
    });
  });

  it('counts the scored sessions of active members by the week in which they started', async () => {
    const team = await aTeam(service, { members: 2 });
    const [mia, gone] = team.members;
    service.clock.set(new Date('2027-03-10T12:00:00.000Z'));
    const scored = (member: typeof mia, started: string) => {
      const created_at = new Date(started);
      const evaluation = { ...anEvaluation({ total: 70 }), saved_at: created_at };
      const user_id = member?.user_id ?? '';
      return { user_id, status: 'ended' as const, created_at, finished_at: created_at, evaluation };
    };
    await theTrainings(service, team, [
      scored(mia, '2027-03-08T00:00:00.000Z'),
      scored(mia, '2027-03-10T08:00:00.000Z'),
      scored(mia, '2027-03-07T23:59:59.999Z'),
      scored(mia, '2027-02-28T23:59:59.999Z'),
      scored(gone, '2027-03-09T08:00:00.000Z'),
    ]);
    expect((await overviewOf(team)).trainings).toEqual({ this_week: 3, last_week: 1 });
    await team.client.delete(`/users/${gone?.id}`);
    expect((await overviewOf(team)).trainings).toEqual({ this_week: 2, last_week: 1 });
  });

  it('ends with what was done last, as the audit log tells it', async () => {
    const team = await aTeam(service, { members: 9 });
    const app = await inTheApp(team, await aColleague(team, 'admin'), 'en');
    const { latest } = await app.team.overview({});
    expect(latest).toHaveLength(8);
    expect(latest).toEqual((await app.audit.list({ limit: 8 })).data);
  });
});
