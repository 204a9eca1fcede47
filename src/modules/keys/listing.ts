import { isId } from '../../core/ids.ts';
import { fail } from '../../core/problem.ts';
import { statement } from '../../db/statement.ts';
import { newestFirst } from '../../platform/newest-first.ts';
import type { Page } from '../../platform/paging.ts';
import type { Team } from '../../platform/team.ts';
import type { Key } from './schema.ts';
import { statusOf } from './states.ts';
import { keys } from './store.ts';
import type { KeyStatus } from './states.ts';

interface ListedKey {
  key_id: string;
  prefix: string;
  name: string;
  scopes: string[];
  status: KeyStatus;
  created_at: string;
  expires_at: string | null;
  last_used_at: string | null;
}

/** All keys of a team, newest first, for an operator. */
export const listKeys = async (team: Team): Promise<ListedKey[]> => {
  const { database, clock } = team.platform;
  const now = clock.now();
  return (await keys.all(database.prisma, team)).map((key) => ({
    key_id: key.id,
    prefix: key.prefix,
    name: key.name,
    scopes: key.scopes,
    status: statusOf(key, now),
    created_at: key.createdAt.toISOString(),
    expires_at: key.expiresAt?.toISOString() ?? null,
    last_used_at: key.lastUsedAt?.toISOString() ?? null,
  }));
};

interface KeyRow {
  id: string;
  name: string;
  prefix: string;
  scopes: string[];
  allowed_ips: string[];
  created_at: string;
  expires_at: string | null;
  revoked_at: string | null;
  last_used_at: string | null;
  rotated_to_id: string | null;
  rotated_from_id: string | null;
  creator_id: string;
  creator_email: string;
  creator_vouches: boolean;
  requests: number;
  limited: number;
  refused: number;
  failed: number;
}

const plain = [
  'k.id',
  'k.name',
  'k.prefix',
  'k.scopes',
  'k.created_at',
  'k.expires_at',
  'k.revoked_at',
  'k.last_used_at',
  'k.rotated_to_id',
  'former.id as rotated_from_id',
  'm.id as creator_id',
  'm.email as creator_email',
  `m.status = 'active' and m.role in ('owner', 'admin') as creator_vouches`,
  'day.requests',
  'day.limited',
  'day.refused',
  'day.failed',
] as const;

const keysWhere = (columns: string, conditions: string, order = ''): string =>
  `with k as (select * from api_key where tenant_id = $1 ${conditions} ${order})
   select ${columns}
     from k
     join member m on m.tenant_id = $1 and m.id = k.created_by
     left join api_key former on former.tenant_id = $1 and former.rotated_to_id = k.id
    cross join lateral (
      select coalesce(sum(requests), 0)::float8 as requests, coalesce(sum(limited), 0)::float8 as limited,
             coalesce(sum(refused), 0)::float8 as refused, coalesce(sum(failed), 0)::float8 as failed
        from api_key_day
       where tenant_id = $1 and key_id = k.id and day >= (now() at time zone 'UTC')::date - 1) as day
    order by k.created_at desc, k.id desc`;

const page = newestFirst<KeyRow, 'created_at', never>({
  list: 'keys',
  order: ['created_at', 'id'],
  at: 'created_at',
  // A key may have 100 addresses, and thousands from before they were limited: each takes up to 46 bytes.
  bulk: { plain, large: { allowed_ips: { column: 'k.allowed_ips' } }, bytes: '46 * cardinality(k.allowed_ips)' },
  sql: (conditions, columns) => keysWhere(columns, conditions, 'order by created_at desc, id desc limit $2'),
});

const byId = statement<KeyRow, [tenantId: string, id: string]>(
  keysWhere(`${plain.join(', ')}, k.allowed_ips`, 'and id = $2'),
);

const timeOf = (text: string | null): Date | null => (text === null ? null : new Date(text));

const presentAt =
  (now: Date) =>
  (row: KeyRow): Key => ({
    key_id: row.id,
    name: row.name,
    prefix: row.prefix,
    scopes: row.scopes,
    allowed_ips: row.allowed_ips,
    status: statusOf({ revokedAt: timeOf(row.revoked_at), expiresAt: timeOf(row.expires_at) }, now),
    created_at: row.created_at,
    created_by: { member_id: row.creator_id, email: row.creator_email, vouches: row.creator_vouches },
    expires_at: row.expires_at,
    last_used_at: row.last_used_at,
    rotated_to_id: row.rotated_to_id,
    rotated_from_id: row.rotated_from_id,
    since_yesterday: { requests: row.requests, limited: row.limited, refused: row.refused, failed: row.failed },
  });

/** A page of the team's keys, newest first. */
export const pageOfKeys = async (
  team: Team,
  query: { cursor?: string | undefined; limit: number },
): Promise<Page<Key>> => {
  const { data, next_cursor } = await page(team, query);
  return { data: data.map(presentAt(team.platform.clock.now())), next_cursor };
};

export const getKey = async (team: Team, id: string): Promise<Key> => {
  const { database, clock } = team.platform;
  const [row] = isId(id) ? await database.rows(byId, team.id, id) : [];
  return presentAt(clock.now())(row ?? fail('not_found', { detail: `There is no key ${id}.` }));
};
