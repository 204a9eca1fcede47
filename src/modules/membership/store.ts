import { makeId } from '../../core/ids.ts';
import { runIn, runLater, writeLater, type Database, type Tx } from '../../db/database.ts';
import type { Prisma } from '../../db/generated/client.ts';
import { MemberStatus, Role } from '../../db/generated/enums.ts';
import { batchedRead } from '../../db/batched-read.ts';
import { listOf, oneOf, query, text, time, uuid, type RowOf } from '../../db/query.ts';
import { select } from '../../platform/keyset-statements.ts';
import type { Team } from '../../platform/team.ts';
import { teamTable } from '../../platform/team-table.ts';

// The table `member`. A membership is not deleted but ends; only an erasure or the deletion of the team deletes rows.
// Memberships begin, get other roles and end under the team's lock, by the rules of the module `members` or by an
// erasure.

type TeamId = Pick<Team, 'id'>;

const keyOf = ({ id: tenantId }: TeamId, id: string) => ({ tenantId_id: { tenantId, id } });

const notEnded = { status: { not: 'ended' } } as const satisfies Prisma.MemberWhereInput;
const active = { status: 'active' } as const satisfies Prisma.MemberWhereInput;
const activeAdmin = { ...active, role: { in: ['owner', 'admin'] } } satisfies Prisma.MemberWhereInput;

/** The owner and active admins who want the weekly mail and have not got the one of this Monday. */
const awaitsWeeklyMail = (monday: Date) =>
  ({
    ...activeAdmin,
    weeklyMail: true,
    OR: [{ weeklyMailOf: null }, { weeklyMailOf: { not: monday } }],
  }) satisfies Prisma.MemberWhereInput;

interface CompanyIdentity {
  userId: string | undefined;
  subject: string;
  email: string;
}

type NewRow = Omit<Prisma.MemberUncheckedCreateInput, 'tenantId'>;

/** The columns that the public API shows. A new one is added here and to `Member`. */
export const shown = {
  id: uuid,
  userId: uuid.orNull,
  email: text,
  name: text.orNull,
  externalId: text.orNull,
  role: oneOf('role', Role),
  status: oneOf('member_status', MemberStatus),
  joinedAt: time.orNull,
  updatedAt: time,
} as const;

/** A membership, even if it has ended. */
export type MemberRow = RowOf<typeof shown>;

/**
 * SQL: the name of the person behind the member `m`. The person gives it when they accept the invitation. From then on
 * the name in the customer's directory replaces it, if there is one.
 */
export const expressions = (tenantId: string) => ({
  name: `(select coalesce(m.directory_name, p.name) from team_user u join person p on p.id = u.person_id
          where u.tenant_id = ${tenantId} and u.id = m.user_id)`,
});

export const withRights = { ...shown, rights: listOf(text) } as const;

const why = 'GET /users/{member_id} costs 24 % more CPU through Prisma, and POST requests 0.4 ms more';

const find = query({
  name: 'members.find',
  why,
  sql: `select ${select(withRights, expressions(':tenantId'), 'm')} from member m where m.tenant_id = :tenantId and m.id = :id`,
  parameters: { tenantId: uuid, id: uuid },
  row: withRights,
});

const lookUpMember = batchedRead({
  name: 'members.lookUp',
  why,
  sql: (tenantId) =>
    `select ${select(shown, expressions(tenantId), 'm')}, m.tenant_id from member m where m.tenant_id = ${tenantId} and m.id = wanted.id`,
  row: shown,
});

export const members = {
  /** A membership, even if it has ended. */
  get: (database: Database, { id: tenantId }: TeamId, id: string) => lookUpMember(database, tenantId, id),

  /** Like `get`, in a transaction. */
  find: async (tx: Tx, { id: tenantId }: TeamId, id: string) => (await runIn(tx, find, { tenantId, id }))[0],

  /** Like `find`, but the row is read together with the transaction's next statement. */
  findLater: (tx: Tx, { id: tenantId }: TeamId, id: string) => runLater(tx, find, { tenantId, id }),

  /** Invited and active members, in the order in which they joined or were invited. */
  present: (tx: Tx, { id: tenantId }: TeamId) =>
    tx.member.findMany({ where: { tenantId, ...notEnded }, orderBy: [{ listedAt: 'asc' }, { id: 'asc' }] }),

  owner: (tx: Tx, { id: tenantId }: TeamId) =>
    tx.member.findFirstOrThrow({ where: { tenantId, role: 'owner', ...notEnded } }),

  activeOfUser: (tx: Tx, { id: tenantId }: TeamId, userId: string) =>
    tx.member.findFirst({ where: { tenantId, userId, ...active }, select: { role: true } }),

  activeUsers: async (tx: Tx, { id: tenantId }: TeamId) =>
    (await tx.member.findMany({ where: { tenantId, ...active }, select: { userId: true } })).map(
      ({ userId }) => userId,
    ),

  /** The active ones among these members. */
  activeAmong: (tx: Tx, { id: tenantId }: TeamId, ids: string[]) =>
    tx.member.findMany({ where: { tenantId, id: { in: ids }, ...active }, select: { id: true, userId: true } }),

  /** The owner and active admins, with their languages. */
  activeAdmins: (tx: Tx, { id: tenantId }: TeamId) =>
    tx.member.findMany({
      where: { tenantId, ...activeAdmin },
      select: { email: true, role: true, userId: true, user: { select: { person: { select: { language: true } } } } },
      orderBy: { id: 'asc' },
    }),

  wantsWeeklyMail: async (tx: Tx, { id: tenantId }: TeamId, id: string) =>
    (await tx.member.count({ where: { tenantId, id, weeklyMail: true } })) > 0,

  /** The API does not show this, so readers of changes need not see it. */
  setWeeklyMail: (tx: Tx, { id: tenantId }: TeamId, id: string, weeklyMail: boolean) =>
    tx.member.updateMany({ where: { tenantId, id }, data: { weeklyMail } }),

  teamsAwaitingWeeklyMail: async ({ prisma }: Database, monday: Date) =>
    (
      await prisma.member.findMany({
        where: { ...awaitsWeeklyMail(monday), team: { status: 'active' } },
        select: { tenantId: true },
        distinct: ['tenantId'],
      })
    ).map(({ tenantId }) => tenantId),

  awaitingWeeklyMail: (tx: Tx, { id: tenantId }: TeamId, monday: Date) =>
    tx.member.findMany({
      where: { tenantId, ...awaitsWeeklyMail(monday) },
      select: { id: true, email: true, user: { select: { person: { select: { language: true } } } } },
      orderBy: { id: 'asc' },
    }),

  claimWeeklyMail: async (tx: Tx, { id: tenantId }: TeamId, id: string, monday: Date) =>
    (
      await tx.member.updateMany({
        where: { tenantId, id, ...awaitsWeeklyMail(monday) },
        data: { weeklyMailOf: monday },
      })
    ).count > 0,

  /** The number of invited and active members of each role. */
  countByRole: (tx: Tx, { id: tenantId }: TeamId) =>
    tx.member.groupBy({ by: ['role'], where: { tenantId, ...notEnded }, _count: true }),

  countPresent: (tx: Tx, { id: tenantId }: TeamId) => tx.member.count({ where: { tenantId, ...notEnded } }),

  countOtherActiveAdmins: (tx: Tx, { id: tenantId }: TeamId, id: string) =>
    tx.member.count({ where: { tenantId, role: 'admin', ...active, id: { not: id } } }),

  hasEmail: async (tx: Tx, { id: tenantId }: TeamId, email: string) =>
    (await tx.member.count({ where: { tenantId, email, ...notEnded } })) > 0,

  /** Invited and active members with one of these addresses. */
  withEmails: (tx: Tx, { id: tenantId }: TeamId, emails: readonly string[]) =>
    tx.member.findMany({
      where: { tenantId, email: { in: [...emails] }, ...notEnded },
      select: { email: true, status: true },
    }),

  hasExternalId: async (tx: Tx, { id: tenantId }: TeamId, externalId: string) =>
    (await tx.member.count({ where: { tenantId, externalId, ...notEnded } })) > 0,

  /** Which of these external ids invited and active members have. */
  externalIdsAmong: async (tx: Tx, { id: tenantId }: TeamId, externalIds: readonly string[]) =>
    (
      await tx.member.findMany({
        where: { tenantId, externalId: { in: [...externalIds] }, ...notEnded },
        select: { externalId: true },
      })
    ).map(({ externalId }) => externalId),

  /** The last membership with this address that was accepted, even if it has ended. */
  lastUserWith: (tx: Tx, { id: tenantId }: TeamId, email: string) =>
    tx.member.findFirst({
      where: { tenantId, email, userId: { not: null } },
      select: { userId: true, companySubject: true },
      orderBy: { createdAt: 'desc' },
    }),

  hasUser: async (tx: Tx, { id: tenantId }: TeamId, userId: string) =>
    (await tx.member.count({ where: { tenantId, userId, ...notEnded } })) > 0,

  /**
   * All memberships of a user or of a subject of the team's identity provider, and the membership with this address,
   * unless it has ended. The latest come first.
   */
  ofIdentity: (tx: Tx, { id: tenantId }: TeamId, { userId, subject, email }: CompanyIdentity) =>
    tx.member.findMany({
      where: {
        tenantId,
        OR: [{ companySubject: subject }, ...(userId === undefined ? [] : [{ userId }]), { email, ...notEnded }],
      },
      select: { id: true, userId: true, email: true, status: true, companySubject: true },
      orderBy: { createdAt: 'desc' },
    }),

  /** Removes the links between members and accounts of the identity provider. */
  forgetSubjects: (tx: Tx, { id: tenantId }: TeamId) =>
    tx.member.updateMany({ where: { tenantId, companySubject: { not: null } }, data: { companySubject: null } }),

  insert: (tx: Tx, { id: tenantId }: TeamId, row: NewRow) => tx.member.create({ data: { tenantId, ...row } }),

  /** Changes fields that the API shows. Readers of changes find the member by `updatedAt`. */
  update: (
    tx: Tx,
    { id: tenantId }: TeamId,
    id: string,
    data: Prisma.MemberUncheckedUpdateManyInput & { updatedAt: Date },
  ) => writeLater(tx, () => tx.member.updateMany({ where: { tenantId, id }, data })),

  /**
   * The person has another name, in all teams. Only the time of change of their memberships is set, so no team is
   * locked.
   */
  touchOfPerson: (tx: Tx, personId: string, updatedAt: Date) =>
    tx.member.updateMany({ where: { user: { personId }, ...notEnded }, data: { updatedAt } }),

  /**
   * Links a member to an account of the team's identity provider. The API does not show this, so readers of changes
   * need not see it.
   */
  setSubject: (tx: Tx, team: TeamId, id: string, companySubject: string) =>
    tx.member.update({ where: keyOf(team, id), data: { companySubject } }),

  /** The API does not show rights, so readers of changes need not see this. */
  setRights: (tx: Tx, team: TeamId, id: string, rights: string[]) =>
    tx.member.update({ where: keyOf(team, id), data: { rights } }),
};

/** Memberships in the team's export. */
export const memberData = teamTable({
  table: 'member',
  values: [
    'id',
    'userId',
    'email',
    'externalId',
    'directoryName',
    'invitedName',
    'role',
    'status',
    'rights',
    'weeklyMail',
    'weeklyMailOf',
  ],
  times: ['invitedAt', 'joinedAt', 'endedAt', 'listedAt', 'createdAt', 'updatedAt'],
  leftOut: { companySubject: 'An id of the company’s identity provider, which has it anyway.' },
});

/** The domain of the addresses that replace erased ones. No mail can be sent there (RFC 2606). */
export const erasedDomain = 'erased.invalid';

export const placeholderEmail = (id: string): string => `erased-${id}@${erasedDomain}`;

/** The queries of the erasure of a person. */
export const erasedMembers = {
  /** Memberships with an address, in all teams. */
  byEmail: (tx: Tx, email: string) => tx.member.findMany({ where: { email }, orderBy: { tenantId: 'asc' } }),

  /**
   * All memberships of a person in a team: those of the user, and invitations to these addresses that were never
   * accepted.
   */
  ofPerson: (tx: Tx, { id: tenantId }: TeamId, { userId, emails }: { userId: string | null; emails: string[] }) =>
    tx.member.findMany({
      where: {
        tenantId,
        OR: [...(userId === null ? [] : [{ userId }]), { userId: null, email: { in: emails } }],
      },
      orderBy: { id: 'asc' },
    }),

  /** Replaces the address of a membership, and removes its name and its ids of other systems. */
  hideEmail: (tx: Tx, team: TeamId, id: string, updatedAt: Date) =>
    tx.member.update({
      where: keyOf(team, id),
      data: {
        email: placeholderEmail(makeId()),
        externalId: null,
        directoryName: null,
        invitedName: null,
        companySubject: null,
        updatedAt,
      },
    }),

  /** The members' invitations must be removed before. */
  remove: (tx: Tx, tenantId: string, ids: string[]) => tx.member.deleteMany({ where: { tenantId, id: { in: ids } } }),
};

/** Whether this address replaces an erased one. */
export const isPlaceholder = (email: string): boolean => email.endsWith(`@${erasedDomain}`);
