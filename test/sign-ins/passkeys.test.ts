import { describe, expect, it } from 'vitest';
import { makeId } from '../../src/core/ids.ts';
import { signInLimits } from '../../src/core/limits.ts';
import { OwnPasskeys } from '../../src/modules/sign-ins/schema.ts';
import { anAuthenticator, totp } from '../support/authenticators.ts';
import { makeBrowser, type BrowserSession, aSignedInPerson, ofPerson, testPassword } from '../support/people.ts';
import { useTestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';

const service = await useTestService();

type Authenticator = ReturnType<typeof anAuthenticator>;

const question = async (browser: BrowserSession) => (await browser.query('entrance/entrance.passkeyQuestion')).data;

const signIn = async (authenticator: Authenticator, browser = makeBrowser(service), site = {}) =>
  browser.mutate('entrance/entrance.signInWithPasskey', {
    passkey: authenticator.get(await question(browser), site),
  });

const add = async (browser: BrowserSession, authenticator: Authenticator, { name = 'Laptop', site = {} } = {}) => {
  const asked = await browser.mutate('entrance/account.newPasskeyQuestion');
  return browser.mutate('entrance/account.addPasskey', { name, passkey: authenticator.create(asked.data, site) });
};

const listed = async (browser: BrowserSession) =>
  OwnPasskeys.parse((await browser.query('entrance/account.passkeys')).data).passkeys;

const aPersonWithPasskey = async () => {
  const team = await aTeam(service);
  const person = await aSignedInPerson(service, team);
  const authenticator = anAuthenticator();
  expect((await add(person.browser, authenticator)).status).toBe(200);
  return { ...person, team, authenticator };
};

/** Gives the session of this browser this age. */
const age = async (email: string, minutes: number) =>
  service.database.prisma.session.updateMany({
    where: await ofPerson(service, email),
    data: { createdAt: new Date(Date.now() - minutes * 60_000), provedAt: null },
  });

const refused = { code: 'validation_error', field: 'passkey' };

describe('a passkey', () => {
  it('signs in without password and second factor, and shows its last use', async () => {
    const { browser, authenticator, email } = await aPersonWithPasskey();
    const { secret } = (await browser.mutate('entrance/account.startTwoFactor', { password: testPassword })).data;
    await browser.mutate('entrance/account.confirmTwoFactor', { code: totp(String(secret)) });
    expect((await makeBrowser(service).signIn(email, testPassword)).data).toEqual({ next: 'second_factor' });
    expect(await listed(browser)).toMatchObject([{ name: 'Laptop', last_used_at: null }]);

    const other = makeBrowser(service);
    expect((await signIn(authenticator, other)).status).toBe(200);
    expect((await other.query('entrance/entrance.who')).data).toMatchObject({ me: { email } });
    expect((await listed(other))[0]?.last_used_at).toEqual(expect.any(String));
  });

  it('can be renamed and removed only by its person; a removed one can’t be used to sign in', async () => {
    const { browser, authenticator } = await aPersonWithPasskey();
    const { browser: stranger } = await aPersonWithPasskey();
    const [{ id: passkey_id } = { id: '' }] = await listed(browser);
    for (const [path, input] of [
      ['renamePasskey', { passkey_id, name: 'Mine' }],
      ['removePasskey', { passkey_id }],
    ] as const) {
      expect((await stranger.mutate(`entrance/account.${path}`, input)).problem).toMatchObject({ code: 'not_found' });
      expect((await browser.mutate(`entrance/account.${path}`, input)).status).toBe(200);
      expect(await listed(browser)).toMatchObject(path === 'renamePasskey' ? [{ name: 'Mine' }] : []);
    }
    expect((await signIn(authenticator)).problem).toMatchObject(refused);
  });

  it('is one of at most twenty of its person, and belongs to one person', async () => {
    const { browser, email } = await aPersonWithPasskey();
    const { prisma } = service.database;
    const where = await ofPerson(service, email);
    const { id: _id, ...row } = await prisma.passkey.findFirstOrThrow({ where });
    const more = Array.from({ length: signInLimits.passkeysPerPerson - 2 }, () => makeId());
    await prisma.passkey.createMany({ data: more.map((id) => ({ ...row, id, credentialId: id })) });
    expect((await add(browser, anAuthenticator())).status).toBe(200);
    expect((await add(browser, anAuthenticator())).problem).toMatchObject({ code: 'conflict' });
    await prisma.passkey.deleteMany({ where: { id: { in: more.slice(0, 1) } } });
    const [stranger, authenticator] = [await aSignedInPerson(service, await aTeam(service)), anAuthenticator()];
    expect((await add(stranger.browser, authenticator)).status).toBe(200);
    expect((await add(browser, authenticator)).problem).toMatchObject({ code: 'conflict' });
  });

  it('causes a mail to its person and audit entries when it is added and removed', async () => {
    const { browser, email, team, memberId } = await aPersonWithPasskey();
    const [{ id: passkey_id } = { id: '' }] = await listed(browser);
    await browser.mutate('entrance/account.removePasskey', { passkey_id });
    const mails = await service.mailsTo(email);
    expect(mails.map(({ kind }) => kind)).toEqual(['passkeys_changed', 'passkeys_changed']);
    const audited = await service.database.prisma.auditEntry.findMany({
      where: { tenantId: team.id, action: { startsWith: 'passkey.' } },
      orderBy: { id: 'asc' },
    });
    expect(audited.map(({ action, targetId }) => [action, targetId])).toEqual([
      ['passkey.added', memberId],
      ['passkey.removed', memberId],
    ]);
  });

  it.each([
    ['de', 'Ein Passkey wurde aus Ihrem Konto entfernt.', 'Zu Ihrem Konto wurde ein Passkey hinzugefügt.'],
    ['en', 'A passkey was removed from your account.', 'A passkey was added to your account.'],
  ] as const)(
    'is in a mail in the language of its person (%s) when it is removed and added',
    async (language, ...leads) => {
      const { browser, email } = await aSignedInPerson(service, await aTeam(service));
      await browser.mutate('entrance/account.changeMe', { language });
      await add(browser, anAuthenticator());
      const [passkey] = await listed(browser);
      await browser.mutate('entrance/account.removePasskey', { passkey_id: passkey?.id });
      const mails = await service.mailsTo(email);
      expect(mails.map((mail) => mail.language)).toEqual([language, language]);
      for (const [at, lead] of leads.entries()) expect(mails[at]?.body.text).toContain(lead);
    },
  );

  it('is refused from another origin, for another site, and without verification of the person', async () => {
    const { browser, authenticator } = await aPersonWithPasskey();
    for (const site of [{ origin: 'https://evil.example' }, { rpId: 'evil.example' }, { verifies: false }]) {
      expect((await signIn(authenticator, makeBrowser(service), site)).problem).toMatchObject(refused);
      expect((await add(browser, anAuthenticator(), { site })).problem).toMatchObject(refused);
    }
    expect(await listed(browser)).toHaveLength(1);
    expect((await signIn(anAuthenticator())).problem).toMatchObject(refused);
  });

  it('answers each challenge once, within its time, and only for its purpose', async () => {
    const { browser, authenticator } = await aPersonWithPasskey();
    const one = makeBrowser(service);
    const passkey = authenticator.get(await question(one));
    expect((await one.mutate('entrance/entrance.signInWithPasskey', { passkey })).status).toBe(200);
    const again = await makeBrowser(service).mutate('entrance/entrance.signInWithPasskey', { passkey });
    expect(again.problem).toMatchObject(refused);

    const late = authenticator.get(await question(one));
    service.clock.forward(signInLimits.passkeyChallengeSeconds * 1000 + 1);
    expect((await one.mutate('entrance/entrance.signInWithPasskey', { passkey: late })).problem).toMatchObject(refused);

    const asProof = authenticator.get((await browser.query('entrance/account.proofQuestion')).data);
    const misused = await makeBrowser(service).mutate('entrance/entrance.signInWithPasskey', { passkey: asProof });
    expect(misused.problem).toMatchObject(refused);
    const forged = authenticator.get({ challenge: Buffer.from('9999999999999.x.y').toString('base64url') });
    expect((await one.mutate('entrance/entrance.signInWithPasskey', { passkey: forged })).problem).toMatchObject(
      refused,
    );
  });

  it.each([
    [5, 4, false],
    [5, 5, false],
    [5, 0, false],
    [5, 6, true],
    // Passkeys of several devices do not count.
    [0, 0, true],
  ])('that has counted to %i and then says %i: accepted is %s, because a copy counts for itself', async (...row) => {
    const [former, count, isAccepted] = row;
    const { browser, authenticator } = await aPersonWithPasskey();
    expect((await signIn(authenticator, makeBrowser(service), { count: former })).status).toBe(200);
    const prove = async () => {
      const { data } = await browser.query('entrance/account.proofQuestion');
      return browser.mutate('entrance/account.prove', { passkey: authenticator.get(data, { count }) });
    };
    expect((await prove()).status).toBe(isAccepted ? 200 : 422);
    // After an accepted proof the count is the last one itself.
    const again = await signIn(authenticator, makeBrowser(service), { count });
    expect(again.status).toBe(isAccepted && count === 0 ? 200 : 422);
  });

  it('is accepted once of two answers at the same time with the same count', async () => {
    const { authenticator } = await aPersonWithPasskey();
    const answers = await Promise.all([1, 1, 1].map((count) => signIn(authenticator, makeBrowser(service), { count })));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 422, 422]);
  });

  it('does not sign in a person who was removed from their last team', async () => {
    const { authenticator, team, memberId } = await aPersonWithPasskey();
    expect((await team.client.delete(`/users/${memberId}`)).status).toBe(200);
    const browser = makeBrowser(service);
    expect((await signIn(authenticator, browser)).problem).toMatchObject(refused);
    expect(await browser.isSignedIn()).toBe(false);
  });
});

describe('a fresh proof', () => {
  it('is required after ten minutes for changes of passkeys, and is given by the password or a passkey', async () => {
    const { browser, authenticator, email } = await aPersonWithPasskey();
    await age(email, signInLimits.freshProofMinutes + 1);
    expect((await browser.mutate('entrance/account.newPasskeyQuestion')).problem).toMatchObject({
      code: 'proof_required',
      status: 403,
    });
    for (const wrong of [{ password: 'not the password' }, {}, { password: testPassword, passkey: null }]) {
      expect((await browser.mutate('entrance/account.prove', wrong)).status).toBe(422);
    }
    expect((await browser.mutate('entrance/account.newPasskeyQuestion')).status).toBe(403);
    expect((await browser.mutate('entrance/account.prove', { password: testPassword })).status).toBe(200);
    expect((await browser.mutate('entrance/account.newPasskeyQuestion')).status).toBe(200);

    await age(email, signInLimits.freshProofMinutes + 1);
    const { data } = await browser.query('entrance/account.proofQuestion');
    expect((await browser.mutate('entrance/account.prove', { passkey: authenticator.get(data) })).status).toBe(200);
    expect((await browser.mutate('entrance/account.newPasskeyQuestion')).status).toBe(200);
  });

  it('is given by exactly one of the two', async () => {
    const { browser, authenticator, email } = await aPersonWithPasskey();
    await age(email, 11);
    const passkey = authenticator.get((await browser.query('entrance/account.proofQuestion')).data);
    for (const wrong of [{}, { password: testPassword, passkey }])
      expect((await browser.mutate('entrance/account.prove', wrong)).problem).toMatchObject({
        code: 'validation_error',
        field: 'password',
      });
    expect((await browser.mutate('entrance/account.newPasskeyQuestion')).problem).toMatchObject({
      code: 'proof_required',
    });
    expect((await browser.mutate('entrance/account.prove', { passkey })).status).toBe(200);
  });

  it('belongs to one session, and can’t be given with another person’s passkey', async () => {
    const { browser, email, team } = await aPersonWithPasskey();
    const thief = makeBrowser(service);
    await thief.signIn(email, testPassword);
    await age(email, signInLimits.freshProofMinutes + 1);
    await browser.mutate('entrance/account.prove', { password: testPassword });
    expect((await thief.mutate('entrance/account.newPasskeyQuestion')).status).toBe(403);

    const { browser: accomplice } = await aSignedInPerson(service, team);
    const theirs = anAuthenticator();
    await add(accomplice, theirs);
    const { data } = await thief.query('entrance/account.proofQuestion');
    expect((await thief.mutate('entrance/account.prove', { passkey: theirs.get(data) })).problem).toMatchObject(
      refused,
    );
    expect((await thief.mutate('entrance/account.newPasskeyQuestion')).status).toBe(403);
  });

  it('is required for a key that manages members, not for others', async () => {
    const team = await aTeam(service);
    const { browser, email } = await aSignedInPerson(service, team, { role: 'admin', rights: ['schnittstellen'] });
    await age(email, signInLimits.freshProofMinutes + 1);
    const make = (scopes: string[]) => browser.mutate('app/keys.create', { name: 'CRM', scopes }, { team: team.id });
    expect((await make(['users:read'])).status).toBe(200);
    expect((await make(['users:read', 'users:write'])).problem).toMatchObject({ code: 'proof_required' });
    await browser.mutate('entrance/account.prove', { password: testPassword });
    const { key_id } = (await make(['users:write'])).data;
    await age(email, signInLimits.freshProofMinutes + 1);
    const rotate = () => browser.mutate('app/keys.rotate', { key_id, grace_days: 0 }, { team: team.id });
    expect((await rotate()).problem).toMatchObject({ code: 'proof_required' });
    expect((await browser.mutate('app/keys.revoke', { key_id }, { team: team.id })).status).toBe(200);
  });
});
