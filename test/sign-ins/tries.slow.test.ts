import { afterAll, describe, expect, it } from 'vitest';
import { signInLimits } from '../../src/core/limits.ts';
import { startServiceProcess } from '../support/production-service.ts';
import { makeBrowser, aPerson, testPassword } from '../support/people.ts';
import { useTestService } from '../support/service.ts';
import { anEmail, aTeam } from '../support/team.ts';
import { countTries } from '../support/budgets.ts';

const environment = { SIGN_IN_RATE_PER_MIN: '25', TRUST_PROXY: 'loopback' };
const service = await useTestService({ environment });
const api = await startServiceProcess({
  databaseUrl: service.databaseUrl,
  role: 'api',
  environment,
});
afterAll(async () => void (await api.stop()));

let turn = 0;
/** A browser with this address, at one of the two processes in turn: this one and `api`. */
const from = (address: string, origin = [service.origin, api.origin ?? ''][(turn += 1) % 2] ?? '') => {
  const browser = makeBrowser({ origin });
  const headers = { 'X-Forwarded-For': address };
  return {
    signIn: (email: string, password = 'not the password') =>
      browser.mutate('entrance/entrance.signIn', { email, password }, { headers }),
    reset: (email: string) => browser.mutate('entrance/entrance.requestReset', { email }, { headers }),
    who: () => browser.query('entrance/entrance.who', {}, { headers }),
  };
};

const statusesOf = async (count: number, act: (index: number) => Promise<{ status: number }>) =>
  (await Promise.all(Array.from({ length: count }, (_, index) => act(index)))).map(({ status }) => status).toSorted();
const times = (count: number, status: number) => Array.from({ length: count }, () => status);

describe('two processes together', () => {
  it('limit the tries of an address per minute, for any accounts', async () => {
    const { email } = await aPerson(await aTeam(service));
    const statuses = await statusesOf(30, () => from('198.51.100.1').signIn(anEmail('nobody')));
    expect(statuses).toEqual([...times(25, 422), ...times(5, 429)]);
    const refused = await from('198.51.100.1').signIn(email, testPassword);
    expect(refused.problem).toMatchObject({ code: 'rate_limited', retry_after: expect.any(Number) });
    const wait = Number(refused.headers.get('retry-after'));
    expect(wait).toBe(refused.problem['retry_after']);
    expect(wait).toBeGreaterThan(0);
    expect(wait).toBeLessThanOrEqual(60);
    // Other addresses are not affected, and reading does not count.
    expect((await from('198.51.100.2').signIn(email, testPassword)).status).toBe(200);
    expect((await from('198.51.100.1').who()).status).toBe(200);
  });

  it('limit the tries for an account to twenty in ten minutes from one address, which for IPv6 is a /64', async () => {
    const { email } = await aPerson(await aTeam(service));
    for (const whom of [email, anEmail('nobody')]) {
      // Tries for an unknown account count in the same way, so that nobody can tell the difference.
      const statuses = await statusesOf(23, (index) =>
        from(`2001:db8:${whom === email ? 1 : 2}::${index}`).signIn(whom),
      );
      expect(statuses).toEqual([...times(20, 422), ...times(3, 429)]);
    }
    const refused = await from('2001:db8:1::ffff').signIn(email, testPassword);
    expect(refused.problem).toMatchObject({ code: 'rate_limited' });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(500);
    // The owner of the account can still sign in from another address.
    expect((await from('203.0.113.9').signIn(email, testPassword)).status).toBe(200);
  });

  it('limit the tries for an account to two hundred in ten minutes, from any number of addresses', async () => {
    const { email } = await aPerson(await aTeam(service));
    const { max, seconds } = signInLimits.triesPerAccount;
    await countTries(service, { what: 'sign-in as', whom: email, seconds, count: max - 1 });
    expect((await from('203.0.113.1').signIn(email)).status).toBe(422);
    expect((await from('203.0.113.2').signIn(email, testPassword)).status).toBe(429);
  });

  it('count an IPv6 customer’s whole /64 as one address', async () => {
    const statuses = await statusesOf(28, (index) => from(`2001:db8:9:9::${index}`).signIn(anEmail('nobody')));
    expect(statuses).toEqual([...times(25, 422), ...times(3, 429)]);
  });

  it('mail three reset links to an address in ten minutes, with the same answer for unknown ones', async () => {
    const { email } = await aPerson(await aTeam(service));
    for (const whom of [email, anEmail('nobody')]) {
      expect(await statusesOf(5, (index) => from(`192.0.2.${100 + index}`).reset(whom))).toEqual([
        ...times(3, 200),
        ...times(2, 429),
      ]);
    }
    expect(await service.database.prisma.mail.count({ where: { recipient: email } })).toBe(3);
  });
});

describe('the duration of an answer reveals nothing', () => {
  // At the service's own process: there a refusal takes as long as in production, and so does the hash for an unknown
  // account.
  const durationOf = async (
    act: (stranger: ReturnType<typeof from>) => Promise<{ status: number }>,
    status: number,
  ) => {
    const startedAt = performance.now();
    expect((await act(from('198.51.100.3', api.origin))).status).toBe(status);
    return performance.now() - startedAt;
  };

  it('about a refused sign-in: unknown account and wrong password take equally long', async () => {
    const team = await aTeam(service);
    const { email } = await aPerson(team);
    for (const whom of [anEmail('nobody'), email]) {
      const duration = await durationOf((stranger) => stranger.signIn(whom), 422);
      expect(duration).toBeGreaterThan(signInLimits.refusalMilliseconds - 20);
    }
  });

  it('about a request for a reset link: it takes equally long for an unknown account and for a person without a team', async () => {
    const team = await aTeam(service);
    const [{ email }, { email: left, memberId }] = [await aPerson(team), await aPerson(team)];
    await team.client.delete(`/users/${memberId}`);
    for (const whom of [anEmail('nobody'), left, email]) {
      const duration = await durationOf((stranger) => stranger.reset(whom), 200);
      expect(duration).toBeGreaterThan(signInLimits.refusalMilliseconds - 20);
    }
  });
});
