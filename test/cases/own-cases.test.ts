import { describe, expect, it } from 'vitest';
import type { Scope } from '../../src/core/scopes.ts';
import type { Member } from '../../src/modules/membership/schema.ts';
import { limits } from '../../src/core/limits.ts';
import { asJson, stringify } from '../../src/core/json.ts';
import { apiInTheApp, inTheApp, type Somebody } from '../support/app-caller.ts';
import { aCase } from '../support/practice.ts';
import { auditEntriesOn } from '../support/logs.ts';
import { useTestService } from '../support/service.ts';
import { aTeam, type TestTeam } from '../support/team.ts';

const service = await useTestService();

/** A member in the form of the app's procedures. */
const who = ({ id, user_id, role }: Member): Somebody => ({ memberId: id, userId: user_id ?? '', role, rights: [] });
/** The procedures for a person's own cases, called in the app. */
const appOf = async (team: TestTeam, person?: Member) => (await inTheApp(team, person && who(person))).ownCases;
/** The procedures for the team's cases, called by the owner in the app. */
const teamCasesOf = async (team: TestTeam, scopes: readonly Scope[] = ['cases:read', 'cases:write']) =>
  (await apiInTheApp(team, scopes)).cases;
const notFound = { cause: { code: 'not_found' } };

describe('a member’s private cases', () => {
  it('are created, read, changed and deleted only by the member, and audited without their content', async () => {
    const team = await aTeam(service);
    const member = await team.anActiveMember();
    const app = await appOf(team, member);
    const made = await app.create({ title: 'Mine', fields: { a: 1 } });
    expect(asJson(made)).toMatchObject({
      user_id: member.user_id,
      title: 'Mine',
      fields: { a: 1 },
      external_ref: null,
    });
    const second = await app.create({});
    expect(await app.get({ case_id: made.id })).toEqual(made);
    expect(await app.list({})).toEqual({ data: [second, made], next_cursor: null });

    const changed = await app.change({ case_id: made.id, title: null, fields: { b: 2 } });
    expect(asJson(changed)).toEqual({ ...made, title: null, fields: { b: 2 }, updated_at: expect.any(String) });
    expect(await app.get({ case_id: made.id })).toEqual(changed);
    expect(await app.change({ case_id: made.id })).toEqual(changed);
    expect(await app.remove({ case_id: made.id })).toEqual({ ok: true });
    await expect(app.get({ case_id: made.id })).rejects.toMatchObject(notFound);
    await expect(app.remove({ case_id: made.id })).rejects.toMatchObject(notFound);
    expect((await app.list({})).data).toEqual([second]);

    const actor = ['person', member.user_id];
    expect(await auditEntriesOn(service, team, made.id)).toEqual([
      { action: 'case.created', actor, data: { user_id: member.user_id, private: true }, requestId: null },
      { action: 'case.changed', actor, data: { changed: ['title', 'fields'], private: true }, requestId: null },
      { action: 'case.deleted', actor, data: { user_id: member.user_id, private: true }, requestId: null },
    ]);
  });

  it('are found by no one else: no admin, no owner, no key, no other team', async () => {
    const [team, other] = [await aTeam(service), await aTeam(service)];
    const { id: case_id } = await (await appOf(team, await team.anActiveMember())).create({ title: 'Mine' });
    for (const app of [
      await appOf(team),
      await appOf(team, await team.anActiveMember({ role: 'admin' })),
      await appOf(team, await team.anActiveMember()),
      await appOf(other),
    ]) {
      expect((await app.list({})).data).toEqual([]);
      await expect(app.get({ case_id })).rejects.toMatchObject(notFound);
      await expect(app.change({ case_id, title: 'Yours' })).rejects.toMatchObject(notFound);
      await expect(app.share({ case_id })).rejects.toMatchObject(notFound);
      await expect(app.remove({ case_id })).rejects.toMatchObject(notFound);
    }
    const owner = await teamCasesOf(team);
    expect((await owner.list({})).data).toEqual([]);
    await expect(owner.get({ case_id })).rejects.toMatchObject(notFound);
    await expect(owner.change({ case_id, title: 'Yours' })).rejects.toMatchObject(notFound);
    await expect(owner.remove({ case_id })).rejects.toMatchObject(notFound);
    expect((await team.client.get('/cases')).data).toEqual([]);
    expect(await service.database.prisma.case.findMany({ where: { tenantId: team.id } })).toMatchObject([
      { id: case_id, title: 'Mine', private: true },
    ]);
  });

  it('shared, are the team’s: the same case, in the API too, and no longer private', async () => {
    const team = await aTeam(service);
    const member = await team.anActiveMember();
    const app = await appOf(team, member);
    const made = await app.create({ title: 'Mine', fields: { a: 1 } });
    const shared = await app.share({ case_id: made.id });
    expect(shared).toEqual({ ...made, updated_at: expect.any(String) });
    expect((await app.list({})).data).toEqual([]);
    for (const late of [app.get, app.share, app.remove]) {
      await expect(late({ case_id: made.id })).rejects.toMatchObject(notFound);
    }
    expect((await team.client.get(`/cases/${made.id}`)).body).toEqual(asJson(shared));
    expect(await (await teamCasesOf(team)).get({ case_id: made.id })).toEqual(shared);
    expect((await auditEntriesOn(service, team, made.id))[1]).toMatchObject({
      action: 'case.shared',
      actor: ['person', member.user_id],
      data: { user_id: member.user_id, private: false },
    });
  });

  it('shared twice at once, are shared once', async () => {
    const team = await aTeam(service);
    const app = await appOf(team);
    const { id: case_id } = await app.create({});
    const outcomes = await Promise.allSettled([app.share({ case_id }), app.share({ case_id })]);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(await auditEntriesOn(service, team, case_id)).toHaveLength(2);
  });

  it('are private while member details are off as well, and the member still sees them', async () => {
    const team = await aTeam(service, { memberDetail: false });
    const app = await appOf(team);
    const made = await app.create({ title: 'Mine' });
    expect((await app.list({})).data).toEqual([made]);
  });

  it('have pages, and a cursor is valid only for the member’s own list', async () => {
    const team = await aTeam(service);
    const member = await team.anActiveMember();
    const app = await appOf(team, member);
    const made = [(await app.create({})).id, (await app.create({})).id, (await app.create({})).id];
    await aCase(service, team, { userId: member.user_id ?? '' });
    const first = await app.list({ limit: 2 });
    const cursor = first.next_cursor ?? '';
    const rest = await app.list({ limit: 2, cursor });
    expect(new Set([...first.data, ...rest.data].map(({ id }) => id))).toEqual(new Set(made));
    expect(rest.next_cursor).toBeNull();
    const refused = { cause: { code: 'validation_error', members: { field: 'cursor' } } };
    await expect((await appOf(team)).list({ cursor })).rejects.toMatchObject(refused);
    expect(await team.client.get(`/cases?cursor=${cursor}`)).toBeProblem('validation_error', { field: 'cursor' });
  });

  it('can’t be created by a person who is no longer an active member', async () => {
    const team = await aTeam(service);
    const member = await team.anActiveMember();
    const app = await appOf(team, member);
    await team.client.delete(`/users/${member.id}`);
    await expect(app.create({ title: 'Late' })).rejects.toMatchObject(notFound);
  });
});

const exact = '{"a":12345678901234567890,"b":[1.10,0.1000000000000000055511151231257827],"c":-9007199254740993}';

describe('free-form fields in the app', () => {
  it('may be an array, in private and team cases; the API shows it but accepts none', async () => {
    const team = await aTeam(service);
    const list = ['a', { b: 1 }, [null]];
    const own = await appOf(team);
    const made = await own.create({ fields: list });
    expect(asJson(made).fields).toEqual(list);
    expect(asJson(await own.change({ case_id: made.id, fields: '[1]' })).fields).toEqual([1]);
    await own.share({ case_id: made.id });
    expect((await team.client.get(`/cases/${made.id}`)).body['fields']).toEqual([1]);

    const ofTeam = await teamCasesOf(team);
    const { id: case_id } = await ofTeam.create({ user_id: team.owner.user_id, fields: list });
    expect((await team.client.get(`/cases/${case_id}`)).body['fields']).toEqual(list);
    await ofTeam.change({ case_id, fields: [] });
    expect((await team.client.get(`/cases/${case_id}`)).body['fields']).toEqual([]);

    for (const fields of [list, '[1]', '{"a":1}', 1, true]) {
      const refused = { errors: [expect.objectContaining({ path: ['fields'] })] };
      const { user_id } = team.owner;
      expect(await team.client.post('/cases', { user_id, fields })).toBeProblem('validation_error', refused);
      expect(await team.client.patch(`/cases/${case_id}`, { fields })).toBeProblem('validation_error', refused);
    }
    // Only `fields` may be an array; `external_ref` may not.
    await expect(own.create({ external_ref: [1] })).rejects.toMatchObject({ code: 'BAD_REQUEST' });
  });

  it('as text keep every digit of their numbers, and a changed digit is a change', async () => {
    const team = await aTeam(service);
    const own = await appOf(team);
    const made = await own.create({ fields: exact, external_ref: exact });
    expect(stringify(made)).toContain(`"fields":${exact},"external_ref":${exact}`);
    expect(stringify(await own.get({ case_id: made.id }))).toBe(stringify(made));
    const changed = await own.change({ case_id: made.id, fields: exact.replace('7890,', '7891,') });
    expect(stringify(changed)).toContain('12345678901234567891');
    await own.share({ case_id: made.id });
    expect((await team.client.get(`/cases/${made.id}`)).text).toContain('12345678901234567891');
  });

  it.each([
    ['no JSON', '{"a":'],
    ['a JSON text', '"a"'],
    ['a JSON number', '1'],
    ['nothing', ''],
    ['NUL', String.raw`{"a":"\u0000"}`],
    ['half a character', String.raw`{"a":"\ud83d"}`],
    ['__proto__', '{"__proto__":{"a":1}}'],
    ['a number beyond a double', '{"a":1e309}'],
    ['one level too many', `${'['.repeat(limits.bodyDepth)}${']'.repeat(limits.bodyDepth)}`],
    ['too many values', `{"a":[${'0,'.repeat(limits.bodyValues)}0]}`],
    ['too many keys', `{"a":[${'{"a":0},'.repeat(limits.bodyKeys)}0]}`],
  ])('as text are refused like those of the API: %s', async (_what, fields) => {
    const own = await appOf(await aTeam(service));
    await expect(own.create({ fields })).rejects.toMatchObject({ code: 'BAD_REQUEST' });
  });

  it('as text are refused like those of the API, by name, if they are larger than they may be', async () => {
    const own = await appOf(await aTeam(service));
    const refused = { cause: { code: 'validation_error', members: { field: 'fields' } } };
    await expect(own.create({ fields: `{"a":"${'x'.repeat(limits.freeFormBytes)}"}` })).rejects.toMatchObject(refused);
  });
});
