import { makeId } from '../../core/ids.ts';
import type { Tx } from '../../db/database.ts';
import type { Language, Person } from '../../db/generated/client.ts';
import { lockRow } from '../../db/lock-row.ts';
import type { Platform, Team } from '../../platform/team.ts';
import { teamTable } from '../../platform/team-table.ts';

// The tables `person`, `credential` and `team_user`. The sign-in library reads and writes the first two as well.

interface NewPerson {
  email: string;
  name?: string | undefined;
  passwordHash?: string | undefined;
  language: Language;
}

/** The person with this email, created if there is none. A given password hash replaces the stored one. */
export const ensurePerson = async (tx: Tx, platform: Platform, { email, name, passwordHash, language }: NewPerson) => {
  const create = { id: makeId(), email, name: name ?? null, language, createdAt: platform.clock.now() };
  const person = await tx.person.upsert({ where: { email }, create, update: {} });
  if (passwordHash !== undefined) await setPassword(tx, platform, person.id, passwordHash);
  return person;
};

export const findPerson = (tx: Tx, id: string) => tx.person.findUnique({ where: { id } });

export const personIdOf = async (tx: Tx, email: string) =>
  (await tx.person.findUnique({ where: { email }, select: { id: true } }))?.id;

/**
 * The person with this email, if they are an active member of any team. There are two reads, because a distributed
 * database refuses to join the tables.
 */
export const activePerson = async (tx: Tx, email: string) => {
  const person = await tx.person.findFirst({ where: { email } });
  if (!person) return null;
  const where = { personId: person.id, members: { some: { status: 'active' as const } } };
  return (await tx.teamUser.count({ where })) > 0 ? person : null;
};

export const changePerson = (tx: Tx, id: string, data: { name?: string; language?: Language }) =>
  tx.person.update({ where: { id }, data });

export const noteHasPasskey = (tx: Tx, id: string, hasPasskey: boolean) =>
  tx.person.update({ where: { id }, data: { hasPasskey } });

/** Locks a person: other transactions that change their sign-in wait. */
export const lockPerson = (tx: Tx, id: string) => lockRow(tx, 'person', { id }, 'update');

/** The sign-in library's name for a sign-in with email and password. */
const providerId = 'credential';

const keyOf = (personId: string) => ({ personId_providerId: { personId, providerId } });

/** Replaces a person's password. The caller hashes it before the transaction, because hashing is slow. */
export const setPassword = (tx: Tx, { clock }: Platform, personId: string, password: string) =>
  tx.credential.upsert({
    where: keyOf(personId),
    create: { id: makeId(), personId, providerId, accountId: personId, password, createdAt: clock.now() },
    update: { password },
  });

/** The stored hash of a person's password; empty if they have none. */
export const storedHash = async (tx: Tx, personId: string): Promise<string> =>
  (await tx.credential.findUnique({ where: keyOf(personId), select: { password: true } }))?.password ?? '';

export const hasPassword = async (tx: Tx, person: { id: string } | { email: string }): Promise<boolean> =>
  (await tx.credential.count({ where: { providerId, person, password: { not: null } } })) > 0;

/** Whether a person can sign in with a password. A person who is in no team can't, even if they were in one before. */
export const canSignIn = async (tx: Tx, email: string): Promise<boolean> =>
  (await activePerson(tx, email)) !== null && (await hasPassword(tx, { email }));

/** The team's user for a person, created if there is none. A person who comes back to a team has the same user. */
export const knowPerson = async (tx: Tx, { id: tenantId }: Pick<Team, 'id'>, personId: string): Promise<string> => {
  const where = { tenantId_personId: { tenantId, personId } };
  return (await tx.teamUser.upsert({ where, create: { tenantId, id: makeId(), personId }, update: {} })).id;
};

/** The person of a team's user. */
export const personBehind = async (tx: Tx, { id: tenantId }: Pick<Team, 'id'>, id: string) =>
  (await tx.teamUser.findUniqueOrThrow({ where: { tenantId_id: { tenantId, id } }, select: { person: true } })).person;

/** A team's people in its export: the columns that the team sees, without anything of their sign-in. */
export const userData = teamTable({
  table: 'team_user',
  file: 'users.json',
  join: 'join person on person.id = t.person_id',
  values: ['id'],
  shownAs: { name: 'person.name', email: 'person.email', language: 'person.language' },
  leftOut: { personId: 'The account belongs to the person, and its id is the same in all teams.' },
});

type NewPlaceholder = Pick<Person, 'email' | 'name' | 'language' | 'createdAt'> & { tenantId: string; userId: string };

/** The queries of the erasure of a person. */
export const erasedPeople = {
  byEmail: (tx: Tx, email: string) => tx.person.findUnique({ where: { email } }),

  /** The users of a person in all teams. */
  teamsOf: (tx: Tx, personId: string) => tx.teamUser.findMany({ where: { personId }, orderBy: { tenantId: 'asc' } }),

  /** Inserts a person without a sign-in who takes the erased person's place in one team. */
  insertPlaceholder: async (tx: Tx, row: NewPlaceholder) => {
    const { tenantId, userId, ...person } = row;
    const { id: personId } = await tx.person.create({ data: { id: makeId(), ...person } });
    await tx.teamUser.create({ data: { tenantId, id: userId, personId } });
  },

  /** Deletes a person's name and sign-in. The person's row is deleted when no team refers to it any more. */
  disable: async (tx: Tx, id: string, email: string) => {
    await tx.credential.deleteMany({ where: { personId: id } });
    await tx.person.update({ where: { id }, data: { email, name: null, twoFactorEnabled: false, hasPasskey: false } });
  },

  removeUser: (tx: Tx, tenantId: string, id: string) => tx.teamUser.deleteMany({ where: { tenantId, id } }),

  /**
   * Locks the person against other erasures only: a stronger lock could deadlock with transactions that refer to the
   * person.
   */
  lock: (tx: Tx, id: string) => lockRow(tx, 'person', { id }),

  emailOf: async (tx: Tx, id: string) =>
    (await tx.person.findUnique({ where: { id }, select: { email: true } }))?.email,

  /** Deletes a person to whom no team refers any more. */
  removeUnknown: async (tx: Tx, id: string) => {
    lockRow(tx, 'person', { id }, 'update');
    if ((await tx.teamUser.count({ where: { personId: id } })) > 0) return;
    await tx.person.deleteMany({ where: { id } });
  },
};
