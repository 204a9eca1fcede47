import { describe, expect, it, onTestFinished } from 'vitest';
import { daysToMs, later, secondsToMs } from '../../src/core/clock.ts';
import { makeId } from '../../src/core/ids.ts';
import { ensurePerson } from '../../src/modules/people/store.ts';
import { aColleague, expectRefusal, inTheApp, type Somebody } from '../support/app-caller.ts';
import { aCatalogItem, aCombination, anAssignment, aTraining } from '../support/practice.ts';
import { useTestService } from '../support/service.ts';
import { aTeam, anEmail, type TestTeam } from '../support/team.ts';

const service = await useTestService();

const assigningOf = async (team: TestTeam, person?: Somebody) => (await inTheApp(team, person)).assigning;

/** An active member with a name and a language of their own. */
const aReader = async (team: TestTeam, name: string, language: 'de' | 'en') => {
  const email = anEmail(name.toLowerCase());
  await service.database.transaction((tx) => ensurePerson(tx, service.platform, { email, name, language }));
  return team.anActiveMember({ email });
};

describe('before reminders are sent', () => {
  it('the app says who gets a mail, of how many assignments, who gets none, and what the first mail will be', async () => {
    const team = await aTeam(service);
    const [mia, tom] = [await aReader(team, 'Mia', 'en'), await aReader(team, 'Tom', 'de')];
    const invited = await team.anInvitedMember();
    const dueDate = new Date('2026-01-02');
    const [first, second] = [
      await anAssignment(service, team, { memberId: mia.id, title: 'Price talk', dueDate }),
      await anAssignment(service, team, { memberId: mia.id, title: 'Close', status: 'in_progress' }),
    ];
    const other = await anAssignment(service, team, { memberId: tom.id, title: 'Rückruf' });
    const all = [first, other, second];
    // Without a reminder: done, withdrawn, of somebody invited, unknown.
    for (const status of ['done', 'revoked'] as const) {
      all.push(await anAssignment(service, team, { memberId: tom.id, status }));
    }
    for (let made = 0; made < 2; made += 1) all.push(await anAssignment(service, team, { memberId: invited.id }));
    all.push('nothing');

    const assigning = await assigningOf(team);
    const preview = () => assigning.previewReminders({ assignment_ids: all });
    const theirs = [
      { member_id: mia.id, assignments: 2 },
      { member_id: tom.id, assignments: 1 },
    ];
    for (const [reader, ids, language, expected] of [
      [mia, [first, second], 'en', { data: theirs, reminded_lately: 0 }],
      [tom, [other], 'de', { data: theirs.slice(1), reminded_lately: 2 }],
    ] as const) {
      const email = reader.email ?? '';
      const { mail, ...counts } = await preview();
      expect(counts).toEqual({ ...expected, unreachable: 1 });
      await assigning.remindMany({ assignment_ids: [...ids] });
      const [sent] = await service.mailsTo(email);
      expect(sent?.language).toBe(language);
      expect(mail).toEqual({ email, language, subject: sent?.body.subject, text: sent?.body.text });
    }
    expect(await preview()).toEqual({ data: [], mail: null, reminded_lately: 3, unreachable: 1 });
    expect(await service.mailsTo(invited.email ?? '')).toHaveLength(1); // the invitation
  });
});

describe('after reminders', () => {
  it('each assignment says when, by whom, and whether the member has practised since; and the list, how many have', async () => {
    service.clock.stop();
    onTestFinished(() => service.clock.set(new Date()));
    const team = await aTeam(service);
    const anna = await aReader(team, 'Anna', 'de');
    await service.database.prisma.member.update({
      where: { tenantId_id: { tenantId: team.id, id: anna.id } },
      data: { role: 'admin' },
    });
    const byAnna = { memberId: anna.id, userId: anna.user_id ?? '', role: 'admin', rights: [] } as const;
    const assigning = await assigningOf(team, byAnna);
    const [mia, tom, jo] = [await aColleague(team), await aColleague(team), await aColleague(team)];
    const given = async ({ memberId }: Somebody) => anAssignment(service, team, { memberId });
    const [ofMia, another, ofTom, ofJo] = [await given(mia), await given(mia), await given(tom), await given(jo)];
    const reminded = async (id: string) => {
      const { reminded: last } = await assigning.given({ assignment_id: id });
      const { data } = await assigning.list({});
      expect(data.find((row) => row.id === id)?.reminded).toEqual(last);
      return last;
    };
    const practise = ({ userId }: Somebody, ago = 0) =>
      aTraining(service, team, { userId, createdAt: later(service.clock.now(), -ago) });
    const start = service.clock.now();
    expect(await reminded(ofMia)).toBeNull();
    expect(await assigning.reminded({})).toEqual({ days: 14, people: 0, practised: 0 });

    // Jo's first reminder is the only one long ago.
    await assigning.remindMany({ assignment_ids: [ofJo] });
    await practise(mia, secondsToMs(1));
    await assigning.remindMany({ assignment_ids: [ofMia, another, ofTom] });
    const sent = { at: start.toISOString(), automatic: false, by: 'Anna' };
    expect([await reminded(ofMia), await reminded(ofTom)]).toEqual([
      { ...sent, practised: false },
      { ...sent, practised: false },
    ]);
    expect(await assigning.reminded({})).toEqual({ days: 14, people: 3, practised: 0 });
    await practise(mia);
    expect([await reminded(ofMia), await reminded(ofTom)]).toEqual([
      { ...sent, practised: true },
      { ...sent, practised: false },
    ]);
    expect(await assigning.reminded({})).toEqual({ days: 14, people: 3, practised: 1 });

    // The last reminder counts, of any of a person's assignments.
    service.clock.forward(daysToMs(1));
    await assigning.remindMany({ assignment_ids: [another] });
    const next = { at: later(start, daysToMs(1)).toISOString(), automatic: false, by: 'Anna', practised: false };
    expect([await reminded(another), await reminded(ofMia)]).toEqual([next, { ...sent, practised: true }]);
    expect(await assigning.reminded({})).toEqual({ days: 14, people: 3, practised: 0 });
    await practise(tom);
    expect(await assigning.reminded({})).toEqual({ days: 14, people: 3, practised: 1 });
    service.clock.forward(daysToMs(13));
    expect(await assigning.reminded({})).toMatchObject({ people: 3 });
    service.clock.forward(1);
    expect(await assigning.reminded({})).toMatchObject({ people: 1, practised: 0 });

    // Somebody who left is no longer counted.
    await team.client.delete(`/users/${mia.memberId}`);
    expect(await assigning.reminded({})).toMatchObject({ people: 0 });
  });

  it.each([
    ['the service itself', 'service', null, true],
    ['a person who was erased', 'person', makeId(), false],
  ] as const)('an assignment of which %s reminded says nobody’s name', async (_who, actorKind, actorId, automatic) => {
    const team = await aTeam(service);
    const id = await anAssignment(service, team, { memberId: team.owner.member_id });
    await service.database.prisma.auditEntry.create({
      data: {
        tenantId: team.id,
        id,
        actorKind,
        actorId,
        action: 'assignment.reminded',
        targetType: 'assignment',
        targetId: id,
        createdAt: service.clock.now(),
      },
    });
    const { reminded } = await (await assigningOf(team)).given({ assignment_id: id });
    expect(reminded).toMatchObject({ automatic, by: null, practised: false });
  });
});

describe('one assignment of the list', () => {
  it('is overdue from the day after its due day on (UTC), until it is done', async () => {
    onTestFinished(() => service.clock.set(new Date()));
    const team = await aTeam(service);
    const memberId = team.owner.member_id;
    const assigning = await assigningOf(team);
    for (const [status, due, late] of [
      ['open', '2026-03-01', true],
      ['in_progress', '2026-03-01', true],
      ['open', '2026-03-02', false],
      ['open', null, false],
      ['done', '2026-03-01', false],
      ['revoked', '2026-03-01', false],
    ] as const) {
      const assignment_id = await anAssignment(service, team, { memberId, status, dueDate: due && new Date(due) });
      for (const now of ['2026-03-02T00:00:00Z', '2026-03-02T23:59:59Z']) {
        service.clock.set(new Date(now));
        service.clock.stop();
        expect(await assigning.given({ assignment_id }), `${status} ${due} ${now}`).toMatchObject({ overdue: late });
      }
    }
  });
});

describe('before an assignment is given', () => {
  it('the app says who of the recipients has the same one open, and who had one of the situation', async () => {
    const team = await aTeam(service, { members: 7 });
    const ids = team.members.map(({ id }) => id);
    const combination = await aCombination(service);
    const { situation_id: situationId, personality_id: personalityId, industry_id: industryId } = combination;
    const same = { situationId, personalityId, industryId };
    const elsewhere = await aCatalogItem(service, { dimension: 'industry' });
    for (const [at, wanted] of [
      { ...same, status: 'open' as const },
      { ...same, status: 'in_progress' as const },
      { ...same, status: 'done' as const },
      { ...same, status: 'revoked' as const },
      { ...same, industryId: elsewhere, status: 'open' as const },
      { personalityId, industryId, status: 'open' as const },
    ].entries()) {
      await anAssignment(service, team, { memberId: ids[at] ?? '', ...wanted });
    }
    await anAssignment(service, team, { memberId: ids[1] ?? '', ...same, status: 'done' });
    const assigning = await assigningOf(team);
    const { data } = await assigning.holders({ member_ids: [...ids, 'nobody'], ...combination });
    expect(new Map(data.map(({ member_id, open }) => [ids.indexOf(member_id), open]))).toEqual(
      new Map([
        [0, true],
        [1, true],
        [2, false],
        [4, false],
      ]),
    );
    const [, second = ''] = ids;
    expect(await assigning.holders({ member_ids: [second], ...combination })).toEqual({
      data: [{ member_id: second, open: true }],
    });
    for (const count of [0, 51]) {
      const member_ids = Array.from({ length: count }, () => second);
      await expectRefusal(assigning.holders({ member_ids, ...combination }), 'BAD_REQUEST');
    }
  });
});
