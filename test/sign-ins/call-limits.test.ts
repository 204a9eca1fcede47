import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { signInLimits } from '../../src/core/limits.ts';
import { accessMessages } from '../../src/core/messages/people.ts';
import { CallLimits } from '../../src/modules/sign-ins/call-limits.ts';
import { makeBrowser, aSignedInPerson, testPassword, type SignedInPerson } from '../support/people.ts';
import { holdRows } from '../support/postgres.ts';
import { aTeam, type TestTeam } from '../support/team.ts';
import { countTries } from '../support/budgets.ts';
import { useWiredService } from '../support/wire.ts';

const max = 100;
const { service, wire } = await useWiredService({
  environment: { SIGN_IN_RATE_PER_MIN: '100' },
  signIn: { callsPerSessionPerMinute: max },
});

const statementsOf = async (action: () => Promise<unknown>): Promise<string[]> => {
  wire.takeRoundTrips();
  await action();
  return wire.takeRoundTrips().flat();
};

it('a session has a limited number of calls a minute, counted before its look-up; nobody else is refused', async () => {
  const team = await aTeam(service);
  const { browser, email } = await aSignedInPerson(service, team);
  const colleague = await aSignedInPerson(service, team);
  const second = makeBrowser(service);
  expect((await second.signIn(email, testPassword)).status).toBe(200);
  // This call needs no sign-in, but counts all the same.
  const ask = async (): Promise<void> => {
    for (let asked = 0; asked < max / 5; asked += 1) {
      expect((await browser.query('entrance/entrance.rules')).status).toBe(200);
    }
  };
  await Promise.all(Array.from({ length: 5 }, ask));
  const statements = await statementsOf(async () => {
    for (const path of ['entrance/entrance.rules', 'entrance/entrance.who', 'app/reference.limits']) {
      const refused = await browser.query(path, {}, { team: team.id });
      expect(refused.problem).toMatchObject({ code: 'rate_limited' });
      const wait = Number(refused.headers.get('retry-after'));
      expect(wait).toBeGreaterThan(0);
      expect(wait).toBeLessThanOrEqual(60);
    }
    expect((await browser.mutate('entrance/account.changeMe', { language: 'de' })).status).toBe(429);
  });
  expect(statements).toEqual([]);
  expect(service.logged().filter(({ event }) => event === 'limited')).toHaveLength(1);
  expect((await colleague.browser.query('app/reference.limits', {}, { team: team.id })).status).toBe(200);
  expect((await second.mutate('entrance/account.signOutEverywhere')).status).toBe(200);
  expect(await service.database.prisma.session.count({ where: { person: { email } } })).toBe(0);
});

it('a call that waits too long for one of its team’s turns is refused because of the team', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const { ofOneTeam, timeoutMs } = signInLimits.callsAtOnce;
  const limits = new CallLimits(service.platform.signIn);
  const visitor = { sessionToken: 'a session' };
  for (let at = 0; at < ofOneTeam; at += 1) await limits.turnOfTeam('team', visitor);
  const refused = limits.turnOfTeam('team', visitor).catch((error: unknown) => error);
  (await limits.turnOfTeam('other', visitor))();
  await vi.advanceTimersByTimeAsync(timeoutMs);
  expect(await refused).toMatchObject({ code: 'rate_limited', spoken: { detail: accessMessages.ownShareInUse } });
});

describe('while the calls of one session take long', () => {
  const { ofOneSession, waitingOfOneSession } = signInLimits.callsAtOnce;

  /** Its changes have to wait. */
  const holdTeam = ({ id }: TestTeam) =>
    holdRows(service, (tx) => tx.$executeRaw`select 1 from team where id = ${id}::uuid for update`);

  it('a few of them run at once, more wait, and others are refused; nobody else waits', async () => {
    const team = await aTeam(service);
    const { browser } = await aSignedInPerson(service, team, { role: 'admin' });
    const colleague = await aSignedInPerson(service, team);
    const other = await aTeam(service);
    const stranger = await aSignedInPerson(service, other);
    await browser.query('entrance/entrance.who');
    const release = await holdTeam(team);
    try {
      const leaving = new AbortController();
      const hang = () =>
        browser
          .fetch('/trpc/app/team.change', {
            method: 'POST',
            headers: { 'Content-Type': 'application/json', Origin: service.origin, 'X-Team': team.id },
            body: JSON.stringify({ language: 'en' }),
            signal: leaving.signal,
          })
          .then(
            ({ status }) => status,
            () => 'left',
          );
      const beyond = 5;
      let refused = 0;
      const all = Array.from({ length: ofOneSession + waitingOfOneSession + beyond }, async () => {
        const outcome = await hang();
        if (outcome === 429) refused += 1;
        return outcome;
      });
      await expect.poll(() => refused).toBe(beyond);
      expect((await browser.query('entrance/entrance.who')).problem).toMatchObject({ retry_after: 1 });
      expect((await colleague.browser.query('app/reference.limits', {}, { team: team.id })).status).toBe(200);
      expect((await stranger.browser.query('app/reference.limits', {}, { team: other.id })).status).toBe(200);
      // Disconnecting must not let a client have more running calls.
      leaving.abort();
      expect(new Set(await Promise.all(all))).toEqual(new Set([429, 'left']));
      expect((await browser.query('entrance/entrance.who')).status).toBe(429);
    } finally {
      await release();
    }
    await expect.poll(async () => (await browser.query('entrance/entrance.who')).status).toBe(200);
  });
});

it('the changes of all people of a team in the app have a common limit per minute; reads and other teams are not affected', async () => {
  const [team, other] = [await aTeam(service), await aTeam(service)];
  const [anna, ben] = [
    await aSignedInPerson(service, team, { role: 'admin' }),
    await aSignedInPerson(service, team, { role: 'admin' }),
  ];
  const stranger = await aSignedInPerson(service, other, { role: 'admin' });
  const changes = signInLimits.changesPerTeamPerMinute;
  await countTries(service, { what: 'changes in', whom: team.id, seconds: 60, count: changes - 2 });
  const change = ({ browser }: SignedInPerson, { id }: TestTeam) =>
    browser.mutate('app/team.change', { language: 'en' }, { team: id });
  expect((await change(anna, team)).status).toBe(200);
  expect((await ben.browser.mutate('app/sessions.start', {}, { team: team.id })).status).toBe(200);
  for (const one of [anna, ben]) {
    const refused = await change(one, team);
    expect(refused.problem).toMatchObject({ code: 'rate_limited', detail: accessMessages.teamChanges.de });
    expect(refused.problem['title']).toBe('Ihr Team hat das Limit für Änderungen pro Minute erreicht');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    const posted = await one.browser.mutate('api/webhooks.create', {}, { team: team.id });
    expect(posted.status).toBe(429);
    expect((await one.browser.query('app/reference.limits', {}, { team: team.id })).status).toBe(200);
  }
  expect((await change(stranger, other)).status).toBe(200);
});
