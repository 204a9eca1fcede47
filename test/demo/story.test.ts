import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { makeCli } from '../cli/cli.ts';
import { Demo } from '../cli/shapes.ts';
import { makeClient } from '../support/client.ts';
import type { Client } from '../support/client.ts';
import { useTestService } from '../support/service.ts';
import { throwAwayFolder } from '../support/throw-away-postgres.ts';

let teams: z.output<typeof Demo>['teams'];
const folder = throwAwayFolder();

// A tester's first steps with the demo's keys and ids, over the API.
const service = await useTestService({ own: true });
beforeAll(async () => {
  const cli = makeCli({ DATABASE_URL: service.databaseUrl, DATA_DIR: folder });
  ({ teams } = await cli.json(Demo, ['demo']));
});

const clientOf = (team: 0 | 1): Client => makeClient(service.baseUrl, teams[team].keys.all);
const open = () => clientOf(0);
const closed = () => clientOf(1);

const valuesOf = async (path: string, field: string): Promise<Set<unknown>> =>
  new Set((await open().get(path)).data.map((entry) => entry[field]));

describe('the ids that the demo names', () => {
  it('are found under their routes', async () => {
    const { ids } = teams[0];
    for (const path of [
      `/users/${ids.member}`,
      `/users/${ids.admin}`,
      `/trainings/${ids.training_scored}`,
      `/trainings/${ids.training_scored}/evaluation`,
      `/trainings/${ids.training_unscored}`,
      `/assignments/${ids.assignment}`,
      `/cases/${ids.case}`,
    ]) {
      expect((await open().get(path)).status, path).toBe(200);
    }
    expect((await open().get(`/users/${ids.admin}`)).body).toMatchObject({ role: 'admin', status: 'active' });
    expect(await open().get(`/trainings/${ids.training_unscored}/evaluation`)).toBeProblem('not_found');
    expect(await open().get(`/cases/${ids.private_case}`)).toBeProblem('not_found');
  });

  it('can be combined in an assignment, except for the blocked situation', async () => {
    for (const { ids, keys } of teams) {
      const client = makeClient(service.baseUrl, keys.all);
      const wanted = {
        member_id: ids.member,
        title: 'Try it',
        situation_id: ids.situation,
        personality_id: ids.personality,
        industry_id: ids.industry,
      };
      expect((await client.post('/assignments', wanted)).status).toBe(201);
      const blocked = await client.post('/assignments', { ...wanted, situation_id: ids.blocked_situation });
      expect(blocked).toBeProblem('vorgabe_gesperrt');
      const { body } = await client.get('/catalog');
      expect(JSON.stringify(body)).not.toContain(ids.blocked_situation);
      expect(JSON.stringify(body)).toContain(ids.situation);
    }
  });
});

describe('the first demo team', () => {
  it('has months of trainings in every status, most of them scored', async () => {
    for (const status of ['running', 'ended', 'scored', 'aborted']) {
      expect((await open().get(`/trainings?status=${status}`)).data.length, status).toBeGreaterThan(0);
    }
    const { body } = await open().get('/analytics/team');
    const { totals, trend, members, skill_gaps } = Analytics.parse(body);
    expect(totals.scored).toBeGreaterThan(500);
    expect(skill_gaps).toContain('closing');
    expect(totals.avg_score).toBeGreaterThan(40);
    // Early on a Monday, nothing was scored in the running week yet.
    const ended = trend.slice(0, -1);
    expect(ended.length).toBeGreaterThan(5);
    expect(ended.every(({ score }) => score !== null)).toBe(true);
    expect(members.length).toBeGreaterThan(10);
  });

  it('has a day of syncs behind its CRM connection, which is paused so that no sync sends requests to a real CRM', async () => {
    const where = { tenantId: teams[0].tenant_id };
    const { prisma } = service.database;
    const [connection] = await prisma.crmConnection.findMany({ where });
    expect(connection).toMatchObject({ status: 'paused', nextSyncAt: null, credentials: expect.any(Uint8Array) });
    const runs = await prisma.crmRun.findMany({ where, orderBy: { id: 'asc' } });
    expect(runs.map(({ startedAt }) => startedAt)).toEqual(
      runs.map(({ startedAt }) => startedAt).toSorted((a, b) => +a - +b),
    );
    expect(runs.filter(({ kind }) => kind === 'full')).toHaveLength(2);
    expect(runs.filter(({ outcome }) => outcome === 'failed')).toMatchObject([{ reason: expect.any(String) }]);
    expect(runs.filter(({ onDemand }) => onDemand)).toHaveLength(1);
    expect(runs.every(({ endedAt, startedAt }) => endedAt !== null && endedAt > startedAt)).toBe(true);
    const last = runs.at(-1);
    expect(last).toMatchObject({ kind: 'full', outcome: 'ok', deals: await prisma.crmDeal.count({ where }) });
    const [deal] = await prisma.crmDeal.findMany({ where, take: 1 });
    expect(deal?.syncedAt).toEqual(last?.startedAt);
  });

  it('has assignments in every status, cases, deals and objections', async () => {
    expect(await valuesOf('/assignments', 'status')).toEqual(new Set(['open', 'in_progress', 'done', 'revoked']));
    expect(await valuesOf('/crm/deals', 'outcome')).toEqual(new Set(['open', 'won', 'lost']));
    expect((await valuesOf('/crm/objections', 'category')).size).toBeGreaterThan(3);
    expect((await valuesOf('/cases', 'title')).size).toBeGreaterThan(3);
  });
});

describe('the second demo team', () => {
  it('shows only sums and no individual data', async () => {
    expect(await closed().get('/trainings')).toBeProblem('privacy_restricted');
    const { totals, members } = Analytics.parse((await closed().get('/analytics/team')).body);
    expect(totals.scored).toBeGreaterThan(50);
    expect(members).toEqual([]);
    const [deal] = (await closed().get('/crm/deals')).data;
    expect(deal).not.toHaveProperty('owner_user_id');
  });
});

const Analytics = z.object({
  totals: z.object({ scored: z.number(), avg_score: z.number() }),
  trend: z.array(z.object({ score: z.number().nullable() })),
  members: z.array(z.unknown()),
  skill_gaps: z.array(z.string()),
});
