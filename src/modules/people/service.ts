import type { Language } from '../../core/language.ts';
import type { Tx } from '../../db/database.ts';
import type { Platform, Team } from '../../platform/team.ts';
import { adminsOf } from '../members/membership.ts';
import { setPassword } from './credentials.ts';
import { people, users } from './store.ts';

export { adminsOf };
export { hasPassword, isKnownPassword, keptPassword, setPassword, upgradeHash } from './credentials.ts';
export {
  lockPersonOfResetLink,
  mailResetLink,
  passwordResetLink,
  personOfResetLink,
  resetPassword,
  welcomeDays,
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
  const person = await people.ensure(tx, { email, name: name ?? null, language, createdAt: platform.clock.now() });
  if (passwordHash !== undefined) await setPassword(tx, platform, person.id, passwordHash);
  return person;
};

/** The id by which this team knows a person; the same when they come back. */
export const knowPerson = async (tx: Tx, team: Team, personId: string): Promise<string> =>
  (await users.ensure(tx, team.id, personId)).id;

/** Locks a team's user: while it is locked, no membership of theirs begins or ends, and no training is started. */
export const lockUser = async (tx: Tx, key: { tenantId: string; userId: string }): Promise<void> => {
  await users.lock(tx, key);
};

/** The person behind an id by which the team knows them. */
export const personBehind = (tx: Tx, team: Team, userId: string) => users.personOf(tx, team.id, userId);

export const isKnownEmail = (tx: Tx, email: string): Promise<boolean> => people.isKnown(tx, email);

/** Changes what a person says of themselves. */
export const changePerson = async (
  tx: Tx,
  personId: string,
  change: { name?: string; language?: Language },
): Promise<void> => {
  await people.update(tx, personId, change);
};

/** The id of the person with this email. */
export const personIdOf = async (tx: Tx, email: string): Promise<string | undefined> =>
  (await people.byEmail(tx, email))?.id;

/** A person as they are when they sign in. */
export const findPerson = async (tx: Tx, id: string) => (await people.whole(tx, id)) ?? undefined;

export const setName = async (tx: Tx, personId: string, name: string): Promise<void> => {
  await people.update(tx, personId, { name });
};
