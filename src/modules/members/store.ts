import { writeLater, type Database, type Tx } from '../../db/database.ts';
import type { Prisma } from '../../db/generated/client.ts';
import type { Team } from '../../platform/team.ts';
import { teamTable } from '../../platform/team-table.ts';

// The tables `invitation` and `waiting_invitation`. The table `member` belongs to the module membership.

type TeamId = Pick<Team, 'id'>;

const invitationKey = ({ id: tenantId }: TeamId, memberId: string) => ({ tenantId_memberId: { tenantId, memberId } });

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

  /** Creates a member's invitation, or replaces the former one. */
  put: (tx: Tx, team: TeamId, memberId: string, made: NewInvitation) =>
    tx.invitation.upsert({
      where: invitationKey(team, memberId),
      create: { tenantId: team.id, memberId, ...made },
      update: made,
    }),

  /** Deletes the invitations of those members who have one. */
  remove: (tx: Tx, { id: tenantId }: TeamId, memberIds: readonly string[]) =>
    writeLater(tx, () => tx.invitation.deleteMany({ where: { tenantId, memberId: { in: [...memberIds] } } })),
};

type NewWaiting = Omit<Prisma.WaitingInvitationUncheckedCreateInput, 'tenantId'>;

const inOrder = [{ dueAt: 'asc' }, { createdAt: 'asc' }] satisfies Prisma.WaitingInvitationOrderByWithRelationInput[];

/** Invitations that wait for the limits of the team. Every change of them happens under the team's lock. */
export const waitingInvitations = {
  /** The next waiting invitations, at most `max`. */
  first: (tx: Tx, { id: tenantId }: TeamId, max: number) =>
    tx.waitingInvitation.findMany({ where: { tenantId }, orderBy: inOrder, take: max }),

  /** The waiting invitations that are due, at most `max`. */
  due: (tx: Tx, { id: tenantId }: TeamId, now: Date, max: number) =>
    tx.waitingInvitation.findMany({
      where: { tenantId, dueAt: { lte: now } },
      orderBy: inOrder,
      take: max,
    }),

  /** How many invitations wait, and when the next of them is due. */
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

  /** Which of these external ids waiting invitations have. */
  externalIdsAmong: async (tx: Tx, { id: tenantId }: TeamId, externalIds: readonly string[]) =>
    (
      await tx.waitingInvitation.findMany({
        where: { tenantId, externalId: { in: [...externalIds] } },
        select: { externalId: true },
      })
    ).map(({ externalId }) => externalId),

  insert: (tx: Tx, { id: tenantId }: TeamId, rows: readonly NewWaiting[]) =>
    tx.waitingInvitation.createMany({ data: rows.map((row) => ({ tenantId, ...row })) }),

  /** Gives a later time to an invitation that could not be sent. */
  putOff: (tx: Tx, { id: tenantId }: TeamId, id: string, data: { dueAt: Date; refusal: string | null }) =>
    tx.waitingInvitation.updateMany({ where: { tenantId, id }, data }),

  putAllOff: (tx: Tx, { id: tenantId }: TeamId, now: Date, dueAt: Date) =>
    tx.waitingInvitation.updateMany({ where: { tenantId, dueAt: { lte: now } }, data: { dueAt } }),

  /** Removes these waiting invitations, or all. Returns how many there were. */
  remove: async (tx: Tx, { id: tenantId }: TeamId, ids?: readonly string[]) =>
    (await tx.waitingInvitation.deleteMany({ where: { tenantId, ...(ids && { id: { in: [...ids] } }) } })).count,

  removeEmails: async (tx: Tx, tenantId: string, emails: readonly string[]) =>
    (await tx.waitingInvitation.deleteMany({ where: { tenantId, email: { in: [...emails] } } })).count,

  /** The teams that have a waiting invitation for an address. */
  teamsInviting: async (tx: Tx, email: string) =>
    (await tx.waitingInvitation.findMany({ where: { email }, select: { tenantId: true } })).map(
      ({ tenantId }) => tenantId,
    ),

  /** From now on the invitations that wait in the name of a user wait in the name of another user. */
  giveAway: (tx: Tx, { tenantId, userId, to }: { tenantId: string; userId: string; to: string }) =>
    tx.waitingInvitation.updateMany({ where: { tenantId, invitedBy: userId }, data: { invitedBy: to } }),

  /** The teams that have a waiting invitation that was due before this time. */
  teamsWithDue: async ({ prisma }: Database, before: Date) =>
    (await prisma.waitingInvitation.groupBy({ by: ['tenantId'], where: { dueAt: { lt: before } } })).map(
      ({ tenantId }) => tenantId,
    ),
};

/** Invitations in the team's export. */
export const invitationData = teamTable({
  table: 'invitation',
  key: { memberId: 'uuid' },
  values: ['memberId', 'language'],
  times: ['expiresAt', 'createdAt'],
  leftOut: { tokenHash: 'It recognises the link that lets its bearer in.' },
});

export const waitingData = teamTable({
  table: 'waiting_invitation',
  values: ['id', 'email', 'externalId', 'name', 'role', 'language', 'invitedBy', 'refusal'],
  times: ['dueAt', 'createdAt'],
});
