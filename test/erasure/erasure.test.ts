import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { newId } from '../../src/core/ids.ts';
import { openDatabase } from '../../src/db/database.ts';
import { storePage } from '../../src/modules/crm/sync.ts';
import {
  addLostErasureJobs,
  eraseAll,
  eraseFormerMember,
  eraseNext,
  erasePerson,
} from '../../src/modules/erasure/service.ts';
import type { ErasureKey } from '../../src/modules/erasure/service.ts';
import { steps } from '../../src/modules/erasure/steps.ts';
import { teamTables } from '../../src/modules/export/tables.ts';
import { removeMember } from '../../src/modules/members/service.ts';
import { forgetOldAnswers } from '../../src/modules/idempotency/service.ts';
import type { Team } from '../../src/platform/team.ts';
import { certificates } from '../support/certificates.ts';
import { aFeed, aFeedConnection, asked, aSync, localFeeds, page } from '../support/feed.ts';
import { openBrowser } from '../support/browser-session.ts';
import { aTeamWithEverything, removeFrom } from '../support/everywhere.ts';
import type { Everywhere } from '../support/everywhere.ts';
import { aPerson, testPassword } from '../support/people.ts';
import { startTestService } from '../support/service.ts';
import type { TestService } from '../support/service.ts';
import { storageOf } from '../support/storage.ts';
import { anEmail, aTeam } from '../support/team.ts';
import { throwAwayFolder } from '../support/throw-away-postgres.ts';
import type { TestTeam } from '../support/team.ts';
import { aWorker } from '../support/worker.ts';
import { untilLockWaits, withSql } from '../support/postgres.ts';

/** A whole team is made and walked through: on a busy machine that takes its time. */
const patience = 300_000;

let service: TestService;
const folder = throwAwayFolder();
beforeAll(async () => {
  service = await startTestService({ environment: localFeeds((await certificates()).caFile()) });
});
afterAll(() => service.close());

/** Every row of every table of every schema, as text. */
const dump = (): Promise<string[]> =>
  withSql(service, async (sql) => {
    const { rows: tables } = await sql.query<{ name: string }>(
      `select format('%I.%I', nspname, relname) as name from pg_class k join pg_namespace n on n.oid = relnamespace
        where relkind = 'r' and nspname not in ('pg_catalog', 'information_schema') and nspname not like 'pg_toast%'`,
    );
    const lines: string[] = [];
    for (const { name } of tables) {
      const { rows } = await sql.query<{ line: string }>(`select t::text as line from ${name} t`);
      lines.push(...rows.map(({ line }) => `${name}: ${line}`));
    }
    return lines;
  });

/** A row's text doubles the quotes of its values, and JSON escapes them. */
const plain = (line: string): string => line.replaceAll(/[\\"]/g, '').toLowerCase();

/** The lines of a dump in which one of these texts stands, in any case. */
const linesNaming = async (texts: readonly string[]): Promise<string[]> => {
  const wanted = texts.map(plain);
  return (await dump()).filter((line) => wanted.some((text) => plain(line).includes(text)));
};

const inOtherForms = ({ needles }: Everywhere): string[] => {
  const readable = needles.email.replace('xn--srgel-jua', 'sörgel');
  return [...Object.values(needles), readable, encodeURIComponent(needles.email)];
};

const pendingOf = async (teamId: string): Promise<ErasureKey> => {
  const { tenantId, id } = await service.database.prisma.erasure.findFirstOrThrow({ where: { tenantId: teamId } });
  return { tenantId, id };
};

const asOwner = async (team: TestTeam): Promise<Team> => ({
  ...(await team.acting()),
  actor: { kind: 'person', userId: team.owner.user_id },
});

const operator = { kind: 'operator' } as const;
const erase = async (email: string, platform = service.platform): Promise<void> => {
  for (const key of await erasePerson(platform, operator, email)) await eraseAll(platform, key);
};

const refusal = (code: string, detail?: RegExp) => ({
  code,
  ...(detail && { members: { detail: expect.stringMatching(detail) } }),
});

describe('an erased person', { timeout: patience }, () => {
  it('is named nowhere in the database: neither by name nor by address nor by an id', async () => {
    const everywhere = await aTeamWithEverything(service);
    const bystander = await aTeamWithEverything(service, { name: 'Berta Bystander' });
    const before = await linesNaming(inOtherForms(everywhere));
    const others = (await linesNaming([bystander.team.id, ...inOtherForms(bystander)])).toSorted();
    // The test's own measure: there was something to find in nearly every table.
    const tables = new Set(before.map((line) => line.split(': ')[0]));
    for (const { table } of teamTables.filter(({ searched }) => searched.length > 0)) {
      const rows = [...tables].filter((name) => name?.replaceAll('"', '').startsWith(`public.${table}`));
      expect(rows, table).not.toEqual([]);
    }
    for (const table of [
      'person',
      'session',
      'two_factor',
      'credential',
      'verification',
      'team_user',
      'member',
      'mail',
    ]) {
      expect([...tables]).toContain(`public.${table}`);
    }

    await erase(everywhere.needles.email);
    expect(await linesNaming(inOtherForms(everywhere))).toEqual([]);
    expect(others.length).toBeGreaterThan(before.length / 2);
    expect((await linesNaming([bystander.team.id, ...inOtherForms(bystander)])).toSorted()).toEqual(others);
  });

  it('leaves the facts: events, deliveries, attempts and the audit log keep their rows, and name a placeholder', async () => {
    const { team, needles } = await aTeamWithEverything(service);
    const { prisma } = service.database;
    const of = { where: { tenantId: team.id } };
    const counts = () =>
      Promise.all([
        prisma.webhookEvent.count(of),
        prisma.webhookDelivery.count(of),
        prisma.webhookAttempt.count(of),
        prisma.requestLogEntry.count(of),
        prisma.crmDeal.count(of),
        prisma.apiKey.count(of),
        prisma.case.count({ where: { tenantId: team.id, private: false } }),
      ]);
    await removeFrom({ team, needles });
    const before = await counts();
    const entries = await prisma.auditEntry.count(of);
    await eraseFormerMember(await asOwner(team), needles.memberId);
    await eraseAll(service.platform, await pendingOf(team.id));
    expect(await counts()).toEqual(before);
    expect(await prisma.auditEntry.count(of)).toBe(entries + 1);

    const placeholder = await prisma.member.findFirstOrThrow({
      where: { tenantId: team.id, email: { endsWith: '@erased.invalid' } },
    });
    const event = await prisma.webhookEvent.findFirstOrThrow({
      where: { tenantId: team.id, type: 'member.removed' },
      orderBy: { id: 'asc' },
    });
    expect(event.data).toMatchObject({
      list: [placeholder.userId, placeholder.id, expect.any(String)],
      name: '[erased]',
    });
    const acted = await prisma.auditEntry.findMany({ where: { tenantId: team.id, actorId: placeholder.userId } });
    expect(acted.length).toBeGreaterThan(0);
    expect(await prisma.apiKey.count({ where: { tenantId: team.id, createdBy: placeholder.id } })).toBe(1);
    const { body } = await team.client.get(`/cases?user_id=${String(placeholder.userId)}`);
    expect(body['data']).toMatchObject([{ user_id: placeholder.userId, title: 'Case of [erased]' }]);
  });

  it('takes trainings, evaluations, assignments and private cases along, and the storage counts what is left', async () => {
    const { team, needles } = await aTeamWithEverything(service);
    await erase(needles.email);
    const { prisma } = service.database;
    const of = { where: { tenantId: team.id } };
    expect(await prisma.training.count(of)).toBe(1);
    expect(await prisma.evaluation.count(of)).toBe(1);
    expect(await prisma.assignment.count(of)).toBe(1);
    expect(await prisma.trainingTotals.count(of)).toBe(1);
    expect(await prisma.case.count({ where: { tenantId: team.id, private: true } })).toBe(1);
    const { counted, found } = await storageOf(service, team);
    expect(counted).toEqual(found);
  });

  it('leaves every number of other people’s JSON as it was', async () => {
    const { team, needles } = await aTeamWithEverything(service);
    await erase(needles.email);
    const [row] = await withSql(
      service,
      async (sql) =>
        (
          await sql.query<{ ref: string }>('select external_ref::text as ref from training where tenant_id = $1', [
            team.id,
          ])
        ).rows,
    );
    expect(row?.ref).toContain('12345678901234567890.10');
    expect(row?.ref).toContain('[erased]');
  });

  it('is signed out at once and can’t sign in again, and the address is free', async () => {
    const team = await aTeam(service);
    const { email, userId } = await aPerson(team);
    const { prisma } = service.database;
    const { personId } = await prisma.teamUser.findUniqueOrThrow({
      where: { tenantId_id: { tenantId: team.id, id: userId } },
    });
    const browser = openBrowser(service);
    expect((await browser.signIn(email, testPassword)).status).toBe(200);
    const me = () => browser.query('api/account.me', {}, { team: team.id });
    const of = { where: { personId } };
    const signIns = async () => [await prisma.session.count(of), await prisma.credential.count(of)];
    expect([await browser.isSignedIn(), (await me()).status, await signIns()]).toEqual([true, 200, [1, 1]]);
    const before = new Map(browser.cookies);
    await erasePerson(service.platform, operator, email);
    // Before a request: the first one of somebody who is in no team any more would delete the session itself.
    expect(await signIns()).toEqual([0, 0]);
    expect([await browser.isSignedIn(), (await me()).status]).toEqual([false, 401]);
    // The browser may have been told to forget its cookies; a thief of them would not.
    for (const [name, value] of before) browser.cookies.set(name, value);
    expect((await me()).status).toBe(401);
    const { request_id: _, ...refused } = (await openBrowser(service).signIn(email, testPassword)).problem;
    const { request_id: __, ...unknown } = (await openBrowser(service).signIn(anEmail('nobody'), testPassword)).problem;
    expect(refused).toEqual(unknown);
    expect((await team.client.post('/users', { email })).status).toBe(201);
  });

  it('who was only ever invited is erased as well', async () => {
    const team = await aTeam(service);
    const { email } = await team.anInvitedMember();
    await erase(String(email));
    expect(await linesNaming([String(email)])).toEqual([]);
  });

  it('is in no stored answer for an Idempotency-Key after 24 hours', async () => {
    const team = await aTeam(service);
    const email = anEmail('kept');
    await team.client.post('/users', { email }, { headers: { 'Idempotency-Key': 'an invitation' } });
    await erase(email);
    const stored = () => service.database.prisma.idempotencyRecord.count({ where: { tenantId: team.id } });
    await forgetOldAnswers(service.platform);
    expect(await stored()).toBe(1);
    service.clock.forward(24 * 3_600_000);
    await forgetOldAnswers(service.platform);
    service.clock.forward(-24 * 3_600_000);
    expect(await stored()).toBe(0);
  });
});

describe('texts that name somebody else', { timeout: patience }, () => {
  it('stay as they are: longer addresses, longer names, and a name that is a word', async () => {
    const team = await aTeam(service);
    const email = `mark@${team.id}.example`;
    const { memberId } = await aPerson(team, { email, name: 'Mark' });
    const kept = [
      `anna.mark@${team.id}.example`,
      `mark@${team.id}.example.org`,
      `a-mark@${team.id}.example`,
      'Mark this as done, Denmark',
    ];
    const { body } = await team.client.post('/cases', {
      user_id: team.owner.user_id,
      title: 'A talk',
      persona_id: 'Mark',
      fields: { kept, gone: [`Write to <MARK@${team.id}.example>.`, 'mark', memberId] },
    });
    await erase(email);
    const found = await team.client.get(`/cases/${String(body['id'])}`);
    expect(found.body).toMatchObject({
      title: 'A talk',
      persona_id: '[erased]',
      fields: { kept, gone: ['Write to <[erased]>.', '[erased]', expect.not.stringMatching(memberId)] },
    });
  });
});

describe('the erasure', { timeout: patience }, () => {
  it('goes on where its process was killed', async () => {
    const email = anEmail('killed');
    const team = await aTeam(service);
    const { userId } = await aPerson(team, { email });
    await withSql(service, (sql) =>
      sql.query(
        `insert into audit_entry (tenant_id, id, actor_kind, actor_id, action, target_type, data, created_at)
         select $1, gen_random_uuid(), 'person', $2, 'team.changed', 'team', jsonb_build_object('n', n, 'by', $3::text), now()
           from generate_series(1, 30000) as n`,
        [team.id, userId, email],
      ),
    );
    const { prisma } = service.database;
    const left = () => prisma.auditEntry.count({ where: { tenantId: team.id, actorId: userId } });
    const env = { PATH: '/usr/local/bin:/usr/bin:/bin', DATABASE_URL: service.databaseUrl, DATA_DIR: folder };
    const child = spawn(process.execPath, ['src/cli.ts', 'person', 'erase', '--email', email], {
      env,
    });
    const ended = once(child, 'exit');
    await expect.poll(left, { timeout: 200_000, interval: 20 }).toBeLessThan(30_000);
    child.kill('SIGKILL');
    await ended;
    expect(await left()).toBeGreaterThan(0);
    const { step, position } = await prisma.erasure.findFirstOrThrow({ where: { tenantId: team.id } });
    expect(step).toBe('texts of audit_entry');
    expect(position).not.toEqual([]);
    await erase(email);
    expect(await linesNaming([email, userId])).toEqual([]);
  });

  it('is the same in however many batches it is done', async () => {
    const everywhere = await aTeamWithEverything(service);
    const [key] = await erasePerson(service.platform, operator, everywhere.needles.email);
    if (!key) throw new Error('nothing was begun');
    let batches = 0;
    for (let done = false; !done; batches += 1) {
      done = (await eraseNext(service.platform, key))?.done ?? true;
      // Given the same command again it finds what is still to be done.
      if (!done) expect(await erasePerson(service.platform, operator, everywhere.needles.email)).toEqual([key]);
    }
    expect(batches).toBeGreaterThanOrEqual(steps.length);
    expect(await linesNaming(inOtherForms(everywhere))).toEqual([]);
    expect(await eraseNext(service.platform, key)).toBeUndefined();
  });

  it('is done once where two processes are at it', async () => {
    const everywhere = await aTeamWithEverything(service);
    const [key] = await erasePerson(service.platform, operator, everywhere.needles.email);
    if (!key) throw new Error('nothing was begun');
    await Promise.all([
      eraseAll(service.platform, key),
      eraseAll(service.platform, key),
      eraseAll(service.platform, key),
    ]);
    expect(await linesNaming(inOtherForms(everywhere))).toEqual([]);
  });

  describe('by two teams that the person has left', () => {
    const formerOf = async (count: number) => {
      const email = anEmail('shared');
      const teams: { team: TestTeam; memberId: string; userId: string }[] = [];
      for (let n = 0; n < count; n += 1) {
        const team = await aTeam(service);
        const person = await aPerson(team, { email });
        await removeMember(await asOwner(team), person.memberId);
        teams.push({ team, ...person });
      }
      const begin = async (former: (typeof teams)[number]) => {
        await eraseFormerMember(await asOwner(former.team), former.memberId);
        return pendingOf(former.team.id);
      };
      return { email, teams, begin };
    };
    const accountsOf = (email: string) => service.database.prisma.person.count({ where: { email } });
    const placeholders = () =>
      service.database.prisma.person.count({
        where: { email: { endsWith: '@erased.invalid' }, users: { none: {} } },
      });

    it.each([
      ['the first one ends first', [0, 1]],
      ['the first one ends last', [1, 0]],
    ])('deletes the account, when %s', async (_, order) => {
      const { email, teams, begin } = await formerOf(2);
      const keys: ErasureKey[] = [];
      for (const former of teams) keys.push(await begin(former));
      for (const at of order) await eraseAll(service.platform, keys[at] ?? expect.fail('no key'));
      expect(await linesNaming([email, ...teams.map(({ userId }) => userId)])).toEqual([]);
      expect(await placeholders()).toBe(0);
    });

    it('deletes the account, when both are at work at once', async () => {
      for (let round = 0; round < 5; round += 1) {
        const { email, teams, begin } = await formerOf(2);
        const keys = await Promise.all(teams.map(begin));
        await Promise.all(keys.map((key) => eraseAll(service.platform, key)));
        expect(await linesNaming([email])).toEqual([]);
        expect(await placeholders()).toBe(0);
      }
    });

    it('leaves the account where a third team knows the person', async () => {
      const { email, teams, begin } = await formerOf(3);
      const keys = await Promise.all(teams.slice(0, 2).map(begin));
      await Promise.all(keys.map((key) => eraseAll(service.platform, key)));
      expect(await accountsOf(email)).toBe(1);
      const [, , third = expect.fail('no third team')] = teams;
      await eraseAll(service.platform, await begin(third));
      expect(await linesNaming([email])).toEqual([]);
      expect(await placeholders()).toBe(0);
    });
  });

  it('is done by the worker, and begun again by it where its job was lost', async () => {
    const [email, lost] = [anEmail('by-job'), anEmail('lost')];
    const team = await aTeam(service);
    await aPerson(team, { email });
    await aPerson(team, { email: lost });
    await erasePerson(service.platform, operator, email);
    await erasePerson(service.platform, operator, lost);
    await withSql(service, (sql) =>
      sql.query(
        `select graphile_worker.remove_job(key) from graphile_worker.jobs where task_identifier = 'erase_person'`,
      ),
    );
    await addLostErasureJobs(service.platform);
    aWorker(service);
    await expect
      .poll(() => service.database.prisma.erasure.count({ where: { tenantId: team.id } }), { timeout: 200_000 })
      .toBe(0);
    expect(await linesNaming([email, lost])).toEqual([]);
  });

  it('replaces each id of the CRM that names the person by one of its own, and leaves the others', async () => {
    const { team, needles } = await aTeamWithEverything(service);
    const { prisma } = service.database;
    const { connectionId, externalId: named } = await prisma.crmDeal.findFirstOrThrow({ where: { tenantId: team.id } });
    const others = [named.toUpperCase(), 'deal-2'];
    await prisma.crmDeal.createMany({
      data: others.map((externalId) => {
        return { tenantId: team.id, id: newId(), connectionId, externalId, pipelineId: '7', createdAt: new Date() };
      }),
    });
    await erase(needles.email);
    const deals = await prisma.crmDeal.findMany({ where: { tenantId: team.id }, orderBy: { externalId: 'asc' } });
    const ids = deals.map(({ id, externalId }) => externalId.replace(id, 'ID'));
    expect(ids.toSorted()).toEqual(['[erased] ID', '[erased] ID', 'deal-2']);
    expect(deals.map(({ pipelineId }) => pipelineId).toSorted()).toEqual(['7', '7', '[erased]']);
  });

  it('waits for a sync’s page that has found the person, and takes its deals from them', async () => {
    const team = await aTeam(service);
    const email = anEmail('late');
    const { userId } = await aPerson(team, { email });
    const { prisma } = service.database;
    const place = { tenantId: team.id, connectionId: newId() };
    await prisma.crmConnection.create({
      data: { tenantId: team.id, id: place.connectionId, provider: 'feed', createdAt: new Date() },
    });
    const deal = { id: 'a', outcome: 'open', ownerEmail: email } as const;
    const ownerOf = async () => (await prisma.crmDeal.findFirst({ where: { tenantId: team.id } }))?.ownerUserId;
    // Its transactions may wait for as long as this test needs.
    const database = openDatabase(service.databaseUrl, { poolSize: 4, lockWait: 25_000 });
    onTestFinished(() => database.close());
    const platform = { ...service.platform, database };
    const { stored, erasing } = await withSql(service, async (sql) => {
      // A row that is not committed holds the page up between its match and its end.
      await sql.query('begin');
      await sql.query(
        `insert into crm_deal (tenant_id, id, connection_id, external_id, created_at) values ($1, $2, $3, 'a', now())`,
        [team.id, newId(), place.connectionId],
      );
      const storing = database.transaction(
        (tx) => storePage(tx, { ...place, now: new Date() }, { deals: [deal], objections: [] }),
        { timeout: 60_000 },
      );
      await untilLockWaits(service);
      const all = erase(email, platform);
      await Promise.race([all, untilLockWaits(service, { count: 2 })]);
      await sql.query('rollback');
      return { stored: storing, erasing: all };
    });
    expect(await stored).toMatchObject({ deals: 1 });
    await erasing;
    expect(await ownerOf()).toBeNull();
    expect(await linesNaming([email, userId])).toEqual([]);
  });

  it('finds nothing of a sync’s cursor that named the person, since a run that is over has none', async () => {
    const team = await aTeam(service);
    const email = anEmail('cursor');
    await aPerson(team, { email });
    const feed = await aFeed((request) =>
      asked(request).cursor === null
        ? page({ deals: [{ id: 'x', outcome: 'open', pipeline_id: email, owner_email: email }], next_cursor: email })
        : { status: 404 },
    );
    const run = await aSync(service, team, await aFeedConnection(team, feed));
    expect(run.outcome).toBe('failed');
    await erase(email);
    expect(await linesNaming([email])).toEqual([]);
  });

  it('takes from the person the deals that they got after its step for deals', async () => {
    const team = await aTeam(service);
    const email = anEmail('later');
    const { userId } = await aPerson(team, { email });
    const { prisma } = service.database;
    const [key] = await erasePerson(service.platform, operator, email);
    if (!key) throw new Error('nothing was begun');
    const stepNow = async () => (await prisma.erasure.findFirstOrThrow({ where: { tenantId: team.id } })).step;
    while ((await stepNow()) !== 'person') await eraseNext(service.platform, key);
    const connectionId = newId();
    await prisma.crmConnection.create({
      data: { tenantId: team.id, id: connectionId, provider: 'feed', createdAt: new Date() },
    });
    await prisma.crmDeal.create({
      data: {
        tenantId: team.id,
        id: newId(),
        connectionId,
        externalId: 'a',
        ownerUserId: userId,
        createdAt: new Date(),
      },
    });
    await eraseAll(service.platform, key);
    expect(await linesNaming([email, userId])).toEqual([]);
  });

  it('looks at every text of every table with a team’s rows', async () => {
    const texts = await withSql(service, async (sql) => {
      // Texts of every type, citext and domains too, JSON, and lists of them.
      const { rows } = await sql.query<{ name: string }>(
        `select k.relname || '.' || a.attname as name
           from pg_attribute a join pg_class k on k.oid = a.attrelid join pg_type t on t.oid = a.atttypid
                left join pg_type item on item.oid = t.typelem and t.typcategory = 'A'
          where k.relnamespace = 'public'::regnamespace and k.relkind in ('r', 'p') and not k.relispartition
            and a.attnum > 0 and not a.attisdropped
            and (coalesce(item.typcategory, t.typcategory) = 'S' or coalesce(item.typname, t.typname) in ('json', 'jsonb', 'xml', 'hstore'))
            and (k.relname = 'team' or exists (
                  select from pg_attribute o where o.attrelid = k.oid and o.attname = 'tenant_id' and not o.attisdropped))`,
      );
      return rows.map(({ name }) => name);
    });
    const searched = new Set(teamTables.flatMap((table) => table.searched.map((column) => `${table.table}.${column}`)));
    expect(texts.filter((one) => !searched.has(one)).toSorted()).toEqual(Object.keys(notSearched).toSorted());
  });

  it('is refused, and nothing is begun in any team, for the owner of a team that still lives', async () => {
    const [other, team] = [await aTeam(service), await aTeam(service)];
    // Teams are gone through in the order of their ids: the one that refuses is the later one.
    expect(other.id < team.id).toBe(true);
    await aPerson(other, { email: team.owner.email });
    const naming = [team.owner.email, other.id, team.id];
    const before = (await linesNaming(naming)).toSorted();
    await expect(erasePerson(service.platform, operator, team.owner.email)).rejects.toMatchObject(
      refusal('owner', /Hand it over/),
    );
    expect((await linesNaming(naming)).toSorted()).toEqual(before);
    expect(await service.database.prisma.erasure.count({ where: { tenantId: { in: [team.id, other.id] } } })).toBe(0);
    await team.change({ status: 'ended' });
    await erase(team.owner.email);
    expect(await linesNaming([team.owner.email, team.owner.member_id, team.owner.user_id])).toEqual([]);
  });

  it('is refused for the last admin, while an endpoint’s URL holds the address, and for an address that nobody has', async () => {
    const team = await aTeam(service);
    const { email } = await aPerson(team, { role: 'admin' });
    await expect(erasePerson(service.platform, operator, email)).rejects.toMatchObject(refusal('last_admin'));
    await aPerson(team, { role: 'admin' });
    const endpoint = { url: `https://hooks.example/${email}`, events: ['member.removed'] };
    const { body } = await team.client.post('/webhook-endpoints', endpoint);
    await expect(erasePerson(service.platform, operator, email)).rejects.toMatchObject(refusal('conflict', /URL/));
    await team.client.patch(`/webhook-endpoints/${String(body['id'])}`, { url: 'https://hooks.example/' });
    await erase(email);
    await expect(erasePerson(service.platform, operator, email)).rejects.toMatchObject(refusal('not_found'));
  });

  it.each(['the operator', 'the owner'])(
    'is refused to %s while the URL of a CRM connection holds the address, in whatever form, and done after that',
    async (who) => {
      const team = await aTeam(service);
      const { email, memberId } = await aPerson(team, { email: anEmail('named') });
      const byOwner = async () => eraseFormerMember(await asOwner(team), memberId);
      const begin = who === 'the owner' ? byOwner : () => erasePerson(service.platform, operator, email);
      if (who === 'the owner') await removeMember(await asOwner(team), memberId);
      const { prisma } = service.database;
      for (const written of [email, email.toUpperCase(), encodeURIComponent(email)]) {
        const url = `https://feed.example/of/${written}`;
        const id = newId();
        await prisma.crmConnection.create({
          data: { tenantId: team.id, id, provider: 'feed', url, createdAt: new Date() },
        });
        await expect(begin(), written).rejects.toMatchObject(refusal('conflict', new RegExp(`CRM connection ${id}`)));
        expect(await prisma.erasure.count({ where: { tenantId: team.id } })).toBe(0);
        expect(await prisma.member.count({ where: { tenantId: team.id, email } })).toBe(1);
        await prisma.crmConnection.delete({ where: { tenantId_id: { tenantId: team.id, id } } });
      }
      await begin();
      await eraseAll(service.platform, await pendingOf(team.id));
      expect(await linesNaming([email])).toEqual([]);
    },
  );
});

/** Texts in which nobody is looked for, with the reason. */
const notSearched = {
  'api_key.prefix': 'random',
  'api_key.scopes': 'fixed words',
  'audit_entry.action': 'a fixed word',
  'audit_entry.target_type': 'a fixed word',
  'catalog_item.icon': 'a fixed word',
  'catalog_item.key': 'a name in files that never changes',
  'crm_connection.provider': 'a fixed word',
  'crm_connection.url': 'refused while it holds the address',
  'crm_deal.amount': 'a number',
  'crm_deal.currency': 'a fixed word',
  'crm_run.cursor': 'the CRM’s own, of a sync that runs; emptied at its end',
  'crm_run.cursor_before': 'the CRM’s own, of a sync that runs; emptied at its end',
  'erasure.emails': 'the row goes with its last step',
  'erasure.names': 'the row goes with its last step',
  'erasure.position': 'the row goes with its last step',
  'erasure.step': 'a fixed word',
  'idempotency_record.key': 'rows with such a key are deleted',
  'mail.kind': 'a fixed word',
  'mail.recipient': 'mails to the person are deleted',
  'member.email': 'the person’s memberships are deleted',
  'member.rights': 'fixed words',
  'request_log_entry.code': 'a fixed word',
  'request_log_entry.method': 'a fixed word',
  'request_log_entry.route': 'the route as declared, without ids',
  'version_notice.version': 'a fixed word',
  'webhook_delivery.event_type': 'a fixed word',
  'webhook_endpoint.api_version': 'a fixed word',
  'webhook_endpoint.events': 'fixed words',
  'webhook_endpoint.url': 'refused while it holds the address',
  'webhook_event.type': 'a fixed word',
};
