import { describe, expect, it } from 'vitest';
import { daysToMs, later } from '../../src/core/clock.ts';
import { makeId } from '../../src/core/ids.ts';
import { getOwnAssignment, listGivenAssignments, listOwnAssignments } from '../../src/modules/assignments/progress.ts';
import { ensurePerson } from '../../src/modules/people/store.ts';
import type { Member } from '../../src/modules/membership/schema.ts';
import { aColleague, expectRefusal, inTheApp, type Somebody } from '../support/app-caller.ts';
import {
  aCombination,
  anAssignment,
  aCatalogItem,
  aRule,
  block,
  aTraining,
  theTrainings,
} from '../support/practice.ts';
import { auditEntriesOn } from '../support/logs.ts';
import { costOf } from '../support/plans.ts';
import { aConnection } from '../support/postgres.ts';
import { useTestService } from '../support/service.ts';
import { aTeam, anEmail, type TestTeam } from '../support/team.ts';
import { allRows } from '../support/pages.ts';

const service = await useTestService();

const assigningOf = async (team: TestTeam, person?: Somebody) => (await inTheApp(team, person)).assigning;

const who = ({ id, user_id, role }: Member): Somebody => ({ memberId: id, userId: user_id ?? '', role, rights: [] });

const eventsOf = async ({ id: tenantId }: TestTeam) =>
  (await service.database.prisma.webhookEvent.findMany({ where: { tenantId } })).map(({ type }) => type);

const assignmentsOf = ({ id: tenantId }: TestTeam) => service.database.prisma.assignment.count({ where: { tenantId } });

const dayIn = (count: number) => later(service.clock.now(), daysToMs(count)).toISOString().slice(0, 10);

describe('assigning.create', () => {
  it('gives each member a separate assignment, mails them and raises no event', async () => {
    const team = await aTeam(service, { members: 2 });
    const member_ids = team.members.map(({ id }) => id);
    const practice = {
      title: 'Price talk',
      ...(await aCombination(service)),
      note: 'Slowly.',
      due_date: '2026-12-04',
      focus_dimension: 'closing',
    } as const;
    const { data, unmailed } = await (await assigningOf(team)).create({ ...practice, member_ids });
    expect(unmailed).toEqual([]);
    const { note, ...answered } = practice;
    expect(data).toEqual(
      team.members.map(({ user_id, email }) => ({
        id: expect.any(String),
        status: 'open',
        ...answered,
        member_user_id: user_id,
        member_email: email,
        completed_training_id: null,
        created_at: expect.any(String),
        updated_at: expect.any(String),
      })),
    );
    for (const [index, made] of data.entries()) {
      expect((await team.client.get(`/assignments/${made.id}`)).body).toEqual({ ...made, note });
      expect(await auditEntriesOn(service, team, made.id)).toMatchObject([
        {
          action: 'assignment.created',
          actor: ['person', team.owner.user_id],
          data: { member_id: member_ids[index], title: 'Price talk' },
        },
      ]);
      const mails = await service.mailsTo(made.member_email ?? '');
      expect(mails.map(({ kind, language }) => [kind, language])).toEqual([['assignment_given', 'de']]);
      expect(mails[0]?.body.subject).toBe('Sie haben eine neue Aufgabe, fällig am 4. Dezember 2026');
      expect(mails[0]?.body.text).toContain('Im Team „A team“ haben Sie eine neue Aufgabe: „Price talk“.');
      expect(mails[0]?.body.text).toContain('bis zum 4. Dezember 2026');
      expect(mails[0]?.body.text).toContain(
        `http://localhost:3000/assignments?assignment_id=${made.id}&team=${team.id}\n`,
      );
    }
    expect(new Set(await eventsOf(team))).toEqual(new Set(['member.joined']));
  });

  it('mails each member in their language, and no one who has not accepted the invitation', async () => {
    const team = await aTeam(service);
    const english = anEmail('english');
    await service.database.transaction((tx) => ensurePerson(tx, service.platform, { email: english, language: 'en' }));
    const active = await team.anActiveMember({ email: english });
    const invited = await team.anInvitedMember();
    const { data, unmailed } = await (
      await assigningOf(team)
    ).create({
      member_ids: [active.id, invited.id],
      title: 'Practise',
      ...(await aCombination(service)),
    });
    expect(data).toHaveLength(2);
    expect(unmailed).toEqual([{ member_id: invited.id, reason: 'invited' }]);
    expect(await service.mailsTo(english)).toMatchObject([
      { kind: 'assignment_given', language: 'en', body: { subject: 'You have a new assignment' } },
    ]);
    expect((await service.mailsTo(invited.email ?? '')).map(({ kind }) => kind)).toEqual(['invitation']);
  });

  it('gives one assignment to a member who is named twice', async () => {
    const team = await aTeam(service);
    const { member_id } = team.owner;
    const practice = { title: 'Practise', ...(await aCombination(service)) };
    const { data } = await (await assigningOf(team)).create({ ...practice, member_ids: [member_id, member_id] });
    expect(data).toHaveLength(1);
    expect(await assignmentsOf(team)).toBe(1);
  });

  it('accepts 1 to 50 members', async () => {
    const team = await aTeam(service);
    const practice = { title: 'Practise', ...(await aCombination(service)) };
    const assigning = await assigningOf(team);
    for (const count of [0, 51]) {
      await expectRefusal(
        assigning.create({ ...practice, member_ids: Array.from({ length: count }, makeId) }),
        'BAD_REQUEST',
      );
    }
    const everybody = [team.owner.member_id];
    while (everybody.length < 50) everybody.push((await team.anInvitedMember()).id);
    expect((await assigning.create({ ...practice, member_ids: everybody })).data).toHaveLength(50);
  });

  it('gives nobody an assignment if one member can’t get it', async () => {
    const team = await aTeam(service, { members: 2 });
    const [free = '', bound = ''] = team.members.map(({ id }) => id);
    const practice = { title: 'Practise', ...(await aCombination(service)) };
    const assigning = await assigningOf(team);
    const both = { ...practice, member_ids: [free, bound] };

    const left = await team.anActiveMember();
    await team.client.delete(`/users/${left.id}`);
    const stranger = (await aTeam(service)).owner.member_id;
    for (const strange of [left.id, stranger, makeId(), 'x']) {
      await expectRefusal(assigning.create({ ...practice, member_ids: [free, strange] }), { code: 'not_found' });
    }
    await expectRefusal(assigning.create({ ...both, industry_id: 'x' }), {
      code: 'kombination_ungueltig',
      members: { dimension: 'industry', id: 'x' },
    });
    const ruled = { ...both, ...(await aCombination(service)) };
    await aRule(service, { kind: 'never', situation: ruled.situation_id, item: ruled.personality_id });
    await expectRefusal(assigning.create(ruled), {
      code: 'kombination_ungueltig',
      members: { dimension: 'personality' },
    });
    await block(service, { tenantId: team.id, itemId: practice.situation_id, memberId: bound });
    await expectRefusal(assigning.create(both), { code: 'vorgabe_gesperrt' });

    expect(await assignmentsOf(team)).toBe(0);
    expect(await service.mailsTo(team.members[0]?.email ?? '')).toEqual([]);
    expect((await assigning.create({ ...practice, member_ids: [free] })).data).toHaveLength(1);
  });

  it('does not name the members while member details are off', async () => {
    const team = await aTeam(service, { memberDetail: false });
    const practice = { title: 'Practise', ...(await aCombination(service)) };
    const { data } = await (await assigningOf(team)).create({ ...practice, member_ids: [team.owner.member_id] });
    expect(data).toMatchObject([{ member_user_id: null, member_email: null }]);
  });
});

describe('assigning.change and assigning.remove', () => {
  it('change only the given fields, audited, without an event', async () => {
    const team = await aTeam(service);
    const assignment_id = await anAssignment(service, team, {
      memberId: team.owner.member_id,
      note: 'Old',
      focusDimension: 'closing',
    });
    const assigning = await assigningOf(team);
    const changed = await assigning.change({ assignment_id, title: 'New', due_date: '2026-12-24', status: 'done' });
    expect(changed).toMatchObject({
      title: 'New',
      due_date: '2026-12-24',
      status: 'done',
      note: 'Old',
      focus_dimension: 'closing',
    });
    expect((await team.client.get(`/assignments/${assignment_id}`)).body).toEqual(changed);
    const cleared = await assigning.change({ assignment_id, note: null, focus_dimension: null });
    expect(cleared).toMatchObject({ title: 'New', note: null, focus_dimension: null });
    expect((await team.client.get(`/assignments/${assignment_id}`)).body).toEqual(cleared);
    expect(await assigning.change({ assignment_id, title: 'New' })).toEqual(cleared);
    for (const title of ['', 'x'.repeat(121)]) {
      await expectRefusal(assigning.change({ assignment_id, title }), 'BAD_REQUEST');
    }

    expect(await assigning.remove({ assignment_id })).toEqual({ ok: true });
    expect(await assignmentsOf(team)).toBe(0);
    expect(await eventsOf(team)).toEqual([]);
    const actor = ['person', team.owner.user_id];
    expect(await auditEntriesOn(service, team, assignment_id)).toMatchObject([
      { action: 'assignment.changed', actor, data: { changed: ['title', 'status', 'due_date'], to: 'done' } },
      { action: 'assignment.changed', actor, data: { changed: ['note', 'focus_dimension'] } },
      { action: 'assignment.deleted', actor },
    ]);
  });
});

describe('assigning.begin and assigning.finish', () => {
  it('change the status of the member’s own assignment, once each, without an event', async () => {
    const team = await aTeam(service);
    const person = await aColleague(team);
    const assignment_id = await anAssignment(service, team, { memberId: person.memberId });
    const assigning = await assigningOf(team, person);
    const inProgress = { assignment_id, status: 'in_progress' };
    expect(await assigning.begin({ assignment_id })).toEqual(inProgress);
    expect(await assigning.begin({ assignment_id })).toEqual(inProgress);
    const done = { assignment_id, status: 'done' };
    expect(await assigning.finish({ assignment_id })).toEqual(done);
    expect(await assigning.finish({ assignment_id })).toEqual(done);
    expect(await assigning.begin({ assignment_id })).toEqual(done);
    expect((await team.client.get(`/assignments/${assignment_id}`)).body).toMatchObject({ status: 'done' });

    const actor = ['person', person.userId];
    expect(await auditEntriesOn(service, team, assignment_id)).toMatchObject([
      { action: 'assignment.changed', actor, data: { changed: ['status'], from: 'open', to: 'in_progress' } },
      { action: 'assignment.changed', actor, data: { changed: ['status'], from: 'in_progress', to: 'done' } },
    ]);
    expect(await eventsOf(team)).toEqual(['member.joined']);
  });

  it('do not find assignments of others, even for the owner, and refuse revoked ones', async () => {
    const team = await aTeam(service);
    const person = await aColleague(team);
    const others = await anAssignment(service, team, { memberId: person.memberId });
    const revoked = await anAssignment(service, team, { memberId: person.memberId, status: 'revoked' });
    const [owner, colleague] = [await assigningOf(team), await assigningOf(team, await aColleague(team))];
    for (const move of ['begin', 'finish'] as const) {
      await expectRefusal(owner[move]({ assignment_id: others }), { code: 'not_found' });
      await expectRefusal(colleague[move]({ assignment_id: others }), { code: 'not_found' });
      await expectRefusal((await assigningOf(team, person))[move]({ assignment_id: revoked }), { code: 'conflict' });
    }
    expect((await team.client.get(`/assignments/${others}`)).body).toMatchObject({ status: 'open' });
  });
});

/** The names of the items of an assignment that has none. */
const withoutItems = { situation: null, personality: null, industry: null };

describe('assigning.list', () => {
  it('has the names of the items in the language of the reader', async () => {
    const team = await aTeam(service);
    const [situationId, industryId] = [
      await aCatalogItem(service, { dimension: 'situation', nameDe: 'Preisgespräch', nameEn: 'Price talk' }),
      await aCatalogItem(service, { dimension: 'industry', nameDe: 'Handel' }),
    ];
    await anAssignment(service, team, { memberId: team.owner.member_id, situationId, industryId });
    const named = { situation: 'Price talk', personality: null, industry: 'Handel' };
    const { assigning, sessions, myTrainings } = await inTheApp(team, undefined, 'en');
    expect((await assigning.list({})).data).toMatchObject([named]);
    expect((await assigning.mine({})).data).toMatchObject([named]);
    await aTraining(service, team, { userId: team.owner.user_id, situationId, industryId });
    expect((await sessions.list({})).data).toMatchObject([{ ...named, role: null }]);
    expect((await myTrainings.list({})).data).toMatchObject([{ ...named, role: null }]);
  });

  it('shows the member, the status and the trainings of each assignment', async () => {
    const team = await aTeam(service);
    const email = anEmail('named');
    await service.database.transaction((tx) =>
      ensurePerson(tx, service.platform, { email, name: 'Mia Berg', language: 'de' }),
    );
    const mia = await team.anActiveMember({ email });
    const invited = await team.anInvitedMember();
    const given = await anAssignment(service, team, { memberId: mia.id, dueDate: new Date(dayIn(-1)) });
    const waiting = await anAssignment(service, team, { memberId: invited.id, dueDate: new Date(dayIn(0)) });
    const now = service.clock.now();
    const training_ids = await theTrainings(
      service,
      team,
      [2, 1].map((ago) => ({ userId: mia.user_id ?? '', assignmentId: given, createdAt: later(now, -ago * 1000) })),
    );
    await aTraining(service, team, { userId: mia.user_id ?? '' });
    const { data, next_cursor } = await (await assigningOf(team)).list({});
    expect(next_cursor).toBeNull();
    const { body } = await team.client.get(`/assignments/${given}`);
    expect(data).toEqual([
      expect.objectContaining({
        id: waiting,
        overdue: false,
        training_ids: [],
        member_user_id: null,
        member: { member_id: invited.id, name: null, email: invited.email },
      }),
      {
        ...body,
        ...withoutItems,
        overdue: true,
        training_ids: training_ids.toReversed(),
        reminded: null,
        member: { member_id: mia.id, name: 'Mia Berg', email },
      },
    ]);
  });

  it('shows the newest 20 trainings of each assignment', async () => {
    const team = await aTeam(service);
    const person = await aColleague(team);
    const now = service.clock.now();
    const of = async (count: number) => {
      const id = await anAssignment(service, team, { memberId: person.memberId });
      const row = (ago: number) => ({
        userId: person.userId,
        assignmentId: id,
        createdAt: later(now, -ago * 1000),
      });
      return {
        id,
        training_ids: await theTrainings(
          service,
          team,
          Array.from({ length: count }, (_, ago) => row(ago)),
        ),
      };
    };
    const [many, few] = [await of(23), await of(2)];
    const { data } = await (await assigningOf(team)).list({});
    expect(data).toMatchObject([few, { ...many, training_ids: many.training_ids.slice(0, 20) }]);
  });

  it('lists each once, newest first, by status, overdue or not, and by member', async () => {
    const team = await aTeam(service, { members: 1 });
    const ids = [team.owner.member_id, team.members[0]?.id ?? ''];
    const now = service.clock.now();
    const made: { id: string; at: number; memberId: string; status: string; overdue: boolean }[] = [];
    for (let at = 0; at < 24; at += 1) {
      const memberId = ids[at % 2] ?? '';
      const status = (['open', 'done', 'in_progress'] as const)[at % 3] ?? 'open';
      const late = at % 4 < 2;
      // Two assignments share each time, so that the id decides their order.
      const createdAt = later(now, Math.floor(at / 2) * 1000);
      const dueDate = at === 23 ? null : new Date(dayIn(late ? -1 : 0));
      const id = await anAssignment(service, team, { memberId, status, dueDate, createdAt });
      const overdue = late && status !== 'done' && at !== 23;
      made.push({ id, at: createdAt.getTime(), memberId, status, overdue });
    }
    const newest = made.toSorted((a, b) => b.at - a.at || (a.id < b.id ? 1 : -1));
    const isIn = (status: string, wanted: string | undefined): boolean =>
      wanted === 'unfinished' ? ['open', 'in_progress'].includes(status) : (wanted ?? status) === status;
    const assigning = await assigningOf(team);
    for (const status of [undefined, 'open', 'done', 'revoked', 'unfinished'] as const) {
      for (const overdue of [undefined, true, false]) {
        for (const member_id of [undefined, ...ids, makeId(), 'x']) {
          const rows = await allRows((from) => assigning.list({ limit: 3, status, overdue, member_id, ...from }));
          const seen = rows.map(({ id, overdue: isLate }) => ({ id, overdue: isLate }));
          const wanted = newest.filter(
            (one) =>
              isIn(one.status, status) &&
              (overdue ?? one.overdue) === one.overdue &&
              (member_id ?? one.memberId) === one.memberId,
          );
          const query = `${status} ${overdue} ${member_id}`;
          expect(seen, query).toEqual(wanted.map((one) => ({ id: one.id, overdue: one.overdue })));
          const count = await assigning.count({ status, overdue, member_id });
          expect(count, query).toEqual({ count: wanted.length, more: false });
        }
      }
    }
    const { next_cursor } = await assigning.list({ limit: 1, status: 'open' });
    await expectRefusal(assigning.list({ status: 'done', cursor: next_cursor ?? '' }), {
      code: 'validation_error',
      members: { field: 'cursor' },
    });
  });

  it('has those that are due before a day, of all or of one member, in each order, and counts them', async () => {
    const team = await aTeam(service, { members: 1 });
    const memberId = team.members[0]?.id ?? '';
    const days = ['2026-12-03', null, '2026-12-01', '2026-12-02'];
    for (const of of [team.owner.member_id, memberId]) {
      for (const day of days) {
        await anAssignment(service, team, { memberId: of, dueDate: day === null ? null : new Date(day) });
      }
    }
    const assigning = await assigningOf(team);
    const own = await assigningOf(team, { memberId, userId: '', role: 'member', rights: [] });
    for (const [due_before, expected] of [
      ['2026-12-01', []],
      ['2026-12-03', ['2026-12-02', '2026-12-01']],
      ['2027-01-01', ['2026-12-02', '2026-12-01', '2026-12-03']],
    ] as const) {
      const lists = [assigning.list({ due_before, member_id: memberId }), own.mine({ due_before })];
      for (const { data } of await Promise.all(lists)) expect(data.map(({ due_date }) => due_date)).toEqual(expected);
      const sorted = await assigning.list({ due_before, member_id: memberId, sort: { by: 'due', desc: false } });
      expect(sorted.data.map(({ due_date }) => due_date)).toEqual(expected.toSorted());
      expect(await assigning.count({ due_before })).toEqual({ count: 2 * expected.length, more: false });
    }
  });

  it('finds them by words of the title, in any order, and counts these', async () => {
    const team = await aTeam(service);
    const member_id = team.owner.member_id;
    for (const title of ['Price talk, quarter 4', 'Quarter-end 100 %', null]) {
      await anAssignment(service, team, { memberId: member_id, title });
    }
    const assigning = await assigningOf(team);
    const titles = async (search: string) => {
      const { data } = await assigning.list({ search });
      expect(await assigning.count({ search })).toEqual({ count: data.length, more: false });
      expect((await assigning.mine({ search })).data).toHaveLength(data.length);
      return data.map(({ title }) => title);
    };
    expect(await titles('quarter')).toEqual(['Quarter-end 100 %', 'Price talk, quarter 4']);
    expect(await titles(' QUARTER  talk ')).toEqual(['Price talk, quarter 4']);
    expect(await titles('0 %')).toEqual(['Quarter-end 100 %']);
    expect(await titles('r%4')).toEqual([]);
    expect(await titles('')).toHaveLength(3);
  });

  it('finds the only one that matches among thousands, and reads no more than it needs', async () => {
    const team = await aTeam(service, { members: 1 });
    const [memberId, other] = [team.owner.member_id, team.members[0]?.id ?? ''];
    const now = service.clock.now();
    const oldest = await anAssignment(service, team, {
      memberId,
      status: 'revoked',
      createdAt: later(now, -daysToMs(9)),
    });
    const old = { tenantId: team.id, memberId: other, title: 'Old', status: 'done', updatedAt: now } as const;
    const many = Array.from({ length: 4_000 }, (_, at) => ({
      ...old,
      id: makeId(),
      createdAt: later(now, -at * 1000),
    }));
    await service.database.prisma.assignment.createMany({ data: many });
    const assigning = await assigningOf(team);

    expect(await assigning.list({ status: 'revoked' })).toMatchObject({ data: [{ id: oldest }], next_cursor: null });
    expect((await assigning.mine({ status: 'revoked' })).data).toHaveLength(1);

    const acting = await team.acting();
    const client = await aConnection(service.databaseUrl);
    await client.query('vacuum analyze assignment, member, team_user, person, training');
    const cost = (read: (team: typeof acting) => Promise<unknown>) => costOf(client, acting, read);
    expect(await cost((recorded) => listGivenAssignments(recorded, { limit: 50 }))).toBeLessThan(900);
    expect(
      await cost((recorded) => listOwnAssignments(recorded, memberId, { limit: 50, status: 'revoked' })),
    ).toBeLessThan(60);
    expect(await cost((recorded) => getOwnAssignment(recorded, { memberId, id: oldest }))).toBeLessThan(50);
  });
});

describe('assigning.mine', () => {
  it('shows members only their own assignments, newest first, whatever the team hides', async () => {
    const team = await aTeam(service, { memberDetail: false });
    const person = await aColleague(team);
    const first = await anAssignment(service, team, { memberId: person.memberId, dueDate: new Date(dayIn(-1)) });
    const createdAt = later(service.clock.now(), 1000);
    const done = { memberId: person.memberId, status: 'done', note: 'Well', createdAt } as const;
    const second = await anAssignment(service, team, done);
    await anAssignment(service, team, { memberId: team.owner.member_id });
    const training = await aTraining(service, team, { userId: person.userId, assignmentId: second });
    const assigning = await assigningOf(team, person);
    const { data, next_cursor } = await assigning.mine({});
    expect(next_cursor).toBeNull();
    expect(data).toEqual([
      {
        id: second,
        status: 'done',
        title: 'Practise',
        situation_id: null,
        personality_id: null,
        industry_id: null,
        ...withoutItems,
        note: 'Well',
        due_date: null,
        focus_dimension: null,
        completed_training_id: null,
        created_at: expect.any(String),
        updated_at: expect.any(String),
        overdue: false,
        training_ids: [training],
        practice_url: null,
      },
      expect.objectContaining({ id: first, overdue: true }),
    ]);
    expect((await assigning.mine({ status: 'open' })).data.map(({ id }) => id)).toEqual([first]);
    const page = await assigning.mine({ limit: 1 });
    const rest = await assigning.mine({ limit: 1, cursor: page.next_cursor ?? '' });
    expect([...page.data, ...rest.data].map(({ id }) => id)).toEqual([second, first]);
    expect(rest.next_cursor).toBeNull();
  });

  it('matches assigning.own, which finds one’s own assignment by id, and never another member’s', async () => {
    const team = await aTeam(service, { memberDetail: false });
    const person = await aColleague(team);
    const mine = await anAssignment(service, team, { memberId: person.memberId, dueDate: new Date(dayIn(-1)) });
    const others = await anAssignment(service, team, { memberId: team.owner.member_id });
    await aTraining(service, team, { userId: person.userId, assignmentId: mine });
    const assigning = await assigningOf(team, person);
    const { data } = await assigning.mine({});
    expect(data).toMatchObject([{ id: mine, overdue: true, training_ids: [expect.any(String)] }]);
    expect({ ...(await assigning.own({ assignment_id: mine })), ...withoutItems }).toEqual(data[0]);
    for (const id of [others, makeId(), 'x']) {
      await expectRefusal(assigning.own({ assignment_id: id }), { code: 'not_found' });
    }
  });

  it('hides assignments from before a membership ended, after the person joined again', async () => {
    const team = await aTeam(service);
    const email = anEmail('back');
    const before = await team.anActiveMember({ email });
    await anAssignment(service, team, { memberId: before.id });
    await team.client.delete(`/users/${before.id}`);
    const again = await team.anActiveMember({ email });
    expect(again.user_id).toBe(before.user_id);
    expect((await (await assigningOf(team, who(again))).mine({})).data).toEqual([]);
  });
});
