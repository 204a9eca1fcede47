import { expect, it } from 'vitest';
import { signInLimits } from '../../src/core/limits.ts';
import { makeBrowser, aSignedInPerson, testPassword } from '../support/people.ts';
import { holdRows } from '../support/postgres.ts';
import { useTestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';

const service = await useTestService({
  environment: { TRUST_PROXY: '127.0.0.1' },
});

let thieves = 0;

/** A person with two sessions, one of which was stolen. */
const theOwnerAndTheThief = async () => {
  const team = await aTeam(service);
  const { browser: owner, email } = await aSignedInPerson(service, team, { role: 'admin' });
  thieves += 1;
  const thief = makeBrowser(service, { address: `192.0.2.${thieves}` });
  // A new browser: the thief has only the session.
  expect((await thief.signIn(email, testPassword)).status).toBe(200);
  for (const one of [owner, thief]) expect(await one.isSignedIn()).toBe(true);
  return { team, owner, thief };
};

it('hanging calls of a stolen session keep the owner from no step that ends it', async () => {
  const { team, owner, thief } = await theOwnerAndTheThief();
  const release = await holdRows(
    service,
    (tx) => tx.$executeRaw`select 1 from team where id = ${team.id}::uuid for update`,
  );
  const leaving = new AbortController();
  const { ofOneSession, waitingOfOneSession } = signInLimits.callsAtOnce;
  const beyond = 3;
  let refused = 0;
  const hanging = Array.from({ length: ofOneSession + waitingOfOneSession + beyond }, () =>
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
    await expect.poll(() => refused).toBe(beyond);
    expect((await owner.query('entrance/entrance.who')).status).toBe(200);
    expect((await owner.mutate('entrance/account.signOutEverywhere')).status).toBe(200);
  } finally {
    leaving.abort();
    await Promise.all([release(), ...hanging]);
  }
});

it('a thief who uses up all tries of the password in a stolen session does not use up those of another session', async () => {
  const { owner, thief } = await theOwnerAndTheThief();
  const wrong = { current: 'a wrong long password', password: 'whatever they like' };
  const statuses: number[] = [];
  for (let tried = 0; tried <= signInLimits.triesPerAccountFromOnePlace.max; tried += 1) {
    statuses.push((await thief.mutate('entrance/account.changePassword', wrong)).status);
  }
  expect(statuses.at(-1)).toBe(429);
  const right = { current: testPassword, password: 'another long password' };
  expect((await owner.mutate('entrance/account.changePassword', right)).status).toBe(200);
  expect(await thief.isSignedIn()).toBe(false);
});
