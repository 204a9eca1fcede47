import { describe, expect, it } from 'vitest';
import { makeId } from '../../src/core/ids.ts';
import { publicRouter } from '../../src/modules/public-router.ts';
import { operationsOf } from '../../src/platform/trpc/procedures.ts';
import { aCombination } from '../support/practice.ts';
import { makeClient } from '../support/client.ts';
import { auditEntriesOn, eventDataOf } from '../support/logs.ts';
import { expectDescribed } from '../support/document.ts';
import { useTestService } from '../support/service.ts';
import { aTeam, type TestTeam } from '../support/team.ts';

const described =
  operationsOf(publicRouter).find(({ operation }) => operation.route === 'POST /assignments') ?? expect.unreachable();
const service = await useTestService();
const combination = await aCombination(service);

const made = (team: TestTeam) => service.database.prisma.assignment.findMany({ where: { tenantId: team.id } });
/** A valid body, by default for the owner. */
const bodyFor = (team: TestTeam, more: object = {}) => ({
  member_id: team.owner.member_id,
  title: 'Price talk',
  ...combination,
  ...more,
});

describe('POST /assignments', () => {
  it('201: gives it to the member, open, and returns its location', async () => {
    const team = await aTeam(service, { members: 1 });
    const member = team.members[0];
    const body = bodyFor(team, { member_id: member?.id, note: 'Calmly.', due_date: '2026-12-24' });
    const answer = await team.client.post('/assignments', body);
    expect(answer.status).toBe(201);
    const { member_id: _recipient, ...content } = body;
    expect(answer.body).toEqual({
      id: expect.any(String),
      status: 'open',
      ...content,
      member_user_id: member?.user_id,
      member_email: member?.email,
      focus_dimension: null,
      completed_training_id: null,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      updated_at: answer.body['created_at'],
    });
    const path = `/assignments/${String(answer.body['id'])}`;
    expect(answer.headers.get('location')).toBe(`/api/public/v1${path}`);
    expect((await team.client.get(path)).body).toEqual(answer.body);
  });

  it('201: raises assignment.created and is audited with the key and the request', async () => {
    const team = await aTeam(service, { members: 1 });
    const key = await team.aKey();
    const client = makeClient(service.baseUrl, key.text);
    const { member_id, ...rest } = bodyFor(team, { member_id: team.members[0]?.id, due_date: '2027-01-31' });
    const answer = await client.post('/assignments', { member_id, ...rest });
    const id = String(answer.body['id']);
    expect(await eventDataOf(service, team, 'assignment.created')).toEqual([
      {
        team_id: team.id,
        assignment_id: id,
        status: 'open',
        due_date: '2027-01-31',
        completed_training_id: null,
        user_id: team.members[0]?.user_id,
      },
    ]);
    expect(await auditEntriesOn(service, team, id)).toEqual([
      {
        action: 'assignment.created',
        actor: ['key', key.id],
        data: { member_id, title: 'Price talk' },
        requestId: answer.headers.get('x-request-id'),
      },
    ]);
  });

  it('201: to an invited member, without a user id', async () => {
    const team = await aTeam(service);
    const invited = await team.anInvitedMember();
    const answer = await team.client.post('/assignments', bodyFor(team, { member_id: invited.id }));
    expect(answer.body).toMatchObject({ member_user_id: null, member_email: invited.email, status: 'open' });
    expect((await eventDataOf(service, team, 'assignment.created'))[0]).not.toHaveProperty('user_id');
  });

  it('201: has no personal data while member details are off, neither in the answer nor in the event', async () => {
    const team = await aTeam(service, { members: 1, memberDetail: false });
    const answer = await team.client.post('/assignments', bodyFor(team, { member_id: team.members[0]?.id }));
    expect(answer.status).toBe(201);
    expect(answer.body).toMatchObject({ member_user_id: null, member_email: null, title: 'Price talk' });
    expect((await eventDataOf(service, team, 'assignment.created'))[0]).not.toHaveProperty('user_id');
  });

  it.each([
    ['absent', {}],
    ['null', { note: null, due_date: null }],
  ])('201: note and due date may be %s', async (_what, more) => {
    const team = await aTeam(service);
    const answer = await team.client.post('/assignments', bodyFor(team, more));
    expect(answer.body).toMatchObject({ note: null, due_date: null });
  });

  it.each(['0001-01-01', '0099-12-31', '1969-12-31', '2024-02-29', '9999-12-31'])(
    '201: the due date %s comes back as that day',
    async (due_date) => {
      const team = await aTeam(service);
      const answer = await team.client.post('/assignments', bodyFor(team, { due_date }));
      expect(answer.body['due_date']).toBe(due_date);
      expect((await team.client.get(`/assignments/${String(answer.body['id'])}`)).body['due_date']).toBe(due_date);
    },
  );

  it.each([
    ['one character', 'x'],
    ['120 characters', 'x'.repeat(120)],
    ['120 characters beyond the basic plane', '💬'.repeat(120)],
  ])('201: a title of %s', async (_what, title) => {
    const team = await aTeam(service);
    const answer = await team.client.post('/assignments', bodyFor(team, { title }));
    expect(answer.status).toBe(201);
    expect((await made(team)).map((row) => row.title)).toEqual([title]);
  });

  it('422 validation_error: a due date in the year 0', async () => {
    const team = await aTeam(service);
    const answer = await team.client.post('/assignments', bodyFor(team, { due_date: '0000-01-01' }));
    expect(answer).toBeProblem('validation_error', { errors: [expect.objectContaining({ path: ['due_date'] })] });
  });

  it('404 not_found: a member that is unknown, of another team, ended, or no id at all', async () => {
    const team = await aTeam(service, { members: 1 });
    const other = await aTeam(service, { members: 1 });
    const ended = team.members[0]?.id ?? '';
    await team.client.delete(`/users/${ended}`);
    const userId = team.owner.user_id;
    for (const member_id of [makeId(), other.owner.member_id, ended, userId, '', 'me', makeId().toUpperCase()]) {
      const answer = await team.client.post('/assignments', bodyFor(team, { member_id }));
      expect(answer).toBeProblem('not_found');
      expectDescribed(described, answer);
      // The refusal is stored in the same transaction, so no statement before it may have failed.
      const stored = { headers: { 'Idempotency-Key': `for ${member_id}` } };
      expect(await team.client.post('/assignments', bodyFor(team, { member_id }), stored)).toBeProblem('not_found');
    }
    expect([...(await made(team)), ...(await made(other))]).toEqual([]);
  });

  it('404 not_found comes before the check of the combination', async () => {
    const team = await aTeam(service);
    const answer = await team.client.post('/assignments', bodyFor(team, { member_id: makeId(), situation_id: 'x' }));
    expect(answer).toBeProblem('not_found');
  });

  it('a refused call leaves nothing behind, and is refused again', async () => {
    const team = await aTeam(service);
    const headers = { 'Idempotency-Key': 'once' };
    const body = bodyFor(team, { situation_id: makeId() });
    expect(await team.client.post('/assignments', body, { headers })).toBeProblem('kombination_ungueltig');
    const again = await team.client.post('/assignments', body, { headers });
    expect(again).toBeProblem('kombination_ungueltig');
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(await made(team)).toEqual([]);
  });
});
