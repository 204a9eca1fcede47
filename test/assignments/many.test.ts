import { describe, expect, it, onTestFinished } from 'vitest';
import { daysToMs, hoursToMs, later } from '../../src/core/clock.ts';
import { makeId } from '../../src/core/ids.ts';
import { limits, mailLimits } from '../../src/core/limits.ts';
import { expectRefusal, inTheApp } from '../support/app-caller.ts';
import { aCombination, anAssignment, block } from '../support/practice.ts';
import { auditEntriesOn } from '../support/logs.ts';
import { setMailsToday } from '../support/budgets.ts';
import { useTestService } from '../support/service.ts';
import { aTeam, manyInvited, type TestTeam } from '../support/team.ts';
import { allRows } from '../support/pages.ts';

const service = await useTestService();

const assigningOf = async (team: TestTeam) => (await inTheApp(team)).assigning;

describe('several assignments at once', () => {
  it('are withdrawn or deleted one by one, and the answer lists the failures', async () => {
    const [team, other] = [await aTeam(service), await aTeam(service)];
    const memberId = team.owner.member_id;
    const [open, done] = [
      await anAssignment(service, team, { memberId }),
      await anAssignment(service, team, { memberId, status: 'done' }),
    ];
    const foreign = await anAssignment(service, other, { memberId: other.owner.member_id });
    const assigning = await assigningOf(team);
    const all = [open, foreign, done, open, 'nothing'];
    const results = [
      { id: open, code: null },
      { id: foreign, code: 'not_found' },
      { id: done, code: null },
      { id: 'nothing', code: 'not_found' },
    ];
    expect(await assigning.revokeMany({ assignment_ids: all })).toEqual({ results });
    expect(await assigning.removeMany({ assignment_ids: all })).toEqual({ results });
    expect((await auditEntriesOn(service, team, open)).map(({ action }) => action)).toEqual([
      'assignment.changed',
      'assignment.deleted',
    ]);
    expect(await service.database.prisma.assignment.count({ where: { id: { in: [open, done, foreign] } } })).toBe(1);
  });

  it('get another due day, and those that are not done are mailed to their members, within the limits of mails', async () => {
    const team = await aTeam(service);
    const memberId = team.owner.member_id;
    const dueDate = new Date('2026-01-02');
    const open = await anAssignment(service, team, { memberId, dueDate, title: 'Rückruf' });
    const done = await anAssignment(service, team, { memberId, status: 'done' });
    const invited = await team.anInvitedMember();
    const theirs = await anAssignment(service, team, { memberId: invited.id });
    const assigning = await assigningOf(team);
    const begun = await anAssignment(service, team, { memberId, status: 'in_progress', title: 'Abschluss' });
    const result = await assigning.remindMany({ assignment_ids: [open, done, theirs, 'nothing', begun] });
    expect(result.results.map(({ code }) => code)).toEqual([null, 'conflict', 'conflict', 'not_found', null]);
    // One mail for both.
    const [mail, ...more] = await service.mailsTo(team.owner.email);
    expect(more).toEqual([]);
    expect(mail?.body.subject).toBe('Erinnerung an eine Aufgabe und 1 weitere');
    expect(mail?.body.text).toMatch(
      /^Im Team „[^“]+“ sind 2 Ihrer Aufgaben noch offen\.\n\n- „Rückruf“, fällig am 2\. Januar 2026\n- „Abschluss“\n\n/,
    );
    expect(mail?.body.text).toMatch(/\/assignments\?team=/);
    expect(await auditEntriesOn(service, team, open)).toMatchObject([
      { action: 'assignment.reminded', data: { member_id: memberId, title: 'Rückruf' } },
    ]);

    // A member gets 30 mails about assignments in a day.
    const others = await Promise.all(Array.from({ length: 31 }, () => anAssignment(service, team, { memberId })));
    const single = [];
    for (const id of others.slice(0, 29)) {
      single.push(...(await assigning.remindMany({ assignment_ids: [id] })).results.map(({ code }) => code));
    }
    expect(single).toEqual(Array.from({ length: 29 }, () => null));
    // The mail is refused for both of them.
    const refused = await assigning.remindMany({ assignment_ids: [...others.slice(29), done] });
    const limited = { code: 'rate_limited', retry_after: expect.any(Number) };
    expect(refused.results).toMatchObject([limited, limited, { id: done, code: 'conflict' }]);
    expect(await service.mailsTo(team.owner.email)).toHaveLength(30);

    const moved = await assigning.setDueDates({ assignment_ids: [open, done], due_date: '2027-01-15' });
    expect(moved.results.map(({ code }) => code)).toEqual([null, null]);
    const stored = await service.database.prisma.assignment.findFirst({ where: { id: open } });
    expect(stored?.dueDate).toEqual(new Date('2027-01-15'));
  });

  it('are mailed in the language of the member', async () => {
    const team = await aTeam(service, { name: 'North', language: 'en' });
    const memberId = team.owner.member_id;
    const dueDate = new Date('2026-01-02');
    const dated = await anAssignment(service, team, { memberId, title: 'Call back', dueDate });
    const undated = await anAssignment(service, team, { memberId, title: 'Close' });
    for (const id of [undated, dated]) await (await assigningOf(team)).remindMany({ assignment_ids: [id] });
    const [second, first] = await service.mailsTo(team.owner.email);
    expect([first?.language, second?.language]).toEqual(['en', 'en']);
    expect(first?.body.text).toMatch(/^Your assignment “Close” in the team “North” is not done yet\.\n/);
    expect(second?.body.text).toContain(
      '“Call back” in the team “North” is not done yet. It is due on 2 January 2026.',
    );
    expect(second?.body.subject).toMatch(/, due on 2 January 2026$/);
    expect(second?.body.subject).toBe('Reminder of an assignment, due on 2 January 2026');
    expect(second?.body.text).toContain('once you have completed a training for it.');
    expect(second?.body.text).toContain(`assignment_id=${dated}`);
    const third = [
      await anAssignment(service, team, { memberId, title: 'Call again', dueDate }),
      await anAssignment(service, team, { memberId, title: 'Sign' }),
    ];
    await (await assigningOf(team)).remindMany({ assignment_ids: third });
    const [both] = await service.mailsTo(team.owner.email);
    expect(both?.body.subject).toBe('Reminder of an assignment and 1 more');
    expect(both?.body.text).toMatch(
      /^In the team “North”, 2 of your assignments are not done yet\.\n\n- “Call again”, due on 2 January 2026\n- “Sign”\n\n/,
    );
    expect(both?.body.text).not.toContain('assignment_id=');
  });

  it('are each mailed once a day, even if the assignment is withdrawn and opened again', async () => {
    service.clock.stop();
    onTestFinished(() => service.clock.set(new Date()));
    const team = await aTeam(service);
    const memberId = team.owner.member_id;
    const [one, other] = [
      await anAssignment(service, team, { memberId }),
      await anAssignment(service, team, { memberId }),
    ];
    const assigning = await assigningOf(team);
    const remind = async (...ids: string[]) => (await assigning.remindMany({ assignment_ids: ids })).results;
    expect(await remind(one)).toEqual([{ id: one, code: null }]);
    await assigning.revokeMany({ assignment_ids: [one] });
    await assigning.reopenMany({ assignment_ids: [one], status: 'open' });
    expect(await remind(one, other)).toEqual([
      { id: one, code: 'rate_limited', retry_after: 24 * 3_600 },
      { id: other, code: null },
    ]);
    expect(await service.mailsTo(team.owner.email)).toHaveLength(2);
    service.clock.forward(daysToMs(1) - 1);
    expect(await remind(one)).toEqual([{ id: one, code: 'rate_limited', retry_after: 1 }]);
    service.clock.forward(1);
    expect(await remind(one)).toEqual([{ id: one, code: null }]);
    expect(await service.mailsTo(team.owner.email)).toHaveLength(3);
    const reminders = (await auditEntriesOn(service, team, one)).filter(({ action }) => action.endsWith('reminded'));
    expect(reminders).toHaveLength(2);
  });

  it('whose mail the limits have refused are mailed as soon as those are over: a refused mail is no reminder', async () => {
    service.clock.set(new Date('2027-02-03T23:00:00Z'));
    service.clock.stop();
    onTestFinished(() => service.clock.set(new Date()));
    const team = await aTeam(service);
    const id = await anAssignment(service, team, { memberId: team.owner.member_id });
    const assigning = await assigningOf(team);
    const remind = async () => (await assigning.remindMany({ assignment_ids: [id] })).results;
    await setMailsToday(service, `mails of ${team.id}`, mailLimits.perTeam.team);
    for (let time = 0; time < 2; time += 1)
      expect(await remind()).toEqual([{ id, code: 'rate_limited', retry_after: expect.any(Number) }]);
    service.clock.forward(hoursToMs(2));
    expect(await remind()).toEqual([{ id, code: null }]);
    expect(await service.mailsTo(team.owner.email)).toHaveLength(1);
  });

  it('are at least one and at most the limit in one call', async () => {
    const assigning = await assigningOf(await aTeam(service));
    const ids = Array.from({ length: limits.bulkItems + 1 }, makeId);
    await expectRefusal(assigning.removeMany({ assignment_ids: ids }), 'BAD_REQUEST');
    await expectRefusal(assigning.removeMany({ assignment_ids: [] }), 'BAD_REQUEST');
  });
});

describe('one assignment for many members', () => {
  it('is given to each as if alone, and the answer says who could not get it, why, and who gets no mail', async () => {
    const team = await aTeam(service, { members: 1, seats: 100 });
    const other = await aTeam(service);
    const combination = await aCombination(service);
    const { id: blocked } = await team.anActiveMember();
    await block(service, { tenantId: team.id, memberId: blocked, itemId: combination.industry_id });
    await manyInvited(service, team, 60);
    const members = await service.database.prisma.member.findMany({ where: { tenantId: team.id } });
    const member_ids = [...members.map(({ id }) => id), other.owner.member_id];
    const assigning = await assigningOf(team);
    const { results, unmailed } = await assigning.createMany({ member_ids, title: 'Price talk', ...combination });
    const codes = new Map(results.map(({ id, code }) => [id, code]));
    for (const id of member_ids) {
      expect(codes.get(id)).toBe(
        id === blocked ? 'vorgabe_gesperrt' : id === other.owner.member_id ? 'not_found' : null,
      );
    }
    expect(unmailed.map(({ reason }) => reason)).toEqual(Array.from({ length: 60 }, () => 'invited'));
    const made = await service.database.prisma.assignment.findMany({ where: { tenantId: team.id } });
    const recipients = members.map(({ id }) => id).filter((id) => id !== blocked);
    expect(made.map(({ memberId }) => memberId).toSorted()).toEqual(recipients.toSorted());

    const impossible = { ...combination, personality_id: combination.industry_id };
    const refused = await assigning.createMany({ member_ids: [blocked], title: 'Price talk', ...impossible });
    expect(refused.results).toEqual([{ id: blocked, code: 'kombination_ungueltig' }]);
  });
});

describe('the list of assignments', () => {
  const day = (count: number) => new Date(later(new Date('2026-11-20'), daysToMs(count)));

  it('has each row once in each of its orders, page by page, and those without a due date last', async () => {
    const team = await aTeam(service);
    const memberId = team.owner.member_id;
    const dues = [3, null, 1, 3, null, 2, 1];
    const states = ['done', 'in_progress', 'revoked', 'done', 'open', 'done', 'done'] as const;
    const ids: string[] = [];
    for (const [n, due] of dues.entries()) {
      const createdAt = later(new Date('2026-11-01'), daysToMs(n));
      const dueDate = due === null ? null : day(due);
      ids.push(await anAssignment(service, team, { memberId, createdAt, dueDate, status: states[n] ?? 'open' }));
    }
    const assigning = await assigningOf(team);
    type Query = Parameters<typeof assigning.list>[0];
    const walk = async (query: Query, limit: number): Promise<number[]> => {
      const rows = await allRows((from) => assigning.list({ ...query, limit, ...from }));
      return rows.map(({ id }) => ids.indexOf(id));
    };
    for (const limit of [1, 2, 5, 50]) {
      expect(await walk({}, limit)).toEqual([6, 5, 4, 3, 2, 1, 0]);
      expect(await walk({ sort: { by: 'created', desc: false } }, limit)).toEqual([0, 1, 2, 3, 4, 5, 6]);
      expect(await walk({ sort: { by: 'due', desc: false } }, limit)).toEqual([2, 6, 5, 0, 3, 1, 4]);
      expect(await walk({ sort: { by: 'due', desc: true } }, limit)).toEqual([3, 0, 5, 6, 2, 1, 4]);
      expect(await walk({ sort: { by: 'status', desc: false } }, limit)).toEqual([4, 1, 6, 5, 3, 0, 2]);
      expect(await walk({ sort: { by: 'status', desc: true } }, limit)).toEqual([2, 6, 5, 3, 0, 1, 4]);
      expect(await walk({ status: 'unfinished', sort: { by: 'status', desc: true } }, limit)).toEqual([1, 4]);
      expect(
        await walk(
          { sort: { by: 'due', desc: true }, since: '2026-11-03T00:00:00Z', until: '2026-11-06T00:00:00Z' },
          limit,
        ),
      ).toEqual([3, 2, 4]);
      expect(await walk({ member_id: memberId, sort: { by: 'due', desc: false } }, limit)).toEqual([
        2, 6, 5, 0, 3, 1, 4,
      ]);
    }
    const { next_cursor } = await assigning.list({ limit: 1, sort: { by: 'due', desc: false } });
    await expectRefusal(assigning.list({ limit: 1, cursor: next_cursor ?? '' }), { code: 'validation_error' });
  });

  it('has shorter pages if the notes are long, and each row once', async () => {
    const team = await aTeam(service);
    const memberId = team.owner.member_id;
    const note = 'x'.repeat(limits.noteCharacters);
    for (let made = 0; made < 70; made += 1) await anAssignment(service, team, { memberId, note });
    const assigning = await assigningOf(team);
    const first = await assigning.list({ limit: 100 });
    const bytes = Buffer.byteLength(JSON.stringify(first));
    expect(bytes).toBeLessThan(limits.pageBytes * 1.02);
    expect(bytes).toBeGreaterThan(limits.pageBytes * 0.9);
    const second = await assigning.list({ limit: 100, cursor: first.next_cursor ?? '' });
    expect(second.next_cursor).toBeNull();
    expect(new Set([...first.data, ...second.data].map(({ id }) => id)).size).toBe(70);
    expect(first.data.length + second.data.length).toBe(70);
  });
});
