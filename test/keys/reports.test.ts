import { describe, expect, it, onTestFinished } from 'vitest';
import { daysToMs } from '../../src/core/clock.ts';
import { signInLimits } from '../../src/core/limits.ts';
import { checksumOf, makeKeyText } from '../../src/modules/keys/key-text.ts';
import { revokeKey, rotateKey } from '../../src/modules/keys/service.ts';
import { allKeyReports } from '../../src/modules/sign-ins/key-reports.ts';
import { subjectOf } from '../../src/modules/sign-ins/tries.ts';
import { deleteTeamData, startDeletion } from '../../src/modules/team-deletion/service.ts';
import { windows } from '../../src/modules/windows/store.ts';
import { inTheApp } from '../support/app-caller.ts';
import { makeClient } from '../support/client.ts';
import { aPerson, makeBrowser } from '../support/people.ts';
import { useTestService } from '../support/service.ts';
import { aTeam, type TestTeam } from '../support/team.ts';

// Reports of found keys, on the page of the app that needs no sign-in.

const refusalMs = 300;
const triesPerMinute = 3;
const service = await useTestService({
  environment: { SIGN_IN_RATE_PER_MIN: String(triesPerMinute), TRUST_PROXY: 'loopback' },
  signIn: { refusalMs },
});
const { prisma } = service.database;

let networks = 0;
const aPlace = (): string => `10.30.${Math.floor((networks += 1) / 250)}.${networks % 250}`;

const report = (key: string, address = aPlace()) =>
  makeBrowser(service, { address }).mutate('entrance/entrance.reportKey', { key });

const warningsTo = async (email: string) =>
  (await service.mailsTo(email)).filter(({ kind }) => kind === 'key_reported');
const entriesOf = ({ id: tenantId }: TestTeam) =>
  prisma.auditEntry.findMany({
    where: { tenantId, action: 'key.reported' },
    select: { actorKind: true, targetType: true, targetId: true, address: true },
  });

/** The text that is pasted. */
type Pasted = (team: TestTeam, key: { id: string; text: string }) => Promise<string> | string;

const afterwards =
  (change: (team: TestTeam, id: string) => Promise<unknown>): Pasted =>
  async (team, { id, text }) => {
    await change(team, id);
    return text;
  };

const pasted: Readonly<Record<'warns' | 'warnsNobody' | 'isRefused', Readonly<Record<string, Pasted>>>> = {
  warns: {
    'an active key': (_team, { text }) => text,
    'a line with an active key': (_team, { text }) => `const key = '${text}';\n`,
    'a key that was rotated and is still valid': afterwards(async (team, id) =>
      rotateKey(await team.acting(), id, { graceSeconds: 60 }),
    ),
    'a key of a suspended team': afterwards((team) => team.change({ status: 'suspended' })),
  },
  warnsNobody: {
    'a revoked key': afterwards(async (team, id) => revokeKey(await team.acting(), id)),
    'an expired key': afterwards((_team, id) =>
      prisma.apiKey.updateMany({ where: { id }, data: { expiresAt: service.clock.now() } }),
    ),
    'a key of a deleted team': afterwards(async (team) => {
      await startDeletion(await team.acting());
      if (!(await deleteTeamData(service.platform, team.id))) throw new Error('the team is not gone');
    }),
    'another secret with its checksum': (_team, { text }) => {
      const beginning = text.slice(0, 23) + 'x'.repeat(37);
      return beginning + checksumOf(beginning);
    },
    'a key that was never made': () => makeKeyText().text,
  },
  isRefused: {
    'a key with a wrong checksum': (_team, { text }) => text.slice(0, -6) + checksumOf('another text'),
    'the public part of a key': (_team, { text }) => text.slice(0, 23),
    garbage: () => 'garbage 😀',
  },
};

describe('a report', () => {
  it('of an active key warns its team; that of any other key gets the same answer, not earlier; what is no complete key is refused', async () => {
    const answers = await Promise.all(
      Object.entries(pasted).flatMap(([effect, texts]) =>
        Object.entries(texts).map(async ([what, textOf]) => {
          const team = await aTeam(service);
          const key = await team.aKey();
          const text = await textOf(team, key);
          const startedAt = performance.now();
          const answer = await report(text);
          const answeredAfter = performance.now() - startedAt;
          const found = [(await warningsTo(team.owner.email)).length, (await entriesOf(team)).length];
          expect([what, ...found]).toEqual([what, ...(effect === 'warns' ? [1, 1] : [0, 0])]);
          // Timers may be a millisecond early.
          expect(answeredAfter + 5, what).toBeGreaterThanOrEqual(refusalMs);
          if (effect !== 'isRefused') return `${answer.status} ${answer.text}`;
          expect([what, answer.status, answer.problem['field']]).toEqual([what, 422, 'key']);
          return [];
        }),
      ),
    );
    expect(new Set(answers.flat())).toEqual(new Set(['200 {"result":{"data":{"ok":true}}}']));
  });

  it('is in mails to the owner and the admins in their languages, in the audit log and on the key’s page, and revokes nothing', async () => {
    const team = await aTeam(service, { name: 'Nordlicht', language: 'en' });
    const admin = await aPerson(team, { role: 'admin' });
    await prisma.person.update({ where: { email: admin.email }, data: { language: 'de' } });
    const other = await aPerson(team);
    const { id, text } = await team.aKey();
    await report(text);

    const shown = `svck_live_${text.slice(10, 22)}…`;
    const link = `${service.platform.publicUrl}/keys/${id}?team=${team.id}\n`;
    const [english] = await warningsTo(team.owner.email);
    expect(english?.body.subject).toBe('An API key was found');
    for (const part of ['“test”', shown, '“Nordlicht”', `View key:\n${link}`])
      expect(english?.body.text).toContain(part);
    const [german] = await warningsTo(admin.email);
    expect(german?.body.subject).toBe('Ein API-Schlüssel wurde gefunden');
    for (const part of ['„test“', shown, `Schlüssel ansehen:\n${link}`]) expect(german?.body.text).toContain(part);
    expect(await warningsTo(other.email)).toEqual([]);
    for (const mail of [english, german]) expect(mail?.body.text).not.toContain(text.slice(23));

    // The finder stays unnamed.
    expect(await entriesOf(team)).toEqual([{ actorKind: 'service', targetType: 'key', targetId: id, address: null }]);
    const app = await inTheApp(team);
    const key = await app.keys.get({ key_id: id });
    expect([key.status, key.reported_at === null]).toEqual(['active', false]);
    expect((await makeClient(service.baseUrl, text).get('/me')).status).toBe(200);

    // A key that replaces it was not found.
    const { key_id: next } = await app.keys.rotate({ key_id: id, grace_days: 0 });
    expect((await app.keys.get({ key_id: next })).reported_at).toBeNull();
  });

  it('of the same key warns once a day, however many come at once', async () => {
    const team = await aTeam(service);
    const { text } = await team.aKey();
    const other = await team.aKey();
    const warnings = async () => (await warningsTo(team.owner.email)).length;
    service.clock.stop();
    onTestFinished(() => service.clock.set(new Date()));
    await Promise.all([1, 2, 3, 4].map(() => report(text)));
    expect(await warnings()).toBe(1);
    await report(other.text);
    expect(await warnings()).toBe(2);
    service.clock.forward(daysToMs(1) - 1);
    await report(text);
    expect(await warnings()).toBe(2);
    service.clock.forward(1);
    await report(text);
    expect(await warnings()).toBe(3);
    expect(await entriesOf(team)).toHaveLength(3);
  });

  it('is limited like signing in: for each network, and for all together', async () => {
    const place = aPlace();
    const statuses = [];
    const { text } = makeKeyText();
    for (let sent = 0; sent < triesPerMinute; sent += 1) statuses.push((await report(text, place)).status);
    expect(statuses).toEqual(Array.from({ length: triesPerMinute }, () => 200));
    const refused = await report(text, place);
    expect(refused.problem).toMatchObject({ code: 'rate_limited' });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await report(text)).status).toBe(200);

    const { max, seconds } = signInLimits.keyReports;
    const subject = subjectOf(allKeyReports);
    const { used } = await windows.count(service.database, { subject, seconds, count: 0 });
    await windows.count(service.database, { subject, seconds, count: max - used - 1 });
    expect([(await report(text)).status, (await report(text)).status]).toEqual([200, 429]);
  });
});
