import { newId } from '../../core/ids.ts';
import type { Language } from '../../core/language.ts';
import type { Tx } from '../../db/database.ts';
import type { Platform } from '../../platform/platform.ts';
import type { Team } from '../../platform/team.ts';
import { setPassword } from './credentials.ts';

export { hasPassword, keptPassword, setPassword, upgradeHash } from './credentials.ts';
export {
  lockPersonOfResetLink,
  mailResetLink,
  passwordResetLink,
  personOfResetLink,
  resetPassword,
} from './password-reset.ts';
export { endSignIns, forgetBrowsers } from './sign-ins.ts';

interface NewPerson {
  email: string;
  name?: string | undefined;
  passwordHash?: string | undefined;
  language: Language;
}

/** The person with this email, made if need be. The password with a given hash becomes theirs. */
export const ensurePerson = async (tx: Tx, platform: Platform, { email, name, passwordHash, language }: NewPerson) => {
  const person = await tx.person.upsert({
    where: { email },
    create: { id: newId(), email, name: name ?? null, language, createdAt: platform.clock.now() },
    update: {},
  });
  if (passwordHash !== undefined) await setPassword(tx, platform, person.id, passwordHash);
  return person;
};

/** The id by which this team knows a person; the same when they come back. */
export const knowPerson = async (tx: Tx, team: Team, personId: string): Promise<string> => {
  const user = await tx.teamUser.upsert({
    where: { tenantId_personId: { tenantId: team.id, personId } },
    create: { tenantId: team.id, id: newId(), personId },
    update: {},
  });
  return user.id;
};

/** The person behind an id by which the team knows them. */
export const personBehind = async (tx: Tx, team: Team, userId: string) => {
  const { person } = await tx.teamUser.findUniqueOrThrow({
    where: { tenantId_id: { tenantId: team.id, id: userId } },
    select: { person: true },
  });
  return person;
};

export const isKnownEmail = async (tx: Tx, email: string): Promise<boolean> =>
  (await tx.person.count({ where: { email } })) > 0;

/** Who looks after a team: its owner and active admins, each with the language they read. */
export const adminsOf = async (tx: Tx, team: Team): Promise<{ email: string; language: Language }[]> => {
  const admins = await tx.member.findMany({
    where: { tenantId: team.id, status: 'active', role: { in: ['owner', 'admin'] } },
    select: { email: true, user: { select: { person: { select: { language: true } } } } },
    orderBy: { id: 'asc' },
  });
  return admins.map(({ email, user }) => ({ email, language: user?.person.language ?? 'de' }));
};
