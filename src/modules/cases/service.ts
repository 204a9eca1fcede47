import { isDeepStrictEqual } from 'node:util';
import { isId, newId } from '../../core/ids.ts';
import { fail } from '../../core/problem.ts';
import type { Tx } from '../../db/database.ts';
import { Prisma } from '../../db/generated/client.ts';
import { inTransaction } from '../../platform/team.ts';
import type { Team } from '../../platform/team.ts';
import { record, recordStored } from '../audit/service.ts';
import { holdTeam } from '../teams/service.ts';
import { jsonText } from './free-form.ts';
import { presentCase } from './listing.ts';
import type { CaseRow } from './listing.ts';
import type { Case, CaseContent } from './schema.ts';

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
  /** What it counts for, as text: a bigint. */
  bytes: string;
}

const lockCase = async (tx: Tx, team: Team, shelf: Shelf, id: string): Promise<LockedCase> => {
  const [row] = isId(id)
    ? await tx.$queryRaw<LockedCase[]>`
        select id, user_id, title, persona_id, fields, external_ref, created_at, stored_bytes("case")::text as bytes
          from "case" where tenant_id = ${team.id}::uuid and id = ${id}::uuid and ${standsIn(shelf)}
           for no key update`
    : [];
  return row ?? fail('not_found');
};

type Stored = Pick<LockedCase, 'bytes'>;

/** What a case counts for in the team's storage: the database measures it, which writes JSON its own way. */
const bytesOf = (stored: Stored | undefined): number => {
  if (!stored) throw new Error('a case that was written or locked is gone');
  return Number(stored.bytes);
};

/** What the log says of every deed on a case: nobody else is told of those on a private one. */
const isPrivate = (shelf: Shelf): boolean => shelf.of === 'member';

const present = (row: Omit<LockedCase, 'bytes'>): Case =>
  presentCase({ ...row, created_at: row.created_at.toISOString() });

/** A user who is an active member. They stay so: a membership begins and ends under the team's lock, which is held here. */
const needActiveMember = async (tx: Tx, team: Team, userId: string): Promise<void> => {
  const active = isId(userId) ? await tx.member.count({ where: { tenantId: team.id, userId, status: 'active' } }) : 0;
  if (active === 0) fail('not_found', { detail: 'user_id names no active member of this team.' });
};

export interface NewCase extends CaseContent {
  user_id: string;
}

/** Makes a case of an active member, for the team or for themselves. */
export const createCase = (caller: Team, wanted: NewCase, { ownOnly = false } = {}): Promise<Case> =>
  inTransaction(caller, async (tx) => {
    const team = await holdTeam(tx, caller);
    await needActiveMember(tx, team, wanted.user_id);
    const { user_id, title = null, persona_id = null, fields = null, external_ref = null } = wanted;
    const row = {
      id: newId(),
      user_id,
      title,
      persona_id,
      fields,
      external_ref,
      created_at: team.platform.clock.now(),
    };
    const [stored] = await tx.$queryRaw<Stored[]>`
      insert into "case" (tenant_id, id, user_id, title, persona_id, fields, external_ref, private, created_at)
      values (${team.id}::uuid, ${row.id}::uuid, ${user_id}::uuid, ${title}, ${persona_id}, ${jsonText('fields', fields)}::jsonb,
              ${jsonText('external_ref', external_ref)}::jsonb, ${ownOnly}, ${row.created_at})
      returning stored_bytes("case")::text as bytes`;
    const created = {
      action: 'case.created',
      target: { type: 'case', id: row.id },
      data: { user_id, private: ownOnly },
    } as const;
    await recordStored(tx, team, created, bytesOf(stored));
    return present(row);
  });

type Changes = { [Key in keyof CaseContent]: Exclude<CaseContent[Key], undefined> };

/** What a change asks for that is not so already; free-form fields are replaced whole. */
const changesOf = (before: LockedCase, { title, persona_id, fields, external_ref }: CaseContent): Changes => ({
  ...(title !== undefined && title !== before.title && { title }),
  ...(persona_id !== undefined && persona_id !== before.persona_id && { persona_id }),
  ...(fields !== undefined && !isDeepStrictEqual(fields, before.fields) && { fields }),
  ...(external_ref !== undefined && !isDeepStrictEqual(external_ref, before.external_ref) && { external_ref }),
});

const settings = ({ title, persona_id, fields, external_ref }: Changes): Prisma.Sql[] => [
  ...(title === undefined ? [] : [Prisma.sql`title = ${title}`]),
  ...(persona_id === undefined ? [] : [Prisma.sql`persona_id = ${persona_id}`]),
  ...(fields === undefined ? [] : [Prisma.sql`fields = ${jsonText('fields', fields)}::jsonb`]),
  ...(external_ref === undefined ? [] : [Prisma.sql`external_ref = ${jsonText('external_ref', external_ref)}::jsonb`]),
];

/** Changes a case; what is so already is no change. */
export const changeCase = (team: Team, shelf: Shelf, id: string, wanted: CaseContent): Promise<Case> =>
  inTransaction(team, async (tx) => {
    const before = await lockCase(tx, team, shelf, id);
    const changes = changesOf(before, wanted);
    const changed = Object.keys(changes);
    if (changed.length === 0) return present(before);
    const [stored] = await tx.$queryRaw<Stored[]>`
      update "case" set ${Prisma.join(settings(changes))} where tenant_id = ${team.id}::uuid and id = ${id}::uuid
      returning stored_bytes("case")::text as bytes`;
    const deed = {
      action: 'case.changed',
      target: { type: 'case', id },
      data: { changed, private: isPrivate(shelf) },
    } as const;
    await recordStored(tx, team, deed, bytesOf(stored) - bytesOf(before));
    return present({ ...before, ...changes });
  });

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
