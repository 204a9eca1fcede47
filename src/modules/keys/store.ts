import { limits } from '../../core/limits.ts';
import { runIn } from '../../db/database.ts';
import type { Database, Tx } from '../../db/database.ts';
import type { Prisma } from '../../db/generated/client.ts';
import { bool, day, float, inet, int, listOf, query, text, time, uuid } from '../../db/query.ts';
import { keysetList, select } from '../../platform/keyset-list.ts';
import type { Team } from '../../platform/team.ts';
import { teamTable } from '../../platform/team-table.ts';
import { apiIsOnSql } from '../teams/plan.ts';

// The tables `api_key` and `request_budget`, in which the gate counts. A key is deleted only with its team.

type TeamId = Pick<Team, 'id'>;

const keyOf = ({ id: tenantId }: TeamId, id: string) => ({ tenantId_id: { tenantId, id } });

const sumsByDay = query({
  name: 'keys.sumsByDay',
  why: 'the sums of several keys may be too large for the integers that Prisma returns',
  sql: `select day::text as day, sum(requests)::float8 as requests, sum(limited)::float8 as limited,
               sum(refused)::float8 as refused, sum(failed)::float8 as failed
          from api_key_day
         where tenant_id = :tenantId and day >= :first::date and (:keyId::uuid is null or key_id = :keyId)
         group by day`,
  parameters: { tenantId: uuid, first: day, keyId: uuid.orNull },
  row: {
    day: text.checked,
    requests: float.checked,
    limited: float.checked,
    refused: float.checked,
    failed: float.checked,
  },
});

const stillValid = query({
  name: 'keys.stillValid',
  why: 'compares with the clock of the database, as the gate does, and reads the team in the same round trip',
  sql: `select k.revoked_at is null and (k.expires_at is null or k.expires_at > clock_timestamp()) as is_valid,
               ${apiIsOnSql('t')} as api_is_on, t.member_detail_enabled, t.leaderboard_enabled
          from api_key k join team t on t.id = k.tenant_id
         where k.tenant_id = :tenantId and k.id = :id`,
  parameters: { tenantId: uuid, id: uuid },
  row: { is_valid: bool.checked, api_is_on: bool.checked, member_detail_enabled: bool, leaderboard_enabled: bool },
});

// Locked in one order, so that two processes that write the same keys can't deadlock.
const saveUses = query({
  name: 'keys.saveUses',
  why: 'updates many keys at once, each with its own time, locked in one order',
  sql: `with used as (
          select k.tenant_id, k.id, u.at
            from api_key k
            join unnest(:tenantIds::uuid[], :keyIds::uuid[], :times::timestamptz[]) as u (tenant_id, id, at)
              on u.tenant_id = k.tenant_id and u.id = k.id
           order by k.id
             for no key update of k
        )
        update api_key k
           set last_used_at = greatest(k.last_used_at, used.at)
          from used
         where k.tenant_id = used.tenant_id and k.id = used.id`,
  parameters: { tenantIds: listOf(uuid), keyIds: listOf(uuid), times: listOf(time) },
  row: {},
});

// A request that has locked a row may be waiting for other locks, so waiting for the row could deadlock.
const forgetBudgets = query({
  name: 'keys.forgetBudgets',
  why: 'skips budgets that are locked',
  sql: `delete from request_budget
         where subject in (
           select subject from request_budget where started_at < clock_timestamp() - interval '10 minutes' for update skip locked)`,
  parameters: {},
  row: {},
});

// A key is due for the second mail in its last days, and for the first one before that.
const isDue = `k.expires_at > :now and k.expires_at <= :first and k.revoked_at is null and k.rotated_to_id is null
   and (k.expiry_notice_days is null or (k.expires_at <= :second and k.expiry_notice_days > ${limits.keyExpiryNoticeDays.second}))`;

const times = { now: time, first: time, second: time } as const;

const teamsWithExpiring = query({
  name: 'keys.teamsWithExpiring',
  why: 'joins the team, and continues after the last one',
  sql: `select distinct k.tenant_id as "tenantId" from api_key k join team t on t.id = k.tenant_id
         where ${isDue} and ${apiIsOnSql('t')} and (:after::uuid is null or k.tenant_id > :after)
         order by k.tenant_id limit 100`,
  parameters: { ...times, after: uuid.orNull },
  row: { tenantId: uuid },
});

const noteExpiring = query({
  name: 'keys.noteExpiring',
  why: 'writes another number for each row and returns what it wrote',
  sql: `update api_key k
           set expiry_notice_days = case when k.expires_at <= :second then ${limits.keyExpiryNoticeDays.second} else ${limits.keyExpiryNoticeDays.first} end
         where k.tenant_id = :tenantId and ${isDue}
        returning k.id, k.name, k.prefix, k.expires_at as "expiresAt", k.created_by as "createdBy"`,
  parameters: { ...times, tenantId: uuid },
  row: { id: uuid, name: text, prefix: text, expiresAt: time.checked, createdBy: uuid },
});

/** The columns of a key that the app shows: a new one is added here and to `Key` in schema.ts. */
const columns = {
  id: uuid,
  name: text,
  prefix: text,
  scopes: listOf(text),
  created_at: time,
  expires_at: time.orNull,
  revoked_at: time.orNull,
  last_used_at: time.orNull,
  rotated_to_id: uuid.orNull,
  rotated_from_id: uuid.orNull,
  creator_id: uuid,
  creator_email: text,
  creator_vouches: bool.checked,
  requests: float.checked,
  limited: float.checked,
  refused: float.checked,
  failed: float.checked,
  days_ago: listOf(int).checked,
  requests_then: listOf(int).checked,
  errors_then: listOf(int).checked,
} as const;

const large = { allowed_ips: listOf(inet) } as const;

const expressions = {
  rotated_from_id:
    '(select former.id from api_key former where former.tenant_id = :tenantId and former.rotated_to_id = k.id)',
  creator_id: 'm.id',
  creator_email: 'm.email',
  creator_vouches: `m.status = 'active' and m.role in ('owner', 'admin')`,
  requests: 'day.requests',
  limited: 'day.limited',
  refused: 'day.refused',
  failed: 'day.failed',
  days_ago: 'day.days_ago',
  requests_then: 'day.requests_then',
  errors_then: 'day.errors_then',
};

/** The days of requests that come with each key. */
export const daysWithKey = 30;

const today = `(now() at time zone 'UTC')::date`;
const sinceYesterday = (sum: string): string => `coalesce(sum(${sum}) filter (where day >= ${today} - 1), 0)::float8`;
const eachDay = (value: string): string => `coalesce(array_agg(${value} order by day), '{}')`;

/** Keys with their creators, the keys that they replaced, and their requests of yesterday and today and of each of the last days. */
const withDays = (selected: string, which: string): string =>
  `with k as (select * from api_key where tenant_id = :tenantId ${which})
   select ${selected}
     from k
     join member m on m.tenant_id = :tenantId and m.id = k.created_by
    cross join lateral (
      select ${sinceYesterday('requests')} as requests, ${sinceYesterday('limited')} as limited,
             ${sinceYesterday('refused')} as refused, ${sinceYesterday('failed')} as failed,
             ${eachDay(`${today} - day`)} as days_ago, ${eachDay('requests')} as requests_then,
             ${eachDay('limited + refused + failed')} as errors_then
        from api_key_day
       where tenant_id = :tenantId and key_id = k.id and day > ${today} - ${daysWithKey}) as day
    order by k.created_at desc, k.id desc`;

const why = 'joins the creator and the sums of two days, which Prisma reads with a statement for each';

/** The team's keys, newest first. */
export const keyList = keysetList({
  name: 'keys.list',
  why,
  cursor: 'keys',
  columns,
  expressions,
  table: 'k',
  // A key may have 100 addresses, an old one thousands. Each takes up to 46 bytes.
  bulk: { columns: large, bytes: '46 * cardinality(k.allowed_ips)' },
  order: [
    ['created_at', 'created_at'],
    ['id', 'id'],
  ],
  direction: 'desc',
  sql: ({ columns: selected, conditions, limit }) =>
    withDays(selected, `${conditions} order by created_at desc, id desc limit ${limit}`),
});

const keyById = query({
  name: 'keys.byId',
  why,
  sql: withDays(select({ ...columns, ...large }, expressions, 'k'), 'and id = :id'),
  parameters: { tenantId: uuid, id: uuid },
  row: { ...columns, ...large },
});

const shortColumns = {
  id: true,
  name: true,
  prefix: true,
  createdAt: true,
  expiresAt: true,
  revokedAt: true,
  lastUsedAt: true,
} as const;

export const keys = {
  /** A key with the columns of the list. */
  listed: async (database: Database, { id: tenantId }: TeamId, id: string) =>
    (await database.run(keyById, { tenantId, id }))[0],

  /** The newest keys whose name contains a text, or whose prefix begins with it. */
  found: ({ prisma }: Database, { id: tenantId }: TeamId, { text: wanted, most }: { text: string; most: number }) =>
    prisma.apiKey.findMany({
      where: {
        tenantId,
        OR: [{ name: { contains: wanted, mode: 'insensitive' } }, { prefix: { startsWith: wanted } }],
      },
      select: shortColumns,
      orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
      take: most,
    }),

  /** The newest keys that a member created or rotated. */
  createdBy: ({ prisma }: Database, { id: tenantId }: TeamId, { memberId, most }: { memberId: string; most: number }) =>
    prisma.apiKey.findMany({
      where: { tenantId, createdBy: memberId },
      select: shortColumns,
      orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
      take: most,
    }),

  get: (tx: Tx, team: TeamId, id: string) => tx.apiKey.findUnique({ where: keyOf(team, id) }),

  /** All keys of a team, newest first. */
  all: (tx: Tx, { id: tenantId }: TeamId) =>
    tx.apiKey.findMany({ where: { tenantId }, orderBy: [{ createdAt: 'desc' }, { id: 'desc' }] }),

  /** Whether a key is valid now, and what its team allows. */
  stillValid: async (database: Database, { id: tenantId }: TeamId, id: string) =>
    (await database.run(stillValid, { tenantId, id }))[0],

  /** The team that a key belongs to. */
  teamOf: async (tx: Tx, id: string) =>
    (await tx.apiKey.findFirst({ where: { id }, select: { tenantId: true } }))?.tenantId,

  creatorOf: async (tx: Tx, team: TeamId, id: string) =>
    (await tx.apiKey.findUnique({ where: keyOf(team, id), select: { createdBy: true } }))?.createdBy,

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

  insert: (tx: Tx, { id: tenantId }: TeamId, row: Omit<Prisma.ApiKeyUncheckedCreateInput, 'tenantId'>) =>
    tx.apiKey.create({ data: { tenantId, ...row } }),

  update: (tx: Tx, team: TeamId, id: string, data: Prisma.ApiKeyUncheckedUpdateInput) =>
    tx.apiKey.update({ where: keyOf(team, id), data }),

  /** The sums of requests for each day from `first` on, of one key or of all keys. Days without requests are left out. */
  sumsByDay: (database: Database, { id: tenantId }: TeamId, since: { first: string; keyId: string | null }) =>
    database.run(sumsByDay, { tenantId, ...since }),

  saveUses: (database: Database, uses: { tenantIds: string[]; keyIds: string[]; times: Date[] }) =>
    database.run(saveUses, uses),

  /** The next teams with keys for which a mail is due. */
  teamsWithExpiring: (database: Database, wanted: { now: Date; first: Date; second: Date; after: string | null }) =>
    database.run(teamsWithExpiring, wanted),

  /** Records that the due mail of a team's keys is sent, and returns these keys. */
  noteExpiring: (tx: Tx, { id: tenantId }: TeamId, due: { now: Date; first: Date; second: Date }) =>
    runIn(tx, noteExpiring, { tenantId, ...due }),

  /** Deletes budgets that no request has touched for ten minutes. */
  forgetBudgets: (database: Database) => database.run(forgetBudgets, {}),
};

/** Keys in the team's export and in the erasure of a person. */
export const keyData = teamTable({
  module: 'keys',
  rows: 'from api_key',
  file: 'api_keys.json',
  key: { id: 'uuid' },
  values: ['id', 'prefix', 'scopes', 'allowed_ips', 'created_by', 'rotated_to_id', 'expiry_notice_days'],
  times: ['expires_at', 'revoked_at', 'last_used_at', 'created_at'],
  texts: ['name'],
  leftOut: { secret_hash: 'It recognises the secret part of the key.' },
});

/** Changes the creator of keys to another membership, and returns how many keys. */
export const giveKeysAway = async (tx: Tx, tenantId: string, memberIds: string[], to: string): Promise<number> =>
  (await tx.apiKey.updateMany({ where: { tenantId, createdBy: { in: memberIds } }, data: { createdBy: to } })).count;
