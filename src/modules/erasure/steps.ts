import type { Tx } from '../../db/database.ts';
import type { Erasure } from '../../db/generated/client.ts';
import type { Position, Replacements } from '../../platform/team-table.ts';
import { removeSums } from '../analytics/store.ts';
import { erasedAssignments } from '../assignments/store.ts';
import { erasedCases } from '../cases/store.ts';
import { removeMemberPolicies } from '../catalog/store.ts';
import { leaveDealsOf } from '../crm/deal-store.ts';
import { teamTables } from '../export/tables.ts';
import { deleteAnswersNaming } from '../idempotency/store.ts';
import { giveKeysAway } from '../keys/store.ts';
import { removeMailsTo } from '../mail/store.ts';
import { erasedMembers, isPlaceholder } from '../members/store.ts';
import { erasedPeople } from '../people/store.ts';
import { erasedTrainings, removePendingListing } from '../trainings/store.ts';
import { replacementsFor } from './texts.ts';

// The steps of an erasure, in order. Each step works in batches, one transaction each. A batch is committed together with the place where
// it stopped, so a job that was killed continues there.
//
//   what is the person's alone is deleted ──▶ what must refer to somebody refers to the placeholder ──▶ every table of the team is walked
//   once, and what names the person in it is replaced ──▶ memberships, the team's user and, if no team is left, the account are deleted

/** The result of a batch. */
export interface Batch {
  /** Where the same step goes on; undefined: it is done. */
  next?: Position | undefined;
  deleted?: number;
  changed?: number;
  /** By how many bytes it changes the team's storage. */
  bytes?: number;
}

interface Step {
  name: string;
  run(this: void, tx: Tx, erasure: Erasure, position: Position): Promise<Batch>;
}

/** Trainings or assignments of a batch. Deleting one makes PostgreSQL look for rows that refer to it. */
const deletedAtOnce = 200;

/** The position of a step that deletes what it finds: it starts from the beginning each time. */
const again: Position = [];

const userOf = ({ tenantId, userId }: Erasure) => (userId === null ? undefined : { tenantId, userId });

/** The texts that an erasure replaces. */
export const lookedFor = (erasure: Erasure): Replacements =>
  replacementsFor({
    emails: erasure.emails,
    names: erasure.names,
    ids: [
      ...(erasure.userId === null ? [] : [[erasure.userId, erasure.placeholderUserId] as const]),
      ...erasure.memberIds.map((id) => [id, erasure.placeholderMemberId] as const),
      ...(erasure.personId === null ? [] : [[erasure.personId, erasure.placeholderUserId] as const]),
    ],
  });

/** A step for data of users. A person who never accepted the invitation is no user and has none. */
const ofUser = (
  name: string,
  run: (tx: Tx, user: { tenantId: string; userId: string }, erasure: Erasure) => Promise<Batch>,
): Step => ({
  name,
  run: async (tx, erasure) => {
    const user = userOf(erasure);
    return user ? run(tx, user, erasure) : {};
  },
});

const assignments: Step = {
  name: 'assignments',
  async run(tx, { tenantId, memberIds }) {
    const ids = await erasedAssignments.someOfMembers(tx, { tenantId, memberIds }, deletedAtOnce);
    if (ids.length === 0) {
      await erasedAssignments.removePending(tx, { tenantId, memberIds });
      return {};
    }
    await erasedTrainings.leaveAssignments(tx, tenantId, ids);
    const bytes = await erasedAssignments.remove(tx, tenantId, ids);
    return { next: again, deleted: ids.length, bytes: -bytes };
  },
};

const trainings = ofUser('trainings', async (tx, user) => {
  const ids = await erasedTrainings.someOfUser(tx, user, deletedAtOnce);
  if (ids.length === 0) {
    await removePendingListing(tx, user);
    return { deleted: await removeSums(tx, user) };
  }
  const bytes = await erasedTrainings.remove(tx, user.tenantId, ids);
  return { next: again, deleted: ids.length, bytes: -bytes };
});

const privateCases = ofUser('private cases', async (tx, user) => {
  const { count, bytes } = await erasedCases.deletePrivate(tx, user);
  return { deleted: count, bytes: -bytes, ...(count > 0 && { next: again }) };
});

const teamCases = ofUser('cases', async (tx, user, { placeholderUserId }) => {
  const changed = await erasedCases.giveAway(tx, { ...user, to: placeholderUserId });
  return { changed, ...(changed > 0 && { next: again }) };
});

const deals = ofUser('deals', async (tx, user) => {
  const changed = await leaveDealsOf(tx, user);
  return { changed, ...(changed > 0 && { next: again }) };
});

/** Whether the account was disabled, because no other team keeps it. */
const isDisabled = async (tx: Tx, personId: string): Promise<boolean> => {
  const email = await erasedPeople.emailOf(tx, personId);
  return email !== undefined && isPlaceholder(email);
};

const mailsAndKeys: Step = {
  name: 'mails and keys',
  async run(tx, { tenantId, memberIds, emails, personId, placeholderMemberId }) {
    const mails = await removeMailsTo(tx, tenantId, emails);
    // Links for a new password are mails of no team. Where the account stays, so do they.
    const ownMails = personId !== null && (await isDisabled(tx, personId)) ? await removeMailsTo(tx, null, emails) : 0;
    const policies = await removeMemberPolicies(tx, tenantId, memberIds);
    const changed = await giveKeysAway(tx, tenantId, memberIds, placeholderMemberId);
    return { deleted: mails + ownMails + policies, changed };
  },
};

const answers: Step = {
  name: 'answers',
  async run(tx, erasure) {
    const deleted = await deleteAnswersNaming(tx, erasure.tenantId, lookedFor(erasure).any);
    return { deleted, ...(deleted > 0 && { next: again }) };
  },
};

const walks: Step[] = teamTables
  .filter(({ searched }) => searched.length > 0)
  .map((table) => ({
    name: `texts of ${table.table}`,
    run: (tx, erasure, position) => table.replace(tx, erasure.tenantId, lookedFor(erasure), position),
  }));

const person: Step = {
  name: 'person',
  async run(tx, { tenantId, userId, memberIds, personId }) {
    // While a deal refers to the user, they can't be deleted, and each retry would fail.
    const changed = userId === null ? 0 : await leaveDealsOf(tx, { tenantId, userId });
    if (changed > 0) return { next: again, changed };
    // Locked before the user is deleted: of several teams that erase the person at the same time, the last one finds no other user.
    if (personId !== null) await erasedPeople.lock(tx, personId);
    let deleted = await erasedMembers.remove(tx, tenantId, memberIds);
    if (userId !== null) deleted += (await erasedPeople.removeUser(tx, tenantId, userId)).count;
    if (personId !== null && (await isDisabled(tx, personId)) && (await erasedPeople.removeUnknown(tx, personId))) {
      deleted += 1;
    }
    return { deleted };
  },
};

export const steps: readonly [Step, ...Step[]] = [
  assignments,
  trainings,
  privateCases,
  teamCases,
  deals,
  mailsAndKeys,
  answers,
  ...walks,
  person,
];
