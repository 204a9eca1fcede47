import { describe, expect, it, onTestFinished } from 'vitest';
import { daysToMs } from '../../src/core/clock.ts';
import { makeId } from '../../src/core/ids.ts';
import { deliverTasks } from '../../src/deliveries/outbox.ts';
import { rotateKey } from '../../src/modules/keys/service.ts';
import { addActivePerson } from '../../src/modules/members/invitations.ts';
import { mailResetLink } from '../../src/modules/people/service.ts';
import { endpointDeletion } from '../../src/modules/webhooks/cleanup.ts';
import { jobs } from '../../src/platform/jobs.ts';
import { deleteEndedTeams, deleteTeamData, startDeletion } from '../../src/modules/team-deletion/service.ts';
import { makeCli, makeCliOfProcesses } from '../cli/cli.ts';
import { startServiceProcess } from '../support/production-service.ts';
import { aPerson, aSignedInPerson } from '../support/people.ts';
import { untilLockWaits } from '../support/postgres.ts';
import { testSecret, useTestService } from '../support/service.ts';
import { aTeam, anEmail, type TestTeam } from '../support/team.ts';
import { teamTables } from '../support/tenant-in-statements.ts';
import { aWorld } from '../support/world.ts';

const service = await useTestService({ own: true });

const team = (id: string) => service.database.prisma.team.findUnique({ where: { id } });

/** All tables whose rows have the id of their team. */
const tablesOfTeams = [...teamTables].filter((table) => table !== 'team').toSorted();

/** The number of a team's rows in each table. */
const rowsOf = async (teamId: string): Promise<Record<string, number>> => {
  const counts: Record<string, number> = {};
  for (const table of tablesOfTeams) {
    const [row] = await service.database.prisma.$queryRawUnsafe<{ count: number }[]>(
      `select count(*)::int as count from "${table}" where tenant_id = $1::uuid`,
      teamId,
    );
    counts[table] = row?.count ?? 0;
  }
  return counts;
};

/** Everything left of a team: its rows by table, and texts with its id in tables without a tenant id. */
const tracesOf = async (id: string): Promise<Record<string, number>> => {
  const { prisma } = service.database;
  const [others] = await prisma.$queryRaw<Record<string, number>[]>`
    select (select count(*)::int from team where id = ${id}::uuid) as team,
           (select count(*)::int from request_budget where subject = ${id}::uuid) as budgets,
           (select count(*)::int from rate_window where subject like '%' || ${id}) as windows,
           (select count(*)::int from graphile_worker._private_jobs
             where payload::text like '%' || ${id} || '%' and locked_at is null) as jobs,
           (select count(*)::int from graphile_worker._private_jobs j
             where payload ->> 'mailId' is not null
               and not exists (select from mail m where m.id::text = j.payload ->> 'mailId')) as mail_jobs`;
  const found = { ...(await rowsOf(id)), ...others };
  return Object.fromEntries(Object.entries(found).filter(([, count]) => count > 0));
};

/** A world with an erasure that has not ended, and traces in tables without a tenant id. */
const aFullTeam = async (): Promise<TestTeam> => {
  const { prisma } = service.database;
  const { team: full, key } = await aWorld(service, { teamName: 'A team' });
  const { id: tenantId } = full;
  await full.client.get('/events');
  await rotateKey(await full.acting(), key.id, { graceSeconds: 60 });
  const at = new Date();
  const erased = { memberIds: [makeId()], emails: [anEmail('erased')], names: ['Erased'] };
  const placeholders = { placeholderUserId: makeId(), placeholderMemberId: makeId() };
  const beginning = { tenantId, id: makeId(), step: 'assignments', createdAt: at };
  await prisma.erasure.create({ data: { ...beginning, ...erased, ...placeholders } });
  await jobs.add(service.database, endpointDeletion.job({ tenantId, endpointId: makeId() }));
  const { id: endpointId } = await prisma.webhookEndpoint.findFirstOrThrow({ where: { tenantId } });
  const waiting = { key: `deliver:${endpointId}`, inMs: daysToMs(1) };
  await jobs.add(service.database, { task: deliverTasks.usual, payload: { tenantId, endpointId }, ...waiting });
  for (const subject of [`by hand ${tenantId}`, `given up ${tenantId}`]) {
    await prisma.rateWindow.create({ data: { subject, endsAt: at, used: 1 } });
  }
  return full;
};

/** All rows of another team. */
const contents = async (id: string): Promise<Record<string, unknown>> => {
  const all: Record<string, unknown> = {};
  for (const table of tablesOfTeams) {
    all[table] = await service.database.prisma.$queryRawUnsafe(
      `select md5(string_agg(row::text, ',' order by row::text)) as rows from "${table}" as row where tenant_id = $1::uuid`,
      id,
    );
  }
  return all;
};

const start = async (one: TestTeam): Promise<void> => startDeletion(await one.acting());

describe('the deletion of a team', () => {
  it('is tested with a team that has rows in every table with a tenant id', async () => {
    const rows = await rowsOf((await aFullTeam()).id);
    // For a new table: add a row of it to `aWorld`, and a line to `src/modules/team-deletion/store.ts`.
    expect(Object.entries(rows).filter(([, count]) => count === 0)).toEqual([]);
  });

  it('leaves nothing of the team, and everything of another one', async () => {
    const [gone, kept] = [await aFullTeam(), await aFullTeam()];
    await service.platform.storage.written();
    const before = await contents(kept.id);
    await start(gone);
    expect(await deleteTeamData(service.platform, gone.id)).toBe(true);
    expect(await tracesOf(gone.id)).toEqual({});
    expect(await contents(kept.id)).toEqual(before);
  });

  it('stopped after any of its batches, has the same result with the next run', async () => {
    const gone = await aFullTeam();
    await start(gone);
    let runs = 0;
    // Its time is over at once, so each run makes one batch and starts without memory, like a process after a kill.
    const total = async () => Object.values(await rowsOf(gone.id)).reduce((sum, count) => sum + count, 0);
    let left = await total();
    while (left > 0) {
      let deleted = 0;
      const stop = new Error('killed');
      await deleteTeamData(service.platform, gone.id, {
        onDeleted: (rows) => {
          deleted += rows;
          throw stop;
        },
      }).catch((error: unknown) => {
        if (error !== stop) throw error;
      });
      runs += 1;
      left = await total();
      if (deleted === 0) break;
    }
    expect(runs).toBeGreaterThan(20);
    expect(await deleteTeamData(service.platform, gone.id)).toBe(true);
    expect(await tracesOf(gone.id)).toEqual({});
  });

  it('starts again if a concurrent request adds a row to a table that was already emptied', async () => {
    const gone = await aFullTeam();
    await start(gone);
    const { auditEntry } = service.database.prisma;
    let added = false;
    await deleteTeamData(service.platform, gone.id, {
      async onDeleted() {
        if (added || (await auditEntry.count({ where: { tenantId: gone.id } })) > 0) return;
        added = true;
        const row = { actorKind: 'service', action: 'team.changed', targetType: 'team' } as const;
        await auditEntry.create({ data: { tenantId: gone.id, id: makeId(), ...row, createdAt: new Date() } });
      },
    });
    expect(added).toBe(true);
    expect(await tracesOf(gone.id)).toEqual({});
  });

  it('of a killed process: its batch is rolled back, and a worker continues', async () => {
    const gone = await aFullTeam();
    const processes = makeCliOfProcesses({ DATABASE_URL: service.databaseUrl, APP_SECRET: testSecret });
    // The deletion waits for a row that this transaction has locked, in the middle of the work.
    const { child, ended } = await service.database.prisma.$transaction(
      async (tx) => {
        await tx.$queryRaw`select id from audit_entry where tenant_id = ${gone.id}::uuid for update`;
        const started = processes.start(['team', 'delete', '--team', gone.id, '--confirm', 'A team']);
        await untilLockWaits(service, { query: '%audit_entry%' });
        started.child.kill('SIGKILL');
        return started;
      },
      { timeout: 60_000 },
    );
    await ended;
    expect(child.signalCode).toBe('SIGKILL');
    const left = await rowsOf(gone.id);
    expect(left['webhook_event']).toBe(0);
    expect(left['audit_entry']).toBeGreaterThan(0);

    const worker = await startServiceProcess({ databaseUrl: service.databaseUrl, role: 'worker' });
    onTestFinished(async () => void (await worker.stop()));
    await expect.poll(() => team(gone.id)).toBeNull();
    await expect.poll(() => tracesOf(gone.id)).toEqual({});
  });

  it('deletes the people who are in no other team, with their sessions, and keeps the others', async () => {
    const [gone, other] = [await aTeam(service), await aTeam(service)];
    const alone = await aSignedInPerson(service, gone);
    const both = await aSignedInPerson(service, gone);
    await addActivePerson(await other.acting(), { email: both.email, role: 'member' });
    await start(gone);
    await deleteTeamData(service.platform, gone.id);
    const { prisma } = service.database;
    const people = await prisma.person.findMany({
      where: { email: { in: [alone.email, both.email, gone.owner.email] } },
      select: { email: true, sessions: { select: { id: true } }, credentials: { select: { id: true } } },
    });
    expect(people).toEqual([
      { email: both.email, sessions: [{ id: expect.anything() }], credentials: [{ id: expect.anything() }] },
    ]);
    expect(await alone.browser.isSignedIn()).toBe(false);
    expect((await both.browser.query('app/reference.limits', {}, { team: other.id })).status).toBe(200);
    expect((await both.browser.query('app/reference.limits', {}, { team: gone.id })).status).toBe(401);
  });

  it('deletes the mails to those people as well, with their jobs', async () => {
    const gone = await aTeam(service);
    const { email } = await aPerson(gone);
    await service.database.transaction((tx) => mailResetLink(tx, service.platform, email));
    expect(await service.mailsTo(email)).toHaveLength(1);
    await start(gone);
    await deleteTeamData(service.platform, gone.id);
    expect(await service.mailsTo(email)).toEqual([]);
    expect(await tracesOf(gone.id)).toEqual({});
  });

  it('keeps the entries of other teams that the request log writes together with those of the team', async () => {
    const [gone, kept] = [await aTeam(service), await aTeam(service)];
    await service.requestLog.write();
    await gone.client.get('/me');
    await kept.client.get('/me');
    await start(gone);
    await deleteTeamData(service.platform, gone.id);
    await service.requestLog.write();
    expect(await tracesOf(gone.id)).toEqual({});
    const entries = await service.database.prisma.requestLogEntry.count({ where: { tenantId: kept.id } });
    expect(entries).toBe(1);
  });
});

describe('a team that has ended', () => {
  it('is deleted after TEAM_DELETION_DAYS, and not before', async () => {
    const gone = await aTeam(service);
    await gone.change({ status: 'ended' });
    const ended = await team(gone.id);
    expect(ended?.endedAt).not.toBeNull();
    service.clock.forward(daysToMs(30) - 60_000);
    onTestFinished(() => service.clock.set(new Date()));
    await deleteEndedTeams(service.platform);
    expect((await team(gone.id))?.deletionStartedAt).toBeNull();
    service.clock.forward(120_000);
    expect(await deleteEndedTeams(service.platform)).toEqual([gone.id]);
    const jobs = await service.database.prisma.$queryRaw<unknown[]>`
      select 1 from graphile_worker.jobs where key = ${`delete_team ${gone.id}`}`;
    expect(jobs).toHaveLength(1);
    await deleteTeamData(service.platform, gone.id);
    expect(await tracesOf(gone.id)).toEqual({});
  });

  it('can be resumed until then, which starts the days again, and not once its deletion has started', async () => {
    const one = await aTeam(service);
    await one.change({ status: 'ended' });
    await one.change({ status: 'active' });
    expect(await team(one.id)).toMatchObject({ status: 'active', endedAt: null });
    expect((await one.client.get('/me')).status).toBe(200);
    await start(one);
    await expect(one.change({ status: 'active' })).rejects.toMatchObject({ code: 'conflict' });
    expect((await one.client.get('/me')).body).toMatchObject({ code: 'api_disabled' });
  });

  it.each([
    ['de', 'Ihr Team wurde beendet', /werden alle Daten des Teams gelöscht/],
    ['en', 'Your team has ended', /will be deleted on/],
  ] as const)(
    'causes one mail to its owner in %s about the time until it can be resumed or exported',
    async (language, subject, text) => {
      const one = await aTeam(service, { language });
      await one.change({ status: 'ended' });
      await one.change({ status: 'ended' });
      const [mail, ...more] = await service.mailsTo(one.owner.email);
      expect(more).toEqual([]);
      expect(mail?.body).toMatchObject({ subject, text: expect.stringMatching(text) });
      const locale = language === 'de' ? 'de-DE' : 'en-GB';
      const until = new Date(((await team(one.id))?.endedAt?.getTime() ?? 0) + daysToMs(30));
      expect(mail?.body.text).toContain(
        until.toLocaleDateString(locale, { dateStyle: 'long', timeZone: 'Europe/Berlin' }),
      );
    },
  );
});

describe('cli team delete', () => {
  const cli = () => makeCli({ DATABASE_URL: service.databaseUrl, APP_SECRET: testSecret });

  it('with another name is wrong usage, and deletes nothing', async () => {
    const one = await aTeam(service, { name: 'Nordlicht' });
    const failed = await cli().failure(['team', 'delete', '--team', one.id, '--confirm', 'nordlicht']);
    expect(failed).toMatchObject({ exitCode: 2, code: 'usage' });
    expect(await team(one.id)).toMatchObject({ status: 'active', deletionStartedAt: null });
  });

  it('deletes an active team at once, and ends when everything is deleted', async () => {
    const one = await aFullTeam();
    const ended = await cli().run(['team', 'delete', '--team', one.id, '--confirm', 'A team', '--json']);
    expect(ended).toMatchObject({ exitCode: 0, stderr: '' });
    expect(JSON.parse(ended.stdout)).toEqual({ tenant_id: one.id, name: 'A team', deleted: true });
    expect(await tracesOf(one.id)).toEqual({});
    expect((await one.client.get('/me')).status).toBe(401);
    expect(await cli().failure(['team', 'delete', '--team', one.id, '--confirm', 'A team'])).toMatchObject({
      exitCode: 1,
      code: 'not_found',
    });
  });
});
