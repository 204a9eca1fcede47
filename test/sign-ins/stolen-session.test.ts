import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { signInLimits } from '../../src/core/limits.ts';
import { OwnSessions } from '../../src/modules/sign-ins/schema.ts';
import { eventually } from '../support/eventually.ts';
import { openBrowser } from '../support/browser-session.ts';
import type { BrowserSession } from '../support/browser-session.ts';
import { aSignedInPerson, testPassword } from '../support/people.ts';
import { startTestService } from '../support/service.ts';
import type { TestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';

const changesPerMinute = 20;

let service: TestService;
beforeAll(async () => {
  service = await startTestService({
    environment: { SIGN_IN_RATE_PER_MIN: String(changesPerMinute), TRUST_PROXY: '127.0.0.1' },
  });
});
afterAll(() => service.close());

let thieves = 0;

/** A person with two sessions, one of which was stolen. */
const theOwnerAndTheThief = async () => {
  const team = await aTeam(service);
  const { browser: owner, email } = await aSignedInPerson(service, team, { role: 'admin' });
  thieves += 1;
  const thief = openBrowser(service, { address: `192.0.2.${thieves}` });
  // A new browser: the thief has only the session.
  expect((await thief.signIn(email, testPassword)).status).toBe(200);
  for (const one of [owner, thief]) expect(await one.isSignedIn()).toBe(true);
  return { team, owner, thief };
};

const spendChanges = async (browser: BrowserSession): Promise<void> => {
  for (let made = 0; made <= changesPerMinute; made += 1) {
    await browser.mutate('entrance/account.changeMe', { language: 'en' });
  }
};

const otherSession = async (browser: BrowserSession): Promise<string> => {
  const { sessions } = OwnSessions.parse((await browser.query('entrance/account.sessions')).data);
  return sessions.find(({ current }) => !current)?.id ?? '';
};

it('a person has a limited number of sessions: one more ends the oldest', async () => {
  const { owner, thief } = await theOwnerAndTheThief();
  const [{ personId } = { personId: '' }] = await service.database.prisma.session.findMany({
    where: { token: decodeURIComponent(owner.cookies.get('team.session_token') ?? '').split('.')[0] ?? '' },
  });
  const soon = new Date(Date.now() + 60_000);
  await service.database.prisma.session.createMany({
    data: Array.from({ length: signInLimits.sessionsPerPerson - 2 }, () => {
      const id = crypto.randomUUID();
      return { id, token: id, personId, expiresAt: soon, createdAt: new Date() };
    }),
  });
  const { email } = await service.database.prisma.person.findUniqueOrThrow({ where: { id: personId } });
  const another = openBrowser(service);
  expect((await another.signIn(email, testPassword)).status).toBe(200);
  expect(await service.database.prisma.session.count({ where: { personId } })).toBe(signInLimits.sessionsPerPerson);
  expect(await owner.isSignedIn()).toBe(false);
  expect([await thief.isSignedIn(), await another.isSignedIn()]).toEqual([true, true]);
});

it('hanging calls of a stolen session keep the owner from no step that ends it', async () => {
  const { team, owner, thief } = await theOwnerAndTheThief();
  const { promise: over, resolve: release } = Promise.withResolvers<void>();
  const { promise: held, resolve: hold } = Promise.withResolvers<void>();
  const holding = service.database.transaction(async (tx) => {
    await tx.$executeRaw`select 1 from team where id = ${team.id}::uuid for update`;
    hold();
    await over;
  });
  await held;
  const leaving = new AbortController();
  const { ofOnePerson, waitingOfOnePerson } = signInLimits.callsAtOnce;
  const beyond = 3;
  let refused = 0;
  const hanging = Array.from({ length: ofOnePerson + waitingOfOnePerson + beyond }, () =>
    thief
      .fetch('/trpc/app/team.change', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', Origin: service.origin, 'X-Team': team.id },
        body: JSON.stringify({ language: 'en' }),
        signal: leaving.signal,
      })
      .then(
        ({ status }) => (refused += status === 429 ? 1 : 0),
        () => 'left',
      ),
  );
  try {
    await eventually(() => expect(refused).toBe(beyond));
    expect((await owner.query('entrance/entrance.who')).status).toBe(429);
    expect((await owner.mutate('entrance/account.signOutEverywhere')).status).toBe(200);
    expect((await thief.mutate('entrance/entrance.signOut')).status).toBe(200);
  } finally {
    leaving.abort();
    release();
    await Promise.all([holding, ...hanging]);
  }
});

describe('a thief who uses up all changes of a stolen session', () => {
  it('keeps the owner from no step that ends it', async () => {
    const { owner, thief } = await theOwnerAndTheThief();
    await spendChanges(thief);
    expect((await thief.mutate('entrance/account.changeMe', { language: 'de' })).status).toBe(429);
    expect((await owner.mutate('entrance/account.changeMe', { language: 'de' })).status).toBe(200);

    const password = 'another long password';
    const steps: [string, object][] = [
      ['startTwoFactor', { password: testPassword }],
      ['endSession', { session_id: await otherSession(owner) }],
      ['changePassword', { current: testPassword, password }],
      ['stopTwoFactor', { password }],
      ['signOutEverywhere', {}],
    ];
    for (const [step, input] of steps) {
      const answer = await owner.mutate(`entrance/account.${step}`, input);
      expect(answer.status, `${step}: ${answer.text}`).toBe(200);
      if (step === 'endSession') expect(await thief.isSignedIn()).toBe(false);
    }
  });

  it('and all tries of the password in that session does not use up those of another session', async () => {
    const { owner, thief } = await theOwnerAndTheThief();
    const wrong = { current: 'a wrong long password', password: 'whatever they like' };
    const statuses: number[] = [];
    for (let tried = 0; tried <= changesPerMinute; tried += 1) {
      statuses.push((await thief.mutate('entrance/account.changePassword', wrong)).status);
    }
    expect(statuses.at(-1)).toBe(429);
    const right = { current: testPassword, password: 'another long password' };
    expect((await owner.mutate('entrance/account.changePassword', right)).status).toBe(200);
    expect(await thief.isSignedIn()).toBe(false);
  });

  it('has no more of these steps than the budget of one session', async () => {
    const { thief } = await theOwnerAndTheThief();
    const end = () => thief.mutate('entrance/account.endSession', { session_id: 'nothing' });
    for (let made = 0; made < changesPerMinute; made += 1) expect((await end()).status).toBe(404);
    expect((await end()).problem).toMatchObject({ code: 'rate_limited' });
  });
});
