import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { cliOnDatabase } from '../cli/on-database.ts';
import { Demo, Keys, Mails, Members, Teams } from '../cli/shapes.ts';
import { makeClient } from '../support/client.ts';
import { useTestService } from '../support/service.ts';

const service = await useTestService({ own: true });
const cli = await cliOnDatabase(service.databaseUrl);
const file = join(cli.folder, 'demo.json');
const demo = (more?: Record<string, string>) => cli.json(Demo, ['demo'], more);

// Two processes of their own, and this one.
const [first, ...others] = await Promise.all([
  cli.processes.json(Demo, ['demo']),
  cli.processes.json(Demo, ['demo']),
  demo(),
]);
const { teams } = first;

const [NORDLICHT, HARBOUR] = ['Nordlicht Energie Vertrieb', 'Harbour & Finch Software'];

describe('demo', () => {
  it('is created once, even by several processes at the same time', async () => {
    for (const other of others) expect(other).toEqual(first);
    expect(await demo()).toEqual(first);
    expect((await cli.json(Teams, ['team', 'list'])).map(({ name }) => name)).toEqual([NORDLICHT, HARBOUR]);
  });

  it('stores its keys and passwords in a file only for its owner', () => {
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ ...first });
  });

  it('is refused in production', async () => {
    const production = { NODE_ENV: 'production', APP_SECRET: 'x'.repeat(32), PUBLIC_URL: 'https://trainer.example' };
    const failure = await cli.failure(['demo'], production);
    expect(failure).toMatchObject({ exitCode: 1, code: 'configuration' });
    expect(failure.message).toContain('production');
  });

  it('has the service’s URL: the configured one, or the last one', async () => {
    const { base_url, app_url } = await demo();
    expect({ base_url, app_url }).toEqual({
      base_url: 'http://localhost:3000/api/public/v1',
      app_url: 'http://localhost:3000',
    });
    const trainer = 'https://trainer.example';
    expect(await demo({ PUBLIC_URL: trainer })).toMatchObject({
      base_url: `${trainer}/api/public/v1`,
      app_url: trainer,
    });
    expect(await demo({ PORT: '0' })).toMatchObject({ app_url: trainer });
    expect(await demo({ PORT: '3100' })).toMatchObject({ app_url: 'http://localhost:3100' });
  });
});

describe('the demo teams', () => {
  const membersOf = async (name: string) => {
    const team = teams.find((candidate) => candidate.name === name);
    return cli.json(Members, ['member', 'list', '--team', team?.tenant_id ?? '']);
  };

  it('are a large one that shows everything and a small one that hides member-level data', async () => {
    expect(await cli.json(Teams, ['team', 'list'])).toMatchObject([
      { name: NORDLICHT, plan: 'enterprise', member_detail_enabled: true, leaderboard_enabled: true, rate_limit: 6000 },
      { name: HARBOUR, member_detail_enabled: false, rate_limit: 6000 },
    ]);
    expect(await membersOf(NORDLICHT)).toHaveLength(25);
    expect(await membersOf(HARBOUR)).toHaveLength(8);
  });

  it('have an owner, admins with and without the right to make keys, and invited people', async () => {
    const [owner, ...people] = await membersOf(NORDLICHT);
    const { member_id, email: address } = teams[0].owner;
    expect(owner).toMatchObject({ role: 'owner', member_id, email: address });
    const active = people.filter(({ role, status }) => role === 'admin' && status === 'active');
    expect(new Set(active.map(({ rights }) => rights.join()))).toEqual(new Set(['schnittstellen', '']));
    expect(people.filter(({ status }) => status === 'invited').length).toBeGreaterThan(0);
    for (const { email } of people) expect(email).toMatch(/^[a-z]+\.[a-z]+@nordlicht-energie\.example$/);
  });

  it('have a key with all scopes and one for reading', async () => {
    for (const { tenant_id, keys } of teams) {
      const listed = await cli.json(Keys, ['key', 'list', '--team', tenant_id]);
      const scopesOf = (key: string) => listed.find(({ prefix }) => key.includes(prefix))?.scopes;
      expect(scopesOf(keys.all)).toContain('webhooks:manage');
      expect(scopesOf(keys.read_only)).toContain('users:read');
      expect(scopesOf(keys.read_only)?.every((scope) => scope.endsWith(':read'))).toBe(true);
      expect(listed).toHaveLength(2);
    }
  });

  it('caused no mail', async () => {
    expect(await cli.json(Mails, ['mail', 'list'])).toEqual([]);
  });
});

// A tester's first steps with the demo's keys and ids, over the API.

const clientOf = (team: 0 | 1) => makeClient(service.baseUrl, teams[team].keys.all);
const open = () => clientOf(0);
const closed = () => clientOf(1);

const valuesOf = async (path: string, field: string): Promise<Set<unknown>> =>
  new Set((await open().get(path)).data.map((entry) => entry[field]));

const Analytics = z.object({
  totals: z.object({ scored: z.number(), avg_score: z.number() }),
  trend: z.array(z.object({ score: z.number().nullable() })),
  members: z.array(z.unknown()),
  skill_gaps: z.array(z.string()),
});

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
    // Each connection's objections are in the language of its team.
    for (const { tenantId, settings } of await prisma.crmConnection.findMany()) {
      const { language } = await prisma.team.findUniqueOrThrow({ where: { id: tenantId } });
      expect(settings).toMatchObject({ objection_lang: language });
    }
  });

  it('has assignments in every status, cases, deals and objections', async () => {
    expect(await valuesOf('/assignments', 'status')).toEqual(new Set(['open', 'in_progress', 'done', 'revoked']));
    expect(await valuesOf('/crm/deals', 'outcome')).toEqual(new Set(['open', 'won', 'lost']));
    expect((await valuesOf('/crm/objections', 'category')).size).toBeGreaterThan(3);
    expect((await valuesOf('/cases', 'title')).size).toBeGreaterThan(3);
  });
});

describe('the second demo team', () => {
  it('shows only sums and no member-level data', async () => {
    expect(await closed().get('/trainings')).toBeProblem('privacy_restricted');
    const { totals, members } = Analytics.parse((await closed().get('/analytics/team')).body);
    expect(totals.scored).toBeGreaterThan(50);
    expect(members).toEqual([]);
    const [deal] = (await closed().get('/crm/deals')).data;
    expect(deal).not.toHaveProperty('owner_user_id');
  });
});

it('a demo file that is broken: new teams are created, with new people', async () => {
  writeFileSync(file, '{"teams": [');
  const [again] = (await demo()).teams;
  expect(again.name).toBe(NORDLICHT);
  expect(again.owner.email).not.toBe(teams[0].owner.email);
  expect(await cli.json(Teams, ['team', 'find', NORDLICHT])).toHaveLength(2);
});

describe('after a demo team was deleted', () => {
  it('only that team is created again', async () => {
    const [large, small] = (await demo()).teams;
    const before = await cli.json(Teams, ['team', 'find', NORDLICHT]);
    const gone = await cli.run(['team', 'delete', '--team', small.tenant_id, '--confirm', HARBOUR]);
    expect(gone.exitCode).toBe(0);
    const [first, second] = (await demo()).teams;
    expect(first).toEqual(large);
    expect(second.name).toBe(HARBOUR);
    expect(second.tenant_id).not.toBe(small.tenant_id);
    expect(await cli.json(Teams, ['team', 'find', NORDLICHT])).toEqual(before);
  });
});
