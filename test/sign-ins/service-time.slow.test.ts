import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { daysToMs, hoursToMs, later, minutesToMs } from '../../src/core/clock.ts';
import { companyLimits, signInLimits } from '../../src/core/limits.ts';
import { deleteOldSessions } from '../../src/modules/sign-ins/cleanup.ts';
import { totp } from '../support/authenticators.ts';
import { useCompanies } from '../support/company.ts';
import { aSignedInPerson, makeBrowser, testPassword, type BrowserSession } from '../support/people.ts';
import { aTeam } from '../support/team.ts';

// The clock of a machine may be wrong. All times of sign-ins are the service's: those that the library writes and
// compares, too.

const companies = await useCompanies();
const { service } = companies;
const { prisma } = service.database;

const needsProof = (browser: BrowserSession) => browser.mutate('entrance/account.newPasskeyQuestion');
const second = 1_000;

describe.each([
  ['behind', 400],
  ['ahead', -400],
])('with a machine whose clock is %s, by 400 days', (_what, days) => {
  beforeEach(() => {
    service.clock.set(later(new Date(), daysToMs(days)));
    service.clock.stop();
    // In the next test the machine's clock is right again.
    onTestFinished(() => service.clock.set(new Date()));
  });

  it('a session is stored with the service’s time, and listed', async () => {
    const { browser, email } = await aSignedInPerson(service, await aTeam(service));
    const [session] = await prisma.session.findMany({ where: { person: { email } } });
    const sinceNow = (time: Date | undefined) => (time?.getTime() ?? 0) - service.clock.now().getTime();
    expect(Math.abs(sinceNow(session?.createdAt))).toBeLessThan(hoursToMs(1));
    expect(Math.abs(sinceNow(session?.expiresAt) - daysToMs(signInLimits.sessionDays))).toBeLessThan(hoursToMs(1));
    expect((await browser.query('entrance/account.sessions')).data['sessions']).toMatchObject([{ current: true }]);
  });

  it('a session ends after its days, not before', async () => {
    const { browser, email } = await aSignedInPerson(service, await aTeam(service));
    service.clock.forward(daysToMs(signInLimits.sessionDays) - hoursToMs(1));
    await deleteOldSessions(service.platform);
    expect(await prisma.session.count({ where: { person: { email } } })).toBe(1);
    service.clock.forward(hoursToMs(2));
    expect(await browser.isSignedIn()).toBe(false);
  });

  it('a session that is used is prolonged', async () => {
    const { browser } = await aSignedInPerson(service, await aTeam(service));
    for (const step of [20, 20, 20]) {
      service.clock.forward(daysToMs(step));
      expect(await browser.isSignedIn()).toBe(true);
    }
  });

  it('signing in and a proof count as fresh for their minutes', async () => {
    const { browser } = await aSignedInPerson(service, await aTeam(service));
    const fresh = minutesToMs(signInLimits.freshProofMinutes);
    const expectFreshFor = async (ms: number) => {
      service.clock.forward(ms - second);
      expect((await needsProof(browser)).status).toBe(200);
      service.clock.forward(2 * second);
      expect((await needsProof(browser)).problem).toMatchObject({ code: 'proof_required' });
    };
    await expectFreshFor(fresh);
    expect((await browser.mutate('entrance/account.prove', { password: testPassword })).status).toBe(200);
    await expectFreshFor(fresh);
  });

  describe('a second factor', () => {
    const Start = z.object({ secret: z.string(), backup_codes: z.array(z.string()) });

    const aCarefulPerson = async () => {
      const { browser, email } = await aSignedInPerson(service, await aTeam(service));
      const started = await browser.mutate('entrance/account.startTwoFactor', { password: testPassword });
      const { secret, backup_codes: codes } = Start.parse(started.data);
      expect((await browser.mutate('entrance/account.confirmTwoFactor', { code: totp(secret) })).status).toBe(200);
      const firstStep = async (from = makeBrowser(service)) => {
        expect((await from.signIn(email, testPassword)).data).toEqual({ next: 'second_factor' });
        return from;
      };
      const secondStep = (from: BrowserSession, trust_device = false) =>
        from.mutate('entrance/entrance.proveSecondFactor', { code: codes.pop() ?? '', kind: 'backup', trust_device });
      return { email, firstStep, secondStep };
    };

    it('may be shown within ten minutes', async () => {
      const { firstStep, secondStep } = await aCarefulPerson();
      const browser = await firstStep();
      service.clock.forward(minutesToMs(9));
      expect((await secondStep(browser)).status).toBe(200);
      expect(await browser.isSignedIn()).toBe(true);
      const slow = await firstStep();
      service.clock.forward(minutesToMs(11));
      expect((await secondStep(slow)).status).toBe(401);
      expect(await slow.isSignedIn()).toBe(false);
    });

    it('is not asked for in a trusted browser, until the trust is too old', async () => {
      const { email, firstStep, secondStep } = await aCarefulPerson();
      const browser = await firstStep();
      expect((await secondStep(browser, true)).status).toBe(200);
      service.clock.forward(daysToMs(signInLimits.trustedDeviceDays) - hoursToMs(1));
      expect((await browser.signIn(email, testPassword)).data).toEqual({ next: 'signed_in' });
      service.clock.forward(daysToMs(signInLimits.trustedDeviceDays) + hoursToMs(1));
      await firstStep(browser);
    });
  });

  it('a session of a company account ends after its hours', async () => {
    const { team, domain } = await companies.aCompany({ setUp: { role: 'admin' } });
    const { browser } = await companies.signIn(`vera@${domain}`);
    const isOpen = async () => (await browser.query('app/members.list', {}, { team: team.id })).status;
    service.clock.forward(hoursToMs(companyLimits.sessionHours) - second);
    expect(await isOpen()).toBe(200);
    service.clock.forward(2 * second);
    expect(await isOpen()).toBe(401);
  });
});
