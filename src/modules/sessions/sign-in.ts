import { signInLimits } from '../../core/limits.ts';
import { networkOf } from '../../core/window-counter.ts';
import { hashPassword, isFormerHash } from '../../core/password.ts';
import { fail } from '../../core/problem.ts';
import { keptPassword, personIdOf as personIdOfEmail, upgradeHash } from '../people/service.ts';
import { secretsOf } from './auth.ts';
import { firstStepCookie, sessionCookie, signedValueOf, withoutCookie } from './cookies.ts';
import { rememberBrowser } from './known-browsers.ts';
import type { KnownBrowser } from './known-browsers.ts';
import { toLibrary } from './library-address.ts';
import { ask, asked } from './library.ts';
import { noteLock } from './locks.ts';
import { noSooner } from './no-sooner.ts';
import { sessions, verifications } from './store.ts';
import { forgetTries, isFirstUse, needTry } from './tries.ts';
import { teamsOf } from './visitor.ts';
import type { Visitor } from './visitor.ts';

/** Runs the rest of a sign-in like that of somebody who is not known. */
export type AsStranger = <T>(action: () => Promise<T>) => Promise<T>;

interface Credentials {
  email: string;
  password: string;
}

/** Whoever was signed in in this browser until now. */
const endFormerSession = async ({ platform }: Visitor, former: { sessionId: string } | undefined): Promise<void> => {
  if (former) await sessions.remove(platform.database.prisma, { id: former.sessionId });
};

/** Of the browsers that this one is known as, the one of this person. */
export const knownAs = async (visitor: Visitor, personId: string | undefined): Promise<KnownBrowser | undefined> => {
  if (personId === undefined) return undefined;
  return (await visitor.knownBrowsers()).find((browser) => browser.personId === personId);
};

/** A browser that is known for the person has tries of its own; all others share those of the place and the account. */
const needSignInTry = async (
  visitor: Visitor,
  { email, personId, known }: { email: string; personId: string | undefined; known: KnownBrowser | undefined },
): Promise<void> => {
  const { platform, address } = visitor;
  const { database } = platform;
  const { triesPerAccount, triesPerAccountFromOnePlace, triesFromKnownBrowser } = signInLimits;
  const onRefused = async (first: boolean): Promise<void> => {
    visitor.report('sign_in_locked', { personId, email, again: !first });
    if (first && personId !== undefined) await noteLock(platform, 'sign_in.locked', personId);
  };
  if (known) {
    await needTry(database, { what: 'sign-in by', whom: known.id, ...triesFromKnownBrowser, onRefused });
    return;
  }
  const place = `${email} ${networkOf(address)}`;
  await needTry(database, { what: 'sign-in as', whom: place, ...triesPerAccountFromOnePlace, onRefused });
  await needTry(database, { what: 'sign-in as', whom: email, ...triesPerAccount, onRefused });
};

/**
 * Signs somebody in, unless they owe a second factor. A wrong password, an unknown address and a person who is in no team get the
 * same answer after the same time.
 */
export const signIn = (visitor: Visitor, credentials: Credentials, asStranger: AsStranger) =>
  noSooner('refusals', async () => {
    const { email } = credentials;
    const personId = await personIdOf(visitor, email);
    const known = await knownAs(visitor, personId);
    await needSignInTry(visitor, { email, personId, known });
    if (known) return enter(visitor, credentials);
    // Whatever else this browser is known for: here it tries another account.
    return asStranger(() => enter(visitor, credentials));
  });

export const personIdOf = ({ platform }: Visitor, email: string): Promise<string | undefined> =>
  personIdOfEmail(platform.database.prisma, email);

/** Replaces a hash that was made with another algorithm or at another cost, now that the password is known to be right. */
const improveHash = async ({ platform }: Visitor, personId: string, password: string): Promise<void> => {
  const { prisma } = platform.database;
  const former = await keptPassword(prisma, personId);
  if (isFormerHash(former)) await upgradeHash(prisma, personId, { former, hashed: await hashPassword(password) });
};

/** The same without counting, for somebody who has just chosen the password. */
export const enter = async (visitor: Visitor, { email, password }: Credentials) => {
  const { auth, platform, headers } = visitor;
  const former = await visitor.signedIn();
  const personId = await personIdOf(visitor, email);
  if (personId !== undefined && (await teamsOf(platform, personId)).length === 0) {
    // Takes as long as a wrong password.
    await hashPassword(password);
    visitor.report('password_wrong', { personId });
    return fail('validation_error', { field: 'password', detail: 'The password is wrong.' });
  }
  const answer = await ask(visitor, { field: 'password', personId, email }, () =>
    auth.api.signInEmail({ body: { email: toLibrary(email), password }, headers, returnHeaders: true }),
  );
  if (personId !== undefined) await improveHash(visitor, personId, password);
  await endFormerSession(visitor, former);
  const owes = 'twoFactorRedirect' in answer;
  if (!owes && personId !== undefined) await welcome(visitor, personId);
  return { next: owes ? ('second_factor' as const) : ('signed_in' as const) };
};

/** Somebody is signed in, with every step. */
const welcome = async (visitor: Visitor, personId: string): Promise<void> => {
  await sessions.endOldest(visitor.platform.database, personId, signInLimits.sessionsPerPerson);
  await rememberBrowser(visitor, personId);
  visitor.report('signed_in', { personId });
};

export interface Proof {
  code: string;
  kind: 'totp' | 'backup';
  trust_device: boolean;
}

/** Who made the first step in this browser. */
const personOfFirstStep = async ({ platform, headers }: Visitor): Promise<string | undefined> => {
  const [secret] = secretsOf(platform);
  const identifier = signedValueOf(
    headers.get('cookie') ?? '',
    firstStepCookie(platform.publicUrl),
    secret?.value ?? '',
  );
  if (identifier === undefined) return undefined;
  const [step] = await verifications.among(platform.database.prisma, [identifier], new Date());
  return step?.value;
};

/** Counts a code before it is judged: of fifty that come at once as many are judged as of fifty in a row. */
const needCodeTry = async (visitor: Visitor, personId: string) => {
  const { platform } = visitor;
  const { most, seconds } = signInLimits.wrongCodes;
  const known = await knownAs(visitor, personId);
  const tries = known
    ? ({ what: 'codes by', whom: known.id, seconds } as const)
    : ({ what: 'codes as', whom: personId, seconds } as const);
  const onRefused = async (first: boolean): Promise<void> => {
    visitor.report('second_factor_locked', { personId, again: !first });
    if (first) await noteLock(platform, 'second_factor.locked', personId);
  };
  await needTry(platform.database, { ...tries, most, holdAt: most, onRefused });
  return tries;
};

/** The second step of signing in. A code of the app is good once: somebody who read it over a shoulder has nothing. */
export const proveSecondFactor = async (visitor: Visitor, { code, kind, trust_device }: Proof): Promise<void> => {
  const { auth, platform } = visitor;
  const { database } = platform;
  const personId = (await personOfFirstStep(visitor)) ?? fail('unauthorized');
  const tries = await needCodeTry(visitor, personId);
  const body = { code, trustDevice: trust_device };
  const headers = headersOfFirstStep(visitor);
  const { headers: given, response } = await asked(visitor, { field: 'code', personId }, () =>
    kind === 'totp'
      ? auth.api.verifyTOTP({ body, headers, returnHeaders: true })
      : auth.api.verifyBackupCode({ body, headers, returnHeaders: true }),
  );
  if (kind === 'totp' && !(await isFirstUse(database, personId, code))) {
    await sessions.remove(database.prisma, { token: response.token ?? '' });
    visitor.report('code_wrong', { personId });
    fail('validation_error', { field: 'code', detail: 'The code is wrong.' });
  }
  visitor.give(given);
  await forgetTries(database, tries);
  await welcome(visitor, personId);
};

/** The library would ask for the code of whoever is signed in, if anybody is: here it is about the one who signs in. */
const headersOfFirstStep = ({ headers, platform }: Visitor): Headers => {
  const left = withoutCookie(headers.get('cookie') ?? '', sessionCookie(platform.publicUrl));
  const first = new Headers(headers);
  if (left === undefined) first.delete('cookie');
  else first.set('cookie', left);
  return first;
};

export const signOut = async (visitor: Visitor): Promise<void> => {
  const { auth, headers } = visitor;
  await ask(visitor, { field: 'password' }, () => auth.api.signOut({ headers, returnHeaders: true }));
};
