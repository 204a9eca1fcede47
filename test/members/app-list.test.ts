import { describe, expect, it } from 'vitest';
import { daysToMs, later } from '../../src/core/clock.ts';
import { makeId } from '../../src/core/ids.ts';
import { keyRight } from '../../src/modules/keys/schema.ts';
import { limits } from '../../src/core/limits.ts';
import { aColleague, expectRefusal, inTheApp, type Somebody } from '../support/app-caller.ts';
import { aCombination, anAssignment, anEvaluation, theTrainings } from '../support/practice.ts';
import { useTestService } from '../support/service.ts';
import { anEmail, aTeam, manyInvited, type TestTeam } from '../support/team.ts';
import { allRows } from '../support/pages.ts';

const service = await useTestService();

const membersOf = async (team: TestTeam, person?: Somebody) => (await inTheApp(team, person)).members;

/** Gives the person with an address a name, and a second factor. */
const call = (email: string, name: string, twoFactorEnabled = false) =>
  service.database.prisma.person.update({ where: { email }, data: { name, twoFactorEnabled } });

describe('members.count', () => {
  it('counts everybody in the team or invited to it, and those who match, at most 10,000', async () => {
    const team = await aTeam(service, { members: 3, admins: 1, seats: 20_000 });
    const invited = await team.anInvitedMember({ email: anEmail('findable') });
    const app = await membersOf(team);
    expect(await app.count({})).toEqual({ count: 6, more: false });
    expect(await app.count({ role: 'member', status: 'active' })).toEqual({ count: 3, more: false });
    expect(await app.count({ search: invited.email ?? '' })).toEqual({ count: 1, more: false });
    expect(await (await membersOf(await aTeam(service))).count({})).toEqual({ count: 1, more: false });
    await manyInvited(service, team, 10_000);
    expect(await app.count({})).toEqual({ count: 10_000, more: true });
    expect(await app.count({ status: 'invited' })).toEqual({ count: 10_000, more: true });
  });
});

describe('members.list', () => {
  it('is sorted by what the app shows of each person, the name or else the address, also in parts and from a letter on', async () => {
    const team = await aTeam(service);
    await call(team.owner.email, 'Özlem Berg');
    const named = ['anna Ott', 'Änne Arp', 'Zoe Lang', 'Anton Amt', 'Zoe Lang'];
    for (const name of named) await call((await team.anActiveMember()).email ?? '', name);
    await team.anInvitedMember({ email: `m-${anEmail()}` });
    const app = await membersOf(team);
    const namesBy = async (desc: boolean, limit: number, letter: { from?: string } = {}): Promise<string[]> => {
      const rows = await allRows((next) => app.list({ sort: { by: 'name', desc }, limit, ...letter, ...next }));
      return rows.map(({ name, email }) => name ?? email.slice(0, 2));
    };
    const sorted = ['anna Ott', 'Änne Arp', 'Anton Amt', 'm-', 'Özlem Berg', 'Zoe Lang', 'Zoe Lang'];
    for (const limit of [1, 2, 50]) {
      expect(await namesBy(false, limit)).toEqual(sorted);
      expect(await namesBy(true, limit)).toEqual(sorted.toReversed());
    }
    expect(await namesBy(false, 1, { from: 'o' })).toEqual(['Özlem Berg', 'Zoe Lang', 'Zoe Lang']);
  });

  it('is sorted by the time of joining, and can be reversed', async () => {
    const team = await aTeam(service);
    for (const letter of ['c', 'a', 'b']) await team.anInvitedMember({ email: `${letter}-${anEmail()}` });
    const app = await membersOf(team);
    const lettersOf = async (query: Parameters<typeof app.list>[0]) =>
      (await app.list({ status: 'invited', ...query })).data.map(({ email }) => email[0]).join('');
    expect(await lettersOf({ sort: { by: 'joined', desc: true } })).toBe('bac');
    expect(await lettersOf({ sort: { by: 'joined', desc: false } })).toBe('cab');
  });

  it('is sorted by role, status and second factor, and within each by name, page by page', async () => {
    const team = await aTeam(service);
    await call(team.owner.email, 'Mia Owner', true);
    for (const name of ['Zoe Member', 'Ada Member']) await call((await team.anActiveMember()).email ?? '', name);
    await call((await team.anActiveMember({ role: 'admin' })).email ?? '', 'Kim Admin', true);
    await team.anInvitedMember({ email: `b-${anEmail()}` });
    const app = await membersOf(team);
    const orderBy = async (by: 'role' | 'status' | 'two_factor', desc: boolean, limit: number): Promise<string> => {
      const rows = await allRows((next) => app.list({ sort: { by, desc }, limit, ...next }));
      return rows.map(({ name, email }) => (name ?? email).charAt(0)).join('');
    };
    const orders = { role: 'MKAbZ', status: 'AKMZb', two_factor: 'AbZKM' } as const;
    for (const limit of [1, 2, 50]) {
      for (const by of ['role', 'status', 'two_factor'] as const) {
        expect(await orderBy(by, false, limit), by).toBe(orders[by]);
        expect(await orderBy(by, true, limit), by).toBe([...orders[by]].toReversed().join(''));
      }
    }
  });

  it('shows everybody in the team or invited to it, the owner first, with all details for an admin', async () => {
    const team = await aTeam(service);
    const invited = await team.anInvitedMember({ role: 'admin' });
    const active = await team.anActiveMember({ rights: [keyRight] });
    const gone = await team.anActiveMember();
    await team.client.delete(`/users/${gone.id}`);
    await call(active.email ?? '', 'Mia Berg', true);

    const { data, next_cursor } = await (await membersOf(team, await aColleague(team, 'admin'))).list({});
    expect(next_cursor).toBeNull();
    expect(data.map(({ id }) => id).slice(0, 3)).toEqual([team.owner.member_id, invited.id, active.id]);
    expect(data).toHaveLength(4);
    expect(data[0]).toMatchObject({ role: 'owner', email: team.owner.email, name: null, rights: [], invitation: null });
    expect(data[1]).toEqual({
      id: invited.id,
      user_id: null,
      name: null,
      email: invited.email,
      external_id: null,
      role: 'admin',
      status: 'invited',
      rights: [],
      joined_at: null,
      invited_at: expect.stringMatching(/Z$/),
      invitation: { expires_at: expect.stringMatching(/Z$/), expired: false, lang: 'de' },
      two_factor: false,
      from_directory: false,
      work: { last_training_at: null, average: null, change: null, open: 0, overdue: 0 },
    });
    expect(data[2]).toMatchObject({
      user_id: active.user_id,
      name: 'Mia Berg',
      status: 'active',
      rights: [keyRight],
      invitation: null,
      two_factor: true,
    });
  });

  it('says what each member has practised and has to practise, sorts by all of it page by page, and finds the inactive', async () => {
    const team = await aTeam(service, { members: 3 });
    const [good, idle, late] = team.members;
    if (!good || !idle || !late) throw new Error('too few');
    const now = service.clock.now();
    const joined = later(now, -daysToMs(90));
    await service.database.prisma.member.updateMany({ where: { tenantId: team.id }, data: { joinedAt: joined } });
    const ended = (userId: string | null, total: number, daysAgo: number) => {
      const at = later(now, -daysToMs(daysAgo));
      const evaluation = { ...anEvaluation({ total }), savedAt: at };
      return { userId: userId ?? '', status: 'ended' as const, createdAt: at, finishedAt: at, evaluation };
    };
    await theTrainings(service, team, [
      ended(good.user_id, 80, 2),
      ended(good.user_id, 71, 40),
      ended(late.user_id, 60, 15),
      ended(late.user_id, 65, 45),
    ]);
    const given = async (memberId: string, days: number) => {
      const combination = await aCombination(service);
      const { situation_id: situationId, personality_id: personalityId, industry_id: industryId } = combination;
      const dueDate = later(now, daysToMs(days));
      await anAssignment(service, team, { memberId, dueDate, situationId, personalityId, industryId });
    };
    await given(late.id, -3);
    await given(late.id, 3);
    await given(good.id, 3);
    // Due today is not overdue.
    await given(good.id, 0);
    await given(good.id, 0);

    const app = await membersOf(team);
    const { data } = await app.list({});
    const workOf = (id: string) => data.find((member) => member.id === id)?.work;
    expect(workOf(good.id)).toEqual({
      last_training_at: later(now, -daysToMs(2)).toISOString(),
      average: 75.5,
      change: 9,
      open: 3,
      overdue: 0,
    });
    expect(workOf(late.id)).toMatchObject({ average: 62.5, change: -5, open: 2, overdue: 1 });
    const order = async (by: 'activity' | 'average' | 'change' | 'open' | 'overdue', desc: boolean) => {
      const rows = await allRows((from) => app.list({ sort: { by, desc }, limit: 1, ...from }));
      return rows.map(({ id }) => id);
    };
    for (const by of ['activity', 'average', 'change'] as const) {
      expect((await order(by, true)).slice(0, 2), by).toEqual([good.id, late.id]);
      expect((await order(by, false)).slice(2), by).toEqual([late.id, good.id]);
    }
    expect((await order('open', true)).slice(0, 2)).toEqual([good.id, late.id]);
    expect((await order('overdue', true))[0]).toBe(late.id);
    const inactive = await app.list({ inactive: true });
    expect(inactive.data.map(({ id }) => id)).toEqual([team.owner.member_id, idle.id, late.id]);
    expect(await app.count({ inactive: true })).toEqual({ count: 3, more: false });
    // Of other numbers of days: the trainings were two and fifteen days ago.
    for (const [days, found] of [
      [1, [team.owner.member_id, good.id, idle.id, late.id]],
      [3, [team.owner.member_id, idle.id, late.id]],
      [14, [team.owner.member_id, idle.id, late.id]],
      [16, [team.owner.member_id, idle.id]],
      [91, []],
    ] as const) {
      expect(
        (await app.list({ inactive: days })).data.map(({ id }) => id),
        String(days),
      ).toEqual(found);
      expect(await app.count({ inactive: days })).toEqual({ count: found.length, more: false });
    }
    for (const days of [0, 366]) await expectRefusal(app.list({ inactive: days }), 'BAD_REQUEST');

    await team.change({ memberDetail: false });
    const hidden = await membersOf(team);
    expect((await hidden.list({})).data.map(({ work }) => work)).toEqual([null, null, null, null]);
    await expectRefusal(hidden.list({ sort: { by: 'average', desc: true } }), { code: 'privacy_restricted' });
    for (const inactive of [true, 30]) {
      await expectRefusal(hidden.list({ inactive }), { code: 'privacy_restricted' });
    }
  });

  it('continues after the last one, with any filter', async () => {
    const team = await aTeam(service, { members: 3, admins: 2 });
    const app = await membersOf(team);
    const rows = await allRows(async (from) => {
      const page = await app.list({ limit: 2, role: 'member', ...from });
      const { next_cursor: cursor } = page;
      if (cursor !== null) await expectRefusal(app.list({ cursor }), { code: 'validation_error' });
      return page;
    });
    expect(rows.map(({ id }) => id)).toEqual(team.members.map(({ id }) => id));
  });

  it('finds by a part of the email or the name, in either case, and treats special characters literally', async () => {
    const team = await aTeam(service);
    const mia = await team.anActiveMember({ email: anEmail('mia_berg') });
    const invited = await team.anInvitedMember({ email: anEmail('nils') });
    await call(mia.email ?? '', 'Dr. Øystein 100%');
    const app = await membersOf(team);
    const found = async (search: string) => (await app.list({ search })).data.map(({ id }) => id);
    expect(await found('MIA_B')).toEqual([mia.id]);
    expect(await found('øyst')).toEqual([mia.id]);
    expect(await found('100%')).toEqual([mia.id]);
    expect(await found('nils')).toEqual([invited.id]);
    // Words are found in any order, in the name or the address.
    expect(await found('100% øyst')).toEqual([mia.id]);
    expect(await found('Dr. berg')).toEqual([mia.id]);
    expect(await found('nils øyst')).toEqual([]);
    expect(await found('mia%berg')).toEqual([]);
    expect(await found('mia-berg')).toEqual([]);
    expect(await found('\\')).toEqual([]);
    expect(await found(' ')).toHaveLength(3);
  });

  it('finds an international address by either form, complete or by a label of its domain', async () => {
    const team = await aTeam(service);
    const { id } = await team.anInvitedMember({ email: 'info@xn--mnchen-3ya.example' });
    const app = await membersOf(team);
    for (const search of [
      'info@münchen.example',
      'INFO@MÜNCHEN.example',
      'info@xn--mnchen-3ya.example',
      'münchen',
      'xn--mn',
    ]) {
      expect(
        (await app.list({ search })).data.map((member) => member.id),
        search,
      ).toEqual([id]);
    }
    expect((await app.list({ search: 'info@köln.example' })).data).toEqual([]);
  });

  it('filters by role and status', async () => {
    const team = await aTeam(service, { admins: 1, members: 1 });
    const invited = await team.anInvitedMember({ role: 'admin' });
    const app = await membersOf(team);
    const admins = await app.list({ role: 'admin' });
    expect(admins.data.map(({ id }) => id)).toEqual([...team.admins.map(({ id }) => id), invited.id]);
    expect((await app.list({ role: 'admin', status: 'invited' })).data.map(({ id }) => id)).toEqual([invited.id]);
    expect((await app.list({ role: 'owner' })).data.map(({ id }) => id)).toEqual([team.owner.member_id]);
  });

  it('shows invitations that were not accepted in time as expired', async () => {
    const team = await aTeam(service);
    const { id } = await team.anInvitedMember();
    service.clock.forward(daysToMs(limits.invitationDays) + 1000);
    const { data } = await (await membersOf(team)).list({ status: 'invited' });
    service.clock.set(new Date());
    expect(data).toMatchObject([{ id, status: 'invited', invitation: { expired: true } }]);
  });

  it('shows names and emails also while member details are off', async () => {
    const team = await aTeam(service, { members: 1, memberDetail: false });
    await call(team.members[0]?.email ?? '', 'Mia Berg');
    const { data } = await (await membersOf(team)).list({ role: 'member' });
    expect(data).toMatchObject([{ name: 'Mia Berg', email: team.members[0]?.email }]);
  });
});

describe('members.holdings', () => {
  it('adds up the assignments and trainings of these people, former ones too, while the team shows member details', async () => {
    const team = await aTeam(service, { members: 3 });
    const [a, b, other] = team.members.map(({ id, user_id }) => ({ id, userId: user_id ?? '' }));
    if (!a || !b || !other) throw new Error('three members are needed');
    for (const status of ['open', 'in_progress', 'done', 'revoked'] as const)
      await anAssignment(service, team, { memberId: a.id, status });
    await anAssignment(service, team, { memberId: other.id });
    await theTrainings(
      service,
      team,
      [a, b, b, other].map(({ userId }) => ({ userId })),
    );
    await team.client.delete(`/users/${b.id}`);
    const member_ids = [a.id, b.id];
    const app = await membersOf(team);
    expect(await app.holdings({ member_ids })).toEqual({
      holdings: { open_assignments: 2, assignments: 4, trainings: 3 },
    });
    for (const unknown of [(await aTeam(service)).owner.member_id, 'nobody'])
      await expectRefusal(app.holdings({ member_ids: [...member_ids, unknown] }), { code: 'not_found' });
    await team.change({ memberDetail: false });
    expect(await (await membersOf(team)).holdings({ member_ids })).toEqual({ holdings: null });
  });
});

describe('members.names', () => {
  it('returns people’s names to an admin, former members too, and none of other teams', async () => {
    const [team, other] = [await aTeam(service, { members: 2 }), await aTeam(service, { members: 1 })];
    const [mia, gone] = team.members;
    await call(mia?.email ?? '', 'Mia Berg');
    await team.client.delete(`/users/${gone?.id}`);
    const wanted = [mia?.user_id, gone?.user_id, other.members[0]?.user_id, makeId(), 'x'].map((id) => id ?? '');
    const admin = await aColleague(team, 'admin');
    const { data } = await (await membersOf(team, admin)).names({ user_ids: wanted });
    expect(data.toSorted((a, b) => Number(a.name === null) - Number(b.name === null))).toEqual([
      { user_id: mia?.user_id, member_id: mia?.id, name: 'Mia Berg', email: mia?.email },
      { user_id: gone?.user_id, member_id: null, name: null, email: gone?.email },
    ]);
  });

  it('returns people who came back by their new membership', async () => {
    const team = await aTeam(service);
    const email = anEmail('back');
    const before = await team.anActiveMember({ email });
    await team.client.delete(`/users/${before.id}`);
    const now = await team.anActiveMember({ email });
    const { data } = await (await membersOf(team)).names({ user_ids: [before.user_id ?? ''] });
    expect(data).toEqual([{ user_id: before.user_id, member_id: now.id, name: null, email }]);
  });

  it('returns only a member’s own name to the member, and every name to admins, also while member details are off', async () => {
    const team = await aTeam(service, { members: 1 });
    const [member, admin] = [await aColleague(team), await aColleague(team, 'admin')];
    const user_ids = [team.members[0]?.user_id ?? '', member.userId, admin.userId];
    const shownIds = async (person: Somebody) =>
      (await (await membersOf(team, person)).names({ user_ids })).data.map(({ user_id }) => user_id);
    expect(await shownIds(member)).toEqual([member.userId]);
    expect(await shownIds(admin)).toHaveLength(3);
    await team.change({ memberDetail: false });
    expect(await shownIds(member)).toEqual([member.userId]);
    expect(await shownIds(admin)).toHaveLength(3);
  });
});
