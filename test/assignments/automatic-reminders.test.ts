import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { daysToMs, hoursToMs, later, utcDay } from '../../src/core/clock.ts';
import { mailLimits } from '../../src/core/limits.ts';
import { dueDaysAt, reminderFor, remindOfDue } from '../../src/modules/assignments/automatic-reminders.ts';
import { queueMails } from '../../src/modules/mail/service.ts';
import { inTheApp } from '../support/app-caller.ts';
import { setMailsToday } from '../support/budgets.ts';
import { auditEntriesOn } from '../support/logs.ts';
import { aPerson } from '../support/people.ts';
import { holdRows, untilLockWaits } from '../support/postgres.ts';
import { aCombination, anAssignment, block } from '../support/practice.ts';
import { useTestService } from '../support/service.ts';
import { aTeam, type TestTeam } from '../support/team.ts';

const service = await useTestService({ own: true });
const { prisma } = service.database;

/** A Monday, 12 o'clock in Berlin. */
const noon = new Date('2027-02-01T11:00:00Z');
const weekBefore = later(noon, -daysToMs(7));

beforeEach(() => {
  service.clock.set(noon);
  service.clock.stop();
  onTestFinished(() => service.clock.set(new Date()));
});

/** So many days after the Monday. */
const day = (count: number): Date => new Date(utcDay(later(noon, daysToMs(count))));

const throwing = (error: unknown): never => {
  throw error;
};
const remind = (): Promise<void> => remindOfDue(service.platform, throwing);

const aRemindingTeam = async (wanted: Parameters<typeof aTeam>[1] = {}): Promise<TestTeam> => {
  const team = await aTeam(service, { members: 1, ...wanted });
  await team.change({ remindersEnabled: true });
  return team;
};

const memberOf = ({ members: [member] }: TestTeam) => ({ memberId: member?.id ?? '', email: member?.email ?? '' });

/** An assignment that was given a week before. */
const give = (team: TestTeam, dueDate: Date | null, wanted: Partial<Parameters<typeof anAssignment>[2]> = {}) =>
  anAssignment(service, team, { memberId: memberOf(team).memberId, dueDate, createdAt: weekBefore, ...wanted });

const remindersTo = async (email: string) =>
  (await service.mailsTo(email)).filter(({ kind }) => kind === 'assignment_reminder').toReversed();
const textsTo = async (team: TestTeam) => (await remindersTo(memberOf(team).email)).map(({ body }) => body.text);

/** The days on which a member gets a reminder, counted from the Monday, if the service looks at these hours after noon. */
const daysOfReminders = async (
  team: TestTeam,
  days: readonly number[],
  hours: readonly number[],
): Promise<number[]> => {
  const found: number[] = [];
  for (const count of days) {
    for (const hour of hours) {
      service.clock.set(later(noon, daysToMs(count) + hoursToMs(hour)));
      const before = (await textsTo(team)).length;
      await Promise.all([remind(), remind()]);
      const after = (await textsTo(team)).length;
      for (let sent = before; sent < after; sent += 1) found.push(count);
    }
  }
  return found;
};

describe('automatic reminders', () => {
  it('come two days before the due day and one day after it, once each, though two workers look every hour', async () => {
    const team = await aRemindingTeam();
    await give(team, day(3));
    await give(team, null);
    expect(await daysOfReminders(team, [0, 1, 2, 3, 4, 5], [-5, -4, 5])).toEqual([1, 4]);
  });

  it('are off until the team turns them on, and while it is suspended', async () => {
    const [off, suspended] = [await aTeam(service, { members: 1 }), await aRemindingTeam()];
    for (const team of [off, suspended]) await give(team, day(2));
    await suspended.change({ status: 'suspended' });
    await remind();
    expect([await textsTo(off), await textsTo(suspended)]).toEqual([[], []]);
    await (await inTheApp(off)).team.change({ reminders_enabled: true });
    await suspended.change({ status: 'active' });
    await remind();
    expect([await textsTo(off), await textsTo(suspended)]).toMatchObject([{ length: 1 }, { length: 1 }]);
    await off.change({ remindersEnabled: false });
    await give(off, day(-1));
    await remind();
    expect(await textsTo(off)).toHaveLength(1);
  });

  it('of several assignments are one mail, in the language of the member, and are in the audit log like those of a person', async () => {
    const team = await aRemindingTeam({ name: 'Nord', language: 'de' });
    const { memberId, email } = memberOf(team);
    await prisma.person.update({ where: { email }, data: { language: 'en' } });
    const soon = await give(team, day(2), { title: 'Call back' });
    const late = await give(team, day(-1), { title: 'Close', status: 'in_progress' });
    await give(team, day(3), { title: 'Later' });
    await remind();
    const [mail, ...more] = await remindersTo(email);
    expect(more).toEqual([]);
    expect(mail?.language).toBe('en');
    expect(mail?.body.text).toMatch(/^In the team “Nord”, 2 of your assignments are not done yet\.\n/);
    expect(mail?.body.text).toContain('- “Call back”, due on 3 February 2027\n- “Close”, due on 31 January 2027\n');
    for (const id of [soon, late]) {
      expect(await auditEntriesOn(service, team, id)).toMatchObject([
        { action: 'assignment.reminded', actor: ['service', null], data: { member_id: memberId } },
      ]);
    }
  });

  it.each([
    ['done', { status: 'done' }],
    ['withdrawn', { status: 'revoked' }],
    ['due on another day', { dueDate: day(3) }],
    ['given on the day of the reminder', { createdAt: later(noon, -hoursToMs(11)) }],
  ] as const)('leave out what is %s', async (_, wanted) => {
    const team = await aRemindingTeam();
    await give(team, day(2), wanted);
    await remind();
    expect(await textsTo(team)).toEqual([]);
  });

  it.each(['the member finishes it', 'the team turns them off'] as const)(
    'leave out an assignment if %s at the very moment',
    async (change) => {
      const team = await aRemindingTeam();
      const id = await give(team, day(2));
      const finish = await holdRows(service, (tx) =>
        change === 'the team turns them off'
          ? tx.team.update({ where: { id: team.id }, data: { remindersEnabled: false } })
          : tx.assignment.updateMany({ where: { tenantId: team.id, id }, data: { status: 'done' } }),
      );
      const reminding = remind();
      await untilLockWaits(service);
      await finish();
      await reminding;
      expect(await textsTo(team)).toEqual([]);
    },
  );

  it('leave out members who were removed or have not accepted, and what a policy or the catalog has closed to them', async () => {
    const team = await aRemindingTeam();
    const combination = await aCombination(service);
    const { situation_id: situationId, personality_id: personalityId, industry_id: industryId } = combination;
    const of = { situationId, personalityId, industryId };
    const [removed, blocked, other] = [await aPerson(team), await aPerson(team), await aPerson(team)];
    const invited = await team.anInvitedMember();
    for (const memberId of [removed.memberId, blocked.memberId, other.memberId, invited.id]) {
      await give(team, day(2), { memberId, ...of });
    }
    await team.client.delete(`/users/${removed.memberId}`);
    // Opened again, as an admin can.
    await prisma.assignment.updateMany({
      where: { tenantId: team.id, memberId: removed.memberId },
      data: { status: 'open' },
    });
    await block(service, { tenantId: team.id, memberId: blocked.memberId, itemId: industryId });
    await remind();
    for (const { email } of [removed, blocked]) expect(await remindersTo(email)).toEqual([]);
    expect(await remindersTo(invited.email ?? '')).toEqual([]);
    expect(await remindersTo(other.email)).toHaveLength(1);
    await prisma.catalogItem.update({ where: { id: industryId }, data: { published: false } });
    service.clock.forward(daysToMs(3));
    await remind();
    expect(await remindersTo(other.email)).toHaveLength(1);
  });

  it('come again after the due day has changed, but not when it is changed back', async () => {
    const team = await aRemindingTeam();
    const id = await give(team, day(2));
    await remind();
    const { assigning } = await inTheApp(team);
    const moveTo = (due: Date) => assigning.setDueDates({ assignment_ids: [id], due_date: utcDay(due) });
    await moveTo(day(9));
    await moveTo(day(2));
    service.clock.forward(daysToMs(1));
    await remind();
    expect(await textsTo(team)).toHaveLength(1);
    await moveTo(day(9));
    expect(await daysOfReminders(team, [6, 7, 8, 9, 10, 11], [0])).toEqual([7, 10]);
  });

  it('do not change what the API shows', async () => {
    const team = await aRemindingTeam();
    const id = await give(team, day(2));
    const read = async () => (await team.client.get(`/assignments/${id}`)).body;
    const before = await read();
    await remind();
    expect(await textsTo(team)).toHaveLength(1);
    expect(await read()).toEqual(before);
  });

  it('count as reminders: an admin who has reminded in the last day was enough, and can not remind again at once', async () => {
    const team = await aRemindingTeam();
    const [one, other] = [await give(team, day(2)), await give(team, day(2))];
    const { assigning } = await inTheApp(team);
    await assigning.remindMany({ assignment_ids: [one] });
    await remind();
    const texts = await textsTo(team);
    expect(texts).toHaveLength(2);
    expect(texts[1]).toContain(`assignment_id=${other}`);
    const again = (await assigning.remindMany({ assignment_ids: [one, other] })).results;
    expect(again.map(({ code }) => code)).toEqual(['rate_limited', 'rate_limited']);
    service.clock.forward(daysToMs(1));
    await remind();
    expect(await textsTo(team)).toHaveLength(2);
  });

  it('that the worker or a limit of mails has kept back come on the next day, and not later', async () => {
    const [missed, late] = [await aRemindingTeam(), await aRemindingTeam()];
    for (const team of [missed, late]) await give(team, day(2));
    service.clock.forward(daysToMs(1));
    await late.change({ remindersEnabled: false });
    await remind();
    expect(await textsTo(missed)).toHaveLength(1);
    await late.change({ remindersEnabled: true });
    service.clock.forward(daysToMs(1));
    await remind();
    expect(await textsTo(late)).toEqual([]);

    const limited = await aRemindingTeam();
    const others = [await aPerson(limited), await aPerson(limited)];
    for (const memberId of [memberOf(limited).memberId, ...others.map((person) => person.memberId)]) {
      await give(limited, day(4), { memberId });
    }
    await setMailsToday(service, `mails of ${limited.id}`, mailLimits.perTeam.team - 1);
    const sent = async () => {
      const all = [memberOf(limited).email, ...others.map(({ email }) => email)];
      return (await Promise.all(all.map(remindersTo))).flat().length;
    };
    await remind();
    expect(await sent()).toBe(1);
    await remind();
    expect(await sent()).toBe(1);
    service.clock.forward(daysToMs(1));
    await remind();
    expect(await sent()).toBe(3);
  });

  it('of a member who got too many mails do not keep those of the others', async () => {
    const team = await aRemindingTeam();
    const { memberId, email } = memberOf(team);
    const mail = { language: 'de', kind: 'assignment_given', content: { subject: 'x', text: 'x', html: '' } } as const;
    const many = Array.from({ length: mailLimits.perRecipient.assignment }, () => ({ ...mail, recipient: email }));
    await service.database.transaction((tx) => queueMails(tx, { platform: service.platform, id: team.id }, many));
    const others = [await aPerson(team), await aPerson(team)];
    for (const id of [memberId, ...others.map((person) => person.memberId)]) await give(team, day(2), { memberId: id });
    await remind();
    expect(await remindersTo(email)).toEqual([]);
    for (const other of others) expect(await remindersTo(other.email)).toHaveLength(1);
    service.clock.forward(daysToMs(1));
    await remind();
    expect(await remindersTo(email)).toHaveLength(1);
  });

  it('of a team that fails are tried again, and do not keep those of another team', async () => {
    const [broken, sound] = [await aRemindingTeam(), await aRemindingTeam()];
    for (const team of [broken, sound]) await give(team, day(2));
    await prisma.$executeRawUnsafe(`create function no_mail() returns trigger language plpgsql as $$
      begin if new.tenant_id = '${broken.id}' then raise 'no mail'; end if; return new; end $$`);
    await prisma.$executeRawUnsafe(
      'create trigger no_mail before insert on mail for each row execute function no_mail()',
    );
    const failed: string[] = [];
    await remindOfDue(service.platform, (_, tenantId) => failed.push(tenantId));
    await prisma.$executeRawUnsafe('drop trigger no_mail on mail');
    expect(failed).toEqual([broken.id]);
    expect([await textsTo(broken), await textsTo(sound)]).toMatchObject([{ length: 0 }, { length: 1 }]);
    await remind();
    expect([await textsTo(broken), await textsTo(sound)]).toMatchObject([{ length: 1 }, { length: 1 }]);
  });
});

describe('the time of reminders', () => {
  it.each([
    // In winter and in summer, and on the days on which the clocks change.
    ['Europe/Berlin', '2027-02-01T06:59:59Z', undefined],
    ['Europe/Berlin', '2027-02-01T07:00:00Z', '2027-02-03'],
    ['Europe/Berlin', '2027-02-01T16:59:59Z', '2027-02-03'],
    ['Europe/Berlin', '2027-02-01T17:00:00Z', undefined],
    ['Europe/Berlin', '2027-03-28T06:00:00Z', '2027-03-30'],
    ['Europe/Berlin', '2027-03-28T05:59:59Z', undefined],
    ['Europe/Berlin', '2026-10-25T06:59:59Z', undefined],
    ['Europe/Berlin', '2026-10-25T07:00:00Z', '2026-10-27'],
    ['America/New_York', '2026-11-01T12:59:59Z', undefined],
    ['America/New_York', '2026-11-01T13:00:00Z', '2026-11-03'],
    ['America/New_York', '2027-03-14T12:00:00Z', '2027-03-16'],
    ['Africa/Cairo', '2026-04-24T05:00:00Z', '2026-04-26'],
    // There the day is another one than in UTC.
    ['Pacific/Auckland', '2026-12-31T19:00:00Z', '2027-01-03'],
    ['Pacific/Kiritimati', '2027-02-27T18:00:00Z', '2027-03-02'],
    ['Pacific/Niue', '2027-01-01T00:00:00Z', '2027-01-02'],
  ])('in %s at %s is that of the due day %s', (timeZone, time, due) => {
    const days = dueDaysAt(new Date(time), timeZone);
    expect(days?.before.map(utcDay)[0]).toBe(due);
    if (!days || due === undefined) return;
    expect(days.after.map(utcDay)[0]).toBe(utcDay(later(new Date(due), -daysToMs(3))));
    // Those of the day before, which were not sent.
    expect(days.before.map(utcDay)[1]).toBe(utcDay(later(new Date(due), -daysToMs(1))));
    expect(days.after.map(utcDay)[1]).toBe(utcDay(later(new Date(due), -daysToMs(4))));
  });

  it.each([
    ['Europe/Berlin', '2027-01-31T22:59:59Z', 'before'],
    ['Europe/Berlin', '2027-01-31T23:00:00Z', undefined],
    ['America/New_York', '2027-02-01T04:59:59Z', 'before'],
    ['America/New_York', '2027-02-01T05:00:00Z', undefined],
    ['Pacific/Auckland', '2027-01-31T10:59:59Z', 'before'],
    ['Pacific/Auckland', '2027-01-31T11:00:00Z', undefined],
  ] as const)('in %s, an assignment given at %s has the reminder: %s', (timeZone, createdAt, kind) => {
    const days = { before: [new Date('2027-02-03')], after: [new Date('2027-01-31')] };
    const given = { dueDate: new Date('2027-02-03'), createdAt: new Date(createdAt) };
    expect(reminderFor(given, days, timeZone)).toBe(kind);
  });
});
