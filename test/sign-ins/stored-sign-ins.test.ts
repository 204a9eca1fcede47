import { beforeEach, describe, expect, it } from 'vitest';
import { daysToMs, later, minutesToMs } from '../../src/core/clock.ts';
import { makeId } from '../../src/core/ids.ts';
import { endSignIns, passkeys, removeSignIns, sessions, verifications } from '../../src/modules/sign-ins/store.ts';
import { aPerson, ofPerson } from '../support/people.ts';
import { useTestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';

const service = await useTestService();
const { prisma } = service.database;

/** The rows of a person's sign-in, two of each kind. */
const aStoredPerson = async () => {
  const { email } = await aPerson(await aTeam(service));
  const { personId } = await ofPerson(service, email);
  const now = service.clock.now();
  const times = { createdAt: now, expiresAt: later(now, daysToMs(1)) };
  const tokens = [makeId(), makeId()] as const;
  const [withPassword, withFactor] = [makeId(), makeId()];
  await prisma.session.createMany({
    data: [
      { ...times, id: withPassword, token: tokens[0], personId },
      {
        ...times,
        id: withFactor,
        token: tokens[1],
        personId,
        way: 'second_factor',
        createdAt: later(now, minutesToMs(1)),
      },
    ],
  });
  const identifiers = [`known ${makeId()}`, `known ${makeId()}`] as const;
  for (const identifier of identifiers) {
    await verifications.insert(prisma, { ...times, id: makeId(), identifier, value: personId });
  }
  const key = { personId, publicKey: Buffer.from('key'), counter: 5n, transports: [] };
  const keyIds = [makeId(), makeId()] as const;
  for (const [at, id] of keyIds.entries()) {
    // The second one is the older one.
    const createdAt = later(now, -minutesToMs(at));
    await passkeys.insert(prisma, { ...key, id, name: 'Key', credentialId: makeId(), createdAt });
  }
  await prisma.twoFactor.create({ data: { id: makeId(), personId, secret: 'sealed', backupCodes: 'sealed' } });
  return { personId, tokens, withPassword, withFactor, identifiers, keyIds };
};
type Stored = Awaited<ReturnType<typeof aStoredPerson>>;

const rowsOf = async ({ personId }: Stored) => {
  const orderBy = { id: 'asc' } as const;
  const omit = { updatedAt: true } as const;
  return {
    sessions: await prisma.session.findMany({ where: { personId }, orderBy, omit }),
    verifications: await prisma.verification.findMany({ where: { value: personId }, orderBy, omit }),
    passkeys: await prisma.passkey.findMany({ where: { personId }, orderBy }),
    secondFactors: await prisma.twoFactor.findMany({ where: { personId }, orderBy }),
  };
};
type Rows = Awaited<ReturnType<typeof rowsOf>>;

const time = new Date('2030-01-01T00:00:00.000Z');

const changed = <Row extends object>(rows: readonly Row[], isIt: (row: Row) => boolean, change: Partial<Row>): Row[] =>
  rows.map((row) => (isIt(row) ? { ...row, ...change } : row));

describe('what changes the sign-in of a person changes just these rows', () => {
  let one: Stored;
  let other: Stored;
  beforeEach(async () => {
    one = await aStoredPerson();
    other = await aStoredPerson();
  });

  const empty: Rows = { sessions: [], verifications: [], passkeys: [], secondFactors: [] };
  const actions: [string, () => Promise<unknown>, (before: Rows) => Partial<Rows>][] = [
    [
      'a session that has shown a second factor',
      () => sessions.noteSecondFactor(prisma, one.tokens[0]),
      (before) => ({
        sessions: changed(before.sessions, ({ id }) => id === one.withPassword, { way: 'second_factor' }),
      }),
    ],
    [
      'a second factor that is turned off',
      () => sessions.deleteSecondFactor(prisma, one.personId),
      (before) => ({ sessions: changed(before.sessions, ({ id }) => id === one.withFactor, { way: 'password' }) }),
    ],
    [
      'a proof in a session',
      () => sessions.prove(prisma, one.withPassword, time),
      (before) => ({ sessions: changed(before.sessions, ({ id }) => id === one.withPassword, { provedAt: time }) }),
    ],
    [
      'a proof with the token of a session',
      () => sessions.proveToken(prisma, one.tokens[1], time),
      (before) => ({ sessions: changed(before.sessions, ({ id }) => id === one.withFactor, { provedAt: time }) }),
    ],
    [
      'a known browser that is used',
      () => verifications.extend(prisma, one.identifiers[0], time),
      (before) => ({
        verifications: changed(before.verifications, ({ identifier }) => identifier === one.identifiers[0], {
          expiresAt: time,
        }),
      }),
    ],
    [
      'a passkey that is used',
      async () =>
        expect(await passkeys.use(prisma, one.keyIds[0], { counter: 6n, former: 5n, lastUsedAt: time })).toBe(true),
      (before) => ({
        passkeys: changed(before.passkeys, ({ id }) => id === one.keyIds[0], { counter: 6n, lastUsedAt: time }),
      }),
    ],
    [
      'a passkey that was used with another counter meanwhile',
      async () =>
        expect(await passkeys.use(prisma, one.keyIds[0], { counter: 5n, former: 4n, lastUsedAt: time })).toBe(false),
      () => ({}),
    ],
    ['the end of all sessions', () => endSignIns(prisma, one.personId), () => ({ sessions: [], verifications: [] })],
    ['the removal of all sign-ins', () => removeSignIns(prisma, one.personId), () => empty],
  ];

  it.each(actions)('%s', async (_what, act, change) => {
    const [before, ofOther] = [await rowsOf(one), await rowsOf(other)];
    await act();
    expect(await rowsOf(one)).toEqual({ ...before, ...change(before) });
    expect(await rowsOf(other)).toEqual(ofOther);
  });
});

it('sessions are read the latest first, known browsers in any order, passkeys the oldest first; none that have expired', async () => {
  const { personId, withPassword, withFactor, identifiers, keyIds } = await aStoredPerson();
  const now = service.clock.now();
  const read = async (at: Date) => ({
    sessions: (await sessions.ofPerson(prisma, { personId, now: at, max: 10 })).map(({ id }) => id),
    browsers: (await verifications.among(prisma, [...identifiers], at)).map(({ identifier }) => identifier).toSorted(),
  });
  expect(await read(now)).toEqual({ sessions: [withFactor, withPassword], browsers: [...identifiers].toSorted() });
  expect(await read(later(now, daysToMs(2)))).toEqual({ sessions: [], browsers: [] });
  expect((await passkeys.ofPerson(prisma, personId)).map(({ id }) => id)).toEqual(keyIds.toReversed());
});
