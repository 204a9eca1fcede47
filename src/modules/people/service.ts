import type { Language } from '../../core/language.ts';
import type { Tx } from '../../db/database.ts';
import type { Platform } from '../../platform/platform.ts';
import type { Team } from '../../platform/team.ts';
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

/** The person behind an id by which the team knows them. */
export const personBehind = (tx: Tx, team: Team, userId: string) => users.personOf(tx, team.id, userId);

export const isKnownEmail = (tx: Tx, email: string): Promise<boolean> => people.isKnown(tx, email);

export const setName = async (tx: Tx, personId: string, name: string): Promise<void> => {
  await people.setName(tx, personId, name);
};
