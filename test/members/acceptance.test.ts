import { availableParallelism } from 'node:os';
import { describe, expect, it } from 'vitest';
import { hashing, hashPassword, isPassword } from '../../src/core/password.ts';
import { makeId } from '../../src/core/ids.ts';
import { signInMessages } from '../../src/core/messages/people.ts';
import { acceptInvitation, findInvitation } from '../../src/modules/members/acceptance.ts';
import { ensurePerson } from '../../src/modules/people/store.ts';
import { anAssignment } from '../support/practice.ts';
import { auditEntriesOn } from '../support/logs.ts';
import { makeBrowser } from '../support/people.ts';
import { useTestService } from '../support/service.ts';
import { anEmail, aTeam, type TestTeam } from '../support/team.ts';
import { lastLink } from './links.ts';

const service = await useTestService();

const name = 'Mia Berg';
const password = 'correct horse';

const anInvitation = async (team: TestTeam, email = anEmail('invited')) => {
  const { id } = await team.anInvitedMember({ email });
  return { id, email, token: await lastLink(service, email) };
};

/** With a password the person can sign in, and is in another team. */
const aPerson = async (email: string, given?: string) => {
  const passwordHash = given === undefined ? undefined : await hashPassword(given);
  const person = await service.database.transaction((tx) =>
    ensurePerson(tx, service.platform, { email, language: 'de', passwordHash }),
  );
  if (given !== undefined) await (await aTeam(service)).anActiveMember({ email });
  return person;
};

const rowOf = (team: TestTeam, id: string) =>
  service.database.prisma.member.findUniqueOrThrow({
    where: { tenantId_id: { tenantId: team.id, id } },
    include: { user: { include: { person: { include: { credentials: true } } } } },
  });

const accept = (acceptance: Parameters<typeof acceptInvitation>[1]) => acceptInvitation(service.platform, acceptance);

describe('an invitation', () => {
  it('shows its team, and whether the person has a sign-in already', async () => {
    const team = await aTeam(service, { name: 'Vertrieb Nord' });
    const { email, token } = await anInvitation(team);
    const shown = await findInvitation(service.platform, token);
    expect(shown).toMatchObject({
      teamName: 'Vertrieb Nord',
      email,
      language: 'de',
      expiresAt: expect.any(Date),
      personKnown: false,
    });
    await aPerson(email);
    expect(await findInvitation(service.platform, token)).toMatchObject({ personKnown: false });
    await aPerson(email, password);
    expect(await findInvitation(service.platform, token)).toMatchObject({ personKnown: true });
  });

  it('is found only by its own token, until it expires', async () => {
    const team = await aTeam(service);
    const { token } = await anInvitation(team);
    for (const strange of ['', 'x', token.toLowerCase(), `${token}x`]) {
      expect(await findInvitation(service.platform, strange)).toBeUndefined();
    }
    const { expiresAt } = (await findInvitation(service.platform, token)) ?? expect.fail('it is open');
    service.clock.stop();
    service.clock.forward(expiresAt.getTime() - service.clock.now().getTime() - 1);
    expect(await findInvitation(service.platform, token)).toMatchObject({ expiresAt });
    service.clock.forward(1);
    expect(await findInvitation(service.platform, token)).toBeUndefined();
    await expect(accept({ token, name, password })).rejects.toMatchObject({ code: 'not_found' });
    service.clock.set(new Date());
    await team.change({ status: 'ended' });
    expect(await findInvitation(service.platform, token)).toBeUndefined();
  });

  it('makes a new person an active member with the name and password that they choose', async () => {
    const team = await aTeam(service);
    const { id, email, token } = await anInvitation(team);
    const { personId } = await accept({ token, name, password });
    const { user, ...member } = await rowOf(team, id);
    expect(member).toMatchObject({ status: 'active', email, joinedAt: expect.any(Date) });
    expect(user?.person).toMatchObject({ id: personId, email, name });
    const [credential, ...more] = user?.person.credentials ?? [];
    expect(more).toEqual([]);
    expect(await isPassword(password, credential?.password ?? '')).toBe(true);
    expect(await service.database.prisma.invitation.count({ where: { tenantId: team.id } })).toBe(0);
    expect((await auditEntriesOn(service, team, id)).at(-1)).toMatchObject({
      action: 'member.accepted',
      actor: ['person', user?.id],
    });
    expect(
      await service.database.prisma.webhookEvent.count({ where: { tenantId: team.id, type: 'member.joined' } }),
    ).toBe(1);
    expect((await team.client.get(`/users/${id}`)).body).toMatchObject({ status: 'active', user_id: user?.id });
  });

  it('changes updated_at of the member’s assignments, which show the user, and of no others', async () => {
    const team = await aTeam(service);
    const { id, token } = await anInvitation(team);
    const theirs = await anAssignment(service, team, { memberId: id });
    await anAssignment(service, team, { memberId: team.owner.member_id });
    await anAssignment(service, team, { memberId: (await team.anInvitedMember()).id });
    service.clock.forward(1000);
    const since = service.clock.now().toISOString();
    await accept({ token, name, password });
    const { data } = await team.client.get(`/assignments?updated_since=${since}`);
    expect(data).toMatchObject([{ id: theirs, member_user_id: (await rowOf(team, id)).userId }]);
  });

  it('gives a sign-in to a known person without one', async () => {
    const team = await aTeam(service);
    const { id, email, token } = await anInvitation(team);
    const person = await aPerson(email);
    expect(await accept({ token, name, password })).toEqual({ personId: person.id, tenantId: team.id });
    expect((await rowOf(team, id)).user?.person).toMatchObject({ id: person.id, name });
  });

  it.each([
    ['no name', { password }, 'name'],
    ['no password', { name }, 'password'],
  ])('needs name and password of a new person: %s', async (_what, given, field) => {
    const team = await aTeam(service);
    const { id, email, token } = await anInvitation(team);
    await expect(accept({ token, ...given })).rejects.toMatchObject({ code: 'validation_error', members: { field } });
    expect(await rowOf(team, id)).toMatchObject({ status: 'invited', userId: null });
    expect(await service.database.prisma.person.count({ where: { email } })).toBe(0);
    await accept({ token, name, password: '🐎'.repeat(10) });
  });

  it('hashes no password that will not be set', async () => {
    const { token } = await anInvitation(await aTeam(service));
    const { promise: over, resolve: end } = Promise.withResolvers<void>();
    const slow = Array.from({ length: availableParallelism() }, () => hashing.run('internal', () => over));
    try {
      for (const given of [{ password }, { name }]) {
        await expect(accept({ token, ...given })).rejects.toMatchObject({ code: 'validation_error' });
      }
    } finally {
      end();
      await Promise.all(slow);
    }
  });

  it('can be accepted by a person with a sign-in only when signed in, and keeps name and password', async () => {
    const team = await aTeam(service);
    const { id, email, token } = await anInvitation(team);
    const person = await aPerson(email, password);
    const other = await aPerson(anEmail('other'), password);
    for (const signedInPersonId of [undefined, other.id, makeId()]) {
      const taken = accept({ token, name: 'Mallory', password: 'another password', signedInPersonId });
      await expect(taken).rejects.toMatchObject({
        code: 'unauthorized',
        spoken: { detail: signInMessages.otherAddressInvited },
      });
    }
    expect(await rowOf(team, id)).toMatchObject({ status: 'invited' });
    const given = { token, name: 'Mallory', password: 'another password', signedInPersonId: person.id };
    expect(await accept(given)).toEqual({ personId: person.id, tenantId: team.id });
    const { user } = await rowOf(team, id);
    expect(user?.person.name).toBeNull();
    expect(await isPassword(password, user?.person.credentials[0]?.password ?? '')).toBe(true);
  });

  it('lets a person who has left all teams choose a new password, because nobody without a team can sign in', async () => {
    const team = await aTeam(service);
    const email = anEmail('back');
    const before = await anInvitation(team, email);
    await accept({ token: before.token, name, password });
    const browser = makeBrowser(service);
    expect((await browser.signIn(email, password)).status).toBe(200);
    await team.client.delete(`/users/${before.id}`);
    const { id, token } = await anInvitation(team, email);
    expect(await findInvitation(service.platform, token)).toMatchObject({ personKnown: false });

    const again = makeBrowser(service);
    const acceptance = { token, name, password: 'another password' };
    expect((await again.mutate('entrance/entrance.acceptInvitation', acceptance)).data).toMatchObject({
      next: 'signed_in',
    });
    expect(await again.isSignedIn()).toBe(true);
    expect(await rowOf(team, id)).toMatchObject({ status: 'active' });
    // The session of the earlier membership does not come back, and neither does the earlier password.
    expect(await browser.isSignedIn()).toBe(false);
    expect((await makeBrowser(service).signIn(email, password)).status).toBe(422);
  });

  it('gives a person who comes back their former user id', async () => {
    const team = await aTeam(service);
    const email = anEmail('back');
    const before = await team.anActiveMember({ email });
    await team.client.delete(`/users/${before.id}`);
    const { id, token } = await anInvitation(team, email);
    await accept({ token, name, password });
    expect(await rowOf(team, id)).toMatchObject({ userId: before.user_id, status: 'active' });
  });

  it('does not lock the team while a password is hashed', async () => {
    const team = await aTeam(service);
    const { token } = await anInvitation(team);
    const { promise: over, resolve: end } = Promise.withResolvers<void>();
    const slow = Array.from({ length: availableParallelism() }, () => hashing.run('internal', () => over));
    const accepted = accept({ token, name, password });
    // Several other transactions take the same lock. After them, the acceptance has come as far as its hash.
    for (const _ of [1, 2, 3]) await anInvitation(team);
    end();
    await Promise.all(slow);
    expect(await accepted).toMatchObject({ tenantId: team.id });
  });

  it('is accepted once, however many use the link at the same time', async () => {
    const team = await aTeam(service);
    const { id, token } = await anInvitation(team);
    const all = await Promise.allSettled(
      ['first password', 'second password', 'third password'].map((one) => accept({ token, name, password: one })),
    );
    expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const one of all) if (one.status === 'rejected') expect(one.reason).toMatchObject({ code: 'not_found' });
    expect((await rowOf(team, id)).user?.person.credentials).toHaveLength(1);
    await expect(accept({ token, name, password })).rejects.toMatchObject({ code: 'not_found' });
    expect((await auditEntriesOn(service, team, id)).filter(({ action }) => action === 'member.accepted')).toHaveLength(
      1,
    );
  });

  it('of two teams at once sets one password: the other team’s link then requires signing in', async () => {
    const [one, other] = [await aTeam(service), await aTeam(service)];
    const email = anEmail('wanted');
    const first = await anInvitation(one, email);
    const second = await anInvitation(other, email);
    const all = await Promise.allSettled([
      accept({ token: first.token, name, password: 'first password' }),
      accept({ token: second.token, name, password: 'second password' }),
    ]);
    expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const refused = all.find(({ status }) => status === 'rejected');
    expect(refused).toMatchObject({ reason: { code: 'unauthorized' } });
  });

  it('is refused to a person who is in the team already with another address', async () => {
    const team = await aTeam(service);
    const member = await team.anActiveMember();
    const { id, email, token } = await anInvitation(team);
    const { user } = await rowOf(team, member.id);
    const personId = user?.personId ?? '';
    // The person's address has changed since they joined.
    await service.database.prisma.person.update({ where: { id: personId }, data: { email } });
    await aPerson(email, password);
    await expect(accept({ token, signedInPersonId: personId })).rejects.toMatchObject({
      code: 'conflict',
      spoken: { detail: signInMessages.memberWithOtherAddress },
    });
    expect(await rowOf(team, id)).toMatchObject({ status: 'invited' });
  });
});
