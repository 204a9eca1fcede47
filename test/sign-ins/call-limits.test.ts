import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { signInLimits } from '../../src/core/limits.ts';
import { problemDetails } from '../../src/core/problem.ts';
import { eventually } from '../support/eventually.ts';
import { openBrowser } from '../support/browser-session.ts';
import { aSignedInPerson, testPassword } from '../support/people.ts';
import type { SignedInPerson } from '../support/people.ts';
import { createDatabase } from '../support/postgres.ts';
import { startTestService } from '../support/service.ts';
import type { TestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';
import type { TestTeam } from '../support/team.ts';
import { countTries } from '../support/tries.ts';
import { openWire } from '../support/wire.ts';
import type { Wire } from '../support/wire.ts';

let service: TestService;
let wire: Wire;
let tidyUp: () => Promise<void>;
beforeAll(async () => {
  const database = await createDatabase();
  wire = await openWire(database.url);
  service = await startTestService({ databaseUrl: wire.url, environment: { SIGN_IN_RATE_PER_MIN: '100' } });
  tidyUp = async () => {
    await service.close();
    await wire.close();
    await database.drop();
  };
});
afterAll(() => tidyUp());

const most = signInLimits.callsPerPersonPerMinute;

const statementsOf = async (action: () => Promise<unknown>): Promise<string[]> => {
  wire.takeRoundTrips();
  await action();
  return wire.takeRoundTrips().flat();
};

const personIdOf = async (email: string): Promise<string> =>
  (await service.database.prisma.person.findUniqueOrThrow({ where: { email } })).id;

const spend = async (email: string, calls: number): Promise<void> => {
  const whom = await personIdOf(email);
  await countTries(service, { what: 'calls of', whom, seconds: 60, count: calls });
};

/** A person who can sign in, with a second browser. */
const aPersonOfTwoBrowsers = async (team: TestTeam) => {
  const first = await aSignedInPerson(service, team);
  const second = openBrowser(service);
  expect((await second.signIn(first.email, testPassword)).status).toBe(200);
  return { ...first, second };
};

const reads = ['entrance/entrance.who', 'entrance/account.sessions', 'entrance/account.secondFactor'];

describe('the calls of a person', () => {
  it('are counted at the entrance as well as in their teams', async () => {
    const team = await aTeam(service);
    const { browser, email } = await aSignedInPerson(service, team);
    await spend(email, most - reads.length);
    for (const path of reads) expect((await browser.query(path)).status).toBe(200);
    for (const path of [...reads, 'app/reference.limits', 'api/account.me']) {
      const refused = await browser.query(path, {}, { team: team.id });
      expect(refused.problem, path).toMatchObject({ code: 'rate_limited' });
      const wait = Number(refused.headers.get('retry-after'));
      expect(wait).toBeGreaterThan(0);
      expect(wait).toBeLessThanOrEqual(60);
    }
  });

  it('are refused beyond the limit without a query, in all of the person’s browsers', async () => {
    const team = await aTeam(service);
    const { browser, email, second } = await aPersonOfTwoBrowsers(team);
    for (const one of [browser, second]) expect((await one.query('entrance/entrance.who')).status).toBe(200);
    await spend(email, most);
    expect((await browser.query('entrance/entrance.who')).status).toBe(429);
    const statements = await statementsOf(async () => {
      for (const one of [browser, second]) {
        for (const path of [...reads, 'app/reference.limits', 'api/account.me']) {
          const refused = await one.query(path, {}, { team: team.id });
          expect(refused.problem).toMatchObject({ code: 'rate_limited' });
          expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
        }
        expect((await one.mutate('app/team.change', { language: 'de' }, { team: team.id })).status).toBe(429);
      }
    });
    expect(statements).toEqual([]);
  });

  it('do not count for others: a colleague and another team are answered', async () => {
    const team = await aTeam(service);
    const { browser, email } = await aSignedInPerson(service, team);
    const colleague = await aSignedInPerson(service, team);
    const other = await aTeam(service);
    const stranger = await aSignedInPerson(service, other);
    await spend(email, most);
    expect((await browser.query('entrance/entrance.who')).status).toBe(429);
    expect((await colleague.browser.query('app/reference.limits', {}, { team: team.id })).status).toBe(200);
    expect((await stranger.browser.query('app/reference.limits', {}, { team: other.id })).status).toBe(200);
  });

  it('can be used up by a thief, but the person can still sign out everywhere', async () => {
    const { browser, email, second } = await aPersonOfTwoBrowsers(await aTeam(service));
    await spend(email, most);
    expect((await second.query('entrance/entrance.who')).status).toBe(429);
    expect((await browser.mutate('entrance/account.signOutEverywhere')).status).toBe(200);
    expect(await service.database.prisma.session.count({ where: { person: { email } } })).toBe(0);
  });
});

it('a session that uses up its changes at the entrance does not keep another session of the person from ending it', async () => {
  const { browser: thief, second: owner } = await aPersonOfTwoBrowsers(await aTeam(service));
  const change = () => thief.mutate('entrance/account.changeMe', { language: 'de' });
  // Few at once: calls that get no place are refused without being counted.
  for (let made = 0; made < 110; made += 10) await Promise.all(Array.from({ length: 10 }, change));
  expect((await change()).status).toBe(429);
  expect((await owner.mutate('entrance/account.signOutEverywhere')).status).toBe(200);
  expect(await thief.isSignedIn()).toBe(false);
});

it('a session has a limited number of calls a minute, counted from its first one and before its look-up', async () => {
  const { browser } = await aSignedInPerson(service, await aTeam(service));
  // This call needs no sign-in, but counts all the same.
  const ask = async (): Promise<void> => {
    for (let asked = 0; asked < most / 5; asked += 1) {
      expect((await browser.query('entrance/entrance.rules')).status).toBe(200);
    }
  };
  await Promise.all(Array.from({ length: 5 }, ask));
  const statements = await statementsOf(async () => {
    for (const path of ['entrance/entrance.rules', 'entrance/entrance.who', 'app/reference.limits']) {
      expect((await browser.query(path)).problem).toMatchObject({ code: 'rate_limited' });
    }
    expect((await browser.mutate('entrance/account.changeMe', { language: 'de' })).status).toBe(429);
  });
  expect(statements).toEqual([]);
});

describe('while the calls of one person take long', () => {
  const { ofOnePerson, waitingOfOnePerson } = signInLimits.callsAtOnce;

  /** Holds the row of a team, for which its changes have to wait. */
  const lockTeamShared = async (team: TestTeam): Promise<() => Promise<void>> => {
    const { promise: over, resolve: end } = Promise.withResolvers<void>();
    const { promise: held, resolve: hold } = Promise.withResolvers<void>();
    const holding = service.database.transaction(async (tx) => {
      await tx.$executeRaw`select 1 from team where id = ${team.id}::uuid for update`;
      hold();
      await over;
    });
    await held;
    return async () => {
      end();
      await holding;
    };
  };

  it('a few of them run at once, more wait, and others are refused; nobody else waits', async () => {
    const team = await aTeam(service);
    const { browser } = await aSignedInPerson(service, team, { role: 'admin' });
    const colleague = await aSignedInPerson(service, team);
    const other = await aTeam(service);
    const stranger = await aSignedInPerson(service, other);
    await browser.query('entrance/entrance.who');
    const release = await lockTeamShared(team);
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
      const all = Array.from({ length: ofOnePerson + waitingOfOnePerson + beyond }, async () => {
        const outcome = await hang();
        if (outcome === 429) refused += 1;
        return outcome;
      });
      await eventually(() => expect(refused).toBe(beyond));
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
    await eventually(async () => {
      expect((await browser.query('entrance/entrance.who')).status).toBe(200);
    });
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
    expect(refused.problem).toMatchObject({ code: 'rate_limited', detail: problemDetails.teamChanges });
    expect(refused.problem['title']).toBe('Ihr Team hat das Limit für Änderungen pro Minute erreicht');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    const posted = await one.browser.mutate('api/webhooks.create', {}, { team: team.id });
    expect(posted.status).toBe(429);
    expect((await one.browser.query('app/reference.limits', {}, { team: team.id })).status).toBe(200);
  }
  expect((await change(stranger, other)).status).toBe(200);
});
