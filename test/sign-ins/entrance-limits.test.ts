import { availableParallelism } from 'node:os';
import { describe, expect, it, vi } from 'vitest';
import { hashing } from '../../src/core/password.ts';
import { hashingLimits, httpLimits, signInLimits } from '../../src/core/limits.ts';
import { Problem } from '../../src/core/problem.ts';
import { lastLink } from '../members/links.ts';
import { makeBrowser, type BrowserSession, aPerson, testPassword } from '../support/people.ts';
import { useTestService } from '../support/service.ts';
import { anEmail, aTeam, type TestTeam } from '../support/team.ts';
import { useWiredService } from '../support/wire.ts';

const triesPerMinute = 3;
const callsPerMinute = triesPerMinute * signInLimits.anonymousCallsPerTry;

const { service, wire } = await useWiredService({
  environment: { SIGN_IN_RATE_PER_MIN: String(triesPerMinute), TRUST_PROXY: 'loopback' },
});

/** The same without this limit. */
const wide = await useTestService({
  databaseUrl: service.databaseUrl,
  environment: { SIGN_IN_RATE_PER_MIN: '100000', TRUST_PROXY: 'loopback' },
});

let networks = 0;
const aPlace = (): string => `10.20.${Math.floor((networks += 1) / 250)}.${networks % 250}`;
const behind = (address: string) => ({ headers: { 'X-Forwarded-For': address } });

/** A person of the team who is signed in, from a new address. */
const signedIn = async (team: TestTeam) => {
  const { email } = await aPerson(team);
  const browser = makeBrowser(service);
  const path = 'entrance/entrance.signIn';
  expect((await browser.mutate(path, { email, password: testPassword }, behind(aPlace()))).status).toBe(200);
  return { email, browser };
};

const query = (path: string, address: string, browser: BrowserSession = makeBrowser(service)) =>
  browser.query(path, path.includes('tate') || path.endsWith('invitation') ? { token: 'a.b.c' } : {}, behind(address));

/** The statements that an action sends to the database. */
const statementsOf = async (action: () => Promise<unknown>): Promise<string[]> => {
  wire.takeRoundTrips();
  await action();
  return wire.takeRoundTrips().flat();
};

describe('the entrance', () => {
  it('accepts bodies of up to 16 KiB', async () => {
    const bodyOf = (bytes: number) => {
      const empty = JSON.stringify({ email: anEmail('nobody'), password: '' });
      return `${empty.slice(0, -2)}${'x'.repeat(bytes - empty.length)}"}`;
    };
    const send = (bytes: number) =>
      makeBrowser(service).mutate('entrance/entrance.signIn', bodyOf(bytes), behind(aPlace()));
    const max = await send(httpLimits.entranceBodyBytes);
    expect([max.status, max.problem['code']]).toEqual([422, 'validation_error']);
    const more = await send(httpLimits.entranceBodyBytes + 1);
    expect([more.status, more.problem['code']]).toEqual([413, 'bad_request']);
    // Pages behind the sign-in may send more.
    const { browser } = await signedIn(await aTeam(service));
    const inside = await browser.mutate('app/cases.shareOwn', { case_id: 'x'.repeat(20_000) });
    expect(inside.status).not.toBe(413);
  });

  it.each(['entrance.who', 'entrance.rules', 'entrance.resetState', 'entrance.invitation'])(
    'has a limit of anonymous calls per minute and address: %s',
    async (path) => {
      const place = aPlace();
      for (let asked = 0; asked < callsPerMinute; asked += 1) {
        expect((await query(`entrance/${path}`, place)).status).toBe(200);
      }
      const statements = await statementsOf(async () => {
        for (let asked = 0; asked < 20; asked += 1) {
          const refused = await query(`entrance/${path}`, place);
          expect(refused.problem).toMatchObject({ code: 'rate_limited' });
          const wait = Number(refused.headers.get('retry-after'));
          expect(wait).toBeGreaterThan(0);
          expect(wait).toBeLessThanOrEqual(60);
        }
      });
      expect(statements).toEqual([]);
      expect((await query(`entrance/${path}`, aPlace())).status).toBe(200);
    },
  );

  it('counts calls of the app without a session', async () => {
    const place = aPlace();
    for (const path of ['app/reference.get', 'api/account.me', 'app/no.such']) {
      for (let asked = 0; asked < callsPerMinute / 3; asked += 1) expect((await query(path, place)).status).toBe(401);
    }
    for (const path of ['app/reference.get', 'api/account.me', 'app/no.such']) {
      expect((await query(path, place)).status).toBe(429);
    }
  });

  it('does not count signed-in people, and does not delay a known browser', async () => {
    const { browser } = await signedIn(await aTeam(service));
    const place = aPlace();
    for (let asked = 0; asked <= callsPerMinute; asked += 1) await query('entrance/entrance.who', place);
    expect((await query('entrance/entrance.who', place)).status).toBe(429);
    for (let asked = 0; asked < callsPerMinute + 5; asked += 1) {
      expect((await query('entrance/entrance.who', place, browser)).status).toBe(200);
    }
    await browser.mutate('entrance/entrance.signOut', {}, behind(aPlace()));
    expect((await query('entrance/entrance.who', place, browser)).status).toBe(200);
  });

  it('makes no query about a session that it did not sign', async () => {
    const forged = makeBrowser(service);
    const signature = encodeURIComponent(`${'A'.repeat(43)}=`);
    forged.cookies.set('team.session_token', `${'x'.repeat(32)}.${signature}`);
    const place = aPlace();
    const statements = await statementsOf(async () => {
      expect((await query('entrance/entrance.who', place, forged)).data).toEqual({ me: null });
      expect((await query('app/reference.get', place, forged)).status).toBe(401);
    });
    expect(statements).toEqual([]);
  });

  it('opens no transaction and takes no lock to check links', async () => {
    const { email } = await aPerson(await aTeam(service));
    await makeBrowser(service).mutate('entrance/entrance.requestReset', { email }, behind(aPlace()));
    const [mail] = await service.mailsTo(email);
    const token = /\/reset-password\/(\S+)\n/.exec(mail?.body.text ?? '')?.[1];
    const browser = makeBrowser(service);
    const statements = await statementsOf(async () => {
      const answer = await browser.query('entrance/entrance.resetState', { token }, behind(aPlace()));
      expect(answer.data).toEqual({ valid: true, email });
      await browser.query('entrance/entrance.invitation', { token: 'x' }, behind(aPlace()));
    });
    expect(statements.length).toBeGreaterThan(0);
    for (const statement of statements) expect(statement).not.toMatch(/^\s*begin|for update|advisory/i);
  });

  it('sends at most twenty reset links in ten minutes for a network, for any accounts', async () => {
    const { max } = signInLimits.resetsFromNetwork;
    const place = aPlace();
    const ask = () =>
      makeBrowser(wide).mutate('entrance/entrance.requestReset', { email: anEmail('nobody') }, behind(place));
    const statuses = (await Promise.all(Array.from({ length: max + 3 }, ask))).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(max);
  });
});

describe('while as many strangers wait for a hash as can', () => {
  /** Sign-ins of strangers in all slots, whose hashes begin only when the test says so. */
  const crowd = async () => {
    const { promise: over, resolve: end } = Promise.withResolvers<void>();
    const slow = Array.from({ length: availableParallelism() }, () => hashing.run('internal', () => over));
    let refused = 0;
    const strangers = Array.from({ length: hashingLimits.waiting + 1 }, async () => {
      const input = { email: anEmail('nobody'), password: testPassword };
      const { status } = await makeBrowser(service).mutate('entrance/entrance.signIn', input, behind(aPlace()));
      if (status === 429) refused += 1;
    });
    await expect.poll(() => refused).toBe(1);
    return {
      letHash: end,
      untilOver: async () => {
        end();
        await Promise.all([...slow, ...strangers]);
      },
    };
  };

  it('another stranger gets 429; a known browser can sign in', async () => {
    const team = await aTeam(service);
    const { email } = await aPerson(team);
    const owner = await signedIn(team);
    await owner.browser.mutate('entrance/entrance.signOut', {}, behind(aPlace()));
    const { letHash, untilOver } = await crowd();
    try {
      const refused = await makeBrowser(service).mutate(
        'entrance/entrance.signIn',
        { email, password: testPassword },
        behind(aPlace()),
      );
      expect(refused.problem).toMatchObject({ code: 'rate_limited', retry_after: hashingLimits.retryAfterSeconds });
      expect(refused.headers.get('retry-after')).toBe(String(hashingLimits.retryAfterSeconds));
      const known = owner.browser.signIn(owner.email, testPassword);
      letHash();
      expect((await known).status).toBe(200);
    } finally {
      await untilOver();
    }
    const later = await makeBrowser(service).mutate(
      'entrance/entrance.signIn',
      { email, password: testPassword },
      behind(aPlace()),
    );
    expect(later.status).toBe(200);
  });

  it('a known browser can’t try other people’s accounts with a place for known browsers', async () => {
    const team = await aTeam(service);
    const attacker = await signedIn(team);
    await attacker.browser.mutate('entrance/entrance.signOut', {}, behind(aPlace()));
    const { email: other } = await aPerson(team);
    const { untilOver } = await crowd();
    try {
      for (const email of [anEmail('nobody'), other]) {
        const input = { email, password: testPassword };
        const refused = await attacker.browser.mutate('entrance/entrance.signIn', input, behind(aPlace()));
        expect(refused.problem).toMatchObject({ code: 'rate_limited', retry_after: hashingLimits.retryAfterSeconds });
      }
    } finally {
      await untilOver();
    }
  });

  it('and every hash is being computed, other calls are answered as usual', async () => {
    const { promise: over, resolve: end } = Promise.withResolvers<void>();
    const slow = Array.from({ length: availableParallelism() }, () => hashing.run('internal', () => over));
    const { client } = await aTeam(service);
    const waiting = makeBrowser(service).mutate(
      'entrance/entrance.signIn',
      { email: anEmail('nobody'), password: testPassword },
      behind(aPlace()),
    );
    expect((await client.get('/me')).status).toBe(200);
    expect((await query('entrance/entrance.rules', aPlace())).status).toBe(200);
    end();
    await Promise.all(slow);
    expect((await waiting).status).toBe(422);
  });
});

it('a known browser’s tries for other people’s accounts count for its network', async () => {
  const { browser } = await signedIn(await aTeam(service));
  const place = aPlace();
  const tryAs = (who: BrowserSession) =>
    who.mutate('entrance/entrance.signIn', { email: anEmail('nobody'), password: testPassword }, behind(place));
  for (let tried = 0; tried < triesPerMinute; tried += 1) {
    expect((await tryAs(makeBrowser(service))).status).toBe(422);
  }
  expect((await tryAs(browser)).status).toBe(429);
});

describe('while as many known callers wait for a hash as can', () => {
  it('signed-in people can do everything that hashes no password, for instance sign out', async () => {
    const team = await aTeam(service);
    const { browser } = await signedIn(team);
    const { promise: over, resolve: end } = Promise.withResolvers<void>();
    const all = Array.from({ length: hashingLimits.waiting + availableParallelism() }, (_, index) =>
      hashing.run('known', () => over, `crowd ${index}`).catch(() => undefined),
    );
    try {
      const proof = await browser.mutate('entrance/account.startTwoFactor', { password: testPassword });
      expect(proof.problem).toMatchObject({ code: 'rate_limited', retry_after: hashingLimits.retryAfterSeconds });
      expect((await browser.mutate('entrance/account.changeMe', { language: 'en' })).status).toBe(200);
      expect((await browser.mutate('entrance/account.signOutEverywhere')).status).toBe(200);
    } finally {
      end();
      await Promise.all(all);
    }
  });
});

describe('hashing for one person or one link', () => {
  const signIn = (browser: BrowserSession, email: string, password: string) =>
    browser.mutate('entrance/entrance.signIn', { email, password }, behind(aPlace()));

  it('is refused with 429 after too long a wait for a hash', async () => {
    const { email } = await aPerson(await aTeam(service));
    vi.spyOn(hashing, 'run').mockRejectedValue(new Problem('rate_limited', { retry_after: 2 }));
    const refused = await signIn(makeBrowser(wide), email, testPassword);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '2']);
  });

  it('is limited per minute for an invitation’s link, from all addresses', async () => {
    const email = anEmail('invited');
    await (await aTeam(service)).anInvitedMember({ email });
    const token = await lastLink(service, email);
    const accept = (browser: BrowserSession) =>
      browser.mutate('entrance/entrance.acceptInvitation', { token, password: testPassword }, behind(aPlace()));
    for (let tried = 0; tried < signInLimits.triesPerLink.max; tried += 1) {
      expect((await accept(makeBrowser(wide))).status).toBe(422);
    }
    const refused = await accept(makeBrowser(wide));
    expect(refused.problem).toMatchObject({ code: 'rate_limited' });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  it('is limited per minute for a reset link, from all addresses', async () => {
    const { email } = await aPerson(await aTeam(service));
    await makeBrowser(wide).mutate('entrance/entrance.requestReset', { email }, behind(aPlace()));
    const [mail] = await service.mailsTo(email);
    const token = /\/reset-password\/(\S+)\n/.exec(mail?.body.text ?? '')?.[1];
    const run = vi.spyOn(hashing, 'run');
    const reset = () =>
      makeBrowser(wide).mutate('entrance/entrance.resetPassword', { token, password: testPassword }, behind(aPlace()));
    const statuses = (await Promise.all(Array.from({ length: 12 }, reset))).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect(run.mock.calls.length).toBeLessThanOrEqual(signInLimits.triesPerLink.max);
  });
});
