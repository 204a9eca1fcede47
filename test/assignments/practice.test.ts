import { describe, expect, it } from 'vitest';
import { inTheApp } from '../support/app-caller.ts';
import { aCombination } from '../support/practice.ts';
import { useTestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';

const service = await useTestService();
const withPlace = await useTestService({
  environment: { PRACTICE_URL: 'https://practice.example/start?for={assignment_id}#talk' },
});

/** A member's new assignment, of which they were also reminded, and how to read and finish it. */
const anOwnAssignment = async (at: typeof service, language: 'de' | 'en' = 'de') => {
  const team = await aTeam(at, { members: 1 });
  const [member] = team.members;
  await at.database.prisma.person.update({ where: { email: member?.email ?? '' }, data: { language } });
  const { assigning } = await inTheApp(team);
  const practice = { title: 'Price talk', ...(await aCombination(at)) };
  const { data } = await assigning.create({ member_ids: [member?.id ?? ''], ...practice });
  const assignment_id = data[0]?.id ?? '';
  await assigning.remindMany({ assignment_ids: [assignment_id] });
  const own = await inTheApp(team, {
    memberId: member?.id ?? '',
    userId: member?.user_id ?? '',
    role: 'member',
    rights: [],
  });
  const mails = await at.mailsTo(member?.email ?? '');
  return { assignment_id, own: own.assigning, mails };
};

describe('the place where members practise', () => {
  it.each([
    ['de', 'Training starten', 'Aufgabe ansehen'],
    ['en', 'Start training', 'View assignment'],
  ] as const)(
    'is linked from an unfinished assignment and from both mails about it, if the operator has named it: %s',
    async (language, start, view) => {
      const { assignment_id, own, mails } = await anOwnAssignment(withPlace, language);
      const link = `https://practice.example/start?for=${assignment_id}#talk`;
      expect((await own.mine({})).data).toMatchObject([{ practice_url: link }]);
      expect(await own.own({ assignment_id })).toMatchObject({ practice_url: link });
      expect(mails.map(({ kind }) => kind).toSorted()).toEqual(['assignment_given', 'assignment_reminder']);
      for (const { body } of mails) {
        // The way to practise comes first, the assignment in the app second.
        expect(body.text).toContain(`\n\n${start}:\n${link}\n\n${view}:\nhttp://localhost:3000/`);
        expect(body.html).toContain(`<a href="${link}" style="display:inline-block`);
      }
      await own.finish({ assignment_id });
      expect(await own.own({ assignment_id })).toMatchObject({ status: 'done', practice_url: null });
    },
  );

  it('is linked nowhere, if the operator has not named it', async () => {
    const { assignment_id, own, mails } = await anOwnAssignment(service);
    expect((await own.mine({})).data).toMatchObject([{ practice_url: null }]);
    expect(await own.own({ assignment_id })).toMatchObject({ practice_url: null });
    for (const { body } of mails) expect(body.text).not.toContain('Training starten');
  });
});
