import { describe, expect, it } from 'vitest';
import { exportLimits } from '../../src/core/limits.ts';
import { removeMember } from '../../src/modules/members/service.ts';
import { handOver } from '../../src/modules/members/roles.ts';
import { expectRefusal, inTheApp } from '../support/app-caller.ts';
import { makeBrowser, type BrowserSession, aSignedInPerson, testPassword } from '../support/people.ts';
import { startDeletion } from '../../src/modules/team-deletion/service.ts';
import { useTestService } from '../support/service.ts';
import { anEmail, aTeam, type TestTeam } from '../support/team.ts';
import { unzip } from './unzip.ts';

/** It creates a whole team and reads all of it, which takes long on a busy machine. */
const maintenance: { current: { retryAfterSeconds: number } | undefined } = { current: undefined };
const service = await useTestService({ maintenance });

/** A team with its owner signed in. */
const aSignedInOwner = async (): Promise<{ team: TestTeam; browser: BrowserSession }> => {
  const team = await aTeam(service, { ownerEmail: anEmail('owner'), ownerPassword: testPassword });
  const browser = makeBrowser(service);
  expect((await browser.signIn(team.owner.email, testPassword)).status).toBe(200);
  return { team, browser };
};

const linkFor = async ({ team, browser }: { team: TestTeam; browser: BrowserSession }): Promise<string> => {
  const { status, data } = await browser.mutate('app/teamExport.allow', {}, { team: team.id });
  expect(status).toBe(200);
  return String(data['path']);
};

/** Gives a team more data than the buffers between server and client can hold. */
const makeLarge = ({ id }: TestTeam) => service.database.prisma.$executeRaw`
  insert into audit_entry (tenant_id, id, actor_kind, action, target_type, data, created_at)
  select ${id}::uuid, gen_random_uuid(), 'service', 'team.changed', 'team', jsonb_build_object('text', text), now()
    from generate_series(1, 8000) as n
         cross join lateral (select string_agg(md5(random()::text || n || k), '') as text from generate_series(1, 100) as k) as random_text`;

describe('the download of a team’s export', () => {
  it('is a ZIP that the browser saves, recorded in the audit log', async () => {
    const owner = await aSignedInOwner();
    const answer = await owner.browser.fetch(await linkFor(owner));
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('application/zip');
    expect(answer.headers.get('content-disposition')).toMatch(
      /^attachment; filename="team-export-\d{4}-\d\d-\d\d\.zip"$/,
    );
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const files = await unzip(Buffer.from(await answer.arrayBuffer()));
    expect(JSON.parse(files.get('export.json') ?? '')).toMatchObject({ tenant_id: owner.team.id, snapshot: false });
    expect(JSON.parse(files.get('team.json') ?? '')).toMatchObject([{ id: owner.team.id }]);
    const { audit } = await inTheApp(owner.team);
    expect((await audit.list({ action: 'team.exported' })).data).toMatchObject([
      { actor: { id: owner.team.owner.user_id } },
    ]);
  });

  it('works once, within a minute, and with the owner’s session alone', async () => {
    const owner = await aSignedInOwner();
    const link = await linkFor(owner);
    const stranger = makeBrowser(service);
    expect((await stranger.fetch(link)).status).toBe(401);
    const other = await aSignedInOwner();
    expect((await other.browser.fetch(link)).status).toBe(404);
    await (await owner.browser.fetch(link)).arrayBuffer();
    // Until its end is recorded, the first download occupies the team's slot.
    await expect.poll(async () => (await owner.browser.fetch(link)).status).toBe(404);
    const late = await linkFor(owner);
    service.clock.forward(exportLimits.ticketSeconds * 1_000);
    expect((await owner.browser.fetch(late)).status).toBe(404);
    service.clock.forward(-exportLimits.ticketSeconds * 1_000);
    expect((await owner.browser.fetch('/exports/anything')).status).toBe(404);
    expect((await owner.browser.fetch(`${(await linkFor(owner)).slice(0, -1)}~`)).status).toBe(404);
  });

  it('keeps the link valid if a client only requests its headers', async () => {
    const owner = await aSignedInOwner();
    const link = await linkFor(owner);
    for (let n = 0; n < 3; n += 1) {
      const looked = await owner.browser.fetch(link, { method: 'HEAD' });
      expect(looked.status).toBe(200);
      expect(looked.headers.get('content-type')).toBe('application/zip');
      expect(await looked.text()).toBe('');
    }
    expect((await makeBrowser(service).fetch(link, { method: 'HEAD' })).status).toBe(401);
    const answer = await owner.browser.fetch(link);
    expect(answer.status).toBe(200);
    expect(await unzip(Buffer.from(await answer.arrayBuffer()))).toHaveProperty('size');
  });

  it('is refused during maintenance, and the link stays valid', async () => {
    const owner = await aSignedInOwner();
    const link = await linkFor(owner);
    maintenance.current = { retryAfterSeconds: 45 };
    const refused = await owner.browser.fetch(link);
    maintenance.current = undefined;
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '45']);
    expect(await refused.json()).toMatchObject({ code: 'unavailable' });

    const answer = await owner.browser.fetch(link);
    expect(answer.status).toBe(200);
    await answer.arrayBuffer();
  });

  it('is refused to a former owner, and while member details are off', async () => {
    const owner = await aSignedInOwner();
    const { team } = owner;
    const link = await linkFor(owner);
    await team.change({ memberDetail: false });
    expect((await owner.browser.fetch(link)).status).toBe(403);
    await expectRefusal((await inTheApp(team)).teamExport.allow({}), { code: 'privacy_restricted' });
    await team.change({ memberDetail: true });
    const { id } = await team.anActiveMember({ role: 'admin' });
    await handOver({ ...(await team.acting()), actor: { kind: 'person', userId: team.owner.user_id } }, id);
    expect((await owner.browser.fetch(link)).status).toBe(404);
    await team.anActiveMember({ role: 'admin' });
    await removeMember(await team.acting(), team.owner.member_id);
    expect((await owner.browser.fetch(link)).status).toBe(401);
  });

  it.each(['suspended', 'ended'] as const)(
    'works for the owner of a team that is %s, and for nobody and nothing else of it, until its data is being deleted',
    async (status) => {
      const owner = await aSignedInOwner();
      const { team, browser } = owner;
      const admin = await aSignedInPerson(service, team, { role: 'admin' });
      await team.change({ status });
      const answer = await browser.fetch(await linkFor(owner));
      expect(answer.status).toBe(200);
      const files = await unzip(Buffer.from(await answer.arrayBuffer()));
      expect(JSON.parse(files.get('team.json') ?? '')).toMatchObject([{ id: team.id, status }]);
      const refused = [
        await admin.browser.mutate('app/teamExport.allow', {}, { team: team.id }),
        await admin.browser.query('app/team.settings', {}, { team: team.id }),
        await browser.query('app/team.settings', {}, { team: team.id }),
        await browser.query('api/account.me', {}, { team: team.id }),
      ];
      expect(refused.map(({ status: code }) => code)).toEqual([403, 403, 403, 403]);

      const link = await linkFor(owner);
      await startDeletion(await team.acting());
      expect((await browser.fetch(link)).status).toBe(403);
      const late = await browser.mutate('app/teamExport.allow', {}, { team: team.id });
      expect(late.problem).toMatchObject({ code: 'api_disabled' });
      await expectRefusal((await inTheApp(team)).teamExport.allow({}), { code: 'api_disabled' });
    },
  );

  it('is limited per hour', async () => {
    const team = await aTeam(service);
    const { teamExport } = await inTheApp(team);
    for (let n = 0; n < exportLimits.perTeamPerHour; n += 1) await teamExport.allow({});
    await expectRefusal(teamExport.allow({}), { code: 'rate_limited' });
    service.clock.forward(3_600_000);
    await teamExport.allow({});
    service.clock.forward(-3_600_000);
  });

  it('runs once at a time for a team: another one gets Retry-After, its link stays valid, and a client that leaves frees the slot', async () => {
    const owner = await aSignedInOwner();
    await makeLarge(owner.team);
    const [first, second] = [await linkFor(owner), await linkFor(owner)];
    // The header has arrived and most of the body is not read, so the download is still running.
    const running = await owner.browser.fetch(first);
    const refused = await owner.browser.fetch(second);
    expect(refused.status).toBe(429);
    expect(refused.headers.get('retry-after')).toBe(String(exportLimits.busyRetrySeconds));
    await unzip(Buffer.from(await running.arrayBuffer()));
    const leaving = new AbortController();
    const { signal } = leaving;
    await expect.poll(async () => (await owner.browser.fetch(second, { signal })).status).toBe(200);
    leaving.abort();
    const third = await linkFor(owner);
    await expect.poll(async () => (await owner.browser.fetch(third)).status).toBe(200);
  });

  it('runs for a limited number of teams at once in a process; the next one is no fault of its team: 503', async () => {
    const owners = [];
    for (let n = 0; n <= exportLimits.atOnceInProcess; n += 1) owners.push(await aSignedInOwner());
    const last = owners.pop() ?? expect.fail();
    const link = await linkFor(last);
    const running = [];
    for (const owner of owners) {
      await makeLarge(owner.team);
      // The header has arrived and most of the body is not read, so the download is still running.
      running.push(await owner.browser.fetch(await linkFor(owner)));
    }
    expect(running.map(({ status }) => status)).toEqual(owners.map(() => 200));
    const refused = await last.browser.fetch(link);
    expect(refused.status).toBe(503);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    for (const answer of running) await answer.arrayBuffer();
    await expect.poll(async () => (await last.browser.fetch(link)).status).toBe(200);
  });
});
