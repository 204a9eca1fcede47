import { newId } from '../../core/ids.ts';
import type { Tx } from '../../db/database.ts';
import type { Language } from '../../db/generated/client.ts';
import { lockRow } from '../../db/lock-row.ts';
import { teamTable } from '../../platform/team-table.ts';

// The tables `person`, `credential` and `team_user`. The sign-in library reads and writes the first two as well.

interface NewPerson {
  email: string;
  name: string | null;
  language: Language;
  createdAt: Date;
}

export const people = {
  get: (tx: Tx, id: string) => tx.person.findUnique({ where: { id }, select: { id: true, email: true } }),

  /** The person with this email, if they are an active member of any team. */
  activeByEmail: (tx: Tx, email: string) =>
    tx.person.findFirst({ where: { email, users: { some: { members: { some: { status: 'active' } } } } } }),

  isKnown: async (tx: Tx, email: string) => (await tx.person.count({ where: { email } })) > 0,

  /** The person with this email, inserted if there is none. */
  ensure: (tx: Tx, { email, ...row }: NewPerson) =>
    tx.person.upsert({ where: { email }, create: { id: newId(), email, ...row }, update: {} }),

  whole: (tx: Tx, id: string) => tx.person.findUnique({ where: { id } }),

  byEmail: (tx: Tx, email: string) => tx.person.findUnique({ where: { email }, select: { id: true } }),

  update: (tx: Tx, id: string, data: { name?: string; language?: Language }) =>
    tx.person.update({ where: { id }, data }),
};

/** The sign-in library's name for a sign-in with email and password. */
const providerId = 'credential';

const keyOf = (personId: string) => ({ personId_providerId: { personId, providerId } });

export const passwords = {
  get: (tx: Tx, personId: string) => tx.credential.findUnique({ where: keyOf(personId), select: { password: true } }),

  byEmail: (tx: Tx, email: string) =>
    tx.credential.findFirst({ where: { providerId, person: { email } }, select: { password: true } }),

  put: (tx: Tx, personId: string, password: string, createdAt: Date) =>
    tx.credential.upsert({
      where: keyOf(personId),
      create: { id: newId(), personId, providerId, accountId: personId, password, createdAt },
      update: { password },
    }),
};

export const users = {
  /** The team's user for a person, inserted if there is none. */
  ensure: (tx: Tx, tenantId: string, personId: string) =>
    tx.teamUser.upsert({
      where: { tenantId_personId: { tenantId, personId } },
      create: { tenantId, id: newId(), personId },
      update: {},
    }),

  /** The person of a team's user. */
  personOf: async (tx: Tx, tenantId: string, id: string) =>
    (await tx.teamUser.findUniqueOrThrow({ where: { tenantId_id: { tenantId, id } }, select: { person: true } }))
      .person,
};

/** A team's people in its export: the columns that the team sees, without anything of their sign-in. */
export const userData = teamTable({
  module: 'people',
  rows: 'from team_user',
  file: 'users.json',
  key: { id: 'uuid' },
  join: 'join person on person.id = t.person_id',
  values: ['id'],
  shownAs: { name: 'person.name', email: 'person.email', language: 'person.language' },
  leftOut: { person_id: 'The account belongs to the person, and its id is the same in all teams.' },
});

/** The queries of the erasure of a person. */
export const erasedPeople = {
  byEmail: (tx: Tx, email: string) => tx.person.findUnique({ where: { email } }),

  /** The users of a person in all teams. */
  teamsOf: (tx: Tx, personId: string) => tx.teamUser.findMany({ where: { personId }, orderBy: { tenantId: 'asc' } }),

  /** Inserts a person without a sign-in who takes the erased person's place in one team. */
  insertPlaceholder: async (tx: Tx, row: NewPerson & { tenantId: string; userId: string }) => {
    const { tenantId, userId, ...person } = row;
    const { id: personId } = await tx.person.create({ data: { id: newId(), ...person } });
    await tx.teamUser.create({ data: { tenantId, id: userId, personId } });
  },

  /** Deletes a person's name and sign-in. The row is deleted when no team refers to it any more. */
  disable: async (tx: Tx, id: string, email: string) => {
    await tx.credential.deleteMany({ where: { personId: id } });
    await tx.person.update({ where: { id }, data: { email, name: null, twoFactorEnabled: false } });
  },

  removeUser: (tx: Tx, tenantId: string, id: string) => tx.teamUser.deleteMany({ where: { tenantId, id } }),

  /** Locks the person against other erasures only: a stronger lock could deadlock with transactions that refer to the person. */
  lock: (tx: Tx, id: string) => lockRow(tx, 'person', { id }),

  emailOf: async (tx: Tx, id: string) =>
    (await tx.person.findUnique({ where: { id }, select: { email: true } }))?.email,

  /** Deletes a person to whom no team refers any more. Returns whether it did. */
  removeUnknown: async (tx: Tx, id: string) => {
    await lockRow(tx, 'person', { id }, 'update');
    return (await tx.person.deleteMany({ where: { id, users: { none: {} } } })).count > 0;
  },
};
