import type { z } from 'zod';
import { changesOf, valuesOf } from '../../core/changes.ts';
import { daysToMs, later } from '../../core/clock.ts';
import { isId, makeId } from '../../core/ids.ts';
import { memberMessages } from '../../core/messages/people.ts';
import { trainingMessages } from '../../core/messages/trainings.ts';
import { fail } from '../../core/problem.ts';
import { snakeName, type Camel } from '../../core/spelling.ts';
import type { Tx } from '../../db/database.ts';
import { lockRow } from '../../db/lock-row.ts';
import { rawOf, type RawJson } from '../../core/json.ts';
import { privateCaseLimits } from '../../core/limits.ts';
import type { ListCount, Page, PageQuery } from '../../platform/paging.ts';
import { storedRowBytes } from '../../platform/storage-counter.ts';
import { inTransaction, type Team, type Platform } from '../../platform/team.ts';
import { actIn, lockTeamShared, lockTeamSharedLater, planOf } from '../../platform/team-row.ts';
import { record } from '../audit/service.ts';
import { noteDeleted } from '../deletions/service.ts';
import { isActiveUser } from '../membership/service.ts';
import { requireRoom, sumIfFull } from '../storage/service.ts';
import type * as schema from './schema.ts';
import {
  bytesOf,
  cases,
  noContent,
  privateCaseList,
  teamCaseChanges,
  teamCaseList,
  type CaseRow,
  type StoredContent,
  type CaseChanges,
  type CaseOwner,
} from './store.ts';

// A case is either the team's or private. The API shows the team's cases, and so does the app to everybody who may see
// cases. A private case is visible only to its member. Every request works on the cases of one of these two owners, and
// does not find those of the other.
//
//   (new) ──▶ private ──shared by its member──▶ the team's
//   (new) ────────────────────────────────────▶ the team's
//   both ──deleted──▶ (gone)

type FreeForm = Pick<Camel<schema.Case>, 'fields' | 'externalRef'>;
type Case = Omit<CaseRow, keyof FreeForm> & FreeForm;

/** The fields of a case that can be written. */
type CaseContent = Camel<schema.CaseContent>;

const presentCase = (row: CaseRow): Case => ({
  ...row,
  fields: rawOf(row.fields),
  externalRef: rawOf(row.externalRef),
});

const presentPage = (page: Page<CaseRow>): Page<Case> => ({ ...page, data: page.data.map(presentCase) });

/** A case of the team, or a private one of a member. */
export const getCase = async ({ id: tenantId, platform }: Team, owner: CaseOwner, id: string): Promise<Case> => {
  const row = isId(id) ? await cases.get(platform.database.prisma, { tenantId, id }, owner) : undefined;
  return presentCase(row ?? fail('not_found'));
};

/**
 * The team's cases, including those of former members: newest first, or those that changed since a time, in the order
 * of their changes.
 */
export const listCases = async (
  team: Team,
  { userId, updatedSince, ...query }: Camel<schema.CaseQuery>,
): Promise<Page<Case>> =>
  presentPage(
    updatedSince
      ? await teamCaseChanges(team, query, { userId, updatedSince: updatedSince.toISOString() })
      : await teamCaseList(team, query, { userId }),
  );

/** How many cases the team or one of its users has. Refused while the team hides member details. */
export const countCases = async (team: Team, userId: string | undefined): Promise<ListCount> =>
  team.privacy.memberDetail ? teamCaseList.count(team, { userId }) : fail('privacy_restricted');

/** A member's own private cases. */
export const listOwnCases = async (
  team: Team,
  userId: string,
  query: z.output<typeof PageQuery>,
): Promise<Page<Case>> => presentPage(await privateCaseList(team, query, { userId }));

const lockCase = async (tx: Tx, { id: tenantId }: Team, owner: CaseOwner, id: string) =>
  (isId(id) ? await cases.lock(tx, { tenantId, id }, owner) : undefined) ?? fail('not_found');

/** About how many bytes the private cases of a team take. */
export const privateCaseBytes = ({ id: tenantId, platform }: Team): Promise<number> =>
  cases.privateBytes(platform.database.prisma, { tenantId });

/** Refuses private cases beyond the limits. They have limits of their own because only their member can delete them. */
const requirePrivateRoom = async (tx: Tx, team: Team, userId: string, more: number): Promise<void> => {
  const tenantId = team.id;
  // Parallel requests of one person can't exceed the person's limit together, because they wait for each other.
  lockRow(tx, 'team_user', { tenantId, id: userId });
  const plan = await planOf(tx, team);
  const own = await cases.privateBytes(tx, { tenantId, userId });
  const all = await cases.privateBytes(tx, { tenantId });
  const { ofOnePerson, ofAllTogether } = privateCaseLimits;
  if (own + more <= ofOnePerson[plan] && all + more <= ofAllTogether[plan]) return;
  fail('validation_error', {
    field: 'storage',
    detail: trainingMessages.privateCasesFull,
  });
};

/**
 * Refuses a user who is not an active member. An active member stays one during this transaction, which has locked the
 * team: memberships start and end only under an exclusive lock of the team.
 */
const requireActiveMember = async (tx: Tx, team: Team, userId: string): Promise<void> => {
  if (!(await isActiveUser(tx, team, userId))) {
    fail('not_found', { detail: memberMessages.notActive });
  }
};

const textOf = (value: RawJson | null | undefined) => (value ? value.text : value);

/** The content of a request in its stored form. Free-form fields are replaced as a whole. */
const storedOf = ({ fields, externalRef, ...texts }: CaseContent) => ({
  ...texts,
  fields: textOf(fields),
  externalRef: textOf(externalRef),
});

interface NewCase extends CaseContent {
  userId: string;
}

/** Creates a case of an active member, for the team or private. */
export const createCase = async (
  caller: Team,
  { userId, ...newContent }: NewCase,
  { isPrivate = false } = {},
): Promise<Case> => {
  await requireRoom(caller);
  return inTransaction(caller, async (tx) => {
    const lock = lockTeamSharedLater(tx, caller); // in one round trip with the member
    await requireActiveMember(tx, caller, userId);
    const team = await lock();
    const content = { ...noContent, ...changesOf(noContent, storedOf(newContent)) };
    if (isPrivate) await requirePrivateRoom(tx, team, userId, storedRowBytes + bytesOf(content));
    const now = team.platform.clock.now();
    const created = { id: makeId(), userId, createdAt: now, updatedAt: now };
    cases.insert(tx, { tenantId: team.id, private: isPrivate, ...created }, content);
    record(tx, team, {
      action: 'case.created',
      target: { type: 'case', id: created.id },
      data: { userId, private: isPrivate },
    });
    return presentCase({ ...created, ...content });
  });
};

/**
 * The answer to a change while member details are off: the changed fields, and the ids and times that a creation
 * returns. The other fields are null, because a GET would refuse them.
 */
const presentChanges = ({ id, userId, createdAt, updatedAt }: CaseRow, changes: CaseChanges): Case =>
  presentCase({ ...noContent, id, userId, createdAt, updatedAt, ...changes });

/**
 * For the audit log: the former and new values of the changed short texts of a team's case. Free-form fields may be
 * large, so an entry names those that changed, but does not have their values.
 */
const formerTexts = (before: StoredContent, changes: CaseChanges) => {
  const { fields: _fields, externalRef: _externalRef, ...texts } = changes;
  return valuesOf(before, texts);
};

/**
 * Changes a case. Fields that keep their value count as no change. While member details are off, a request that changes
 * nothing in a case of the team is refused like a GET.
 */
export const changeCase = async (team: Team, owner: CaseOwner, id: string, newContent: CaseContent): Promise<Case> => {
  await sumIfFull(team, 'stored');
  return inTransaction(team, async (tx) => {
    const before = await lockCase(tx, team, owner, id);
    const changes = changesOf<StoredContent>(before, storedOf(newContent));
    const changed = Object.keys(changes);
    const hidesDetails = !owner.private && !team.privacy.memberDetail;
    if (changed.length === 0) return hidesDetails ? fail('privacy_restricted') : presentCase(before);
    const updatedAt = team.platform.clock.now();
    const after = { ...before, ...changes, updatedAt };
    const grown = bytesOf(after) - bytesOf(before);
    if (grown > 0) await requireRoom({ ...team, tx });
    if (grown > 0 && owner.private) await requirePrivateRoom(tx, team, owner.userId, grown);
    await cases.update(tx, { tenantId: team.id, id }, { ...changes, updatedAt }, after);
    // The log that a team sees leaves out entries about private cases.
    record(tx, team, {
      action: 'case.changed',
      target: { type: 'case', id },
      data: {
        changed: changed.map(snakeName),
        private: owner.private,
        ...(!owner.private && formerTexts(before, changes)),
      },
    });
    return hidesDetails ? presentChanges(after, changes) : presentCase(after);
  });
};

/** A member shares a private case with the team. */
export const shareCase = (team: Team, userId: string, id: string): Promise<Case> =>
  inTransaction(team, async (tx) => {
    const own = await lockCase(tx, team, { private: true, userId }, id);
    const now = team.platform.clock.now();
    await cases.share(tx, { tenantId: team.id, id }, now);
    record(tx, team, {
      action: 'case.shared',
      target: { type: 'case', id },
      data: { userId, private: false },
    });
    return presentCase({ ...own, updatedAt: now });
  });

export const deleteCase = (team: Team, owner: CaseOwner, id: string): Promise<void> =>
  inTransaction(team, async (tx) => {
    const { userId } = await lockCase(tx, team, owner, id);
    await cases.remove(tx, { tenantId: team.id, id });
    // The lists of the API never had a private case.
    if (!owner.private) await noteDeleted(tx, team, 'cases', [id], team.platform.clock.now());
    record(tx, team, {
      action: 'case.deleted',
      target: { type: 'case', id },
      data: { userId, private: owner.private },
    });
  });

/**
 * Deletes the private cases of members who left some weeks ago. It stops at the time `until` (of `performance.now()`),
 * and the next run continues. Nobody can see or delete these cases, but they count in the team's storage. They are kept
 * for some weeks, because the person may join again.
 */
export const deletePrivateCasesOfFormerMembers = async (
  platform: Platform,
  { until = Infinity }: { until?: number } = {},
): Promise<void> => {
  const { database, clock } = platform;
  const before = later(clock.now(), -daysToMs(privateCaseLimits.daysAfterMembership));
  while (performance.now() < until) {
    const former = await cases.formerMember(database, before);
    if (!former) return;
    const { tenantId, userId } = former;
    const service = await actIn(platform, { kind: 'service' }, tenantId);
    await inTransaction(service, async (tx) => {
      // No membership can start while the team is locked.
      const team = await lockTeamShared(tx, service);
      const count = await cases.deletePrivate(tx, former, before);
      if (count === 0) return;
      record(tx, team, {
        action: 'case.private_cases_deleted',
        target: { type: 'team', id: tenantId },
        data: { userId, count },
      });
    });
  }
};
