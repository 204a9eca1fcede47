import { describe, expect, it } from 'vitest';
import { daysToMs, later } from '../../src/core/clock.ts';
import { deleteOldDeletions } from '../../src/modules/deletions/service.ts';
import { addLostCrmDeletionJobs, crmDeletion, disconnect } from '../../src/modules/crm/service.ts';
import { removeDeals, removeObjections, storeFound } from '../../src/modules/crm/sync.ts';
import { deleteCase } from '../../src/modules/cases/service.ts';
import { removeMember } from '../../src/modules/members/service.ts';
import { inTransaction } from '../../src/platform/team.ts';
import { erase } from '../erasure/erasing.ts';
import { anAssignment, aCase, aScoredTraining } from '../support/practice.ts';
import { aCrmConnection, aDeal, anObjection } from '../support/crm.ts';
import { aWorker } from '../support/worker.ts';
import { useTestService } from '../support/service.ts';
import { aTeam, anEmail, type TestTeam } from '../support/team.ts';
import { forgetful, withoutTenantFilters } from '../support/without-tenant-filters.ts';
import { allListed } from '../support/pages.ts';

const service = await useTestService({ own: true });

const none = { users: [], trainings: [], assignments: [], cases: [], deals: [], objections: [] };
type Resource = keyof typeof none;

const read = (team: TestTeam, resource: string, more = '') => team.client.get(`/deletions?resource=${resource}${more}`);
const idsIn = async (team: TestTeam, resource: Resource, more = '') =>
  (await read(team, resource, more)).data.map((row) => row['id']);

/** All deletions of a team. */
const deletedIn = async (team: TestTeam) => ({
  users: await idsIn(team, 'users'),
  trainings: await idsIn(team, 'trainings'),
  assignments: await idsIn(team, 'assignments'),
  cases: await idsIn(team, 'cases'),
  deals: await idsIn(team, 'deals'),
  objections: await idsIn(team, 'objections'),
});

describe('GET /deletions', () => {
  it('200: has nothing of another team even if the statement does not name its team', async () => {
    const [team, other] = [await aTeam(service), await aTeam(service)];
    const id = await aCase(service, other, { userId: other.owner.user_id });
    await other.client.delete(`/cases/${id}`);
    expect(await withoutTenantFilters(() => deletedIn(team))).toEqual(none);
    expect(await withoutTenantFilters(() => idsIn(other, 'cases'))).toEqual([id]);
    expect([...forgetful].some((text) => text.includes('from deletion'))).toBe(true);
  });

  it('200: has nothing of a deletion that was rolled back', async () => {
    const team = await aTeam(service, { members: 1 });
    const acting = await team.acting();
    const id = await aCase(service, team, { userId: team.owner.user_id });
    const member = team.members[0]?.id ?? '';
    const failing = inTransaction(acting, async (tx) => {
      await deleteCase({ ...acting, tx }, { private: false }, id);
      await removeMember({ ...acting, tx }, member);
      throw new Error('rolled back');
    });
    await expect(failing).rejects.toThrow('rolled back');
    expect(await deletedIn(team)).toEqual(none);
    expect((await team.client.get(`/cases/${id}`)).status).toBe(200);
  });

  it('200: a person who is erased leaves their membership, their assignments and trainings; cases go to the placeholder', async () => {
    const team = await aTeam(service);
    const email = anEmail('erased');
    const { id, user_id } = await team.anActiveMember({ email });
    const assignment = await anAssignment(service, team, { memberId: id });
    const training = await aScoredTraining(service, team, { userId: user_id ?? '', assignmentId: assignment });
    await aCase(service, team, { userId: user_id ?? '' });
    await aCase(service, team, { userId: user_id ?? '', private: true });
    await erase(service, email);
    expect(await deletedIn(team)).toEqual({
      ...none,
      users: [id],
      trainings: [training],
      assignments: [assignment],
    });
  });

  it('200: has the deals that the CRM deleted, or that a full sync did not find, with their objections', async () => {
    const team = await aTeam(service);
    const acting = await team.acting();
    const connectionId = await aCrmConnection(service, team, { provider: 'feed' });
    const [deleted, kept] = [await aDeal(service, team, connectionId), await aDeal(service, team, connectionId)];
    const [first, second] = [await anObjection(service, team, deleted), await anObjection(service, team, deleted)];
    const left = await anObjection(service, team, kept);
    await storeFound(acting, connectionId, { deals: [{ id: deleted, deleted: true }], objections: [] });
    expect(await idsIn(team, 'deals')).toEqual([deleted]);
    expect((await idsIn(team, 'objections')).toSorted()).toEqual([first, second].toSorted());
    const key = { tenantId: team.id, connectionId };
    const removal = { which: { seenAt: service.clock.now() }, limit: 10, now: service.clock.now() } as const;
    await inTransaction(acting, async (tx) => {
      await removeObjections(tx, key, removal);
      await removeDeals(tx, key, removal);
    });
    expect(await idsIn(team, 'deals')).toEqual([deleted, kept]);
    expect(await idsIn(team, 'objections')).toContain(left);
    for (const path of ['/crm/deals', '/crm/objections']) expect((await team.client.get(path)).data).toEqual([]);
  });

  it('200: has the deals of a connection that was disconnected, once the job has deleted them', async () => {
    const team = await aTeam(service);
    const connectionId = await aCrmConnection(service, team, { provider: 'feed' });
    const deal = await aDeal(service, team, connectionId);
    const objection = await anObjection(service, team, deal);
    await disconnect(await team.acting(), connectionId);
    expect((await team.client.get('/crm/deals')).data).toEqual([]);
    aWorker(service);
    await expect.poll(() => deletedIn(team)).toEqual({ ...none, deals: [deal], objections: [objection] });
  });

  it('200: has them also if that job was lost, and nothing of a connection that is still connected', async () => {
    const team = await aTeam(service);
    const disconnected = { active: false, disconnectedAt: service.clock.now() };
    const [gone, kept] = [await aCrmConnection(service, team, disconnected), await aCrmConnection(service, team)];
    const [goneDeal, keptDeal] = [await aDeal(service, team, gone), await aDeal(service, team, kept)];
    const ofKept = { tenantId: team.id, connectionId: kept };
    expect(await crmDeletion.next(service.platform, ofKept)).toBe(false);
    await addLostCrmDeletionJobs(service.platform);
    aWorker(service);
    const left = () => service.database.prisma.crmConnection.findMany({ where: { tenantId: team.id } });
    await expect.poll(left).toMatchObject([{ id: kept }]);
    expect(await deletedIn(team)).toEqual({ ...none, deals: [goneDeal] });
    expect((await team.client.get('/crm/deals')).data).toMatchObject([{ id: keptDeal }]);
  });

  it('200: the oldest first, page by page, from a time on', async () => {
    const team = await aTeam(service);
    const ids: string[] = [];
    let third = service.clock.now();
    for (let count = 0; count < 5; count += 1) {
      const id = await aCase(service, team, { userId: team.owner.user_id });
      service.clock.forward(1000);
      if (count === 2) third = service.clock.now();
      await team.client.delete(`/cases/${id}`);
      ids.push(id);
    }
    const since = `&since=${third.toISOString()}`;
    expect(await idsIn(team, 'cases')).toEqual(ids);
    expect(await idsIn(team, 'cases', since)).toEqual(ids.slice(2));
    const first = await read(team, 'cases', `${since}&limit=2`);
    const next = `&limit=2&cursor=${String(first.body['next_cursor'])}`;
    expect(await idsIn(team, 'cases', `${since}${next}`)).toEqual(ids.slice(4));
    for (const wrong of [read(team, 'cases', next), read(team, 'users', `${since}${next}`)]) {
      expect(await wrong).toBeProblem('validation_error', { field: 'cursor' });
    }
  });

  it('200: has each of many deletions of the same moment once, over all pages, in the order of their ids', async () => {
    const team = await aTeam(service);
    const ids: string[] = [];
    while (ids.length < 5) ids.push(await aCase(service, team, { userId: team.owner.user_id }));
    for (const id of ids) await team.client.delete(`/cases/${id}`);
    await service.database.prisma.deletion.updateMany({
      where: { tenantId: team.id },
      data: { deletedAt: service.clock.now() },
    });
    const rows = await allListed(team.client, '/deletions?resource=cases&limit=2');
    expect(rows.map((row) => row['id'])).toEqual(ids.toSorted());
  });

  it('422: without a list, with an unknown one, and with a time before all that is kept', async () => {
    const team = await aTeam(service);
    expect(await team.client.get('/deletions')).toBeProblem('validation_error', {
      errors: [expect.objectContaining({ path: ['resource'] })],
    });
    for (const wrong of ['', 'evaluations', 'constructor', '__proto__']) {
      expect((await read(team, wrong)).status, wrong).toBe(422);
    }
    const { retentionDays, clock } = service.platform;
    const kept = later(clock.now(), -daysToMs(retentionDays));
    expect((await read(team, 'users', `&since=${kept.toISOString()}`)).status).toBe(200);
    const gone = later(kept, -daysToMs(1));
    expect(await read(team, 'users', `&since=${gone.toISOString()}`)).toBeProblem('validation_error', {
      field: 'since',
      detail: expect.stringMatching(/anew/),
    });
  });

  it('forgets deletions after the days for which history is kept', async () => {
    const team = await aTeam(service);
    const days = service.platform.retentionDays;
    const [old, young] = [
      await aCase(service, team, { userId: team.owner.user_id }),
      await aCase(service, team, { userId: team.owner.user_id }),
    ];
    await team.client.delete(`/cases/${old}`);
    service.clock.forward(daysToMs(days + 2));
    await team.client.delete(`/cases/${young}`);
    await deleteOldDeletions(service.platform, { days });
    expect(await idsIn(team, 'cases')).toEqual([young]);
    service.clock.set(new Date());
  });
});
