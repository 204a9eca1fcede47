import { snakeName } from '../../core/spelling.ts';
import { runLater, writeLater, type Database, type Tx } from '../../db/database.ts';
import type { Prisma } from '../../db/generated/client.ts';
import { lockRow } from '../../db/lock-row.ts';
import { bool, insertInto, int, namesOf, query, text, time, uuid, type RowOf } from '../../db/query.ts';
import { keysetList } from '../../platform/keyset-list.ts';
import { storedRowBytes } from '../../platform/storage-counter.ts';
import { teamTable } from '../../platform/team-table.ts';

// The table `case`. Its columns are listed here once. Readers of changes find a case by `updatedAt`, so each write of a
// shown column sets it.

const keys = { id: uuid, userId: uuid, createdAt: time, updatedAt: time } as const;
const shortTexts = { title: text.orNull, personaId: text.orNull } as const;
/** JSON of clients, as text. */
const freeForm = { fields: text.orNull, externalRef: text.orNull } as const;
/** The columns that clients write: up to 130 kB. */
const content = { ...shortTexts, ...freeForm } as const;

const shortNames = namesOf(shortTexts);
const contentNames = namesOf(content);

export type StoredContent = RowOf<typeof content>;
export type CaseChanges = Partial<StoredContent>;
/** Prisma returns times as dates; lists have them as texts. */
export type CaseRow = StoredContent & {
  id: string;
  userId: string;
  createdAt: Date | string;
  updatedAt: Date | string;
};
export const noContent: StoredContent = { title: null, personaId: null, fields: null, externalRef: null };

/** The columns that no answer has. */
const omit = { tenantId: true, private: true, bytes: true } satisfies Prisma.CaseOmit;

/** About how many bytes the content takes in answers. */
export const bytesOf = (content: StoredContent): number =>
  contentNames.reduce((sum, name) => sum + Buffer.byteLength(content[name] ?? ''), 0);

/** The team's cases, or the private ones of a member. */
export type CaseOwner = { readonly private: false } | { readonly private: true; readonly userId: string };

const ofUser = { userId: { sql: 'user_id = :userId', type: uuid, isId: true } } as const;

const list = {
  why: 'continues after a pair of columns, and ends at a number of bytes',
  columns: keys,
  bulk: { columns: content, bytes: 'bytes', always: true },
  from: '"case"',
} as const;

const newestFirst = (name: string, { cursor, isPrivate }: { cursor: string; isPrivate: boolean }) =>
  keysetList({
    ...list,
    name,
    cursor,
    where: `private = ${isPrivate}`,
    order: ['createdAt', 'id'],
    direction: 'desc',
    filters: ofUser,
    counted: !isPrivate,
  });

export const teamCaseList = newestFirst('cases.list', { cursor: 'cases', isPrivate: false });
export const privateCaseList = newestFirst('cases.privateList', { cursor: 'own cases', isPrivate: true });

/** The team's cases that changed since a time, in the order of their changes. */
export const teamCaseChanges = keysetList({
  ...list,
  name: 'cases.changes',
  cursor: 'changed cases',
  where: 'private = false',
  order: ['updatedAt', 'id'],
  direction: 'asc',
  filters: { updatedSince: { sql: 'updated_at >= :updatedSince', type: time, always: true }, ...ofUser },
});

const written = { tenantId: uuid, private: bool, bytes: int, ...keys, ...content } as const;

const insert = query({
  name: 'cases.insert',
  why: 'is sent with COMMIT: Prisma needs an answer, or compiles the statement anew for each row',
  sql: insertInto('"case"', written),
  parameters: written,
  row: {},
});

/** Private cases of users whose memberships all ended before a time. */
const ofFormerMembers = (before: Date): Prisma.CaseWhereInput => ({
  private: true,
  user: { members: { none: { OR: [{ endedAt: null }, { endedAt: { gte: before } }] } } },
});

export const changedAtOnce = 200;

interface CaseKey {
  tenantId: string;
  id: string;
}
interface UserKey {
  tenantId: string;
  userId: string;
}

const idsOf = async (tx: Tx, where: Prisma.CaseWhereInput): Promise<string[]> =>
  (await tx.case.findMany({ where, select: { id: true }, take: changedAtOnce })).map(({ id }) => id);

export const cases = {
  get: (prisma: Database['prisma'] | Tx, key: CaseKey, owner: CaseOwner) =>
    prisma.case.findFirst({ where: { ...key, ...owner }, omit }),

  lock: (tx: Tx, key: CaseKey, owner: CaseOwner) => {
    lockRow(tx, 'case', key);
    return cases.get(tx, key, owner);
  },

  insert: (
    tx: Tx,
    row: CaseKey & { userId: string; private: boolean; createdAt: Date; updatedAt: Date },
    content: StoredContent,
  ): void => {
    runLater(tx, insert, { ...row, ...content, bytes: bytesOf(content) });
  },

  update: (tx: Tx, where: CaseKey, changes: CaseChanges & { updatedAt: Date }, after: StoredContent) =>
    writeLater(tx, () => tx.case.updateMany({ where, data: { ...changes, bytes: bytesOf(after) } })),

  share: (tx: Tx, where: CaseKey, updatedAt: Date) =>
    tx.case.updateMany({ where, data: { private: false, updatedAt } }),

  /** Notes that texts of these cases were replaced. */
  touch: (tx: Tx, tenantId: string, ids: string[], updatedAt: Date) =>
    tx.case.updateMany({ where: { tenantId, id: { in: ids } }, data: { updatedAt } }),

  remove: (tx: Tx, where: CaseKey) => writeLater(tx, () => tx.case.deleteMany({ where })),

  /** About how many bytes private cases take: those of one user, or of the whole team. */
  privateBytes: async (prisma: Database['prisma'] | Tx, of: { tenantId: string; userId?: string }): Promise<number> => {
    const { _sum, _count } = await prisma.case.aggregate({
      where: { ...of, private: true },
      _sum: { bytes: true },
      _count: true,
    });
    return (_sum.bytes ?? 0) + _count * storedRowBytes;
  },

  /** A user who left before a time and still has private cases. */
  formerMember: ({ prisma }: Database, before: Date): Promise<UserKey | null> =>
    prisma.case.findFirst({ where: ofFormerMembers(before), select: { tenantId: true, userId: true } }),

  /**
   * Deletes some private cases of a user, and returns how many. With `leftBefore`: only if the memberships of the user
   * all ended before this time.
   */
  deletePrivate: async (tx: Tx, { tenantId, userId }: UserKey, leftBefore?: Date): Promise<number> => {
    const some = { tenantId, userId, ...(leftBefore ? ofFormerMembers(leftBefore) : { private: true }) };
    return (await tx.case.deleteMany({ where: { tenantId, id: { in: await idsOf(tx, some) } } })).count;
  },

  /** Transfers some of a user's team cases to another user, and returns how many. */
  giveAway: async (tx: Tx, { tenantId, userId, to }: UserKey & { to: string }, updatedAt: Date): Promise<number> => {
    const ids = await idsOf(tx, { tenantId, userId, private: false });
    return (await tx.case.updateMany({ where: { tenantId, id: { in: ids } }, data: { userId: to, updatedAt } })).count;
  },
};

const unlessPrivate = (name: string, cast = '') => [
  name,
  `case when t.private then null else t.${snakeName(name)}${cast} end`,
];

/** Cases in the team's export and in the erasure of a person. The export leaves out the content of private cases. */
export const caseData = teamTable({
  table: 'case',
  pageRows: 50,
  values: ['id', 'userId', 'private'],
  times: ['createdAt', 'updatedAt'],
  texts: shortNames,
  json: namesOf(freeForm),
  leftOut: { bytes: 'A size for the pages of lists.' },
  shownAs: Object.fromEntries([
    ...shortNames.map((name) => unlessPrivate(name)),
    ...namesOf(freeForm).map((name) => unlessPrivate(name, '::json')),
  ]),
});
