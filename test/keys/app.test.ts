import { describe, expect, it } from 'vitest';
import { daysToMs, later, utcDay } from '../../src/core/clock.ts';
import { allScopes, keyTemplates } from '../../src/core/scopes.ts';
import { removeMember } from '../../src/modules/members/service.ts';
import { auditEntriesOn, anAnswer } from '../support/logs.ts';
import { aColleague, expectRefusal, inTheApp } from '../support/app-caller.ts';
import { makeClient } from '../support/client.ts';
import { renamePerson } from '../support/people.ts';
import { useTestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';

const service = await useTestService();

const statusWith = async (key: string): Promise<number> => (await makeClient(service.baseUrl, key).get('/me')).status;

const inDays = (count: number): string => later(service.clock.now(), daysToMs(count)).toISOString();

describe('keys.create', () => {
  it('creates a key that works, from a template or scopes, and shows its secret once', async () => {
    const team = await aTeam(service);
    const { keys } = await inTheApp(team);
    const ready = await keys.create({ name: 'Reports', template: 'read_only' });
    expect(await statusWith(ready.key)).toBe(200);
    expect((await keys.get({ key_id: ready.key_id })).scopes).toEqual([...keyTemplates.read_only]);
    const expires_at = inDays(2);
    const chosen = await keys.create({
      name: ' CRM ',
      scopes: ['users:read', 'cases:read', 'users:read'],
      allowed_ips: ['127.0.0.0/8', '::1', '127.0.0.0/8'],
      expires_at,
    });
    expect(await statusWith(chosen.key)).toBe(200);
    expect(await keys.get({ key_id: chosen.key_id })).toMatchObject({
      name: 'CRM',
      scopes: ['users:read', 'cases:read'],
      allowed_ips: ['127.0.0.0/8', '::1'],
      expires_at,
      status: 'active',
    });
    const answers = JSON.stringify([await keys.list({}), await keys.get({ key_id: chosen.key_id })]);
    expect(answers).not.toContain(chosen.key.slice(-43));
  });

  it('records its creator, in the key and in the audit log', async () => {
    const team = await aTeam(service);
    const maker = await aColleague(team, 'admin', ['schnittstellen']);
    const { keys } = await inTheApp(team, maker);
    const { key_id } = await keys.create({ name: 'x', template: 'all' });
    expect((await keys.get({ key_id })).created_by).toMatchObject({ member_id: maker.memberId, vouches: true });
    const [entry] = await service.database.prisma.auditEntry.findMany({
      where: { tenantId: team.id, targetId: key_id },
    });
    expect(entry).toMatchObject({ action: 'key.created', actorKind: 'person', actorId: maker.userId });
  });

  // The rules for each field are those of src/modules/keys/service.ts: lifecycle.test.ts tries them.
  it.each([
    ['an expiry in the past', { expires_at: '2020-01-01T00:00:00Z' }, 'expires_at'],
    ['an unknown scope', { scopes: ['users:read', 'users:rule'] }, 'scopes'],
    ['neither scopes nor a template', { scopes: undefined }, 'scopes'],
    ['scopes and a template', { template: 'all' as const }, 'template'],
  ])('names the field of %s, and creates nothing', async (_what, flaw, field) => {
    const team = await aTeam(service);
    const { keys } = await inTheApp(team);
    await expectRefusal(keys.create({ name: 'x', scopes: ['users:read'], ...flaw }), {
      code: 'validation_error',
      members: { field },
    });
    expect((await keys.list({})).data).toHaveLength(1);
  });

  it('names all bad addresses, not only the first', async () => {
    const { keys } = await inTheApp(await aTeam(service));
    const make = (allowed_ips: string[]) => keys.create({ name: 'x', scopes: ['users:read'], allowed_ips });
    await expectRefusal(make(['10.0.0', '10.0.0.1', '::x', '10.0.0.0/33']), {
      code: 'validation_error',
      members: { field: 'allowed_ips', detail: 'Not valid IP addresses or networks: 10.0.0, ::x, 10.0.0.0/33.' },
    });
    await expectRefusal(make(['10.0.0.1', '10.0.0']), {
      code: 'validation_error',
      members: { field: 'allowed_ips', detail: 'Not valid IP addresses or networks: 10.0.0.' },
    });
  });

  it('is api_disabled on the plan basic, as is a rotation', async () => {
    const team = await aTeam(service);
    const { id } = await team.aKey();
    await team.change({ plan: 'basic' });
    const { keys } = await inTheApp(team);
    await expectRefusal(keys.create({ name: 'x', template: 'all' }), { code: 'api_disabled' });
    await expectRefusal(keys.rotate({ key_id: id, grace_days: 1 }), { code: 'api_disabled' });
  });
});

describe('keys.list', () => {
  it('pages through the team’s keys, newest first, and no other team’s', async () => {
    const team = await aTeam(service);
    await aTeam(service);
    const made = [await team.aKey(), await team.aKey()].map(({ id }) => id);
    const { keys } = await inTheApp(team);
    const first = await keys.list({ limit: 2 });
    expect(first.data.map(({ key_id }) => key_id)).toEqual(made.toReversed());
    const rest = await keys.list({ limit: 2, cursor: first.next_cursor ?? '' });
    expect(rest.data).toHaveLength(1);
    expect(rest.next_cursor).toBeNull();
    expect(rest.data[0]?.prefix).toBe(team.client.key?.slice(10, 22));
    expect(rest.data[0]?.scopes).toEqual([...allScopes]);
  });

  it('finds keys by a part of their name or the beginning of their prefix, page by page', async () => {
    const team = await aTeam(service);
    const names = ['CRM sync', 'crm export', 'Data 100%', 'Data 1000'];
    const { keys } = await inTheApp(team);
    for (const name of names) await keys.create({ name, scopes: ['users:read'] });
    const found = async (search: string) => (await keys.list({ search })).data.map(({ name }) => name).toSorted();
    expect(await found('CRM')).toEqual(['CRM sync', 'crm export']);
    expect(await found('100%')).toEqual(['Data 100%']);
    expect(await found('nothing')).toEqual([]);
    const [newest] = (await keys.list({ limit: 1 })).data;
    expect(await found(newest?.prefix.slice(0, 6) ?? '-')).toEqual([newest?.name]);
    expect(await found(newest?.prefix.slice(1, 7) ?? '-')).toEqual([]);
    // As the app shows it.
    expect(await found(`svck_live_${newest?.prefix}…`)).toEqual([newest?.name]);
    const first = await keys.list({ search: 'data', limit: 1 });
    const next = { limit: 1, cursor: first.next_cursor ?? '' };
    expect((await keys.list({ ...next, search: 'data' })).data.map(({ name }) => name)).toEqual(['Data 100%']);
    await expectRefusal(keys.list({ ...next, search: 'crm' }), { code: 'validation_error' });
  });

  it('shows who created a key by name and email, even after they left', async () => {
    const team = await aTeam(service, { admins: 1 });
    const maker = await aColleague(team, 'admin', ['schnittstellen']);
    await renamePerson(service, team, maker.userId, 'Mia Sommer');
    await (await inTheApp(team, maker)).keys.create({ name: 'x', template: 'all' });
    await removeMember(await team.acting(), maker.memberId);
    const creator = async () => (await (await inTheApp(team)).keys.list({})).data[0]?.created_by;
    expect(await creator()).toEqual({
      member_id: maker.memberId,
      name: 'Mia Sommer',
      email: expect.stringContaining('@'),
      vouches: false,
    });
  });

  it('shows who created a key also while member details are off', async () => {
    const team = await aTeam(service, { memberDetail: false });
    const { keys } = await inTheApp(team);
    await keys.create({ name: 'x', template: 'all' });
    expect((await keys.list({})).data[0]?.created_by.email).toBe(team.owner.email);
    const { data: made } = await keys.ofMember({ member_id: team.owner.member_id });
    expect(made.map(({ name }) => name)).toContain('x');
  });

  it('shows whether the creator of a key is still an admin', async () => {
    const team = await aTeam(service, { admins: 1 });
    const maker = await aColleague(team, 'admin', ['schnittstellen']);
    const { key_id } = await (await inTheApp(team, maker)).keys.create({ name: 'x', template: 'all' });
    const vouches = async () => (await (await inTheApp(team)).keys.get({ key_id })).created_by.vouches;
    expect(await vouches()).toBe(true);
    await team.client.patch(`/users/${maker.memberId}`, { role: 'member' });
    expect(await vouches()).toBe(false);
  });
});

describe('keys.rotate and keys.revoke', () => {
  it('replace a key, with links in both directions, and end it', async () => {
    const team = await aTeam(service);
    const { keys } = await inTheApp(team);
    const old = await keys.create({ name: 'x', template: 'all' });
    const next = await keys.rotate({ key_id: old.key_id, grace_days: 30 });
    expect([await statusWith(old.key), await statusWith(next.key)]).toEqual([200, 200]);
    const shown = await keys.get({ key_id: old.key_id });
    expect(shown).toMatchObject({ status: 'active', rotated_to_id: next.key_id, rotated_from_id: null });
    expect(Math.round((Date.parse(shown.expires_at ?? '') - service.clock.now().getTime()) / daysToMs(1))).toBe(30);
    expect(await keys.get({ key_id: next.key_id })).toMatchObject({ rotated_to_id: null, rotated_from_id: old.key_id });

    expect(await keys.revoke({ key_id: old.key_id })).toEqual({ ok: true });
    expect([await statusWith(old.key), await statusWith(next.key)]).toEqual([401, 200]);
    expect((await keys.get({ key_id: old.key_id })).status).toBe('revoked');
    expect(await keys.revoke({ key_id: old.key_id })).toEqual({ ok: true });
    const entries = await auditEntriesOn(service, team, old.key_id);
    expect(entries.map(({ action, data }) => [action, data])).toEqual([
      ['key.created', expect.objectContaining({ name: 'x', scopes: expect.arrayContaining(['users:read']) })],
      ['key.rotated', { to: next.key_id, grace_seconds: daysToMs(30) / 1_000 }],
      ['key.revoked', {}],
    ]);
    await expectRefusal(keys.rotate({ key_id: old.key_id, grace_days: 1 }), { code: 'conflict' });
  });

  it.each([-1, 31, 0.5])('refuse a grace period of %d days', async (grace_days) => {
    const team = await aTeam(service);
    const { id: key_id } = await team.aKey();
    await expectRefusal((await inTheApp(team)).keys.rotate({ key_id, grace_days }), 'BAD_REQUEST');
  });
});

describe('keys.usage', () => {
  it('adds up the requests of each day, with zeros for empty days: of one key, or of all', async () => {
    const team = await aTeam(service);
    const other = await aTeam(service);
    const [a, b] = [await team.aKey(), await team.aKey()];
    const now = service.clock.now();
    const noteAt = async (time: Date, keyId: string, statuses: number[], of = team) => {
      service.clock.set(time);
      for (const status of statuses) service.requestLog.note(anAnswer(of, keyId, { status }));
      await service.requestLog.write();
      service.clock.set(now);
    };
    await noteAt(later(now, -daysToMs(2)), a.id, [200, 429, 404]);
    await noteAt(now, a.id, [201, 304, 429, 499, 403, 500, 503]);
    await noteAt(now, b.id, [200]);
    await noteAt(now, (await other.aKey()).id, [200, 500], other);

    const { keys } = await inTheApp(team);
    const [before, between, today] = [2, 1, 0].map((ago) => utcDay(later(now, -daysToMs(ago))));
    const early = { day: before, requests: 3, limited: 1, refused: 1, failed: 0 };
    const late = { day: today, requests: 7, limited: 1, refused: 2, failed: 2 };
    const none = { day: between, requests: 0, limited: 0, refused: 0, failed: 0 };
    expect((await keys.usage({ key_id: a.id, days: 3 })).days).toEqual([early, none, late]);
    expect((await keys.usage({ days: 3 })).days).toEqual([early, none, { ...late, requests: 8 }]);
    expect((await keys.usage({})).days).toHaveLength(30);
    expect((await keys.usage({ days: 1 })).days.map(({ day }) => day)).toEqual([today]);

    const ofKeys = new Map((await keys.list({})).data.map((key) => [key.key_id, key.days]));
    const idle = { requests: 0, errors: 0 };
    expect(ofKeys.get(a.id)).toHaveLength(30);
    expect(ofKeys.get(a.id)?.slice(-4)).toEqual([idle, { requests: 3, errors: 2 }, idle, { requests: 7, errors: 5 }]);
    expect(ofKeys.get(b.id)?.slice(-2)).toEqual([idle, { requests: 1, errors: 0 }]);
  });
});
