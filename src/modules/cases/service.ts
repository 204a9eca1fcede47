import { isId, newId } from '../../core/ids.ts';
import { limits, privateCaseLimits } from '../../core/limits.ts';
import { fail } from '../../core/problem.ts';
import { rowsIn } from '../../db/database.ts';
import type { Tx } from '../../db/database.ts';
import { Prisma } from '../../db/generated/client.ts';
import { statement } from '../../db/statement.ts';
import { isTooLarge, refuseLarge } from '../../platform/free-form.ts';
import { inTransaction } from '../../platform/team.ts';
import type { Team } from '../../platform/team.ts';
import { record, recordStored } from '../audit/service.ts';
import { byPlan, rowBytes, textBytes } from '../storage/service.ts';
import { holdTeam } from '../teams/service.ts';
import { presentCase } from './listing.ts';
import type { CaseRow } from './listing.ts';
import type { Case, CaseContent } from './schema.ts';

export { deletePrivateCasesOfFormerMembers } from './former-members.ts';
export { getCase, getOwnCase, listCases, listOwnCases } from './listing.ts';

/**
 * Where a case stands: with the team, where the API and everybody who may see cases finds it, or with one member, for whom
 * alone it exists. Whoever asks for a case asks in one of the two; in the other it is not found.
 *
 *   (new) ──▶ private ──shared by its member──▶ the team's
 *   (new) ────────────────────────────────────▶ the team's
 *   both ──deleted──▶ (gone)
 */
export type Shelf = { of: 'team' } | { of: 'member'; userId: string };

const standsIn = (shelf: Shelf): Prisma.Sql =>
  shelf.of === 'team' ? Prisma.sql`not private` : Prisma.sql`private and user_id = ${shelf.userId}::uuid`;

interface LockedCase extends Omit<CaseRow, 'created_at'> {
  created_at: Date;
}

/** Free-form values as the database would have them: the same value has the same text there, whatever the order of its keys. */
interface Normalized {
  wanted_fields: string | null;
  wanted_ref: string | null;
}

const lockCase = async (
  tx: Tx,
  team: Team,
  shelf: Shelf,
  id: string,
  { fields = null, external_ref = null }: CaseContent = {},
): Promise<LockedCase & Normalized> => {
  const [row] = isId(id)
    ? await tx.$queryRaw<(LockedCase & Normalized)[]>`
        select id, user_id, title, persona_id, fields::text, external_ref::text, created_at,
               ${fields?.text ?? null}::jsonb::text as wanted_fields,
               ${external_ref?.text ?? null}::jsonb::text as wanted_ref
          from "case" where tenant_id = ${team.id}::uuid and id = ${id}::uuid and ${standsIn(shelf)}
           for no key update`
    : [];
  return row ?? fail('not_found');
};

/**
 * What a case counts for in the team's storage, as the function `stored_bytes` has it. Its JSON is here as the database writes it:
 * measured there, all of it would be written once more.
 */
const bytesOf = ({ title, persona_id, fields, external_ref }: Omit<CaseRow, 'id' | 'user_id' | 'created_at'>): number =>
  rowBytes + textBytes(title, persona_id, fields, external_ref);

// Called after the private case was written: its person's counter is locked then, so one person's requests can't exceed it together.
// The team's sum is read as it is at that moment.
const privateRoom = statement<{ enough: boolean }, [tenantId: string, userId: string]>(
  `select own.private_bytes <= ${byPlan(privateCaseLimits.ofOnePerson)}
          and (select sum(private_bytes) from team_user where tenant_id = $1) <= ${byPlan(privateCaseLimits.ofAllTogether)} as enough
     from team_user own join team on team.id = own.tenant_id
    where own.tenant_id = $1 and own.id = $2`,
);

/** Refuses what makes a person's private cases larger than they may be: nobody else of the team can see or delete them. */
const needPrivateRoom = async (tx: Tx, team: Team, userId: string): Promise<void> => {
  const [room] = await rowsIn(tx, privateRoom, team.id, userId);
  if (room?.enough === true) return;
  fail('validation_error', {
    field: 'storage',
    detail: 'There is no more room for private cases. Delete private cases, or share them with the team.',
  });
};

/** What the log says of every deed on a case: nobody else is told of those on a private one. */
const isPrivate = (shelf: Shelf): boolean => shelf.of === 'member';

const present = (row: LockedCase): Case => presentCase({ ...row, created_at: row.created_at.toISOString() });

/** A user who is an active member. They stay so: a membership begins and ends under the team's lock, which is held here. */
const needActiveMember = async (tx: Tx, team: Team, userId: string): Promise<void> => {
  const active = isId(userId) ? await tx.member.count({ where: { tenantId: team.id, userId, status: 'active' } }) : 0;
  if (active === 0) fail('not_found', { detail: 'user_id names no active member of this team.' });
};

export interface NewCase extends CaseContent {
  user_id: string;
}

const insert = statement<Pick<CaseRow, 'fields' | 'external_ref'>, unknown[]>(
  `insert into "case" (tenant_id, id, user_id, title, persona_id, fields, external_ref, private, created_at)
   values ($1, $2, $3, $4, $5, $6::jsonb, $7::jsonb, $8, $9)
   returning fields::text, external_ref::text`,
);

/** Makes a case of an active member, for the team or for themselves. */
export const createCase = (caller: Team, wanted: NewCase, { ownOnly = false } = {}): Promise<Case> =>
  inTransaction(caller, async (tx) => {
    const team = await holdTeam(tx, caller);
    await needActiveMember(tx, team, wanted.user_id);
    const { user_id, title = null, persona_id = null, fields = null, external_ref = null } = wanted;
    const id = newId();
    const created_at = team.platform.clock.now();
    const texts = [fields?.text ?? null, external_ref?.text ?? null];
    const [stored] = await rowsIn(tx, insert, team.id, id, user_id, title, persona_id, ...texts, ownOnly, created_at);
    if (!stored) throw new Error('an insert gave no row');
    if (ownOnly) await needPrivateRoom(tx, team, user_id);
    const created = {
      action: 'case.created',
      target: { type: 'case', id },
      data: { user_id, private: ownOnly },
    } as const;
    await recordStored(tx, team, created, bytesOf({ title, persona_id, ...stored }));
    return present({ id, user_id, title, persona_id, ...stored, created_at });
  });

type Changes = Partial<Pick<CaseRow, 'title' | 'persona_id' | 'fields' | 'external_ref'>>;

/** What a change asks for that is not so already; free-form fields are replaced whole. */
const changesOf = (
  before: LockedCase & Normalized,
  { title, persona_id, fields, external_ref }: CaseContent,
): Changes => ({
  ...(title !== undefined && title !== before.title && { title }),
  ...(persona_id !== undefined && persona_id !== before.persona_id && { persona_id }),
  ...(fields !== undefined && before.wanted_fields !== before.fields && { fields: before.wanted_fields }),
  ...(external_ref !== undefined && before.wanted_ref !== before.external_ref && { external_ref: before.wanted_ref }),
});

const settings = ({ title, persona_id, fields, external_ref }: Changes): Prisma.Sql[] => [
  ...(title === undefined ? [] : [Prisma.sql`title = ${title}`]),
  ...(persona_id === undefined ? [] : [Prisma.sql`persona_id = ${persona_id}`]),
  ...(fields === undefined ? [] : [Prisma.sql`fields = ${fields}::jsonb`]),
  ...(external_ref === undefined ? [] : [Prisma.sql`external_ref = ${external_ref}::jsonb`]),
];

type FreeFormField = 'fields' | 'external_ref';

const largeFields = (wanted: CaseContent): FreeFormField[] =>
  (['fields', 'external_ref'] as const).filter((field) => {
    const value = wanted[field];
    return value && isTooLarge(value);
  });

const storedSizes = statement<
  Record<FreeFormField, number>,
  [tenantId: string, id: string, isPrivate: boolean, userId: string | null]
>(
  `select coalesce(octet_length(fields::text), 0) as fields, coalesce(octet_length(external_ref::text), 0) as external_ref
     from "case" where tenant_id = $1 and id = $2 and private = $3 and ($4::uuid is null or user_id = $4)`,
);

/**
 * Cases from before sizes were limited have larger values, which may be sent again as they are. Anything else that is too large is
 * refused here, before the transaction in which the values are compared.
 */
const needStoredLarge = async (team: Team, shelf: Shelf, id: string, fields: FreeFormField[]): Promise<void> => {
  if (fields.length === 0) return;
  const owner = shelf.of === 'member' ? shelf.userId : null;
  const [stored] = isId(id) ? await team.platform.database.rows(storedSizes, team.id, id, isPrivate(shelf), owner) : [];
  for (const field of fields) {
    if ((stored ?? fail('not_found'))[field] <= limits.freeFormBytes) refuseLarge(field);
  }
};

/** Changes a case; what is so already is no change. */
export const changeCase = async (team: Team, shelf: Shelf, id: string, wanted: CaseContent): Promise<Case> => {
  const large = largeFields(wanted);
  await needStoredLarge(team, shelf, id, large);
  return inTransaction(team, async (tx) => {
    const before = await lockCase(tx, team, shelf, id, wanted);
    const changes = changesOf(before, wanted);
    for (const field of large) if (changes[field] !== undefined) refuseLarge(field);
    const changed = Object.keys(changes);
    if (changed.length === 0) return present(before);
    await tx.$executeRaw`
      update "case" set ${Prisma.join(settings(changes))} where tenant_id = ${team.id}::uuid and id = ${id}::uuid`;
    const after = { ...before, ...changes };
    const grown = bytesOf(after) - bytesOf(before);
    if (shelf.of === 'member' && grown > 0) await needPrivateRoom(tx, team, shelf.userId);
    const deed = {
      action: 'case.changed',
      target: { type: 'case', id },
      data: { changed, private: isPrivate(shelf) },
    } as const;
    await recordStored(tx, team, deed, grown);
    return present(after);
  });
};

/** A member gives a private case of theirs to the team. */
export const shareCase = (team: Team, userId: string, id: string): Promise<Case> =>
  inTransaction(team, async (tx) => {
    const own = await lockCase(tx, team, { of: 'member', userId }, id);
    await tx.case.updateMany({ where: { tenantId: team.id, id }, data: { private: false } });
    await record(tx, team, {
      action: 'case.shared',
      target: { type: 'case', id },
      data: { user_id: userId, private: false },
    });
    return present(own);
  });

export const deleteCase = (team: Team, shelf: Shelf, id: string): Promise<void> =>
  inTransaction(team, async (tx) => {
    const before = await lockCase(tx, team, shelf, id);
    await tx.case.deleteMany({ where: { tenantId: team.id, id } });
    const deleted = {
      action: 'case.deleted',
      target: { type: 'case', id },
      data: { user_id: before.user_id, private: isPrivate(shelf) },
    } as const;
    await recordStored(tx, team, deleted, -bytesOf(before));
  });
