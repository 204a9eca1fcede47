import { describe, expect, it, onTestFinished } from 'vitest';
import { daysToMs, hoursToMs } from '../../src/core/clock.ts';
import { limits, mailLimits } from '../../src/core/limits.ts';
import { mailUsage } from '../../src/modules/mail/budget.ts';
import { aColleague, expectRefusal, inTheApp } from '../support/app-caller.ts';
import { aCombination } from '../support/practice.ts';
import { makeBrowser, aPerson } from '../support/people.ts';
import { setInvitationsInHour, setMailsToday } from '../support/budgets.ts';
import { onEachNode } from '../support/postgres.ts';
import { useTestService } from '../support/service.ts';
import { anEmail, aTeam, type TestTeam } from '../support/team.ts';

const service = await useTestService({ own: true });

const { perRecipient, perTeam } = mailLimits;

const times = <T>(count: number, make: (index: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => make(index)));

const inTurn = async <T>(count: number, make: (index: number) => Promise<T>): Promise<T[]> => {
  const made: T[] = [];
  while (made.length < count) made.push(await make(made.length));
  return made;
};

/** Invites and withdraws the invitation, so that the address is free again. */
const inviteAndWithdraw = async (team: TestTeam, email: string): Promise<number> => {
  const { status, body } = await team.client.post('/users', { email });
  if (status === 201) await team.client.delete(`/users/${String(body['id'])}`);
  return status;
};

/** As if the team had already sent this many mails today. */
const spend = (team: TestTeam, used: number): Promise<void> => setMailsToday(service, `mails of ${team.id}`, used);

/** As a request of the team sees it. */
const usageOf = (team: TestTeam) => service.database.ofTeam(team.id)(async () => mailUsage(await team.acting()));

/** At noon, so that no test runs across the end of a day. */
const atNoon = (): void => {
  service.clock.set(new Date('2026-12-01T12:00:00.000Z'));
  onTestFinished(() => service.clock.set(new Date()));
};

describe('a recipient', () => {
  it('gets few invitations of one team in a day, even if each is withdrawn before the next', async () => {
    atNoon();
    const team = await aTeam(service);
    const email = anEmail('victim');
    const statuses = await inTurn(8, () => inviteAndWithdraw(team, email));
    const max = perRecipient.invitation;
    expect(statuses).toEqual(Array.from({ length: 8 }, (_, index) => (index < max ? 201 : 429)));
    expect(await service.mailsTo(email)).toHaveLength(max);

    const refused = await team.client.post('/users', { email });
    expect(refused).toBeProblem('rate_limited');
    const wait = Number(refused.headers.get('Retry-After'));
    expect(refused.body['retry_after']).toBe(wait);
    expect(wait).toBeGreaterThan(hoursToMs(11.9) / 1000);
    expect(wait).toBeLessThanOrEqual(hoursToMs(12) / 1000);
    // A refused invitation leaves no rows.
    expect(await service.database.prisma.member.count({ where: { tenantId: team.id, email, status: 'invited' } })).toBe(
      0,
    );

    service.clock.forward(wait * 1000);
    expect((await team.client.post('/users', { email })).status).toBe(201);
  });

  it('gets no more if the address is varied with a plus sign or in its case', async () => {
    const variants = ['victim@gmail.com', 'victim+1@gmail.com', 'victim+2@gmail.com', 'VICTIM+3@gmail.com'];
    const team = await aTeam(service);
    const statuses = await inTurn(4, (index) => team.client.post('/users', { email: variants[index] }));
    expect(statuses.map(({ status }) => status)).toEqual([201, 201, 201, 429]);
  });

  it('gets a limited number of mails about assignments in a day: further assignments are made without, and the answer says so', async () => {
    atNoon();
    const team = await aTeam(service);
    const { memberId, email } = await aPerson(team);
    const { assigning } = await inTheApp(team);
    const practice = { member_ids: [memberId], title: 'Practise', ...(await aCombination(service)) };
    const max = perRecipient.assignment;
    const answers = await times(max + 5, () => assigning.create(practice));
    expect(answers.filter(({ unmailed }) => unmailed.length === 0)).toHaveLength(max);
    expect(answers.flatMap(({ unmailed }) => unmailed)).toEqual(
      Array.from({ length: 5 }, () => ({ member_id: memberId, reason: 'recipient_limit' })),
    );
    expect(await service.database.prisma.assignment.count({ where: { tenantId: team.id } })).toBe(max + 5);
    expect(await service.mailsTo(email)).toHaveLength(max);
    // What the recipient's limit refuses uses up nothing of the team.
    expect((await usageOf(team)).used).toBe(max);
  });

  it('keeps all mails of the day when the team’s limit has refused some', async () => {
    atNoon();
    const team = await aTeam(service);
    const { memberId, email } = await aPerson(team);
    const { assigning } = await inTheApp(team);
    const practice = { member_ids: [memberId], title: 'Practise', ...(await aCombination(service)) };
    const max = perRecipient.assignment;
    await spend(team, perTeam.team);
    const refused = (await inTurn(max, () => assigning.create(practice))).flatMap(({ unmailed }) => unmailed);
    expect(refused).toEqual(Array.from({ length: max }, () => ({ member_id: memberId, reason: 'team_limit' })));
    await spend(team, 0);
    await inTurn(max, () => assigning.create(practice));
    expect(await service.mailsTo(email)).toHaveLength(max);
  });

  it('still gets other kinds of mail when one kind is used up', async () => {
    atNoon();
    const team = await aTeam(service);
    const { memberId, email } = await aPerson(team);
    const { assigning, members } = await inTheApp(team);
    const practice = { member_ids: [memberId], title: 'Practise', ...(await aCombination(service)) };
    await times(perRecipient.assignment + 1, () => assigning.create(practice));
    await makeBrowser(service).mutate('entrance/entrance.requestReset', { email });
    await members.handOver({ member_id: memberId });
    const kinds = (await service.mailsTo(email)).map(({ kind }) => kind);
    expect(kinds.slice(0, 2)).toEqual(['team_received', 'password_reset']);
  });

  it('gets a limited number of links for a new password in a day, and no answer reveals when they are used up', async () => {
    atNoon();
    const { email } = await aPerson(await aTeam(service));
    const max = perRecipient.reset;
    const statuses = await inTurn(max + 3, async () => {
      // Removes the limits of requests, to test only the limit of mails.
      const where = { subject: { contains: 'reset', not: { startsWith: 'reset to ' } } };
      await onEachNode(service.database, async () => service.database.prisma.rateWindow.deleteMany({ where }));
      return (await makeBrowser(service).mutate('entrance/entrance.requestReset', { email })).status;
    });
    expect(new Set(statuses)).toEqual(new Set([200]));
    expect(await service.mailsTo(email)).toHaveLength(max);
  });
});

describe('a team', () => {
  it.each(['basic', 'team', 'enterprise'] as const)(
    'on the plan %s sends a limited number of mails a day, counted for all that is sent',
    async (plan) => {
      atNoon();
      const max = perTeam[plan];
      const team = await aTeam(service, { members: 2 });
      await team.change({ plan });
      await spend(team, max - 1);
      expect(await usageOf(team)).toEqual({
        used: max - 1,
        max,
        resetsAt: new Date('2026-12-02T00:00:00.000Z'),
      });

      const { assigning, members } = await inTheApp(team);
      const member_ids = team.members.map(({ id }) => id);
      const { data, unmailed } = await assigning.create({
        member_ids,
        title: 'Practise',
        ...(await aCombination(service)),
      });
      expect(data).toHaveLength(2);
      expect(unmailed).toEqual([{ member_id: member_ids[1], reason: 'team_limit' }]);
      expect((await usageOf(team)).used).toBe(max);

      const { results } = await members.invite({ people: [{ email: anEmail() }] });
      expect(results).toMatchObject([{ outcome: 'waiting', retry_after: expect.any(Number) }]);
      service.clock.forward(daysToMs(1));
      expect((await usageOf(team)).used).toBe(0);
      expect((await members.invite({ people: [{ email: anEmail() }] })).results).toMatchObject([
        { outcome: 'invited' },
      ]);
      expect((await usageOf(team)).used).toBe(1);
    },
  );

  it('sends no more when many calls come at the same moment', async () => {
    atNoon();
    const team = await aTeam(service, { seats: 40, members: 10 });
    const room = 25;
    await spend(team, perTeam.team - room);
    const { assigning } = await inTheApp(team);
    const practice = {
      member_ids: team.members.map(({ id }) => id),
      title: 'Practise',
      ...(await aCombination(service)),
    };
    const before = await service.database.prisma.mail.count({ where: { tenantId: team.id } });
    const [answers, invitations] = await Promise.all([
      times(6, (index) =>
        assigning.create({
          ...practice,
          member_ids: index % 2 ? practice.member_ids.toReversed() : practice.member_ids,
        }),
      ),
      times(6, () => team.client.post('/users', { email: anEmail() })),
    ]);
    expect(new Set(invitations.map(({ status }) => status)).difference(new Set([201, 429])).size).toBe(0);
    const sent = (await service.database.prisma.mail.count({ where: { tenantId: team.id } })) - before;
    expect(sent).toBe(room);
    const invited = invitations.filter(({ status }) => status === 201).length;
    const unmailed = answers.flatMap((answer) => answer.unmailed).length;
    expect(60 - unmailed + invited).toBe(room);
    expect((await usageOf(team)).used).toBe(perTeam.team);
  });

  it('is refused the 61st invitation of an hour before any mail is counted', async () => {
    const team = await aTeam(service);
    await setInvitationsInHour(service, team, limits.invitationsPerHour);
    const refused = await team.client.post('/users', { email: anEmail() });
    expect(refused).toBeProblem('rate_limited');
    expect(refused.body['detail']).toContain('60 people per hour');
    expect((await usageOf(team)).used).toBe(0);
  });

  it('counts an invitation that is sent again, for itself and for the recipient', async () => {
    atNoon();
    const team = await aTeam(service);
    const { members } = await inTheApp(team);
    const { body: invited } = await team.client.post('/users', { email: anEmail() });
    const member_id = String(invited['id']);
    await inTurn(perRecipient.invitation - 1, () => members.resend({ member_id }));
    const before = await service.database.prisma.invitation.findMany({ where: { tenantId: team.id } });
    await expectRefusal(members.resend({ member_id }), { code: 'rate_limited' });
    // The link of the last mail still works.
    expect(await service.database.prisma.invitation.findMany({ where: { tenantId: team.id } })).toEqual(before);
    expect((await usageOf(team)).used).toBe(perRecipient.invitation);
  });

  it('that has used up its mails still gets notices to its owner and admins', async () => {
    atNoon();
    const team = await aTeam(service);
    const admin = await aColleague(team, 'admin');
    await spend(team, perTeam.team);
    await (await inTheApp(team)).members.handOver({ member_id: admin.memberId });
    expect((await service.mailsTo(team.owner.email)).map(({ kind }) => kind)).toEqual(['team_handed_over']);
  });

  it('does not use up anything of another team', async () => {
    atNoon();
    const [spent, fresh] = [await aTeam(service), await aTeam(service)];
    await spend(spent, perTeam.team);
    expect(await spent.client.post('/users', { email: anEmail() })).toBeProblem('rate_limited');
    expect((await fresh.client.post('/users', { email: anEmail() })).status).toBe(201);
  });
});

describe('counts', () => {
  it('are not started again by a process whose clock is behind', async () => {
    atNoon();
    const team = await aTeam(service);
    const email = anEmail();
    service.clock.forward(daysToMs(1));
    await inTurn(2, () => inviteAndWithdraw(team, email));
    service.clock.forward(-daysToMs(1));
    expect([await inviteAndWithdraw(team, email), await inviteAndWithdraw(team, email)]).toEqual([201, 429]);
  });

  it('of rolled back mails are not kept', async () => {
    const team = await aTeam(service, { seats: 2 });
    const email = anEmail();
    expect((await team.client.post('/users', { email: anEmail() })).status).toBe(201);
    expect(await team.client.post('/users', { email })).toBeProblem('seat_limit_reached');
    expect((await usageOf(team)).used).toBe(1);
  });
});
