import { describe, expect, it } from 'vitest';
import { makeId } from '../../src/core/ids.ts';
import { apiInTheApp, expectRefusal, inTheApp } from '../support/app-caller.ts';
import { aCase } from '../support/practice.ts';
import { makeClient, type Answer } from '../support/client.ts';
import { auditEntriesOn } from '../support/logs.ts';
import { useTestService } from '../support/service.ts';
import { aTeam, type TestTeam } from '../support/team.ts';
import { untilLockWaits } from '../support/postgres.ts';
import { allListed } from '../support/pages.ts';

const service = await useTestService();

const idsOf = (rows: Record<string, unknown>[]) => rows.map(({ id }) => id);
const made = (team: TestTeam) => service.database.prisma.case.findMany({ where: { tenantId: team.id } });
const ofOwner = (team: TestTeam, more: Partial<Parameters<typeof aCase>[2]> = {}) =>
  aCase(service, team, { userId: team.owner.user_id, ...more });

const content = {
  title: 'Renewal',
  persona_id: 'persona 17 – any text',
  fields: { industry: 'energy', nested: { list: [1, 'two', null, { deep: true }] } },
  external_ref: { crm: 'deal-1' },
};

describe('GET /cases', () => {
  it('200: the team’s cases with every field, newest first; nothing private, nothing of other teams', async () => {
    const [team, other] = [await aTeam(service), await aTeam(service)];
    await ofOwner(other);
    const { persona_id: personaId, external_ref: externalRef, ...rest } = content;
    const createdAt = new Date('2026-05-01T10:00:00.123Z');
    const first = await ofOwner(team, { ...rest, personaId, externalRef, createdAt });
    const second = await ofOwner(team, { fields: ['a', 'list', { too: 1 }] });
    await ofOwner(team, { private: true });
    const bare = { user_id: team.owner.user_id, title: null, persona_id: null, external_ref: null };
    expect((await team.client.get('/cases')).body).toEqual({
      data: [
        {
          id: second,
          ...bare,
          fields: ['a', 'list', { too: 1 }],
          created_at: expect.any(String),
          updated_at: expect.any(String),
        },
        {
          id: first,
          user_id: team.owner.user_id,
          ...content,
          created_at: '2026-05-01T10:00:00.123Z',
          updated_at: expect.any(String),
        },
      ],
      next_cursor: null,
    });
  });

  it('200: by user; an unknown, foreign or malformed user id has none', async () => {
    const team = await aTeam(service, { members: 1 });
    const other = await aTeam(service);
    await ofOwner(other);
    const userId = team.members[0]?.user_id ?? '';
    const theirs = await aCase(service, team, { userId });
    await aCase(service, team, { userId, private: true });
    await ofOwner(team);
    expect(idsOf((await team.client.get(`/cases?user_id=${userId}`)).data)).toEqual([theirs]);
    for (const none of [makeId(), other.owner.user_id, userId.toUpperCase(), 'x', '', team.members[0]?.id]) {
      expect((await team.client.get(`/cases?user_id=${none}`)).body).toEqual({ data: [], next_cursor: null });
    }
  });

  it('the app counts them, all or those of a user; none of an unknown, foreign or malformed user id', async () => {
    const team = await aTeam(service, { members: 1 });
    const other = await aTeam(service);
    await ofOwner(other);
    const userId = team.members[0]?.user_id ?? '';
    await aCase(service, team, { userId });
    await aCase(service, team, { userId, private: true });
    await ofOwner(team);
    const { teamCases } = await inTheApp(team);
    expect(await teamCases.count({})).toEqual({ count: 2, more: false });
    expect(await teamCases.count({ user_id: userId })).toEqual({ count: 1, more: false });
    for (const user_id of [makeId(), other.owner.user_id, 'x', ''])
      expect(await teamCases.count({ user_id })).toEqual({ count: 0, more: false });
    const hidden = await aTeam(service, { memberDetail: false });
    await expectRefusal((await inTheApp(hidden)).teamCases.count({}), { code: 'privacy_restricted' });
  });

  it('200: pages yield each exactly once while others are added, with and without the filter', async () => {
    const team = await aTeam(service, { members: 1 });
    const userId = team.members[0]?.user_id ?? '';
    const createdAt = new Date('2026-05-01T10:00:00Z');
    const there: string[] = [];
    while (there.length < 5) there.push(await aCase(service, team, { userId, createdAt }));
    for (const filter of ['', `&user_id=${userId}`]) {
      const before = idsOf((await team.client.get(`/cases?limit=200${filter}`)).data);
      const rows = await allListed(team.client, `/cases?limit=2${filter}`, async () => {
        await aCase(service, team, { userId });
        await aCase(service, team, { userId, private: true, createdAt });
      });
      const seen = idsOf(rows);
      expect(seen).toEqual(before);
      expect(seen).toEqual(expect.arrayContaining(there));
    }
  });

  it('200: cases of a former member stay', async () => {
    const team = await aTeam(service, { members: 1 });
    const id = await aCase(service, team, { userId: team.members[0]?.user_id ?? '' });
    await team.client.delete(`/users/${team.members[0]?.id}`);
    expect(idsOf((await team.client.get('/cases')).data)).toEqual([id]);
  });
});

describe('POST /cases', () => {
  it('201: creates a case of the team, returns its location, and is audited without its content', async () => {
    const team = await aTeam(service, { members: 1 });
    const user_id = team.members[0]?.user_id ?? '';
    const key = await team.aKey();
    const answer = await makeClient(service.baseUrl, key.text).post('/cases', { user_id, ...content });
    const id = String(answer.body['id']);
    expect([answer.status, answer.body]).toEqual([
      201,
      {
        id: expect.any(String),
        user_id,
        ...content,
        created_at: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
        updated_at: answer.body['created_at'],
      },
    ]);
    expect(answer.headers.get('location')).toBe(`/api/public/v1/cases/${id}`);
    expect((await team.client.get(`/cases/${id}`)).body).toEqual(answer.body);
    expect(await auditEntriesOn(service, team, id)).toEqual([
      {
        action: 'case.created',
        actor: ['key', key.id],
        data: { user_id, private: false },
        requestId: answer.headers.get('x-request-id'),
      },
    ]);
  });

  it.each([
    ['absent', {}],
    ['null', { title: null, persona_id: null, fields: null, external_ref: null }],
  ])('201: all fields except the user may be %s', async (_what, body) => {
    const team = await aTeam(service);
    const answer = await team.client.post('/cases', { user_id: team.owner.user_id, ...body });
    const nothing = { title: null, persona_id: null, fields: null, external_ref: null };
    expect([answer.status, answer.body]).toEqual([201, expect.objectContaining(nothing)]);
    expect((await team.client.get(`/cases/${String(answer.body['id'])}`)).body).toEqual(answer.body);
  });

  it('201: also while member details are off; the answer still has the user id', async () => {
    const team = await aTeam(service, { memberDetail: false });
    const answer = await team.client.post('/cases', { user_id: team.owner.user_id });
    expect([answer.status, answer.body['user_id']]).toEqual([201, team.owner.user_id]);
  });

  it('404 not_found: a user that is unknown, of another team, invited, former, a member id or no id', async () => {
    const team = await aTeam(service, { members: 1 });
    const other = await aTeam(service);
    const invited = await team.anInvitedMember();
    const former = team.members[0];
    await team.client.delete(`/users/${former?.id}`);
    for (const user_id of [
      makeId(),
      other.owner.user_id,
      invited.id,
      former?.user_id,
      team.owner.member_id,
      team.owner.user_id.toUpperCase(),
      'x',
      '',
    ]) {
      expect(await team.client.post('/cases', { user_id })).toBeProblem('not_found');
    }
    expect([...(await made(team)), ...(await made(other))]).toEqual([]);
  });

  it('201: for a person who left and joined again', async () => {
    const team = await aTeam(service, { members: 1 });
    const { id, user_id, email } = team.members[0] ?? {};
    await team.client.delete(`/users/${id}`);
    expect((await team.anActiveMember({ email: email ?? '' })).user_id).toBe(user_id);
    expect((await team.client.post('/cases', { user_id })).status).toBe(201);
  });

  it('a removal of the user that came first refuses the case', async () => {
    const team = await aTeam(service, { members: 1 });
    const { id = '', user_id } = team.members[0] ?? {};
    let removal: Promise<{ status: number }> | undefined;
    let creation: Promise<{ status: number }> | undefined;
    await service.database.transaction(async (tx) => {
      await tx.$executeRaw`select from member where tenant_id = ${team.id}::uuid and id = ${id}::uuid for update`;
      removal = team.client.delete(`/users/${id}`);
      await untilLockWaits(service);
      creation = team.client.post('/cases', { user_id });
      await untilLockWaits(service, { count: 2 });
    });
    expect((await removal)?.status).toBe(200);
    expect((await creation)?.status).toBe(404);
  });
});

describe('PATCH /cases/{case_id}', () => {
  it('200: replaces the given fields, fields and external_ref completely, and is audited by field names', async () => {
    const team = await aTeam(service);
    const id = await ofOwner(team, { title: 'Before', personaId: 'p', fields: { a: 1, b: 2 }, externalRef: { x: 1 } });
    const before = (await team.client.get(`/cases/${id}`)).body;
    const answer = await team.client.patch(`/cases/${id}`, { title: 'After', fields: { b: 3 } });
    expect([answer.status, answer.body]).toEqual([
      200,
      { ...before, title: 'After', fields: { b: 3 }, updated_at: expect.any(String) },
    ]);
    const last = await team.client.patch(`/cases/${id}`, { persona_id: 'q', external_ref: {} });
    expect(last.body).toEqual({ ...answer.body, persona_id: 'q', external_ref: {}, updated_at: expect.any(String) });
    expect((await team.client.get(`/cases/${id}`)).body).toEqual(last.body);
    expect((await auditEntriesOn(service, team, id)).map(({ action, data }) => [action, data])).toEqual([
      [
        'case.changed',
        { changed: ['title', 'fields'], private: false, before: { title: 'Before' }, after: { title: 'After' } },
      ],
      [
        'case.changed',
        {
          changed: ['persona_id', 'external_ref'],
          private: false,
          before: { persona_id: 'p' },
          after: { persona_id: 'q' },
        },
      ],
    ]);
  });

  it('200: null clears a field', async () => {
    const team = await aTeam(service);
    const id = await ofOwner(team, { title: 'T', personaId: 'p', fields: ['list'], externalRef: { x: 1 } });
    const nothing = { title: null, persona_id: null, fields: null, external_ref: null };
    expect((await team.client.patch(`/cases/${id}`, nothing)).body).toMatchObject(nothing);
    expect((await team.client.get(`/cases/${id}`)).body).toMatchObject(nothing);
  });

  it.each([
    ['{}', {}],
    ['what is so already', { title: 'T', persona_id: null, fields: { a: { b: [1] }, c: 2 }, external_ref: null }],
  ])('200: %s changes nothing', async (_what, body) => {
    const team = await aTeam(service);
    const id = await ofOwner(team, { title: 'T', fields: { a: { b: [1] }, c: 2 } });
    const before = await team.client.get(`/cases/${id}`);
    const answer = await team.client.patch(`/cases/${id}`, body);
    expect([answer.status, answer.body]).toEqual([200, before.body]);
    expect(await auditEntriesOn(service, team, id)).toEqual([]);
  });

  it.each([
    ['{}', {}],
    ['what is so already', { title: 'T', persona_id: null, fields: { a: 1 }, external_ref: null }],
    ['the same in another form', { fields: { a: 1.0 } }],
  ])('403 privacy_restricted while member details are off: %s', async (_what, body) => {
    const team = await aTeam(service, { memberDetail: false });
    const id = await ofOwner(team, { title: 'T', fields: { a: 1 } });
    const answer = await team.client.patch(`/cases/${id}`, body);
    expect(answer).toBeProblem('privacy_restricted');
    expect(answer.text).not.toContain('"T"');
    expect(await auditEntriesOn(service, team, id)).toEqual([]);
    const { cases } = await apiInTheApp(team, ['cases:write']);
    await expect(cases.change({ case_id: id, ...body })).rejects.toMatchObject({
      cause: { code: 'privacy_restricted' },
    });
    expect(await team.client.patch(`/cases/${makeId()}`, body)).toBeProblem('not_found');
  });

  it.each([
    ['title', 'New'],
    ['persona_id', null],
    ['fields', { b: [2] }],
    ['external_ref', { z: 9 }],
  ])(
    '200 while member details are off: the changed and the required fields, here %s, all others null',
    async (field, value) => {
      const team = await aTeam(service, { memberDetail: false });
      const secret = {
        title: 'Secret title',
        personaId: 'secret-persona',
        fields: { secret: 1 },
        externalRef: { secret: 2 },
      };
      const createdAt = new Date('2026-05-01T10:00:00.123Z');
      const id = await ofOwner(team, { ...secret, createdAt });
      const unchanged = { title: null, persona_id: null, fields: null, external_ref: null };
      const body = field === 'title' ? { [field]: value, persona_id: 'secret-persona' } : { [field]: value };
      const answer = await team.client.patch(`/cases/${id}`, body);
      expect([answer.status, answer.body]).toEqual([
        200,
        {
          id,
          user_id: team.owner.user_id,
          created_at: '2026-05-01T10:00:00.123Z',
          updated_at: expect.any(String),
          ...unchanged,
          [field]: value,
        },
      ]);
      expect(answer.text).not.toMatch(/secret/i);
      await team.change({ memberDetail: true });
      const { title, personaId: persona_id, fields, externalRef: external_ref } = secret;
      expect((await team.client.get(`/cases/${id}`)).body).toMatchObject({
        title,
        persona_id,
        fields,
        external_ref,
        [field]: value,
      });
    },
  );

  it('two at once lose none of their changes', async () => {
    const team = await aTeam(service);
    const id = await ofOwner(team);
    await Promise.all([
      team.client.patch(`/cases/${id}`, { title: 'T' }),
      team.client.patch(`/cases/${id}`, { fields: { a: 1 } }),
      team.client.patch(`/cases/${id}`, { external_ref: { b: 1 } }),
      team.client.patch(`/cases/${id}`, { persona_id: 'p' }),
    ]);
    const all = { title: 'T', fields: { a: 1 }, external_ref: { b: 1 }, persona_id: 'p' };
    expect((await team.client.get(`/cases/${id}`)).body).toMatchObject(all);
  });
});

describe('DELETE /cases/{case_id}', () => {
  it('200: the case is gone, and then not found', async () => {
    const team = await aTeam(service);
    const id = await ofOwner(team, { title: 'T' });
    const kept = await ofOwner(team);
    let calls: Promise<Answer>[] = [];
    await service.database.transaction(async (tx) => {
      await tx.$executeRaw`select from "case" where tenant_id = ${team.id}::uuid and id = ${id}::uuid for update`;
      calls = [1, 2, 3].map(() => team.client.delete(`/cases/${id}`));
      await untilLockWaits(service, { count: 3 });
    });
    const answers = await Promise.all(calls);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 404, 404]);
    expect(answers.find(({ status }) => status === 200)?.body).toEqual({ ok: true });
    expect(idsOf((await team.client.get('/cases')).data)).toEqual([kept]);
    expect(await team.client.get(`/cases/${id}`)).toBeProblem('not_found');
    expect(await team.client.patch(`/cases/${id}`, {})).toBeProblem('not_found');
    expect(await auditEntriesOn(service, team, id)).toMatchObject([
      { action: 'case.deleted', data: { user_id: team.owner.user_id, private: false } },
    ]);
  });
});
