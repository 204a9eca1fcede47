import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openBrowser } from '../support/browser-session.ts';
import { aPerson, testPassword } from '../support/people.ts';
import { startTestService } from '../support/service.ts';
import type { TestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ environment: { TRUST_PROXY: 'loopback' } });
});
afterAll(() => service.close());

const behind = (address: string) => ({ headers: { 'X-Forwarded-For': address } });

describe('a flood of strangers from many networks', () => {
  it('does not delay signed-in people and known browsers', async () => {
    const { email } = await aPerson(await aTeam(service));
    const browser = openBrowser(service);
    const path = 'entrance/entrance.signIn';
    const signIn = () => browser.mutate(path, { email, password: testPassword }, behind('10.40.0.1'));
    expect((await signIn()).status).toBe(200);

    const who = () => browser.query('entrance/entrance.who', {}, behind('10.40.0.2'));
    const afterSignOut = async () => {
      expect((await browser.mutate('entrance/entrance.signOut', {}, behind('10.40.0.2'))).status).toBe(200);
      return who();
    };
    for (const ask of [who, afterSignOut]) {
      let answered = 0;
      const strangers = Array.from({ length: 800 }, async (_, index) => {
        const place = behind(`10.41.${Math.floor(index / 250)}.${index % 250}`);
        const { status } = await openBrowser(service).query('entrance/entrance.rules', {}, place);
        answered += 1;
        return status;
      });
      // The flood has started.
      await Promise.any(strangers);
      const before = answered;
      expect((await ask()).status).toBe(200);
      // In a common queue behind all strangers, it would have been the last.
      expect(answered - before).toBeLessThan(600);
      // If there is no time for a stranger, the request is refused; none waits forever.
      expect(new Set(await Promise.all(strangers)).difference(new Set([200, 429]))).toEqual(new Set());
    }
  });
});
