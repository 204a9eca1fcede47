import type { Language } from '../../core/language.ts';
import { isId } from '../../core/ids.ts';
import { signInLimits } from '../../core/limits.ts';
import { fail } from '../../core/problem.ts';
import { changePerson, endSignIns, forgetBrowsers } from '../people/service.ts';
import { rememberBrowser } from './known-browsers.ts';
import { ask } from './library.ts';
import { needProofTry } from './proof.ts';
import type { SignedIn } from './schema.ts';
import { sessions } from './store.ts';
import type { Visitor } from './visitor.ts';

interface MeChange {
  name?: string | undefined;
  language?: Language | undefined;
}

/** What somebody calls themselves, and the language they read. */
export const changeMe = async ({ platform }: Visitor, { personId }: SignedIn, change: MeChange): Promise<void> => {
  const { name, language } = change;
  await changePerson(platform.database.prisma, personId, {
    ...(name !== undefined && { name }),
    ...(language !== undefined && { language }),
  });
};

/** A new password ends every other session, and no browser is trusted any more: somebody else may have had the old one. */
export const changePassword = async (
  visitor: Visitor,
  signedIn: SignedIn,
  { current, password }: { current: string; password: string },
): Promise<void> => {
  const { auth, headers, platform } = visitor;
  await needProofTry(visitor, signedIn);
  const body = { currentPassword: current, newPassword: password, revokeOtherSessions: true };
  const { personId } = signedIn;
  await ask(visitor, { field: 'password', personId }, () =>
    auth.api.changePassword({ body, headers, returnHeaders: true }),
  );
  await platform.database.transaction((tx) => forgetBrowsers(tx, personId));
  // All but the one in which they did it.
  await rememberBrowser(visitor, personId);
};

/** A browser may send as much as a header holds; its name is at the beginning or nowhere. */
const userAgentCharacters = 500;

/** Where somebody is signed in, the latest first. */
export const listSessions = async ({ platform }: Visitor, { personId, sessionId }: SignedIn) => {
  const { sessionsPerPerson } = signInLimits;
  const rows = await sessions.ofPerson(platform.database.prisma, personId, new Date(), sessionsPerPerson);
  return rows.map(({ id, createdAt, ipAddress, userAgent }) => ({
    id,
    current: id === sessionId,
    created_at: createdAt.toISOString(),
    address: ipAddress === '' ? null : ipAddress,
    user_agent: userAgent === null || userAgent === '' ? null : userAgent.slice(0, userAgentCharacters),
  }));
};

export const endSession = async ({ platform }: Visitor, { personId }: SignedIn, id: string): Promise<void> => {
  const { count } = isId(id) ? await sessions.remove(platform.database.prisma, { id, personId }) : { count: 0 };
  if (count === 0) fail('not_found');
};

/** Ends every session of somebody, this one too. No browser is trusted any more, and only this one stays known. */
export const signOutEverywhere = async (visitor: Visitor, { personId }: SignedIn): Promise<void> => {
  const { auth, headers, platform } = visitor;
  await ask(visitor, { field: 'password', personId }, () => auth.api.signOut({ headers, returnHeaders: true }));
  await platform.database.transaction(async (tx) => {
    await endSignIns(tx, personId);
    await rememberBrowser(visitor, personId, tx);
  });
};
