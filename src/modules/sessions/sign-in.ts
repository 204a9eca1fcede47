import { signInLimits } from '../../core/limits.ts';
import { fail } from '../../core/problem.ts';
import { ask } from './library.ts';
import { needTry } from './tries.ts';
import { teamsOf } from './visitor.ts';
import type { Visitor } from './visitor.ts';

/** Tries from one address a minute, set by the operator. */
export interface DoorLimits {
  readonly triesPerAddress: number;
}

export const needTryFromHere = ({ platform, address }: Visitor, { triesPerAddress }: DoorLimits): Promise<void> =>
  needTry(platform.database, { what: 'sign-in from', whom: address, most: triesPerAddress, seconds: 60 });

interface Credentials {
  email: string;
  password: string;
}

/**
 * Signs somebody in, unless they owe a second factor. A wrong password, an unknown address and a person who is in no team are
 * told in the same words.
 */
export const signIn = async (visitor: Visitor, { email, password }: Credentials) => {
  const { auth, platform, headers } = visitor;
  await needTry(platform.database, { what: 'sign-in as', whom: email, ...signInLimits.triesPerAccount });
  const person = await platform.database.prisma.person.findUnique({ where: { email }, select: { id: true } });
  if (person && (await teamsOf(platform, person.id)).length === 0) {
    // Takes as long as a wrong password.
    await auth.$context.then(({ password: { hash } }) => hash(password));
    return fail('validation_error', { field: 'password', detail: 'The password is wrong.' });
  }
  const answer = await ask(visitor, 'password', () =>
    auth.api.signInEmail({ body: { email, password }, headers, returnHeaders: true }),
  );
  const owes = 'twoFactorRedirect' in answer;
  return { next: owes ? ('second_factor' as const) : ('signed_in' as const) };
};

export interface Proof {
  code: string;
  kind: 'totp' | 'backup';
  trust_device: boolean;
}

/** The second step of signing in. */
export const proveSecondFactor = async (visitor: Visitor, { code, kind, trust_device }: Proof): Promise<void> => {
  const { auth, headers } = visitor;
  const body = { code, trustDevice: trust_device };
  await ask<unknown>(visitor, 'code', () =>
    kind === 'totp'
      ? auth.api.verifyTOTP({ body, headers, returnHeaders: true })
      : auth.api.verifyBackupCode({ body, headers, returnHeaders: true }),
  );
};

export const signOut = async (visitor: Visitor): Promise<void> => {
  const { auth, headers } = visitor;
  await ask(visitor, 'password', () => auth.api.signOut({ headers, returnHeaders: true }));
};
