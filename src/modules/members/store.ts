import type { Tx } from '../../db/database.ts';
import type { Language, Prisma } from '../../db/generated/client.ts';
import type { Team } from '../../platform/team.ts';

// The tables `member` and `invitation`. A membership is never deleted: it ends. Whatever changes memberships holds the team's lock.

type TeamId = Pick<Team, 'id'>;

const keyOf = ({ id: tenantId }: TeamId, id: string) => ({ tenantId_id: { tenantId, id } });
const invitationKey = ({ id: tenantId }: TeamId, memberId: string) => ({ tenantId_memberId: { tenantId, memberId } });

const notEnded = { status: { not: 'ended' } } as const satisfies Prisma.MemberWhereInput;
const active = { status: 'active' } as const satisfies Prisma.MemberWhereInput;
const activeAdmin = { ...active, role: { in: ['owner', 'admin'] } } satisfies Prisma.MemberWhereInput;

type NewRow = Omit<Prisma.MemberUncheckedCreateInput, 'tenantId'>;

export const members = {
  /** A membership, also one that has ended. */
  get: (tx: Tx, team: TeamId, id: string) => tx.member.findUnique({ where: keyOf(team, id) }),

  /** Invited and active members, in the order in which they joined or were invited. */
  present: (tx: Tx, { id: tenantId }: TeamId) =>
    tx.member.findMany({ where: { tenantId, ...notEnded }, orderBy: [{ listedAt: 'asc' }, { id: 'asc' }] }),

  owner: (tx: Tx, { id: tenantId }: TeamId) =>
    tx.member.findFirstOrThrow({ where: { tenantId, role: 'owner', ...notEnded } }),

  /** The active membership of a user. */
  activeOfUser: (tx: Tx, { id: tenantId }: TeamId, userId: string) =>
    tx.member.findFirst({ where: { tenantId, userId, ...active }, select: { id: true, role: true } }),

  /** The owner and active admins, with the language that each reads. */
  activeAdmins: (tx: Tx, { id: tenantId }: TeamId) =>
    tx.member.findMany({
      where: { tenantId, ...activeAdmin },
      select: { email: true, user: { select: { person: { select: { language: true } } } } },
      orderBy: { id: 'asc' },
    }),

  countPresent: (tx: Tx, { id: tenantId }: TeamId) => tx.member.count({ where: { tenantId, ...notEnded } }),

  countOtherActiveAdmins: (tx: Tx, { id: tenantId }: TeamId, id: string) =>
    tx.member.count({ where: { tenantId, role: 'admin', ...active, id: { not: id } } }),

  hasEmail: async (tx: Tx, { id: tenantId }: TeamId, email: string) =>
    (await tx.member.count({ where: { tenantId, email, ...notEnded } })) > 0,

  hasUser: async (tx: Tx, { id: tenantId }: TeamId, userId: string) =>
    (await tx.member.count({ where: { tenantId, userId, ...notEnded } })) > 0,

  insert: (tx: Tx, { id: tenantId }: TeamId, row: NewRow) => tx.member.create({ data: { tenantId, ...row } }),

  update: (tx: Tx, team: TeamId, id: string, data: Prisma.MemberUncheckedUpdateInput) =>
    tx.member.update({ where: keyOf(team, id), data }),
};

interface NewInvitation {
  tokenHash: Uint8Array<ArrayBuffer>;
  language: Language;
  expiresAt: Date;
  createdAt: Date;
}

export const invitations = {
  /** The invitation with this token, whether or not it is still good. */
  byToken: (tx: Tx, tokenHash: Uint8Array<ArrayBuffer>) =>
    tx.invitation.findUnique({
      where: { tokenHash },
      include: { member: { select: { email: true, status: true, team: { select: { name: true, status: true } } } } },
    }),

  languageOf: async (tx: Tx, team: TeamId, memberId: string) =>
    (await tx.invitation.findUnique({ where: invitationKey(team, memberId), select: { language: true } }))?.language,

  /** Makes a member's invitation, in place of one that was made before. */
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
