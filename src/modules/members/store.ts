import { newId } from '../../core/ids.ts';
import { runIn, type Database, type Tx } from '../../db/database.ts';
import type { Prisma } from '../../db/generated/client.ts';
import { MemberStatus, Role } from '../../db/generated/enums.ts';
import { lookUp } from '../../db/look-up.ts';
import { listOf, oneOf, query, text, time, uuid } from '../../db/query.ts';
import { select } from '../../platform/keyset-list.ts';
import type { Team } from '../../platform/team.ts';
import { teamTable } from '../../platform/team-table.ts';

// The tables `member` and `invitation`. A membership is never deleted: it ends. Every change of a membership happens under the team's lock.

type TeamId = Pick<Team, 'id'>;

const keyOf = ({ id: tenantId }: TeamId, id: string) => ({ tenantId_id: { tenantId, id } });
const invitationKey = ({ id: tenantId }: TeamId, memberId: string) => ({ tenantId_memberId: { tenantId, memberId } });

const notEnded = { status: { not: 'ended' } } as const satisfies Prisma.MemberWhereInput;
const active = { status: 'active' } as const satisfies Prisma.MemberWhereInput;
const activeAdmin = { ...active, role: { in: ['owner', 'admin'] } } satisfies Prisma.MemberWhereInput;

interface Identity {
  userId: string | undefined;
  subject: string;
  email: string;
}

type NewRow = Omit<Prisma.MemberUncheckedCreateInput, 'tenantId'>;

/** The columns that the public API shows. All reads of members start with them, so a new one is added here and to `Member` in schema.ts. */
export const shown = {
  id: uuid,
  user_id: uuid.orNull,
  email: text,
  role: oneOf('role', Role),
  status: oneOf('member_status', MemberStatus),
  joined_at: time.orNull,
  updated_at: time,
} as const;

export const withRights = { ...shown, rights: listOf(text) } as const;

const why = 'GET /users/{member_id} costs 24 % more CPU through Prisma, and POST requests 0.4 ms more';

const find = query({
  name: 'members.find',
  why,
  sql: `select ${select(withRights)} from member where tenant_id = :tenantId and id = :id`,
  parameters: { tenantId: uuid, id: uuid },
  row: withRights,
});

const lookUpMember = lookUp({
  name: 'members.lookUp',
  why,
  sql: (tenantId) =>
    `select ${select(shown, {}, 'm')}, m.tenant_id from member m where m.tenant_id = ${tenantId} and m.id = wanted.id`,
  row: shown,
});

export const members = {
  /** A membership, even if it has ended. */
  get: (database: Database, { id: tenantId }: TeamId, id: string) => lookUpMember(database, tenantId, id),

  /** The same in a transaction. */
  find: async (tx: Tx, { id: tenantId }: TeamId, id: string) => (await runIn(tx, find, { tenantId, id }))[0],

  /** Invited and active members, in the order in which they joined or were invited. */
  present: (tx: Tx, { id: tenantId }: TeamId) =>
    tx.member.findMany({ where: { tenantId, ...notEnded }, orderBy: [{ listedAt: 'asc' }, { id: 'asc' }] }),

  owner: (tx: Tx, { id: tenantId }: TeamId) =>
    tx.member.findFirstOrThrow({ where: { tenantId, role: 'owner', ...notEnded } }),

  /** The active membership of a user. */
  activeOfUser: (tx: Tx, { id: tenantId }: TeamId, userId: string) =>
    tx.member.findFirst({ where: { tenantId, userId, ...active }, select: { role: true } }),

  /** The users of the active members. */
  activeUsers: async (tx: Tx, { id: tenantId }: TeamId) =>
    (await tx.member.findMany({ where: { tenantId, ...active }, select: { userId: true } })).map(
      ({ userId }) => userId,
    ),

  /** The owner and active admins, with their languages. */
  activeAdmins: (tx: Tx, { id: tenantId }: TeamId) =>
    tx.member.findMany({
      where: { tenantId, ...activeAdmin },
      select: { email: true, role: true, userId: true, user: { select: { person: { select: { language: true } } } } },
      orderBy: { id: 'asc' },
    }),

  /** Invited and active members of each role. */
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

  hasUser: async (tx: Tx, { id: tenantId }: TeamId, userId: string) =>
    (await tx.member.count({ where: { tenantId, userId, ...notEnded } })) > 0,

  /** All memberships of a user or of a subject of the team's identity provider, and the present one with an address. The latest come first. */
  ofIdentity: (tx: Tx, { id: tenantId }: TeamId, { userId, subject, email }: Identity) =>
    tx.member.findMany({
      where: {
        tenantId,
        OR: [{ companySubject: subject }, ...(userId === undefined ? [] : [{ userId }]), { email, ...notEnded }],
      },
      select: { id: true, userId: true, email: true, status: true, companySubject: true },
      orderBy: { createdAt: 'desc' },
    }),

  /** Forgets which account of the identity provider belongs to whom. */
  forgetSubjects: (tx: Tx, { id: tenantId }: TeamId) =>
    tx.member.updateMany({ where: { tenantId, companySubject: { not: null } }, data: { companySubject: null } }),

  insert: (tx: Tx, { id: tenantId }: TeamId, row: NewRow) => tx.member.create({ data: { tenantId, ...row } }),

  /** Changes what the API shows. Readers of changes find the member by `updatedAt`. */
  update: (tx: Tx, team: TeamId, id: string, data: Prisma.MemberUncheckedUpdateInput & { updatedAt: Date }) =>
    tx.member.update({ where: keyOf(team, id), data }),

  /** Links a member to an account of the team's identity provider. The API does not show that either. */
  setSubject: (tx: Tx, team: TeamId, id: string, companySubject: string) =>
    tx.member.update({ where: keyOf(team, id), data: { companySubject } }),

  /** The API does not show rights, so this is no change for its readers. */
  setRights: (tx: Tx, team: TeamId, id: string, rights: string[]) =>
    tx.member.update({ where: keyOf(team, id), data: { rights } }),
};

type NewInvitation = Omit<Prisma.InvitationUncheckedCreateInput, 'tenantId' | 'memberId'>;

export const invitations = {
  /** The invitation with this token, even if it has expired. */
  byToken: (
    tx: Tx,
    { tokenHash, ...key }: { tenantId: string; memberId: string; tokenHash: Uint8Array<ArrayBuffer> },
  ) =>
    tx.invitation.findFirst({
      where: { ...key, tokenHash },
      include: { member: { select: { email: true, status: true, team: { select: { name: true, status: true } } } } },
    }),

  languageOf: async (tx: Tx, team: TeamId, memberId: string) =>
    (await tx.invitation.findUnique({ where: invitationKey(team, memberId), select: { language: true } }))?.language,

  /** Creates a member's invitation, or replaces it. */
  put: (tx: Tx, team: TeamId, memberId: string, made: NewInvitation) =>
    tx.invitation.upsert({
      where: invitationKey(team, memberId),
      create: { tenantId: team.id, memberId, ...made },
      update: made,
    }),

  /** Deletes a member's invitation, if there is one. */
  remove: (tx: Tx, { id: tenantId }: TeamId, memberId: string) =>
    tx.invitation.deleteMany({ where: { tenantId, memberId } }),
};

type NewWaiting = Omit<Prisma.WaitingInvitationUncheckedCreateInput, 'tenantId'>;

const inOrder = [{ dueAt: 'asc' }, { createdAt: 'asc' }] satisfies Prisma.WaitingInvitationOrderByWithRelationInput[];

/** Invitations that wait for the limits of the team. Every change of them happens under the team's lock. */
export const waitingInvitations = {
  /** Those that come next, at most `most`. */
  first: (tx: Tx, { id: tenantId }: TeamId, most: number) =>
    tx.waitingInvitation.findMany({ where: { tenantId }, orderBy: inOrder, take: most }),

  /** Those that are due, at most `most`. */
  due: (tx: Tx, { id: tenantId }: TeamId, now: Date, most: number) =>
    tx.waitingInvitation.findMany({
      where: { tenantId, dueAt: { lte: now } },
      orderBy: inOrder,
      take: most,
    }),

  /** How many there are, and when the next one is due. */
  sum: async (tx: Tx, { id: tenantId }: TeamId) => {
    const { _count: count, _min: min } = await tx.waitingInvitation.aggregate({
      where: { tenantId },
      _count: true,
      _min: { dueAt: true },
    });
    return { count, dueAt: min.dueAt };
  },

  withEmails: (tx: Tx, { id: tenantId }: TeamId, emails: readonly string[]) =>
    tx.waitingInvitation.findMany({ where: { tenantId, email: { in: [...emails] } }, select: { email: true } }),

  insert: (tx: Tx, { id: tenantId }: TeamId, rows: readonly NewWaiting[]) =>
    tx.waitingInvitation.createMany({ data: rows.map((row) => ({ tenantId, ...row })) }),

  /** Puts one off that could not be sent. */
  putOff: (tx: Tx, { id: tenantId }: TeamId, id: string, data: { dueAt: Date; refusal: string | null }) =>
    tx.waitingInvitation.updateMany({ where: { tenantId, id }, data }),

  /** Puts all off that are due. */
  putAllOff: (tx: Tx, { id: tenantId }: TeamId, now: Date, dueAt: Date) =>
    tx.waitingInvitation.updateMany({ where: { tenantId, dueAt: { lte: now } }, data: { dueAt } }),

  /** Removes these, or all. Returns how many there were. */
  remove: async (tx: Tx, { id: tenantId }: TeamId, ids?: readonly string[]) =>
    (await tx.waitingInvitation.deleteMany({ where: { tenantId, ...(ids && { id: { in: [...ids] } }) } })).count,

  removeEmails: async (tx: Tx, tenantId: string, emails: readonly string[]) =>
    (await tx.waitingInvitation.deleteMany({ where: { tenantId, email: { in: [...emails] } } })).count,

  /** The teams that have one for an address. */
  teamsInviting: async (tx: Tx, email: string) =>
    (await tx.waitingInvitation.findMany({ where: { email }, select: { tenantId: true } })).map(
      ({ tenantId }) => tenantId,
    ),

  /** Lets another user be the one who invited. */
  giveAway: async (tx: Tx, { tenantId, userId, to }: { tenantId: string; userId: string; to: string }) =>
    (await tx.waitingInvitation.updateMany({ where: { tenantId, invitedBy: userId }, data: { invitedBy: to } })).count,

  /** The teams that have one that was due before this time. */
  teamsWithDue: async ({ prisma }: Database, before: Date) =>
    (await prisma.waitingInvitation.groupBy({ by: ['tenantId'], where: { dueAt: { lt: before } } })).map(
      ({ tenantId }) => tenantId,
    ),
};

/** Memberships and invitations in the team's export. */
export const memberData = teamTable({
  table: 'member',
  values: ['id', 'user_id', 'email', 'role', 'status', 'rights'],
  times: ['invited_at', 'joined_at', 'ended_at', 'listed_at', 'created_at', 'updated_at'],
  leftOut: { company_subject: 'An id of the company’s identity provider, which has it anyway.' },
});

export const invitationData = teamTable({
  table: 'invitation',
  key: { member_id: 'uuid' },
  values: ['member_id', 'language'],
  times: ['expires_at', 'created_at'],
  leftOut: { token_hash: 'It recognises the link that lets its bearer in.' },
});

export const waitingData = teamTable({
  table: 'waiting_invitation',
  values: ['id', 'email', 'role', 'language', 'invited_by', 'refusal'],
  times: ['due_at', 'created_at'],
});

/** The domain of the addresses that replace erased ones. No mail can be sent there (RFC 2606). */
export const erasedDomain = 'erased.invalid';

export const placeholderEmail = (id: string): string => `erased-${id}@${erasedDomain}`;

/** The queries of the erasure of a person. */
export const erasedMembers = {
  /** Memberships with an address, in all teams. */
  byEmail: (tx: Tx, email: string) => tx.member.findMany({ where: { email }, orderBy: { tenantId: 'asc' } }),

  /** All memberships of one person in a team: those of the user, and invitations to these addresses that were never accepted. */
  ofPerson: (tx: Tx, { id: tenantId }: TeamId, { userId, emails }: { userId: string | null; emails: string[] }) =>
    tx.member.findMany({
      where: {
        tenantId,
        OR: [...(userId === null ? [] : [{ userId }]), { userId: null, email: { in: emails } }],
      },
      orderBy: { id: 'asc' },
    }),

  /** Replaces the address of a membership. */
  hideEmail: (tx: Tx, team: TeamId, id: string, updatedAt: Date) =>
    tx.member.update({
      where: keyOf(team, id),
      data: { email: placeholderEmail(newId()), companySubject: null, updatedAt },
    }),

  remove: async (tx: Tx, tenantId: string, ids: string[]) => {
    const where = { tenantId, memberId: { in: ids } };
    await tx.invitation.deleteMany({ where });
    return (await tx.member.deleteMany({ where: { tenantId, id: { in: ids } } })).count;
  },
};

/** Whether this address replaces an erased one. */
export const isPlaceholder = (email: string): boolean => email.endsWith(`@${erasedDomain}`);
