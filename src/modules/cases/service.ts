import { daysToMs, later } from '../../core/clock.ts';
import { isId, newId } from '../../core/ids.ts';
import { limits, privateCaseLimits } from '../../core/limits.ts';
import { fail } from '../../core/problem.ts';
import type { Tx } from '../../db/database.ts';
import { isTooLarge, rawOf, refuseLarge } from '../../platform/free-form.ts';
import type { Page } from '../../platform/paging.ts';
import { inTransaction } from '../../platform/team.ts';
import type { Team, Platform } from '../../platform/team.ts';
import { record, recordStored } from '../audit/service.ts';
import { isActiveUser } from '../members/membership.ts';
import { rowBytes, textBytes } from '../storage/service.ts';
import { lockTeamShared, actIn } from '../teams/service.ts';
import type { Case, CaseContent } from './schema.ts';
import { cases, contentNames, deletedAtOnce, noTexts, privateCaseList, teamCaseList, textNames } from './store.ts';
import type { CaseRow, CaseTexts, FormerMember, LockedCase } from './store.ts';

/**
 * A case is either the team's, visible in the API and to everybody who may see cases, or private, visible only to one member. Every request
 * works on one of these two shelves and does not find the cases of the other.
 *
 *   (new) ──▶ private ──shared by its member──▶ the team's
 *   (new) ────────────────────────────────────▶ the team's
 *   both ──deleted──▶ (gone)
 */
export type Shelf = { of: 'team' } | { of: 'member'; userId: string };

type PageWanted = { cursor?: string | undefined; limit: number };

const presentCase = (row: CaseRow): Case => ({
  ...row,
  fields: rawOf(row.fields),
  external_ref: rawOf(row.external_ref),
});

const presentPage = (page: Page<CaseRow>): Page<Case> => ({ ...page, data: page.data.map(presentCase) });

/** A case of the team. Private cases are not found. */
export const getCase = async ({ id: tenantId, platform }: Team, id: string): Promise<Case> => {
  const row = isId(id) ? await cases.ofTeam(platform.database, tenantId, id) : undefined;
  return presentCase(row ?? fail('not_found'));
};

/** A member's own private case. */
export const getOwnCase = async ({ id: tenantId, platform }: Team, userId: string, id: string): Promise<Case> => {
  const row = isId(id) ? await cases.privateOf(platform.database, tenantId, { userId, id }) : undefined;
  return presentCase(row ?? fail('not_found'));
};

/** The team's cases, including those of former members. */
export const listCases = async (
  team: Team,
  { user_id, ...query }: PageWanted & { user_id?: string | undefined },
): Promise<Page<Case>> => presentPage(await teamCaseList(team, query, { user_id }));

/** A member's own private cases. */
export const listOwnCases = async (team: Team, userId: string, query: PageWanted): Promise<Page<Case>> =>
  presentPage(await privateCaseList(team, query, { user_id: userId }));

const lockCase = async (
  tx: Tx,
  { id: tenantId }: Team,
  shelf: Shelf,
  id: string,
  { fields = null, external_ref = null }: CaseContent = {},
): Promise<LockedCase> => {
  if (!isId(id)) return fail('not_found');
  const wanted = { id, fields: fields?.text ?? null, ref: external_ref?.text ?? null };
  const row =
    shelf.of === 'team'
      ? await cases.lockOfTeam(tx, tenantId, wanted)
      : await cases.lockPrivate(tx, tenantId, { ...wanted, userId: shelf.userId });
  return row ?? fail('not_found');
};

/**
 * The size of a case in the team's storage, like the function `stored_bytes`. It is computed here from the JSON that the database has
 * returned, because measuring it there would write all of it once more.
 */
const bytesOf = (content: Omit<CaseRow, 'id' | 'user_id' | 'created_at'>): number =>
  rowBytes + textBytes(...contentNames.map((name) => content[name]));

/** Refuses private cases beyond the person's limit: nobody else can see or delete them. */
const requirePrivateRoom = async (tx: Tx, team: Team, userId: string): Promise<void> => {
  if (await cases.hasPrivateRoom(tx, team.id, userId)) return;
  fail('validation_error', {
    field: 'storage',
    detail: 'There is no more room for private cases. Delete private cases, or share them with the team.',
  });
};

/** Part of each audit entry about a case. The log that a team sees leaves out entries about private cases. */
const isPrivate = (shelf: Shelf): boolean => shelf.of === 'member';

/** A user who is an active member, and stays one: memberships start and end only while the team is locked. */
const requireActiveMember = async (tx: Tx, team: Team, userId: string): Promise<void> => {
  if (!(await isActiveUser(tx, team, userId))) {
    fail('not_found', { detail: 'user_id names no active member of this team.' });
  }
};

interface NewCase extends CaseContent {
  user_id: string;
}

/** Creates a case of an active member, for the team or private. */
export const createCase = (caller: Team, wanted: NewCase, { ownOnly = false } = {}): Promise<Case> =>
  inTransaction(caller, async (tx) => {
    const team = await lockTeamShared(tx, caller);
    await requireActiveMember(tx, team, wanted.user_id);
    const { user_id, fields = null, external_ref = null } = wanted;
    const texts = { ...noTexts, ...changedTexts(noTexts, wanted) };
    const id = newId();
    const created_at = team.platform.clock.now();
    const stored = await cases.insert(tx, {
      tenantId: team.id,
      id,
      userId: user_id,
      ...texts,
      fields: fields?.text ?? null,
      ref: external_ref?.text ?? null,
      isPrivate: ownOnly,
      createdAt: created_at,
    });
    if (!stored) throw new Error('an insert gave no row');
    if (ownOnly) await requirePrivateRoom(tx, team, user_id);
    const created = {
      action: 'case.created',
      target: { type: 'case', id },
      data: { user_id, private: ownOnly },
    } as const;
    await recordStored(tx, team, created, bytesOf({ ...texts, ...stored }));
    return presentCase({ id, user_id, ...texts, ...stored, created_at: created_at.toISOString() });
  });

type Changes = Partial<Omit<CaseRow, 'id' | 'user_id' | 'created_at'>>;

const changedTexts = (before: CaseTexts, wanted: CaseContent): Partial<CaseTexts> => {
  const changes: Partial<CaseTexts> = {};
  for (const name of textNames) {
    const text = wanted[name];
    if (text !== undefined && text !== before[name]) changes[name] = text;
  }
  return changes;
};

/** The fields of a request that differ from the current values. Free-form fields are replaced as a whole. */
const changesOf = (before: LockedCase, wanted: CaseContent): Changes => ({
  ...changedTexts(before, wanted),
  ...(wanted.fields !== undefined && before.wanted_fields !== before.fields && { fields: before.wanted_fields }),
  ...(wanted.external_ref !== undefined &&
    before.wanted_ref !== before.external_ref && { external_ref: before.wanted_ref }),
});

type FreeFormField = 'fields' | 'external_ref';

const largeFields = (wanted: CaseContent): FreeFormField[] =>
  (['fields', 'external_ref'] as const).filter((field) => {
    const value = wanted[field];
    return value && isTooLarge(value);
  });

/**
 * Cases from before sizes were limited may have larger values, which may be sent again unchanged. All other values that are too large are
 * refused here, before the transaction that compares them.
 */
const requireStoredLarge = async (team: Team, shelf: Shelf, id: string, fields: FreeFormField[]): Promise<void> => {
  if (fields.length === 0) return;
  const owner = shelf.of === 'member' ? shelf.userId : null;
  const which = { id, isPrivate: isPrivate(shelf), userId: owner };
  const stored = isId(id) ? await cases.storedSizes(team.platform.database, team.id, which) : undefined;
  for (const field of fields) {
    if ((stored ?? fail('not_found'))[field] <= limits.freeFormBytes) refuseLarge(field);
  }
};

/**
 * The answer to a change while member details are off: the changed fields, and the ids and the time that a creation returns. The other
 * fields are those that GET refuses.
 */
const presentChanges = ({ id, user_id, created_at }: CaseRow, changes: Changes): Case =>
  presentCase({ ...noTexts, id, user_id, fields: null, external_ref: null, created_at, ...changes });

/** The former and new values of the changed short texts of a team's case. Free-form values may be large, so they are only named. */
const formerTexts = (before: CaseTexts, changes: Changes) => {
  const names = textNames.filter((name) => changes[name] !== undefined);
  const of = (texts: Changes) => Object.fromEntries(names.map((name) => [name, texts[name] ?? null]));
  return names.length > 0 && { before: of(before), after: of(changes) };
};

/**
 * Changes a case. Fields that keep their value count as no change. While member details are off, a request that changes nothing is
 * refused like a GET.
 */
export const changeCase = async (team: Team, shelf: Shelf, id: string, wanted: CaseContent): Promise<Case> => {
  const large = largeFields(wanted);
  await requireStoredLarge(team, shelf, id, large);
  return inTransaction(team, async (tx) => {
    const before = await lockCase(tx, team, shelf, id, wanted);
    const changes = changesOf(before, wanted);
    for (const field of large) if (changes[field] !== undefined) refuseLarge(field);
    const changed = Object.keys(changes);
    const hidesDetails = shelf.of === 'team' && !team.privacy.memberDetail;
    if (changed.length === 0) return hidesDetails ? fail('privacy_restricted') : presentCase(before);
    const after = { ...before, ...changes };
    await cases.update(tx, {
      ...after,
      tenantId: team.id,
      setFields: changes.fields !== undefined,
      fields: changes.fields ?? null,
      setRef: changes.external_ref !== undefined,
      ref: changes.external_ref ?? null,
    });
    const grown = bytesOf(after) - bytesOf(before);
    if (shelf.of === 'member' && grown > 0) await requirePrivateRoom(tx, team, shelf.userId);
    const action = {
      action: 'case.changed',
      target: { type: 'case', id },
      data: { changed, private: isPrivate(shelf), ...(shelf.of === 'team' && formerTexts(before, changes)) },
    } as const;
    await recordStored(tx, team, action, grown);
    return hidesDetails ? presentChanges(before, changes) : presentCase(after);
  });
};

/** A member shares a private case with the team. */
export const shareCase = (team: Team, userId: string, id: string): Promise<Case> =>
  inTransaction(team, async (tx) => {
    const own = await lockCase(tx, team, { of: 'member', userId }, id);
    await cases.share(tx, team.id, id);
    await record(tx, team, {
      action: 'case.shared',
      target: { type: 'case', id },
      data: { user_id: userId, private: false },
    });
    return presentCase(own);
  });

export const deleteCase = (team: Team, shelf: Shelf, id: string): Promise<void> =>
  inTransaction(team, async (tx) => {
    const before = await lockCase(tx, team, shelf, id);
    await cases.remove(tx, team.id, id);
    const deleted = {
      action: 'case.deleted',
      target: { type: 'case', id },
      data: { user_id: before.user_id, private: isPrivate(shelf) },
    } as const;
    await recordStored(tx, team, deleted, -bytesOf(before));
  });

// Nobody can see or delete the private cases of a former member, but they count in the team's storage. They are kept for some weeks, in
// case the person joins again, and are then deleted.

const deleteBatch = async (platform: Platform, former: FormerMember, before: Date): Promise<boolean> => {
  const { tenant_id, user_id } = former;
  const service = await actIn(platform, { kind: 'service' }, tenant_id);
  return platform.database.transaction(
    async (tx) => {
      const team = await lockTeamShared(tx, { ...service, tx });
      const { count, bytes } = (await cases.deletePrivateOf(tx, former, before)) ?? { count: 0, bytes: '0' };
      if (count === 0) return false;
      const action = {
        action: 'case.private_cases_deleted',
        target: { type: 'team', id: tenant_id },
        data: { user_id, count },
      } as const;
      await recordStored(tx, team, action, -Number(bytes));
      return count === deletedAtOnce;
    },
    { group: tenant_id },
  );
};

const first = '00000000-0000-0000-0000-000000000000';

/** Deletes the private cases of members who left long ago, until the time `until` (of `performance.now()`); the next run continues. */
export const deletePrivateCasesOfFormerMembers = async (
  platform: Platform,
  { until = Infinity }: { until?: number } = {},
): Promise<void> => {
  const before = later(platform.clock.now(), -daysToMs(privateCaseLimits.daysAfterMembership));
  let last: FormerMember = { tenant_id: first, user_id: first };
  while (performance.now() < until) {
    const former = await cases.nextFormerMember(platform.database, before, last);
    if (!former) return;
    while (performance.now() < until && (await deleteBatch(platform, former, before)));
    last = former;
  }
};
