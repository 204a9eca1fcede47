import { describe, expect, it, onTestFinished } from 'vitest';
import { makeId } from '../../src/core/ids.ts';
import { openDatabase } from '../../src/db/database.ts';
import { storePage } from '../../src/modules/crm/sync.ts';
import {
  addLostErasureJobs,
  eraseAll,
  eraseFormerMember,
  eraseNext,
  erasePerson,
} from '../../src/modules/erasure/service.ts';
import type { ErasureKey } from '../../src/modules/erasure/store.ts';
import { steps } from '../../src/modules/erasure/steps.ts';
import { removeMember } from '../../src/modules/members/service.ts';
import { certificates } from '../support/certificates.ts';
import { aFeed, aFeedConnection, asked, aSync, page } from '../support/crm.ts';
import { localFeeds } from '../support/receiver.ts';
import { aPerson } from '../support/people.ts';
import { useTestService } from '../support/service.ts';
import { anEmail, aTeam, type TestTeam } from '../support/team.ts';
import { aWorld } from '../support/world.ts';
import { aWorker } from '../support/worker.ts';
import { untilLockWaits, withSql } from '../support/postgres.ts';
import { asOwner, erase, inOtherForms, linesNaming, operator, pendingOf } from './erasing.ts';

const service = await useTestService({ environment: localFeeds((await certificates()).caFile()) });

describe('the erasure', () => {
  it('has the same result in any number of batches', async () => {
    const world = await aWorld(service);
    const [key] = await erasePerson(service.platform, operator, world.needles.email);
    if (!key) throw new Error('nothing was begun');
    let batches = 0;
    for (let done = false; !done; batches += 1) {
      done = !(await eraseNext(service.platform, key));
      // Running the same command again finds the unfinished erasure.
      if (!done) expect(await erasePerson(service.platform, operator, world.needles.email)).toEqual([key]);
    }
    expect(batches).toBeGreaterThanOrEqual(steps.length);
    expect(await linesNaming(service, inOtherForms(world))).toEqual([]);
    expect(await eraseNext(service.platform, key)).toBe(false);
  });

  it('is done once if two processes work on it', async () => {
    const world = await aWorld(service);
    const [key] = await erasePerson(service.platform, operator, world.needles.email);
    if (!key) throw new Error('nothing was begun');
    await Promise.all([
      eraseAll(service.platform, key),
      eraseAll(service.platform, key),
      eraseAll(service.platform, key),
    ]);
    expect(await linesNaming(service, inOtherForms(world))).toEqual([]);
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
        return pendingOf(service, former.team.id);
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
      expect(await linesNaming(service, [email, ...teams.map(({ userId }) => userId)])).toEqual([]);
      expect(await placeholders()).toBe(0);
    });

    it('deletes the account, when both are at work at once', async () => {
      for (let round = 0; round < 5; round += 1) {
        const { email, teams, begin } = await formerOf(2);
        const keys = await Promise.all(teams.map(begin));
        await Promise.all(keys.map((key) => eraseAll(service.platform, key)));
        expect(await linesNaming(service, [email])).toEqual([]);
        expect(await placeholders()).toBe(0);
      }
    });

    it('leaves the account if a third team has the person', async () => {
      const { email, teams, begin } = await formerOf(3);
      const keys = await Promise.all(teams.slice(0, 2).map(begin));
      await Promise.all(keys.map((key) => eraseAll(service.platform, key)));
      expect(await accountsOf(email)).toBe(1);
      const [, , third = expect.fail('no third team')] = teams;
      await eraseAll(service.platform, await begin(third));
      expect(await linesNaming(service, [email])).toEqual([]);
      expect(await placeholders()).toBe(0);
    });
  });

  it('is done by the worker, and started again by it if its job was lost', async () => {
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
    await expect.poll(() => service.database.prisma.erasure.count({ where: { tenantId: team.id } })).toBe(0);
    expect(await linesNaming(service, [email, lost])).toEqual([]);
  });

  it('replaces each id of the CRM that names the person by a new one, and leaves the others', async () => {
    const { team, needles } = await aWorld(service);
    const { prisma } = service.database;
    const { connectionId, externalId: named } = await prisma.crmDeal.findFirstOrThrow({ where: { tenantId: team.id } });
    const others = [named.toUpperCase(), 'deal-2'];
    await prisma.crmDeal.createMany({
      data: others.map((externalId) => {
        return { tenantId: team.id, id: makeId(), connectionId, externalId, pipelineId: '7', createdAt: new Date() };
      }),
    });
    await erase(service, needles.email);
    const deals = await prisma.crmDeal.findMany({ where: { tenantId: team.id }, orderBy: { externalId: 'asc' } });
    const ids = deals.map(({ id, externalId }) => externalId.replace(id, 'ID'));
    expect(ids.toSorted()).toEqual(['[erased] ID', '[erased] ID', 'deal-2']);
    expect(deals.map(({ pipelineId }) => pipelineId).toSorted()).toEqual(['7', '7', '[erased]']);
  });

  it('waits for a sync’s page that has found the person, and removes the person from its deals', async () => {
    const team = await aTeam(service);
    const email = anEmail('late');
    const { userId } = await aPerson(team, { email });
    const { prisma } = service.database;
    const place = { tenantId: team.id, connectionId: makeId() };
    await prisma.crmConnection.create({
      data: { tenantId: team.id, id: place.connectionId, provider: 'feed', createdAt: new Date() },
    });
    const deal = { id: 'a', outcome: 'open', ownerEmail: email } as const;
    const ownerOf = async () => (await prisma.crmDeal.findFirst({ where: { tenantId: team.id } }))?.ownerUserId;
    // Its transactions may wait as long as this test needs.
    const database = openDatabase(service.databaseUrl, { poolSize: 4, lockWaitMs: 25_000 });
    onTestFinished(() => database.close());
    const platform = { ...service.platform, database };
    const { stored, erasing } = await withSql(service, async (sql) => {
      // An uncommitted row blocks the page between its match and its end.
      await sql.query('begin');
      await sql.query(
        `insert into crm_deal (tenant_id, id, connection_id, external_id, created_at) values ($1, $2, $3, 'a', now())`,
        [team.id, makeId(), place.connectionId],
      );
      const storing = database.transaction(
        (tx) => storePage(tx, { ...place, now: new Date(), changedAt: new Date() }, { deals: [deal], objections: [] }),
        { timeout: 60_000 },
      );
      await untilLockWaits(service);
      const all = erase(service, email, platform);
      await Promise.race([all, untilLockWaits(service, { count: 2 })]);
      await sql.query('rollback');
      return { stored: storing, erasing: all };
    });
    expect(await stored).toMatchObject({ deals: 1 });
    await erasing;
    expect(await ownerOf()).toBeNull();
    expect(await linesNaming(service, [email, userId])).toEqual([]);
  });

  it('finds no cursor of a sync that names the person, because an ended run has none', async () => {
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
    await erase(service, email);
    expect(await linesNaming(service, [email])).toEqual([]);
  });

  it('removes the person from deals that they got after its step for deals', async () => {
    const team = await aTeam(service);
    const email = anEmail('later');
    const { userId } = await aPerson(team, { email });
    const { prisma } = service.database;
    const [key] = await erasePerson(service.platform, operator, email);
    if (!key) throw new Error('nothing was begun');
    const stepNow = async () => (await prisma.erasure.findFirstOrThrow({ where: { tenantId: team.id } })).step;
    while ((await stepNow()) !== 'person') await eraseNext(service.platform, key);
    const connectionId = makeId();
    await prisma.crmConnection.create({
      data: { tenantId: team.id, id: connectionId, provider: 'feed', createdAt: new Date() },
    });
    await prisma.crmDeal.create({
      data: {
        tenantId: team.id,
        id: makeId(),
        connectionId,
        externalId: 'a',
        ownerUserId: userId,
        createdAt: new Date(),
      },
    });
    await eraseAll(service.platform, key);
    expect(await linesNaming(service, [email, userId])).toEqual([]);
  });
});
