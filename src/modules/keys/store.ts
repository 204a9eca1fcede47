import { later, secondsToMs } from '../../core/clock.ts';
import { limits } from '../../core/limits.ts';
import { runIn, type Database, type Tx } from '../../db/database.ts';
import type { Prisma } from '../../db/generated/client.ts';
import { bool, int, likeText, query, uuid, type ParametersOf } from '../../db/query.ts';
import type { Team } from '../../platform/team.ts';
import { teamTable } from '../../platform/team-table.ts';

// The tables `api_key`, `api_key_prefix`, by which the gate finds a key, and `request_budget`, in which it counts. A
// key is deleted only with its team.

type TeamId = Pick<Team, 'id'>;

export const usesNotedEveryMs = secondsToMs(60);

const keyOf = ({ id: tenantId }: TeamId, id: string) => ({ tenantId_id: { tenantId, id } });

// A request that has locked a row may be waiting for other locks, so waiting for the row could deadlock.
const deleteBudgets = query({
  name: 'keys.deleteBudgets',
  why: 'skips budgets that are locked',
  sql: `delete from request_budget
         where subject in (
           select subject from request_budget where started_at < clock_timestamp() - interval '10 minutes' for update skip locked)`,
  parameters: {},
  row: {},
});

const isOpen = `b.used > 0 and b.started_at > now.at - interval '1 minute'`;

// Counts like gate(): a window begins anew if it is over or if no request was counted in it.
const countFurther = query({
  name: 'keys.countFurther',
  why: 'counts in both budgets or in none',
  sql: `with now as materialized (select clock_timestamp() as at),
             budget as materialized (
               select b.subject, case when ${isOpen} then b.used else 0 end as used,
                      case when ${isOpen} then b.started_at else now.at end as started_at,
                      case b.subject when :teamId then :teamMax::int else :keyMax::int end as max
                 from request_budget b cross join now
                where b.subject in (:teamId, :keyId)),
             counted as (
               update request_budget b set used = budget.used + :requests, started_at = budget.started_at
                 from budget
                where b.subject = budget.subject
                  and not exists (select from budget where budget.used + :requests > budget.max)
               returning b.subject)
        select subject = :teamId as "isTeam", subject in (select subject from counted) as "isCounted",
               used + case when subject in (select subject from counted) then :requests else 0 end as used,
               greatest(1, ceil(extract(epoch from started_at + interval '1 minute' - now.at)))::int as "resetSeconds"
          from budget cross join now
         order by 1`,
  parameters: { teamId: uuid, keyId: uuid, requests: int, teamMax: int, keyMax: int },
  row: { isTeam: bool.checked, isCounted: bool.checked, used: int.checked, resetSeconds: int.checked },
});

/**
 * The times that decide which keys are due for a mail about their expiry: now, and the latest expiry for which the
 * first mail is due, and the one for which the second is due.
 */
interface NoticeTimes {
  now: Date;
  first: Date;
  second: Date;
}

const { second: secondNotice, first: firstNotice } = limits.keyExpiryNoticeDays;

const isInUse = { revokedAt: null, rotatedToId: null } as const;

/**
 * Keys that are due for the second mail, which is sent in their last days, and keys that are due for the first mail
 * before that.
 */
const dueForSecond = ({ now, second }: NoticeTimes) =>
  ({
    ...isInUse,
    expiresAt: { gt: now, lte: second },
    OR: [{ expiryNoticeDays: null }, { expiryNoticeDays: { gt: secondNotice } }],
  }) satisfies Prisma.ApiKeyWhereInput;
const dueForFirst = ({ first, second }: NoticeTimes) =>
  ({ ...isInUse, expiresAt: { gt: second, lte: first }, expiryNoticeDays: null }) satisfies Prisma.ApiKeyWhereInput;

const noticed = { id: true, name: true, prefix: true, expiresAt: true, createdBy: true } satisfies Prisma.ApiKeySelect;

/** The columns of a key that the app shows, with its requests of each day from `first` on. */
const columns = (first: Date) =>
  ({
    id: true,
    name: true,
    prefix: true,
    scopes: true,
    allowedIps: true,
    createdAt: true,
    expiresAt: true,
    revokedAt: true,
    lastUsedAt: true,
    reportedAt: true,
    rotatedToId: true,
    rotatedFrom: { select: { id: true } },
    creator: {
      select: {
        id: true,
        email: true,
        directoryName: true,
        invitedName: true,
        status: true,
        role: true,
        user: { select: { person: { select: { name: true } } } },
      },
    },
    days: {
      where: { day: { gte: first } },
      select: { day: true, requests: true, limited: true, refused: true, failed: true },
    },
  }) satisfies Prisma.ApiKeySelect;

export type KeyRow = Prisma.ApiKeyGetPayload<{ select: ReturnType<typeof columns> }>;

const shortColumns = {
  id: true,
  name: true,
  prefix: true,
  createdAt: true,
  expiresAt: true,
  revokedAt: true,
  lastUsedAt: true,
  scopes: true,
} satisfies Prisma.ApiKeySelect;

const newestFirst = [{ createdAt: 'desc' }, { id: 'desc' }] satisfies Prisma.ApiKeyOrderByWithRelationInput[];

/** The public part of a key in a searched text, which was copied from the app or from a whole key. */
const prefixIn = (searched: string): string | undefined => /^svck_live_([A-Za-z0-9]{1,12})/.exec(searched)?.[1];

/** Keys whose name contains a text, or whose public part begins with it. */
const matching = (searched: string) => {
  const text = likeText(prefixIn(searched) ?? searched);
  return {
    OR: [{ name: { contains: text, mode: 'insensitive' } }, { prefix: { startsWith: text } }],
  } satisfies Prisma.ApiKeyWhereInput;
};

export const keys = {
  listed: ({ prisma }: Database, { id: tenantId }: TeamId, id: string, first: Date) =>
    prisma.apiKey.findFirst({ where: { tenantId, id }, select: columns(first) }),

  /** The newest keys, or the next ones after a key. */
  page: (
    { prisma }: Database,
    { id: tenantId }: TeamId,
    {
      after,
      max,
      first,
      search,
    }: { after: { createdAt: Date; id: string } | undefined; max: number; first: Date; search: string },
  ) =>
    prisma.apiKey.findMany({
      where: {
        tenantId,
        ...(after && {
          createdAt: { lte: after.createdAt },
          NOT: { createdAt: after.createdAt, id: { gte: after.id } },
        }),
        ...(search !== '' && matching(search)),
      },
      select: columns(first),
      orderBy: newestFirst,
      take: max,
    }),

  matching,

  /** The newest keys that match, with the columns of short lists. */
  short: ({ prisma }: Database, { id: tenantId }: TeamId, where: Prisma.ApiKeyWhereInput, max?: number) =>
    prisma.apiKey.findMany({
      where: { tenantId, ...where },
      select: shortColumns,
      orderBy: newestFirst,
      ...(max !== undefined && { take: max }),
    }),

  /** A key, and the values that decide whether it may grant the role admin. */
  get: (tx: Tx, team: TeamId, id: string) =>
    tx.apiKey.findUnique({
      where: keyOf(team, id),
      include: { creator: { select: { status: true, role: true } } },
    }),

  labels: ({ prisma }: Database, { id: tenantId }: TeamId, ids: string[]) =>
    prisma.apiKey.findMany({ where: { tenantId, id: { in: ids } }, select: { id: true, name: true, prefix: true } }),

  /** The times at which a key ends, and the switches of its team. */
  validity: ({ prisma }: Database, { id: tenantId }: TeamId, id: string) =>
    prisma.apiKey.findFirst({
      where: { tenantId, id },
      select: {
        revokedAt: true,
        expiresAt: true,
        team: { select: { plan: true, status: true, memberDetailEnabled: true, leaderboardEnabled: true } },
      },
    }),

  teamOf: async (tx: Tx, id: string) =>
    (await tx.apiKey.findFirst({ where: { id }, select: { tenantId: true } }))?.tenantId,

  countActive: (tx: Tx, { id: tenantId }: TeamId, now: Date) =>
    tx.apiKey.count({ where: { tenantId, revokedAt: null, OR: [{ expiresAt: null }, { expiresAt: { gt: now } }] } }),

  /** How many keys were created after a time, and when the first of them was created. */
  madeAfter: async (tx: Tx, { id: tenantId }: TeamId, time: Date) => {
    const made = await tx.apiKey.aggregate({
      where: { tenantId, createdAt: { gt: time } },
      _count: true,
      _min: { createdAt: true },
    });
    return { count: made._count, first: made._min.createdAt };
  },

  insert: async (tx: Tx, { id: tenantId }: TeamId, row: Omit<Prisma.ApiKeyUncheckedCreateInput, 'tenantId'>) => {
    await tx.apiKeyPrefix.create({ data: { prefix: row.prefix, tenantId, keyId: row.id } });
    return tx.apiKey.create({ data: { tenantId, ...row } });
  },

  update: (tx: Tx, team: TeamId, id: string, data: Prisma.ApiKeyUncheckedUpdateInput) =>
    tx.apiKey.update({ where: keyOf(team, id), data }),

  /**
   * The sums of requests for each day from `first` on, of one key or of all keys. Days without requests are left out.
   */
  sumsByDay: (
    { prisma }: Database,
    { id: tenantId }: TeamId,
    { first, keyId }: { first: Date; keyId: string | undefined },
  ) =>
    prisma.apiKeyDay.groupBy({
      by: ['day'],
      where: { tenantId, day: { gte: first }, ...(keyId !== undefined && { keyId }) },
      _sum: { requests: true, limited: true, refused: true, failed: true },
    }),

  /** Records the use of keys, except keys with a use in the minute before. Returns the ids of the recorded ones. */
  noteUses: ({ prisma }: Database, uses: readonly { tenantId: string; keyId: string }[], at: Date) =>
    prisma.apiKey.updateManyAndReturn({
      where: {
        tenantId: { in: [...new Set(uses.map(({ tenantId }) => tenantId))] },
        id: { in: [...new Set(uses.map(({ keyId }) => keyId))] },
        OR: [{ lastUsedAt: null }, { lastUsedAt: { lte: later(at, -usesNotedEveryMs) } }],
      },
      data: { lastUsedAt: at },
      select: { id: true },
    }),

  /** The team and the id of the key with this prefix. */
  withPrefix: ({ prisma }: Database, prefix: string) =>
    prisma.apiKeyPrefix.findFirst({ where: { prefix }, select: { tenantId: true, keyId: true } }),

  /** Records a report of an active key with this secret, unless its last report is after `before`. Returns the key. */
  noteReport: async (
    tx: Tx,
    { id: tenantId }: TeamId,
    { id, secretHash, now, before }: { id: string; secretHash: Uint8Array<ArrayBuffer>; now: Date; before: Date },
  ) => {
    const [reported] = await tx.apiKey.updateManyAndReturn({
      where: {
        tenantId,
        id,
        secretHash,
        revokedAt: null,
        OR: [{ expiresAt: null }, { expiresAt: { gt: now } }],
        AND: { OR: [{ reportedAt: null }, { reportedAt: { lte: before } }] },
      },
      data: { reportedAt: now },
      select: { name: true, prefix: true },
    });
    return reported;
  },

  /** The teams with keys for which a mail is due. */
  teamsWithExpiring: ({ prisma }: Database, times: NoticeTimes) =>
    prisma.apiKey.groupBy({
      by: ['tenantId'],
      where: {
        team: { status: 'active', plan: { not: 'basic' } },
        OR: [dueForSecond(times), dueForFirst(times)],
      },
    }),

  /** Records that the due mail of a team's keys is sent, and returns these keys. */
  noteExpiring: async (tx: Tx, { id: tenantId }: TeamId, times: NoticeTimes) => [
    ...(await tx.apiKey.updateManyAndReturn({
      where: { tenantId, ...dueForSecond(times) },
      data: { expiryNoticeDays: secondNotice },
      select: noticed,
    })),
    ...(await tx.apiKey.updateManyAndReturn({
      where: { tenantId, ...dueForFirst(times) },
      data: { expiryNoticeDays: firstNotice },
      select: noticed,
    })),
  ],

  /**
   * Counts further requests of a key. The caller has locked the budgets of the key and of its team. In the result, the
   * key's budget comes first.
   */
  countFurther: (tx: Tx, counted: ParametersOf<(typeof countFurther)['parameters']>) =>
    runIn(tx, countFurther, counted),

  /** Deletes budgets whose window began more than ten minutes ago. */
  deleteBudgets: (database: Database) => database.run(deleteBudgets, {}),
};

/** Keys in the team's export and in the erasure of a person. */
export const keyData = teamTable({
  table: 'api_key',
  values: ['id', 'prefix', 'scopes', 'allowedIps', 'createdBy', 'rotatedToId', 'expiryNoticeDays'],
  times: ['expiresAt', 'revokedAt', 'lastUsedAt', 'reportedAt', 'createdAt'],
  texts: ['name'],
  leftOut: { secretHash: 'It recognises the secret part of the key.' },
});

/** Makes another membership the creator of the keys of these memberships, and returns the number of keys. */
export const giveKeysAway = (tx: Tx, tenantId: string, memberIds: string[], to: string) =>
  tx.apiKey.updateMany({ where: { tenantId, createdBy: { in: memberIds } }, data: { createdBy: to } });
