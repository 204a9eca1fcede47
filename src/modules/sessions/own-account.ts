import type { Language } from '../../core/language.ts';
import { isId } from '../../core/ids.ts';
import { fail } from '../../core/problem.ts';
import { ask } from './library.ts';
import type { SignedIn } from './schema.ts';
import type { Visitor } from './visitor.ts';

interface MeChange {
  name?: string | undefined;
  language?: Language | undefined;
}

/** What somebody calls themselves, and the language they read. */
export const changeMe = async ({ platform }: Visitor, { personId }: SignedIn, change: MeChange): Promise<void> => {
  const { name, language } = change;
  await platform.database.prisma.person.update({
    where: { id: personId },
    data: { ...(name !== undefined && { name }), ...(language !== undefined && { language }) },
  });
};

/** A new password ends every other session. */
export const changePassword = async (
  visitor: Visitor,
  { current, password }: { current: string; password: string },
): Promise<void> => {
  const { auth, headers } = visitor;
  const body = { currentPassword: current, newPassword: password, revokeOtherSessions: true };
  await ask(visitor, 'password', () => auth.api.changePassword({ body, headers, returnHeaders: true }));
};

/** Where somebody is signed in, the latest first. */
export const listSessions = async ({ platform }: Visitor, { personId, sessionId }: SignedIn) => {
  const rows = await platform.database.prisma.session.findMany({
    where: { personId, expiresAt: { gt: new Date() } },
    orderBy: { createdAt: 'desc' },
    take: 100,
  });
  return rows.map(({ id, createdAt, updatedAt, ipAddress, userAgent }) => ({
    id,
    current: id === sessionId,
    created_at: createdAt.toISOString(),
    last_seen_at: updatedAt.toISOString(),
    address: ipAddress === '' ? null : ipAddress,
    user_agent: userAgent === '' ? null : userAgent,
  }));
};

export const endSession = async ({ platform }: Visitor, { personId }: SignedIn, id: string): Promise<void> => {
  const { count } = isId(id)
    ? await platform.database.prisma.session.deleteMany({ where: { id, personId } })
    : { count: 0 };
  if (count === 0) fail('not_found');
};

/** Ends every session of somebody, this one too. */
export const signOutEverywhere = async (visitor: Visitor, { personId }: SignedIn): Promise<void> => {
  const { auth, headers, platform } = visitor;
  await ask(visitor, 'password', () => auth.api.signOut({ headers, returnHeaders: true }));
  await platform.database.prisma.session.deleteMany({ where: { personId } });
};

/** Makes a secret and backup codes; the second factor is on once the first code was right. */
export const startTwoFactor = async (visitor: Visitor, password: string) => {
  const { auth, headers } = visitor;
  const answer = await ask(visitor, 'password', () =>
    auth.api.enableTwoFactor({ body: { password, method: 'totp' }, headers, returnHeaders: true }),
  );
  if (!('totpURI' in answer)) return fail('conflict');
  return { uri: answer.totpURI, backup_codes: answer.backupCodes };
};

export const confirmTwoFactor = async (visitor: Visitor, code: string): Promise<void> => {
  const { auth, headers } = visitor;
  await ask(visitor, 'code', () => auth.api.verifyTOTP({ body: { code }, headers, returnHeaders: true }));
};

export const stopTwoFactor = async (visitor: Visitor, password: string): Promise<void> => {
  const { auth, headers } = visitor;
  await ask(visitor, 'password', () => auth.api.disableTwoFactor({ body: { password }, headers, returnHeaders: true }));
};

export const newBackupCodes = async (visitor: Visitor, password: string) => {
  const { auth, headers } = visitor;
  const { backupCodes } = await ask(visitor, 'password', () =>
    auth.api.generateBackupCodes({ body: { password }, headers, returnHeaders: true }),
  );
  return { backup_codes: backupCodes };
};
