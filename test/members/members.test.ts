import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { describe, expect, it } from 'vitest';
import { makeId } from '../../src/core/ids.ts';
import { limits } from '../../src/core/limits.ts';
import { addActivePerson } from '../../src/modules/members/invitations.ts';
import { inTheApp } from '../support/app-caller.ts';
import { setInvitationsInHour } from '../support/budgets.ts';
import { aCombination, aCatalogItem } from '../support/practice.ts';
import { useTestService } from '../support/service.ts';
import { anEmail, aTeam, type TestTeam } from '../support/team.ts';
import { eventDataOf } from '../support/logs.ts';
import { anEndpoint } from '../support/webhooks.ts';
import { untilLockWaits } from '../support/postgres.ts';
import { allListed } from '../support/pages.ts';

const service = await useTestService();

const rowsOf = (team: TestTeam) => service.database.prisma.member.findMany({ where: { tenantId: team.id } });
const eventsOf = (team: TestTeam, type: string) => eventDataOf(service, team, type);
const activeAdmins = (team: TestTeam) =>
  service.database.prisma.member.count({ where: { tenantId: team.id, role: 'admin', status: 'active' } });
const only = <T>(items: readonly T[]): T => {
  const [item, ...more] = items;
  if (item === undefined || more.length > 0) throw new Error(`expected one, found ${items.length}`);
  return item;
};

describe('GET /users', () => {
  it('200: lists the owner first, then members in the order they joined or were invited', async () => {
    const team = await aTeam(service);
    const first = await team.anInvitedMember();
    const second = await team.anActiveMember({ role: 'admin' });
    const third = await team.anInvitedMember();
    const answer = await team.client.get('/users');
    expect(answer.status).toBe(200);
    expect(answer.data.map(({ id }) => id)).toEqual([team.owner.member_id, first.id, second.id, third.id]);
    expect(answer.data.map(({ role, status }) => [role, status])).toEqual([
      ['owner', 'active'],
      ['member', 'invited'],
      ['admin', 'active'],
      ['member', 'invited'],
    ]);
    expect(answer.body['next_cursor']).toBeNull();
  });

  it('200: pages contain everyone exactly once while others are invited', async () => {
    const team = await aTeam(service, { members: 7 });
    let pages = 0;
    const rows = await allListed(team.client, '/users?limit=2', async ({ data }) => {
      expect(data.length).toBeLessThanOrEqual(2);
      pages += 1;
      if (pages < 4) await team.anInvitedMember();
    });
    const seen = rows.map(({ id }) => id);
    expect(new Set(seen).size).toBe(seen.length);
    for (const { id } of [...team.members, { id: team.owner.member_id }]) expect(seen).toContain(id);
  });

  it('200: leaves out ended memberships', async () => {
    const team = await aTeam(service, { members: 1 });
    const { id } = only(team.members);
    await team.client.delete(`/users/${id}`);
    expect((await team.client.get('/users')).data.map((member) => member['id'])).toEqual([team.owner.member_id]);
  });
});

describe('GET /users/{member_id}', () => {
  it('200: shows an active member', async () => {
    const team = await aTeam(service, { members: 1 });
    const member = only(team.members);
    const answer = await team.client.get(`/users/${member.id}`);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      ...member,
      joined_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    });
  });

  it('200: shows an invited member without user_id and joined_at', async () => {
    const team = await aTeam(service);
    const { id, email } = await team.anInvitedMember();
    expect((await team.client.get(`/users/${id}`)).body).toEqual({
      id,
      user_id: null,
      email,
      name: null,
      external_id: null,
      role: 'member',
      status: 'invited',
      joined_at: null,
      updated_at: expect.any(String),
    });
  });

  it('200: has the name where the email is, in every read, and hides both while member details are off', async () => {
    const team = await aTeam(service);
    const email = anEmail('named');
    const { id } = await addActivePerson(await team.acting(), { email, role: 'member', rights: [], name: 'Mia Berg' });
    const reads = [
      async () => (await team.client.get(`/users/${id}`)).body,
      async () => (await team.client.patch(`/users/${id}`, { role: 'member' })).body,
      async () => (await team.client.get('/users?limit=200')).data.find((one) => one['id'] === id),
      async () =>
        (await team.client.get('/users?limit=200&updated_since=2000-01-01T00:00:00Z')).data.find(
          (one) => one['id'] === id,
        ),
    ];
    for (const read of reads) expect(await read()).toMatchObject({ id, email, name: 'Mia Berg' });
    await team.change({ memberDetail: false });
    for (const read of reads) {
      const shown = await read();
      expect([shown?.['id'], 'email' in (shown ?? {}), 'name' in (shown ?? {})]).toEqual([id, false, false]);
    }
  });

  it('404 not_found: an ended membership', async () => {
    const team = await aTeam(service, { members: 1 });
    const { id } = only(team.members);
    expect((await team.client.delete(`/users/${id}`)).body).toEqual({ ok: true });
    expect(await team.client.get(`/users/${id}`)).toBeProblem('not_found');
    expect(await team.client.patch(`/users/${id}`, { role: 'admin' })).toBeProblem('not_found');
    expect(await team.client.delete(`/users/${id}`)).toBeProblem('not_found');
  });
});

describe('POST /users', () => {
  it('201: invites, takes a seat, raises member.joined once and returns the member’s location', async () => {
    const team = await aTeam(service);
    const email = anEmail('New.Person');
    const answer = await team.client.post('/users', { email });
    expect(answer.status).toBe(201);
    expect(answer.body).toMatchObject({ email: email.toLowerCase(), role: 'member', status: 'invited', user_id: null });
    expect(answer.headers.get('location')).toBe(`/api/public/v1/users/${String(answer.body['id'])}`);
    expect((await team.client.get(`/users/${String(answer.body['id'])}`)).status).toBe(200);
    expect(only(await eventsOf(team, 'member.joined'))).toEqual({
      team_id: team.id,
      member_id: answer.body['id'],
      role: 'member',
    });
  });

  it.each([undefined, null])("201: without a language (%s) the invitation is in the team's", async (lang) => {
    const team = await aTeam(service, { language: 'en' });
    const email = anEmail();
    await team.client.post('/users', { email, lang });
    expect(only(await service.mailsTo(email)).language).toBe('en');
  });

  it('201: answers without the email while member details are off', async () => {
    const team = await aTeam(service, { memberDetail: false });
    const answer = await team.client.post('/users', { email: anEmail() });
    expect(answer.status).toBe(201);
    expect(answer.body).not.toHaveProperty('email');
  });

  it('201: a person whose membership ended can be invited again, as a new member', async () => {
    const team = await aTeam(service);
    const email = anEmail();
    const first = await team.client.post('/users', { email });
    await team.client.delete(`/users/${String(first.body['id'])}`);
    const second = await team.client.post('/users', { email });
    expect(second.status).toBe(201);
    expect(second.body['id']).not.toBe(first.body['id']);
  });

  it('409 conflict: the email belongs to a member or the owner, in any spelling', async () => {
    const team = await aTeam(service, { members: 1 });
    const { email = '' } = only(team.members);
    for (const taken of [email, email.toUpperCase(), team.owner.email]) {
      expect(await team.client.post('/users', { email: taken })).toBeProblem('conflict');
    }
  });

  it('409 seat_limit_reached: owner, active and invited members each take a seat', async () => {
    const team = await aTeam(service, { seats: 3, members: 1 });
    expect((await team.client.post('/users', { email: anEmail() })).status).toBe(201);
    expect(await team.client.post('/users', { email: anEmail() })).toBeProblem('seat_limit_reached');
    await team.change({ seats: 4 });
    expect((await team.client.post('/users', { email: anEmail() })).status).toBe(201);
  });

  it('403 insufficient_scope: inviting an admin needs a key that the owner or an active admin created', async () => {
    const team = await aTeam(service);
    const { client } = await team.aFormerAdmin();
    const answer = await client.post('/users', { email: anEmail(), role: 'admin' });
    expect(answer).toBeProblem('insufficient_scope', { required_scope: 'users:write', detail: expect.any(String) });
    expect((await client.post('/users', { email: anEmail(), role: 'member' })).status).toBe(201);
    expect((await team.client.post('/users', { email: anEmail(), role: 'admin' })).body['role']).toBe('admin');
  });

  it('403 insufficient_scope comes before conflict, conflict before seat_limit_reached', async () => {
    const team = await aTeam(service, { seats: 2 });
    const { member, client } = await team.aFormerAdmin();
    expect(await client.post('/users', { email: member.email, role: 'admin' })).toBeProblem('insufficient_scope');
    expect(await client.post('/users', { email: member.email })).toBeProblem('conflict');
    expect(await client.post('/users', { email: anEmail() })).toBeProblem('seat_limit_reached');
  });

  it('422 validation_error: the owner’s role and unknown ones can’t be granted', async () => {
    const team = await aTeam(service);
    for (const role of ['owner', 'boss', '']) {
      expect(await team.client.post('/users', { email: anEmail(), role })).toBeProblem('validation_error', {
        field: 'role',
      });
    }
    expect(await rowsOf(team)).toHaveLength(1);
  });

  it('422 validation_error for a role that can’t be granted comes before idempotency_mismatch', async () => {
    const team = await aTeam(service);
    const headers = { 'idempotency-key': makeId() };
    expect((await team.client.post('/users', { email: anEmail() }, { headers })).status).toBe(201);
    const again = await team.client.post('/users', { email: anEmail(), role: 'owner' }, { headers });
    expect(again).toBeProblem('validation_error', { field: 'role' });
  });

  it('accepts a domain in Unicode, as its description says', async () => {
    const team = await aTeam(service);
    const body = { email: anEmail().replace('@example.com', '@bücher.example') };
    const ajv = new Ajv2020({ strict: false });
    addFormats.default(ajv);
    ajv.addSchema(JSON.parse(readFileSync('docs/openapi.v1.json', 'utf8')), 'api');
    expect(ajv.validate({ $ref: 'api#/components/schemas/NewMember' }, body), ajv.errorsText()).toBe(true);
    const answer = await team.client.post('/users', body);
    expect([answer.status, answer.body['email']]).toEqual([201, body.email.replace('bücher', 'xn--bcher-kva')]);
  });

  it(`429 rate_limited: after ${limits.invitationsPerHour} invitations within an hour of the first`, async () => {
    const team = await aTeam(service, { seats: 100 });
    const other = await team.aClient();
    expect((await team.client.post('/users', { email: anEmail() })).status).toBe(201);
    await setInvitationsInHour(service, team, limits.invitationsPerHour - 1);
    expect((await other.post('/users', { email: anEmail() })).status).toBe(201);
    const refused = await team.client.post('/users', { email: anEmail() });
    const wait = Number(refused.headers.get('retry-after'));
    expect(refused).toBeProblem('rate_limited', { retry_after: wait });
    expect(wait).toBeGreaterThan(3_000);
    expect(wait).toBeLessThanOrEqual(3_600);
    // Removing an invited person frees the seat, but does not lower the count of invitations.
    const [invited] = (await team.client.get('/users?limit=2')).data.slice(-1);
    expect((await team.client.delete(`/users/${String(invited?.['id'])}`)).status).toBe(200);
    expect(await team.client.post('/users', { email: anEmail() })).toBeProblem('rate_limited');
    service.clock.forward((wait - 60) * 1000);
    expect(await team.client.post('/users', { email: anEmail() })).toBeProblem('rate_limited');
    service.clock.forward(60 * 1000);
    expect((await other.post('/users', { email: anEmail() })).status).toBe(201);
    service.clock.forward(-wait * 1000);
  });

  it('two invitations for the last seat at once: one succeeds, one gets seat_limit_reached', async () => {
    const team = await aTeam(service, { seats: 2 });
    const answers = await Promise.all([1, 2].map(() => team.client.post('/users', { email: anEmail() })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409]);
    expect(answers.find(({ status }) => status === 409)).toBeProblem('seat_limit_reached');
  });

  it('twice the same email at once: one membership', async () => {
    const team = await aTeam(service);
    const email = anEmail();
    const answers = await Promise.all([1, 2, 3, 4].map(() => team.client.post('/users', { email })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409]);
    expect(await rowsOf(team)).toHaveLength(2);
    expect(await eventsOf(team, 'member.joined')).toHaveLength(1);
  });
});

describe('PATCH /users/{member_id}', () => {
  it('200: makes a member an admin and back, with audit entries', async () => {
    const team = await aTeam(service, { admins: 1, members: 1 });
    const { id } = only(team.members);
    expect((await team.client.patch(`/users/${id}`, { role: 'admin' })).body).toMatchObject({ id, role: 'admin' });
    const answer = await team.client.patch(`/users/${id}`, { role: 'member' });
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ id, role: 'member' });
    const audit = await service.database.prisma.auditEntry.findMany({
      where: { tenantId: team.id, targetId: id, action: 'member.role_changed' },
      orderBy: { id: 'asc' },
    });
    expect(audit.map(({ data, actorKind }) => [actorKind, data])).toEqual([
      ['key', { from: 'member', to: 'admin' }],
      ['key', { from: 'admin', to: 'member' }],
    ]);
    expect(audit[1]?.requestId).toBe(answer.headers.get('x-request-id'));
  });

  it('200: the same role again changes nothing', async () => {
    const team = await aTeam(service, { admins: 1 });
    const { id } = only(team.admins);
    expect((await team.client.patch(`/users/${id}`, { role: 'admin' })).status).toBe(200);
  });

  it('409 owner: the owner can’t be changed', async () => {
    const team = await aTeam(service);
    expect(await team.client.patch(`/users/${team.owner.member_id}`, { role: 'member' })).toBeProblem('owner');
  });

  it('409 last_admin: the only active admin stays one; invited admins and the owner do not count', async () => {
    const team = await aTeam(service, { admins: 1 });
    await team.anInvitedMember({ role: 'admin' });
    expect(await team.client.patch(`/users/${only(team.admins).id}`, { role: 'member' })).toBeProblem('last_admin');
    expect(await activeAdmins(team)).toBe(1);
  });

  it('200: an invited admin can always be changed', async () => {
    const team = await aTeam(service);
    const { id } = await team.anInvitedMember({ role: 'admin' });
    expect((await team.client.patch(`/users/${id}`, { role: 'member' })).body['role']).toBe('member');
  });

  it('403 insufficient_scope: a key can’t grant roles after its creator lost the role or membership', async () => {
    const team = await aTeam(service, { admins: 1, members: 1 });
    const { id } = only(team.members);
    const creator = await team.anActiveMember({ role: 'admin', rights: ['schnittstellen'] });
    const client = await team.aClient({ by: creator.id });
    expect((await client.patch(`/users/${id}`, { role: 'admin' })).status).toBe(200);
    await team.client.patch(`/users/${creator.id}`, { role: 'member' });
    const expected = { required_scope: 'users:write', detail: expect.any(String) };
    expect(await client.patch(`/users/${id}`, { role: 'member' })).toBeProblem('insufficient_scope', expected);
    await team.client.delete(`/users/${creator.id}`);
    expect(await client.patch(`/users/${id}`, { role: 'member' })).toBeProblem('insufficient_scope', expected);
    expect((await client.get('/me')).status).toBe(200);
  });

  it('422 validation_error: the owner’s role can’t be granted', async () => {
    const team = await aTeam(service, { members: 1 });
    const answer = await team.client.patch(`/users/${only(team.members).id}`, { role: 'owner' });
    expect(answer).toBeProblem('validation_error', { field: 'role' });
  });

  it('two demotions of the last two admins at once leave one', async () => {
    const team = await aTeam(service, { admins: 2 });
    const answers = await Promise.all(
      team.admins.map(({ id }) => team.client.patch(`/users/${id}`, { role: 'member' })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect(answers.find(({ status }) => status === 409)).toBeProblem('last_admin');
    expect(await activeAdmins(team)).toBe(1);
  });
});

describe('DELETE /users/{member_id}', () => {
  it('200: ends the membership, revokes the assignments and raises member.removed, all at once', async () => {
    const team = await aTeam(service, { members: 1 });
    const { id, user_id: userId } = only(team.members);
    const createdAt = new Date();
    const statuses = ['open', 'in_progress', 'done', 'revoked'] as const;
    await service.database.prisma.assignment.createMany({
      data: statuses.map((status) => ({
        tenantId: team.id,
        id: makeId(),
        memberId: id,
        status,
        title: status,
        createdAt,
        updatedAt: createdAt,
      })),
    });
    const answer = await team.client.delete(`/users/${id}`);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ ok: true });
    const after = await service.database.prisma.assignment.findMany({ where: { tenantId: team.id, memberId: id } });
    expect(Object.fromEntries(after.map(({ title, status }) => [title, status]))).toEqual({
      open: 'revoked',
      in_progress: 'revoked',
      done: 'revoked',
      revoked: 'revoked',
    });
    expect(only(await eventsOf(team, 'member.removed'))).toEqual({
      team_id: team.id,
      member_id: id,
      role: 'member',
      user_id: userId,
    });
  });

  it('200: revokes what was opened again of an earlier membership of the person, and nothing of others', async () => {
    const team = await aTeam(service, { members: 1 });
    const email = anEmail();
    const combination = await aCombination(service);
    const assigned: string[] = [];
    const give = async (id: string) => {
      const { body } = await team.client.post('/assignments', { member_id: id, title: 'Practise', ...combination });
      assigned.push(String(body['id']));
    };
    const [first, other] = [await team.anActiveMember({ email }), only(team.members)];
    for (const { id } of [first, other]) await give(id);
    expect((await team.client.delete(`/users/${first.id}`)).status).toBe(200);
    const second = await team.anActiveMember({ email });
    await give(second.id);
    expect(second.user_id).toBe(first.user_id);
    expect((await team.client.patch(`/assignments/${assigned[0]}`, { status: 'open' })).status).toBe(200);
    expect((await team.client.delete(`/users/${second.id}`)).status).toBe(200);
    const { data } = await team.client.get('/assignments');
    const statuses = new Map(data.map(({ id, status }) => [id, status]));
    expect(assigned.map((id) => statuses.get(id))).toEqual(['revoked', 'open', 'revoked']);
  });

  it('200: deletes the policy of the member, and no other', async () => {
    const team = await aTeam(service, { members: 2 });
    const [leaver, stayer] = team.members;
    const { policy } = await inTheApp(team);
    const block = [await aCatalogItem(service, { dimension: 'situation' })];
    for (const { id = '' } of [leaver, stayer].flatMap((member) => member ?? [])) {
      await policy.setMember({ member_id: id, block });
    }
    expect((await team.client.delete(`/users/${leaver?.id}`)).status).toBe(200);
    const left = await service.database.prisma.memberPolicyBlock.findMany({ where: { tenantId: team.id } });
    expect(left.map(({ memberId }) => memberId)).toEqual([stayer?.id]);
  });

  it('the event has no personal data when details were switched off during the request', async () => {
    const team = await aTeam(service, { members: 1 });
    const { id } = only(team.members);
    let removal: ReturnType<typeof team.client.delete> | undefined;
    await service.database.transaction(async (tx) => {
      await tx.$executeRaw`select 1 from team where id = ${team.id}::uuid for update`;
      removal = team.client.delete(`/users/${id}`);
      // The request has passed the gate and waits for the team.
      await untilLockWaits(service);
      await tx.team.update({ where: { id: team.id }, data: { memberDetailEnabled: false } });
    });
    expect((await removal)?.status).toBe(200);
    expect(only(await eventsOf(team, 'member.removed'))).not.toHaveProperty('user_id');
  });

  it('writes a delivery for every active endpoint that is subscribed, and for no other', async () => {
    const team = await aTeam(service, { members: 1 });
    const wanting = await anEndpoint(service, team, { events: ['member.removed'] });
    await anEndpoint(service, team, { events: ['member.joined'] });
    await anEndpoint(service, team, { events: ['member.removed'], status: 'disabled' });
    await team.client.delete(`/users/${only(team.members).id}`);
    const deliveries = await service.database.prisma.webhookDelivery.findMany({ where: { tenantId: team.id } });
    expect(only(deliveries)).toMatchObject({ endpointId: wanting, status: 'pending', attempt: 0 });
  });

  it('409 owner and 409 last_admin', async () => {
    const team = await aTeam(service, { admins: 1 });
    expect(await team.client.delete(`/users/${team.owner.member_id}`)).toBeProblem('owner');
    expect(await team.client.delete(`/users/${only(team.admins).id}`)).toBeProblem('last_admin');
    expect(await activeAdmins(team)).toBe(1);
  });

  it('403 insufficient_scope: removing an admin revokes the role', async () => {
    const team = await aTeam(service, { admins: 2 });
    const { member, client } = await team.aFormerAdmin();
    expect(await client.delete(`/users/${team.admins[0]?.id ?? ''}`)).toBeProblem('insufficient_scope');
    expect((await client.delete(`/users/${member.id}`)).status).toBe(200);
  });

  it('two removals of the last two admins at once leave one', async () => {
    const team = await aTeam(service, { admins: 2 });
    const answers = await Promise.all(team.admins.map(({ id }) => team.client.delete(`/users/${id}`)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect(await activeAdmins(team)).toBe(1);
  });
});
