import { describe, expect, it } from 'vitest';
import { daysToMs, later } from '../../src/core/clock.ts';
import { makeId } from '../../src/core/ids.ts';
import { privateCaseLimits, storageQuotas } from '../../src/core/limits.ts';
import { deletePrivateCasesOfFormerMembers } from '../../src/modules/cases/service.ts';
import { cases } from '../../src/modules/cases/store.ts';
import type { Member } from '../../src/modules/membership/schema.ts';
import { inTheApp } from '../support/app-caller.ts';
import { useTestService } from '../support/service.ts';
import { aTeam, type TestTeam } from '../support/team.ts';

const service = await useTestService();

const appOf = (team: TestTeam, { id, user_id, role }: Member) =>
  inTheApp(team, { memberId: id, userId: user_id ?? '', role, rights: [] });

const full = { cause: { code: 'validation_error', members: { field: 'storage' } } };
/** About how many bytes the private cases of a member take. */
const bytesOf = (team: TestTeam, { user_id }: Member): Promise<number> =>
  cases.privateBytes(service.database.prisma, { tenantId: team.id, userId: user_id ?? '' });
/** Gives a member a private case of so many bytes. */
const use = (team: TestTeam, { user_id }: Member, bytes: number) =>
  service.database.prisma.case.create({
    data: {
      tenantId: team.id,
      id: makeId(),
      userId: user_id ?? '',
      private: true,
      bytes: bytes - 512,
      createdAt: new Date(),
      updatedAt: new Date(),
    },
  });
const perPerson = privateCaseLimits.ofOnePerson.team;

describe('a member’s private cases', () => {
  it('count for the member, and for the owner as a sum, after any action', async () => {
    const team = await aTeam(service);
    const member = await team.anActiveMember();
    const { ownCases } = await appOf(team, member);
    const [first, second] = [await ownCases.create({ title: 'One' }), await ownCases.create({ fields: { a: 'ä' } })];
    expect(await bytesOf(team, member)).toBe(2 * 512 + 3 + 10);
    await ownCases.change({ case_id: first.id, external_ref: { a: 'x'.repeat(1_000) } });
    expect(await bytesOf(team, member)).toBe(2 * 512 + 3 + 10 + 1_008);
    const { team: ofTeam } = await inTheApp(team);
    expect((await ofTeam.settings({})).storage.private_cases).toMatchObject({
      used: await bytesOf(team, member),
      quota: storageQuotas.team.stored / 2,
    });
    await ownCases.share({ case_id: first.id });
    expect(await bytesOf(team, member)).toBe(512 + 10);
    await ownCases.remove({ case_id: second.id });
    expect(await bytesOf(team, member)).toBe(0);
  });

  it('have a limit, beyond which the member can’t add or enlarge any, without effect on others', async () => {
    const team = await aTeam(service);
    const [member, other] = [await team.anActiveMember(), await team.anActiveMember()];
    const { ownCases } = await appOf(team, member);
    const made = await ownCases.create({ fields: { a: 'x'.repeat(2_000) } });
    await use(team, member, perPerson - 600 - (await bytesOf(team, member)));
    await expect(ownCases.create({ title: 'x'.repeat(100) })).rejects.toMatchObject(full);
    await expect(ownCases.change({ case_id: made.id, fields: { a: 'x'.repeat(2_700) } })).rejects.toMatchObject(full);
    expect(await bytesOf(team, member)).toBe(perPerson - 600);
    await ownCases.change({ case_id: made.id, fields: { a: 'y'.repeat(1_990) } });
    await ownCases.create({ title: 'x'.repeat(80) });
    expect((await team.client.post('/cases', { user_id: member.user_id, title: 'The team’s' })).status).toBe(201);
    await (await appOf(team, other)).ownCases.create({ title: 'Mine' });
    await ownCases.share({ case_id: made.id });
    await ownCases.create({ title: 'x'.repeat(80) });
  });

  it('never take more than half of the team’s storage together, whatever its size', async () => {
    const team = await aTeam(service);
    const [member, other] = [await team.anActiveMember(), await team.anActiveMember()];
    await use(team, other, privateCaseLimits.ofAllTogether.team - 100);
    await expect((await appOf(team, member)).ownCases.create({})).rejects.toMatchObject(full);
    expect((await team.client.post('/cases', { user_id: member.user_id })).status).toBe(201);
    for (let count = 0; count < 3; count += 1) await use(team, other, 2 ** 31 - 1);
    expect(await bytesOf(team, other)).toBeGreaterThan(2 ** 32);
  });

  it('may use up both limits to the last byte, and one that does not grow may be changed after that', async () => {
    const team = await aTeam(service);
    const [member, other] = [await team.anActiveMember(), await team.anActiveMember()];
    const { ownCases } = await appOf(team, member);
    await use(team, member, perPerson - 512 - 3);
    await use(team, other, privateCaseLimits.ofAllTogether.team - perPerson);
    const { id } = await ownCases.create({ title: 'One' });
    await expect(ownCases.change({ case_id: id, title: 'Four' })).rejects.toMatchObject(full);
    await use(team, member, 1_000);
    for (const title of ['Two', '1']) expect(await ownCases.change({ case_id: id, title })).toMatchObject({ title });
  });

  it('never exceed the limit through concurrent requests', async () => {
    const team = await aTeam(service);
    const member = await team.anActiveMember();
    const { ownCases } = await appOf(team, member);
    await ownCases.create({});
    await use(team, member, perPerson - 6 * 512 - 100);
    const made = await Promise.allSettled(Array.from({ length: 15 }, () => ownCases.create({})));
    expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(5);
  });
});

describe('a removed member’s private cases', () => {
  const afterwards = (more: number) =>
    service.clock.set(later(new Date(), daysToMs(privateCaseLimits.daysAfterMembership) + more));

  it('are deleted after some weeks, in batches; those of others stay', async () => {
    const team = await aTeam(service);
    const [member, other] = [await team.anActiveMember(), await team.anActiveMember()];
    for (const person of [member, other]) {
      const { ownCases } = await appOf(team, person);
      for (let made = 0; made < 3; made += 1) await ownCases.create({ title: `Case ${made}` });
      await (await appOf(team, person)).ownCases.share({ case_id: (await ownCases.create({})).id });
    }
    await service.database.prisma.$executeRaw`
      insert into "case" (tenant_id, id, user_id, private, created_at, updated_at)
      select ${team.id}::uuid, gen_random_uuid(), ${member.user_id}::uuid, true, now(), now() from generate_series(1, 450)`;
    expect((await team.client.delete(`/users/${member.id}`)).status).toBe(200);

    afterwards(-60_000);
    await deletePrivateCasesOfFormerMembers(service.platform);
    expect(await bytesOf(team, member)).toBeGreaterThan(453 * 512);
    afterwards(60_000);
    await deletePrivateCasesOfFormerMembers(service.platform);
    service.clock.set(new Date());
    expect(await bytesOf(team, member)).toBe(0);
    expect(await bytesOf(team, other)).toBeGreaterThan(3 * 512);
    expect(await service.database.prisma.case.count({ where: { tenantId: team.id, private: false } })).toBe(2);
    const entries = await service.database.prisma.auditEntry.findMany({
      where: { tenantId: team.id, action: 'case.private_cases_deleted' },
    });
    expect(entries.map(({ data, actorKind }) => ({ data, actorKind }))).toEqual(
      [200, 200, 53].map((count) => ({ data: { user_id: member.user_id, count }, actorKind: 'service' })),
    );
  });

  it('still exist for a member who joins again in time, even later', async () => {
    const team = await aTeam(service);
    const member = await team.anActiveMember();
    const { ownCases } = await appOf(team, member);
    const made = await ownCases.create({ title: 'Mine' });
    expect((await team.client.delete(`/users/${member.id}`)).status).toBe(200);
    await service.database.prisma.member.create({
      data: {
        tenantId: team.id,
        id: made.id,
        userId: member.user_id,
        email: 'again@example.com',
        status: 'active',
        joinedAt: new Date(),
        listedAt: new Date(),
        createdAt: new Date(),
        updatedAt: new Date(),
      },
    });
    afterwards(60_000);
    await deletePrivateCasesOfFormerMembers(service.platform);
    service.clock.set(new Date());
    const again = await appOf(team, { ...member, id: made.id });
    expect((await again.ownCases.list({})).data).toEqual([made]);
  });
});
