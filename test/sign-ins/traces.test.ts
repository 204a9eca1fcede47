import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { networkOf } from '../../src/core/address.ts';
import { signInLimits } from '../../src/core/limits.ts';
import { makeMeter } from '../../src/platform/telemetry/meter.ts';
import { noTraces } from '../../src/platform/telemetry/telemetry.ts';
import { addActivePerson } from '../../src/modules/members/invitations.ts';
import { lastLink } from '../members/links.ts';
import { inTheApp } from '../support/app-caller.ts';
import { makeBrowser, aPerson, aSignedInPerson, testPassword } from '../support/people.ts';
import { anEmail, aTeam } from '../support/team.ts';
import { totp } from '../support/authenticators.ts';
import { countTries } from '../support/budgets.ts';
import { useTestService } from '../support/service.ts';

const meter = makeMeter();
const service = await useTestService({
  environment: { SIGN_IN_RATE_PER_MIN: '100000', TRUST_PROXY: 'loopback' },
  telemetry: { meter, traces: noTraces },
});

const wrong = 'not the password';
const address = '203.0.113.7';
const behind = { headers: { 'X-Forwarded-For': address } };
const tryIt = (email: string, password: string, headers = behind.headers) =>
  makeBrowser(service).mutate('entrance/entrance.signIn', { email, password }, { headers });

const counted = async (event: string): Promise<number> => {
  const line = new RegExp(`^team_api_sign_in_events_total\\{event="${event}"\\} (\\d+)$`, 'm');
  return Number(line.exec(await meter.text())?.[1] ?? 0);
};
const linesOf = (event: string) => service.logged().filter((line) => line['event'] === event);
const personIdOf = async (email: string) =>
  (await service.database.prisma.person.findUniqueOrThrow({ where: { email } })).id;
const actionsOf = async (team: { id: string }, prefix: string) =>
  (
    await service.database.prisma.auditEntry.findMany({
      where: { tenantId: team.id, action: { startsWith: prefix } },
      orderBy: { id: 'asc' },
    })
  ).map(({ action, actorKind, targetType, targetId }) => ({ action, actorKind, targetType, targetId }));

/** The numbers of events and log lines of a kind that an action adds. */
const traced = async (event: string, action: () => Promise<unknown>) => {
  const [events, lines] = [await counted(event), linesOf(event).length];
  await action();
  return { events: (await counted(event)) - events, lines: linesOf(event).slice(lines) };
};

describe('a wrong password', () => {
  it('is counted and logged with its address and person, and is not in the audit log', async () => {
    const team = await aTeam(service);
    const { email } = await aPerson(team);
    const { events, lines } = await traced('password_wrong', () => tryIt(email, wrong));
    expect(events).toBe(1);
    expect(lines).toEqual([
      expect.objectContaining({
        level: 40,
        address,
        person_id: await personIdOf(email),
        request_id: expect.any(String),
      }),
    ]);
    expect(await actionsOf(team, 'sign_in')).toEqual([]);
  });

  it('for an unknown account is logged with a code for the account, never with the typed text', async () => {
    const email = anEmail('nobody');
    const { events, lines } = await traced('password_wrong', async () => {
      await tryIt(email, wrong);
      await tryIt(email, wrong);
      await tryIt(anEmail('another'), wrong);
    });
    expect(events).toBe(3);
    const accounts = lines.map(({ account }) => account);
    expect(accounts[0]).toEqual(expect.any(String));
    expect(accounts[0]).toBe(accounts[1]);
    expect(accounts[0]).not.toBe(accounts[2]);
    const log = JSON.stringify(service.logged());
    expect(log).not.toContain(email);
    expect(log).not.toContain(wrong);
    expect(log).not.toContain(testPassword);
  });

  it('on the account’s own pages is counted too', async () => {
    const { browser } = await aSignedInPerson(service, await aTeam(service));
    const { events, lines } = await traced('password_wrong', () =>
      browser.mutate('entrance/account.newBackupCodes', { password: wrong }),
    );
    // Without a second factor there is no proof to fail.
    expect([events, lines.length]).toEqual([0, 0]);
    const change = { current: wrong, password: 'another long password' };
    expect(
      (await traced('password_wrong', () => browser.mutate('entrance/account.changePassword', change))).events,
    ).toBe(1);
  });
});

describe('a sign-in that is locked', () => {
  it('is in the audit log of each of the person’s teams, once an hour, however long the attack lasts', async () => {
    const [one, other] = [await aTeam(service), await aTeam(service)];
    const { email, memberId } = await aPerson(one);
    const second = await addActivePerson(await other.acting(), { email, role: 'member' });
    const { max } = signInLimits.triesPerAccountFromOnePlace;
    const { events, lines } = await traced('sign_in_locked', async () => {
      for (const place of ['198.51.100.1', '198.51.100.2', '198.51.100.3']) {
        const headers = { 'X-Forwarded-For': place };
        for (let tried = 0; tried < max + 4; tried += 8) {
          await Promise.all(Array.from({ length: 8 }, () => tryIt(email, wrong, headers)));
        }
      }
    });
    expect(events).toBeGreaterThanOrEqual(9);
    // One line per address.
    expect(lines.map((line) => line['address'])).toEqual(['198.51.100.1', '198.51.100.2', '198.51.100.3']);
    const entry = { action: 'sign_in.locked', actorKind: 'service', targetType: 'member' };
    expect(await actionsOf(one, 'sign_in')).toEqual([{ ...entry, targetId: memberId }]);
    expect(await actionsOf(other, 'sign_in')).toEqual([{ ...entry, targetId: second.id }]);
    // The app has a label for it.
    const { actions } = await (await inTheApp(one)).audit.actions({});
    expect(actions).toContainEqual({
      action: 'sign_in.locked',
      label: 'Anmeldung nach zu vielen Fehlversuchen gesperrt',
    });
  });
});

describe('a second factor', () => {
  it('causes records of wrong codes, and of a lock', async () => {
    const team = await aTeam(service);
    const { browser, email, memberId } = await aSignedInPerson(service, team);
    const started = await browser.mutate('entrance/account.startTwoFactor', { password: testPassword });
    const { secret } = z.object({ secret: z.string() }).parse(started.data);
    await browser.mutate('entrance/account.confirmTwoFactor', { code: totp(secret) });
    const prove = { code: '000000', kind: 'backup', trust_device: false };
    const codes = await traced('code_wrong', async () => {
      const locked = await traced('second_factor_locked', async () => {
        for (const _ of [1, 2, 3]) {
          const stranger = makeBrowser(service);
          await stranger.mutate('entrance/entrance.signIn', { email, password: testPassword }, behind);
          for (const _try of [1, 2, 3, 4, 5]) {
            await stranger.mutate('entrance/entrance.proveSecondFactor', prove, behind);
          }
        }
      });
      expect(locked.events).toBe(5);
      expect(locked.lines).toEqual([expect.objectContaining({ address, person_id: await personIdOf(email) })]);
    });
    expect(codes.events).toBe(10);
    expect(codes.lines).toHaveLength(10);
    expect(JSON.stringify(codes.lines)).not.toContain(prove.code);
    expect(await actionsOf(team, 'second_factor')).toEqual([
      { action: 'second_factor.locked', actorKind: 'service', targetType: 'member', targetId: memberId },
    ]);
  });
});

it('a code that is used a second time is counted as a wrong one', async () => {
  const { browser, email } = await aSignedInPerson(service, await aTeam(service));
  const started = await browser.mutate('entrance/account.startTwoFactor', { password: testPassword });
  const { secret } = z.object({ secret: z.string() }).parse(started.data);
  await browser.mutate('entrance/account.confirmTwoFactor', { code: totp(secret) });
  const code = totp(secret);
  const prove = async () => {
    const other = makeBrowser(service);
    await other.mutate('entrance/entrance.signIn', { email, password: testPassword }, behind);
    const proof = { code, kind: 'totp', trust_device: false };
    return (await other.mutate('entrance/entrance.proveSecondFactor', proof, behind)).status;
  };
  await prove();
  const { lines } = await traced('code_wrong', async () => expect(await prove()).toBe(422));
  expect(lines).toEqual([expect.objectContaining({ address, person_id: await personIdOf(email) })]);
});

it('the right password of a person without a team is counted as a wrong one', async () => {
  const team = await aTeam(service);
  const { email, memberId } = await aPerson(team);
  expect((await team.client.delete(`/users/${memberId}`)).status).toBe(200);
  const { lines } = await traced('password_wrong', () => tryIt(email, testPassword));
  expect(lines).toEqual([expect.objectContaining({ person_id: await personIdOf(email) })]);
});

describe('a limit', () => {
  const call = async (procedure: string, input: object, from = address) =>
    (
      await makeBrowser(service).mutate(`entrance/entrance.${procedure}`, input, {
        headers: { 'X-Forwarded-For': from },
      })
    ).status;
  const times = async (count: number, action: () => Promise<number>) => {
    const statuses: number[] = [];
    while (statuses.length < count) statuses.push(await action());
    return statuses;
  };
  /** Goes to a limit and makes so many requests more. Returns what the log says of them. */
  const limits: [string, (refused: number) => Promise<Record<string, unknown>>][] = [
    [
      'of sign-ins from a network',
      async (refused) => {
        const from = '203.0.113.77';
        const { email } = await aPerson(await aTeam(service));
        await countTries(service, { what: 'sign-in from', whom: networkOf(from), seconds: 60, count: 100_000 });
        const tried = await times(refused, () => call('signIn', { email, password: wrong }, from));
        expect(tried).toEqual(Array(refused).fill(429));
        return { address: from };
      },
    ],
    [
      'of tries with an invitation',
      async (refused) => {
        const email = anEmail('invited');
        await (await aTeam(service)).anInvitedMember({ email });
        const input = { token: await lastLink(service, email), password: testPassword };
        const { max } = signInLimits.triesPerLink;
        const tried = await times(max + refused, () => call('acceptInvitation', input));
        expect(tried.slice(max)).toEqual(Array(refused).fill(429));
        return { address };
      },
    ],
    [
      'of reset mails to a person',
      async (refused) => {
        const { email } = await aPerson(await aTeam(service));
        const { max } = signInLimits.resetMails;
        const tried = await times(max + refused, () => call('requestReset', { email }));
        expect(tried.slice(max)).toEqual(Array(refused).fill(429));
        return { account: expect.any(String) };
      },
    ],
    [
      'of tries with a reset link',
      async (refused) => {
        const { email } = await aPerson(await aTeam(service));
        const { max, seconds } = signInLimits.triesPerLink;
        await call('requestReset', { email });
        const [mail] = await service.mailsTo(email);
        const token = /\/reset-password\/(\S+)\n/.exec(mail?.body.text ?? '')?.[1] ?? '';
        await countTries(service, { what: 'reset with', whom: token, seconds, count: max });
        const tried = await times(refused, () => call('resetPassword', { token, password: 'another long password' }));
        expect(tried).toEqual(Array(refused).fill(429));
        return { person_id: await personIdOf(email) };
      },
    ],
  ];

  it.each(limits)('%s: each refusal is counted, and the first one is logged', async (_what, exceed) => {
    let found: Record<string, unknown> = {};
    const { events, lines } = await traced('limited', async () => (found = await exceed(3)));
    expect(events).toBe(3);
    expect(lines).toEqual([expect.objectContaining({ level: 40, ...found })]);
  });
});

describe('a password reset', () => {
  it('causes records of the request and of the reset; the latter also in the audit log', async () => {
    const team = await aTeam(service);
    const { email, memberId } = await aPerson(team);
    const asked = await traced('reset_asked', () =>
      makeBrowser(service).mutate('entrance/entrance.requestReset', { email }, behind),
    );
    expect(asked.events).toBe(1);
    expect(asked.lines).toEqual([expect.objectContaining({ address, person_id: await personIdOf(email) })]);
    const [mail] = await service.mailsTo(email);
    const token = /\/reset-password\/(\S+)\n/.exec(mail?.body.text ?? '')?.[1] ?? '';
    const input = { token, password: 'another long password' };
    const reset = await traced('reset_done', () =>
      makeBrowser(service).mutate('entrance/entrance.resetPassword', input, behind),
    );
    expect(reset.lines).toEqual([expect.objectContaining({ address, person_id: await personIdOf(email) })]);
    expect(await actionsOf(team, 'password')).toEqual([
      { action: 'password.reset', actorKind: 'person', targetType: 'member', targetId: memberId },
    ]);
    expect(JSON.stringify(service.logged())).not.toContain(token.split('.')[2]);
  });
});

it('a refused origin is counted each time, and logged once a minute for each address', async () => {
  const { events, lines } = await traced('origin_refused', async () => {
    for (const _ of [1, 2, 3]) {
      const headers = { ...behind.headers, Origin: 'https://evil.example' };
      const { status } = await makeBrowser(service).mutate('entrance/entrance.signOut', {}, { headers });
      expect(status).toBe(403);
    }
  });
  expect(events).toBe(3);
  expect(lines).toEqual([expect.objectContaining({ address })]);
});

it('a sign-in is counted and logged', async () => {
  const { email } = await aPerson(await aTeam(service));
  const { events, lines } = await traced('signed_in', () => tryIt(email, testPassword));
  expect(events).toBe(1);
  expect(lines).toEqual([expect.objectContaining({ level: 30, person_id: await personIdOf(email) })]);
});
