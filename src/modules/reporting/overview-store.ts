import { utcDay } from '../../core/clock.ts';
import type { Database } from '../../db/database.ts';
import type { Prisma } from '../../db/generated/client.ts';
import { validKey } from './store.ts';

// The numbers of a team's overview, and what needs attention there.

interface Counted {
  now: Date;
  invitationsUntil: Date;
  mailsSince: Date;
  /** The Mondays of the last week and of this one. */
  mondays: readonly [last: Date, current: Date];
}

/** The numbers of a team's overview. */
const teamCounts = async (
  { prisma }: Database,
  tenantId: string,
  { now, invitationsUntil, mailsSince, mondays: [lastMonday, monday] }: Counted,
) => {
  const unfinished = { tenantId, status: { in: ['open', 'in_progress'] } } satisfies Prisma.AssignmentWhereInput;
  // A score counts for the week in which its session started.
  const scoredIn = (createdAt: Prisma.DateTimeFilter) =>
    prisma.training.count({
      where: { tenantId, listed: true, status: 'scored', createdAt, evaluation: { total: { not: null } } },
    });
  const ending = { tenantId, expiresAt: { gt: now, lte: invitationsUntil } };
  const [team, taken, keys, lastUsed, endpoints, invitations, soon, expired, mails, open, overdue, thisWeek, lastWeek] =
    await Promise.all([
      prisma.team.findUniqueOrThrow({ where: { id: tenantId }, select: { seats: true } }),
      prisma.member.count({ where: { tenantId, status: { not: 'ended' } } }),
      prisma.apiKey.count({ where: { tenantId, ...validKey(now) } }),
      prisma.apiKey.aggregate({ where: { tenantId }, _max: { lastUsedAt: true } }),
      prisma.webhookEndpoint.groupBy({ by: ['status'], where: { tenantId }, _count: true }),
      prisma.invitation.count({ where: { tenantId, expiresAt: { gt: now } } }),
      prisma.invitation.aggregate({ where: ending, _count: true, _min: { expiresAt: true } }),
      prisma.invitation.count({ where: { tenantId, expiresAt: { lte: now } } }),
      prisma.mail.count({ where: { tenantId, createdAt: { gt: mailsSince }, sentAt: null, error: { not: null } } }),
      prisma.assignment.count({ where: unfinished }),
      prisma.assignment.count({ where: { ...unfinished, dueDate: { lt: new Date(utcDay(now)) } } }),
      scoredIn({ gte: monday }),
      scoredIn({ gte: lastMonday, lt: monday }),
    ]);
  return {
    seats: { total: team.seats, taken },
    keys: { active: keys, lastUsedAt: lastUsed._max.lastUsedAt },
    endpoints: new Map(endpoints.map(({ status, _count }) => [status, _count])),
    invitations: { open: invitations, ending: soon._count, endingAt: soon._min.expiresAt, expired },
    mailsFailed: mails,
    assignments: { open, overdue },
    scored: { thisWeek, lastWeek },
  };
};

export const overviews = {
  teamCounts,

  /** Active keys that expire soon, except rotated ones. */
  expiringKeys: (
    { prisma }: Database,
    tenantId: string,
    { after, until, most }: { after: Date; until: Date; most: number },
  ) =>
    prisma.apiKey.findMany({
      where: { tenantId, revokedAt: null, expiresAt: { gt: after, lte: until }, rotatedToId: null },
      select: { id: true, name: true, expiresAt: true },
      orderBy: [{ expiresAt: 'asc' }, { id: 'asc' }],
      take: most,
    }),

  /** Endpoints that are paused, or have failed since some time, the longest failing first. */
  failingEndpoints: (
    { prisma }: Database,
    tenantId: string,
    { failingBefore, most }: { failingBefore: Date; most: number },
  ) =>
    prisma.webhookEndpoint.findMany({
      where: {
        tenantId,
        failingSince: { not: null },
        OR: [{ status: 'disabled_failures' }, { status: 'active', failingSince: { lte: failingBefore } }],
      },
      select: { id: true, url: true, status: true, failingSince: true },
      orderBy: [{ failingSince: 'asc' }, { id: 'asc' }],
      take: most,
    }),

  /** Connections whose token the CRM refuses, or whose last sync failed. */
  failingConnections: async ({ prisma }: Database, tenantId: string, most: number) => {
    const failed = await prisma.crmConnection.findMany({
      where: {
        tenantId,
        disconnectedAt: null,
        OR: [{ status: 'credentials_refused' }, { status: 'active', lastFailedAt: { not: null } }],
      },
      select: { id: true, provider: true, label: true, status: true, lastFailedAt: true, lastSyncedAt: true },
      orderBy: [{ lastFailedAt: 'asc' }, { id: 'asc' }],
    });
    return failed
      .filter(
        ({ status, lastFailedAt, lastSyncedAt }) =>
          status === 'credentials_refused' || (lastFailedAt ?? 0) > (lastSyncedAt ?? 0),
      )
      .slice(0, most);
  },
};
