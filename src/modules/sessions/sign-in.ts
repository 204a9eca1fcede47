import { signInLimits } from '../../core/limits.ts';
import { networkOf } from '../../core/network-of.ts';
import { fail } from '../../core/problem.ts';
import { sessionCookie, withoutCookie } from './cookies.ts';
import { toLibrary } from './library-address.ts';
import { ask, asked } from './library.ts';
import { isFirstUse, needTry } from './tries.ts';
import type { SignedIn } from './schema.ts';
import { teamsOf } from './visitor.ts';
import type { Visitor } from './visitor.ts';

/** Everything that somebody does in the app, in whatever browser and team. */
export const needCall = ({ platform }: Visitor, { personId }: SignedIn): Promise<void> =>
  needTry(platform.database, {
    what: 'calls of',
    whom: personId,
    most: signInLimits.callsPerPersonPerMinute,
    seconds: 60,
  });

/** Tries from one address a minute, set by the operator. */
export interface DoorLimits {
  readonly triesPerAddress: number;
}

export const needTryFromHere = ({ platform, address }: Visitor, { triesPerAddress }: DoorLimits): Promise<void> =>
  needTry(platform.database, {
    what: 'sign-in from',
    whom: networkOf(address),
    most: triesPerAddress,
    seconds: 60,
  });

interface Credentials {
  email: string;
  password: string;
}

/** Whoever was signed in in this browser until now. */
const endFormerSession = async ({ platform }: Visitor, former: { sessionId: string } | undefined): Promise<void> => {
  if (former) await platform.database.prisma.session.deleteMany({ where: { id: former.sessionId } });
};

/**
 * Signs somebody in, unless they owe a second factor. A wrong password, an unknown address and a person who is in no team are
 * told in the same words.
 */
export const signIn = async (visitor: Visitor, { email, password }: Credentials) => {
  const { platform, address } = visitor;
  const { triesPerAccount, triesPerAccountFromOnePlace } = signInLimits;
  const place = `${email} ${networkOf(address)}`;
  await needTry(platform.database, { what: 'sign-in as', whom: place, ...triesPerAccountFromOnePlace });
  await needTry(platform.database, { what: 'sign-in as', whom: email, ...triesPerAccount });
  return enter(visitor, { email, password });
};

/** The same without counting, for whoever has just chosen the password. */
export const enter = async (visitor: Visitor, { email, password }: Credentials) => {
  const { auth, platform, headers } = visitor;
  const former = await visitor.signedIn();
  const person = await platform.database.prisma.person.findUnique({ where: { email }, select: { id: true } });
  if (person && (await teamsOf(platform, person.id)).length === 0) {
    // Takes as long as a wrong password.
    await auth.$context.then(({ password: { hash } }) => hash(password));
    return fail('validation_error', { field: 'password', detail: 'The password is wrong.' });
  }
  const answer = await ask(visitor, 'password', () =>
    auth.api.signInEmail({ body: { email: toLibrary(email), password }, headers, returnHeaders: true }),
  );
  await endFormerSession(visitor, former);
  const owes = 'twoFactorRedirect' in answer;
  return { next: owes ? ('second_factor' as const) : ('signed_in' as const) };
};

export interface Proof {
  code: string;
  kind: 'totp' | 'backup';
  trust_device: boolean;
}

/** The second step of signing in. A code of the app is good once: whoever read it over a shoulder has nothing. */
export const proveSecondFactor = async (visitor: Visitor, { code, kind, trust_device }: Proof): Promise<void> => {
  const { auth, platform } = visitor;
  const body = { code, trustDevice: trust_device };
  const headers = headersOfFirstStep(visitor);
  const { headers: given, response } = await asked('code', () =>
    kind === 'totp'
      ? auth.api.verifyTOTP({ body, headers, returnHeaders: true })
      : auth.api.verifyBackupCode({ body, headers, returnHeaders: true }),
  );
  if (kind === 'totp' && !(await isFirstUse(platform.database, response.user.id, code))) {
    await platform.database.prisma.session.deleteMany({ where: { token: response.token ?? '' } });
    fail('validation_error', { field: 'code', detail: 'The code is wrong.' });
  }
  visitor.give(given);
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
  await ask(visitor, 'password', () => auth.api.signOut({ headers, returnHeaders: true }));
};
