import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isFormerHash, isPassword } from '../../src/core/password.ts';
import { upgradeHash } from '../../src/modules/people/service.ts';
import { openBrowser } from '../support/browser-session.ts';
import { formerHash } from '../support/former-hash.ts';
import { aSignedInPerson, testPassword } from '../support/people.ts';
import { startTestService } from '../support/service.ts';
import type { TestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ environment: { SIGN_IN_RATE_PER_MIN: '100000' } });
});
afterAll(() => service.close());

const credentialOf = (email: string) =>
  service.database.prisma.credential.findFirstOrThrow({ where: { person: { email } } });

/** A person whose password was hashed before 2026-11, and a browser in which they are signed in. */
const aPersonOfBefore = async () => {
  const { email, browser } = await aSignedInPerson(service, await aTeam(service));
  const { id, personId } = await credentialOf(email);
  const former = formerHash(testPassword);
  await service.database.prisma.credential.update({ where: { id }, data: { password: former } });
  return { email, browser, personId, former };
};

describe('a password with an old hash', () => {
  it('works for signing in, and is then hashed again; existing sessions stay', async () => {
    const { email, browser, former } = await aPersonOfBefore();
    const answers = await Promise.all([1, 2, 3].map(() => openBrowser(service).signIn(email, testPassword)));
    for (const { status } of answers) expect(status).toBe(200);
    const { password: hashed } = await credentialOf(email);
    expect(hashed).not.toBe(former);
    expect(isFormerHash(hashed ?? '')).toBe(false);
    expect(await isPassword(testPassword, hashed ?? '')).toBe(true);
    expect(await browser.isSignedIn()).toBe(true);
    expect((await openBrowser(service).signIn(email, testPassword)).status).toBe(200);
    expect((await credentialOf(email)).password).toBe(hashed);
  });

  it('keeps its hash after a wrong password', async () => {
    const { email, former } = await aPersonOfBefore();
    expect((await openBrowser(service).signIn(email, 'not the password')).status).toBe(422);
    expect((await credentialOf(email)).password).toBe(former);
  });

  it('does not replace a password that was set meanwhile', async () => {
    const { email, personId, former } = await aPersonOfBefore();
    const later = formerHash('set meanwhile');
    await service.database.prisma.credential.updateMany({ where: { personId }, data: { password: later } });
    await upgradeHash(service.database.prisma, personId, { former, hashed: formerHash(testPassword) });
    expect((await credentialOf(email)).password).toBe(later);
  });
});
