import { isId } from '../../core/ids.ts';
import { fail } from '../../core/problem.ts';
import type { Page } from '../../platform/paging.ts';
import type { Team } from '../../platform/team.ts';
import type { Key } from './schema.ts';
import { statusOf } from './states.ts';
import { keyList, keys } from './store.ts';
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

type KeyRow = NonNullable<Awaited<ReturnType<typeof keys.listed>>>;

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
  const { data, next_cursor } = await keyList(team, query);
  return { data: data.map(presentAt(team.platform.clock.now())), next_cursor };
};

export const getKey = async (team: Team, id: string): Promise<Key> => {
  const { database, clock } = team.platform;
  const row = isId(id) ? await keys.listed(database, team, id) : undefined;
  return presentAt(clock.now())(row ?? fail('not_found', { detail: `There is no key ${id}.` }));
};
