import { describe, expect, it } from 'vitest';
import { limits, signInLimits } from '../../src/core/limits.ts';
import { rawConnection, type RawConnection } from '../rest/raw-http.ts';
import { aSignedInPerson } from '../support/people.ts';
import { useTestService } from '../support/service.ts';
import { aTeam, type TestTeam } from '../support/team.ts';

const service = await useTestService({
  environment: { SIGN_IN_RATE_PER_MIN: '1000' },
  timeouts: { header: 2_000, request: 2_000, check: 50 },
});

const { ofOneSession, ofOneTeam } = signInLimits.callsAtOnce;

const chunked = 'Transfer-Encoding: chunked';

/**
 * The rest of a request after the common part of its header, and how the client continues. Each ends with a closed
 * connection.
 */
const endings: [what: string, bytes: string, end: (connection: RawConnection) => unknown][] = [
  ['is cut off by a reset', 'Content-Length: 5000\r\n\r\n{"a":', (connection) => connection.reset()],
  ['is cut off by the end of the connection', 'Content-Length: 5000\r\n\r\n{"a":', (connection) => connection.hangUp()],
  ['has a malformed chunk', `${chunked}\r\n\r\n5\r\n{"a":\r\nZZ\r\n`, () => undefined],
  ['declares too many bytes', `Content-Length: ${limits.bodyBytes * 2}\r\n\r\n{`, (connection) => connection.next()],
  ['has too many bytes', `${chunked}\r\n\r\n50000\r\n${'x'.repeat(0x50000)}\r\n`, (connection) => connection.next()],
  ['takes too long', 'Content-Length: 5000\r\n\r\n{', (connection) => connection.next()],
];

describe('a call whose body is never complete', () => {
  it.each(endings)('and %s delays neither others’ calls nor those of the same person', async (_, bytes, end) => {
    const team = await aTeam(service);
    const people = [await aSignedInPerson(service, team), await aSignedInPerson(service, team)];
    const breakOff = async ({ browser }: (typeof people)[number], { id }: TestTeam): Promise<void> => {
      const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
      const connection = rawConnection(service.origin);
      connection.send(
        `POST /trpc/app/sessions.start HTTP/1.1\r\nHost: ${new URL(service.origin).host}\r\nOrigin: ${service.origin}\r\nCookie: ${cookie}\r\n` +
          `X-Team: ${id}\r\nContent-Type: application/json\r\n${bytes}`,
      );
      // When a later request is answered, the service has read this header, because the connection was opened earlier.
      await browser.query('entrance/entrance.rules');
      await end(connection);
      connection.hangUp();
      await connection.untilClosed().catch(() => undefined);
    };
    const breakOffAll = async (person: (typeof people)[number]): Promise<void> => {
      expect((await person.browser.query('entrance/entrance.who')).status).toBe(200);
      await Promise.all(Array.from({ length: Math.max(ofOneSession, ofOneTeam) }, () => breakOff(person, team)));
    };
    await Promise.all(people.map(breakOffAll));
    for (const { browser } of people) {
      expect((await browser.query('app/reference.limits', {}, { team: team.id })).status).toBe(200);
    }
    const colleague = await aSignedInPerson(service, team);
    expect((await colleague.browser.query('app/reference.limits', {}, { team: team.id })).status).toBe(200);
  });
});
