import ipaddr from 'ipaddr.js';
import { z } from 'zod';
import { daysToMs, later, utcDay } from '../../core/clock.ts';
import { sha256 } from '../../core/crypto.ts';
import { isId, makeId } from '../../core/ids.ts';
import { limits } from '../../core/limits.ts';
import { keyMessages, memberMessages } from '../../core/messages/people.ts';
import { fail, failUntil } from '../../core/problem.ts';
import { isScope, type Scope } from '../../core/scopes.ts';
import type { Camel } from '../../core/spelling.ts';
import { TtlMap } from '../../core/ttl-map.ts';
import type { Tx, Database } from '../../db/database.ts';
import type { ApiKey } from '../../db/generated/client.ts';
import { pageAfter } from '../../platform/paging.ts';
import { inTransaction, apiIsOn, hasApi, type Platform, type Team } from '../../platform/team.ts';
import { inLockedTeam, lockTeam } from '../../platform/team-row.ts';
import { lineOf } from '../../platform/values.ts';
import { record } from '../audit/service.ts';
import { isActive, memberOf } from '../membership/service.ts';
import { windows } from '../windows/store.ts';
import { makeKeyText } from './key-text.ts';
import { keyRight, type KeyDay, type KeyQuery, type ShownKey, type UsageQuery } from './schema.ts';
import { keys, usesNotedEveryMs, type KeyRow } from './store.ts';

interface NewKey {
  name: string;
  /** The membership that creates the key. */
  by: string;
  scopes: readonly string[];
  allowedIps?: readonly string[];
  expiresAt?: Date | null;
}

export const makeSecret = () => {
  const { prefix, secret, text } = makeKeyText();
  return { prefix, secretHash: Uint8Array.from(sha256(secret)), text };
};

const KeyName = lineOf(limits.keyNameCharacters);

const readName = (given: string): string =>
  KeyName.safeParse(given).data ?? fail('validation_error', { field: 'name', detail: keyMessages.name });

/** Keys are created and rotated only for a team whose plan has the API. */
const lockTeamWithApi = async (tx: Tx, team: Team): Promise<void> => {
  const { plan } = (await lockTeam(tx, team)).row;
  if (!hasApi(plan)) fail('api_disabled', { detail: keyMessages.noApiInPlan });
};

/** Only the owner and admins with the right `keyRight` may create keys. */
const requireCreator = async (tx: Tx, team: Team, memberId: string): Promise<void> => {
  const member = await memberOf(tx, team, memberId);
  if (!member) return fail('not_found', { detail: memberMessages.notInTeam });
  if (!isActive(member)) fail('conflict', { detail: keyMessages.creatorNotActive });
  if (member.role === 'owner') return;
  if (member.role !== 'admin') fail('conflict', { detail: keyMessages.creatorNoAdmin });
  if (!member.rights.includes(keyRight)) fail('conflict', { detail: keyMessages.creatorWithoutRight });
};

/**
 * Refuses a key if the team has created too many in the last 24 hours, or has too many active ones. Call it under the
 * team's lock.
 */
const requireRoomForKey = async (tx: Tx, team: Team, now: Date, { rotated }: { rotated: boolean }): Promise<void> => {
  const recent = await keys.madeAfter(tx, team, later(now, -daysToMs(1)));
  if (recent.first !== null && recent.count >= limits.newKeysPerDay) {
    failUntil(later(recent.first, daysToMs(1)), now, keyMessages.newKeysPerDay);
  }
  // A rotation needs no free place, because the old key gives its place up when its grace period ends, at the latest.
  if (!rotated && (await keys.countActive(tx, team, now)) >= limits.activeKeys) {
    fail('conflict', { detail: keyMessages.maxActive });
  }
};

export const createKey = (
  team: Team,
  { name: given, by, scopes: wanted, allowedIps = [], expiresAt = null }: NewKey,
): Promise<Camel<ShownKey>> =>
  inTransaction(team, async (tx) => {
    await lockTeamWithApi(tx, team);
    await requireCreator(tx, team, by);
    const now = team.platform.clock.now();
    if (expiresAt !== null && expiresAt <= now) {
      fail('validation_error', { field: 'expires_at', detail: keyMessages.expiryInPast });
    }
    const name = readName(given);
    const scopes = [...new Set(wanted)];
    if (scopes.length === 0) fail('validation_error', { field: 'scopes', detail: keyMessages.noScope });
    const unknown = scopes.find((scope) => !isScope(scope));
    if (unknown !== undefined) fail('validation_error', { field: 'scopes', detail: keyMessages.unknownScope(unknown) });
    await requireRoomForKey(tx, team, now, { rotated: false });
    const { text, ...secret } = makeSecret();
    const id = makeId();
    await keys.insert(tx, team, {
      id,
      ...secret,
      name,
      scopes,
      allowedIps: readNetworks(allowedIps),
      createdBy: by,
      expiresAt,
      createdAt: now,
    });
    record(tx, team, { action: 'key.created', target: { type: 'key', id }, data: { name, scopes } });
    return { keyId: id, key: text };
  });

/** Call it under the team's lock, so that the key does not change in the meantime. */
const findKey = async (tx: Tx, team: Team, id: string): Promise<ApiKey> => {
  const key = isId(id) ? await keys.get(tx, team, id) : undefined;
  return key ?? fail('not_found', { detail: keyMessages.notFound });
};

/** Ends a key at once: the next request with it is refused. */
export const revokeKey = (team: Team, id: string): Promise<void> =>
  inLockedTeam(team, async (tx) => {
    const { revokedAt } = await findKey(tx, team, id);
    if (revokedAt !== null) return;
    await keys.update(tx, team, id, { revokedAt: team.platform.clock.now() });
    record(tx, team, { action: 'key.revoked', target: { type: 'key', id } });
  });

/**
 * Replaces a key by a new one with the same name, scopes, addresses and expiry. The old key works until the grace
 * period ends, or until its own expiry if that is earlier.
 */
export const rotateKey = (
  team: Team,
  id: string,
  { graceSeconds, by }: { graceSeconds: number; by?: string },
): Promise<Camel<ShownKey>> =>
  inTransaction(team, async (tx) => {
    await lockTeamWithApi(tx, team);
    const old = await findKey(tx, team, id);
    if (by !== undefined) await requireCreator(tx, team, by);
    const now = team.platform.clock.now();
    if (
      !Number.isSafeInteger(graceSeconds) ||
      graceSeconds < 0 ||
      graceSeconds * 1000 > daysToMs(limits.keyRotationGraceDays)
    ) {
      fail('validation_error', { field: 'grace_days', detail: keyMessages.gracePeriod });
    }
    if (statusOf(old, now) !== 'active') fail('conflict', { detail: keyMessages.notActive });
    if (old.rotatedToId !== null) fail('conflict', { detail: keyMessages.alreadyRotated });

    await requireRoomForKey(tx, team, now, { rotated: true });
    const { text, ...secret } = makeSecret();
    const next = { id: makeId(), ...secret, createdBy: by ?? old.createdBy, createdAt: now };
    const { name, scopes, allowedIps, expiresAt } = old;
    await keys.insert(tx, team, { name, scopes, allowedIps, expiresAt, ...next });
    const graceEnds = later(now, graceSeconds * 1000);
    await keys.update(tx, team, id, {
      rotatedToId: next.id,
      expiresAt: expiresAt !== null && expiresAt < graceEnds ? expiresAt : graceEnds,
      // Without a grace period the key ends now, even if the database's clock is behind.
      revokedAt: graceSeconds === 0 ? now : null,
    });
    record(tx, team, {
      action: 'key.rotated',
      target: { type: 'key', id },
      data: { to: next.id, graceSeconds },
    });
    return { keyId: next.id, key: text };
  });

/** Whether a key may grant and revoke the role admin: its creator is the owner or an active admin. */
const vouches = ({ status, role }: Pick<KeyRow['creator'], 'status' | 'role'>): boolean =>
  status === 'active' && role !== 'member';

export const isVouchedFor = async (tx: Tx, team: Team, id: string): Promise<boolean> => {
  const key = await keys.get(tx, team, id);
  return key !== null && vouches(key.creator);
};

/** The team that a key belongs to, for an operator who has only the key's id. */
export const teamOfKey = async ({ database }: Platform, id: string): Promise<string> => {
  const tenantId = isId(id) ? await keys.teamOf(database.prisma, id) : undefined;
  return tenantId ?? fail('not_found', { detail: keyMessages.notFound });
};

/**
 * A key is in one of three states, which follow from its times.
 *
 *   active ──revoked──▶ revoked
 *      │ rotated: expires with the grace period, or earlier at its own expiry (without a grace period: revoked)
 *      ▼ expires_at is reached
 *   expired
 *
 * No state leads back to `active`. A key is rotated at most once, and only while it is active.
 */
type KeyStatus = 'active' | 'expired' | 'revoked';

const statusOf = ({ revokedAt, expiresAt }: Pick<ApiKey, 'revokedAt' | 'expiresAt'>, now: Date): KeyStatus => {
  if (revokedAt !== null) return 'revoked';
  return expiresAt !== null && expiresAt <= now ? 'expired' : 'active';
};

/** All keys of a team for an operator, newest first. */
export const listKeys = async (team: Team) => {
  const { database, clock } = team.platform;
  const now = clock.now();
  return (await keys.short(database, team, {})).map((row) => ({
    ...presentShort(row, now),
    scopes: row.scopes,
    expiresAt: row.expiresAt,
  }));
};

/** For how many days a key is shown with its requests of each day. */
const daysWithKey = 30;

/** The last days (UTC), the oldest first. */
const lastDays = (now: Date, count: number): string[] =>
  Array.from({ length: count }, (_, at) => utcDay(later(now, -daysToMs(count - 1 - at))));

const firstOf = (now: Date, days: number): Date => new Date(utcDay(later(now, -daysToMs(days - 1))));

const noRequests = { requests: 0, limited: 0, refused: 0, failed: 0 };

const presentAt =
  (now: Date) =>
  ({ creator, ...row }: KeyRow) => {
    const known = new Map(row.days.map((sums) => [utcDay(sums.day), sums]));
    const days = lastDays(now, daysWithKey).map((day) => known.get(day) ?? noRequests);
    return {
      keyId: row.id,
      name: row.name,
      prefix: row.prefix,
      scopes: row.scopes,
      allowedIps: row.allowedIps,
      status: statusOf(row, now),
      createdAt: row.createdAt,
      createdBy: {
        memberId: creator.id,
        name: creator.directoryName ?? creator.user?.person.name ?? creator.invitedName,
        email: creator.email,
        vouches: vouches(creator),
      },
      expiresAt: row.expiresAt,
      lastUsedAt: row.lastUsedAt,
      reportedAt: row.reportedAt,
      rotatedToId: row.rotatedToId,
      rotatedFromId: row.rotatedFrom?.id ?? null,
      days: days.map(({ requests, limited, refused, failed }) => ({ requests, errors: limited + refused + failed })),
    };
  };

/** The last key of a page: when it was created, and its id. */
const Position = z.tuple([z.iso.datetime(), z.uuid()]);

/** A page of the team's keys, newest first. */
export const pageOfKeys = async (team: Team, { search = '', ...query }: KeyQuery) => {
  const { database, clock } = team.platform;
  const now = clock.now();
  const { data, nextCursor } = await pageAfter<KeyRow, z.output<typeof Position>>(team, {
    list: `keys&${search}`,
    position: Position,
    query,
    read: async (last, max) => {
      const after = last && { createdAt: new Date(last[0]), id: last[1] };
      return { rows: await keys.page(database, team, { after, max, first: firstOf(now, daysWithKey), search }) };
    },
    positionOf: ({ createdAt, id }) => [createdAt.toISOString(), id],
  });
  return { data: data.map(presentAt(now)), nextCursor };
};

export const getKey = async (team: Team, id: string) => {
  const { database, clock } = team.platform;
  const now = clock.now();
  const row = isId(id) ? await keys.listed(database, team, id, firstOf(now, daysWithKey)) : null;
  return presentAt(now)(row ?? fail('not_found', { detail: keyMessages.notFound }));
};

/** Returns the function that gives the name and the public part of one of these keys. */
export const labelsOfKeys = async (team: Team, ids: readonly string[]) => {
  const labels = await keys.labels(team.platform.database, team, [...new Set(ids)]);
  return (wanted: string): { name: string; prefix: string } => {
    const { name, prefix } = labels.find(({ id }) => id === wanted) ?? fail('not_found');
    return { name, prefix };
  };
};

type ShortRow = Awaited<ReturnType<typeof keys.short>>[number];

const presentShort = (row: ShortRow, now: Date) => ({
  keyId: row.id,
  name: row.name,
  prefix: row.prefix,
  status: statusOf(row, now),
  createdAt: row.createdAt,
  lastUsedAt: row.lastUsedAt,
});

/** The newest keys whose name contains a text, or whose public part begins with it. */
export const findKeys = async (team: Team, wanted: string, max: number) => {
  const { database, clock } = team.platform;
  const now = clock.now();
  return (await keys.short(database, team, keys.matching(wanted), max)).map((row) => presentShort(row, now));
};

/** The newest keys that have a scope, of any status. */
export const keysWithScope = async (team: Team, scope: Scope, max: number) => {
  const { database, clock } = team.platform;
  const now = clock.now();
  return (await keys.short(database, team, { scopes: { has: scope } }, max)).map((row) => presentShort(row, now));
};

/** The newest keys that a member created or rotated. */
export const keysOfMember = async (team: Team, memberId: string, max: number) => {
  const { database, clock } = team.platform;
  const now = clock.now();
  if (!isId(memberId)) return [];
  return (await keys.short(database, team, { createdBy: memberId }, max)).map((row) => presentShort(row, now));
};

/** The number of requests on each of the last days (UTC), today last: with one key, or with all keys of the team. */
export const keyDays = async (team: Team, { keyId: wantedKey, days: wanted }: Camel<UsageQuery>): Promise<KeyDay[]> => {
  const { database, clock } = team.platform;
  const now = clock.now();
  const keyId = wantedKey === undefined ? undefined : (await getKey(team, wantedKey)).keyId;
  const rows = await keys.sumsByDay(database, team, { first: firstOf(now, wanted), keyId });
  const known = new Map(rows.map(({ day, _sum: sum }) => [utcDay(day), sum]));
  return lastDays(now, wanted).map((day) => {
    const sum = known.get(day);
    return {
      day,
      requests: sum?.requests ?? 0,
      limited: sum?.limited ?? 0,
      refused: sum?.refused ?? 0,
      failed: sum?.failed ?? 0,
    };
  });
};

/** The most characters of an address with a prefix length. */
const longestNetwork = 50;

// Programs differ in which address they read in `10.1`, `0x7f000001` and `017.0.0.1`, so only the usual form is
// accepted.
const isAddress = (text: string) =>
  ipaddr.IPv4.isValidFourPartDecimal(text) || (ipaddr.IPv6.isValid(text) && !text.includes('%'));

/** A network of IPv4 addresses in IPv6 form (`::ffff:10.0.0.0/104`) as an IPv4 network; others stay as they are. */
const unmap = (network: ipaddr.IPv6, bits: number): string => {
  if (!network.isIPv4MappedAddress() || bits < 96) return `${network.toString()}/${bits}`;
  return `${network.toIPv4Address().toString()}/${bits - 96}`;
};

const canonical = (text: string): string | undefined => {
  if (text.length > longestNetwork) return undefined;
  const [address = '', bits, ...more] = text.split('/');
  if (!isAddress(address) || more.length > 0) return undefined;
  if (bits === undefined) return ipaddr.process(address).toString();
  if (!/^\d{1,3}$/.test(bits)) return undefined;
  if (ipaddr.IPv4.isValid(address)) {
    return Number(bits) > 32 ? undefined : `${ipaddr.IPv4.networkAddressFromCIDR(text).toString()}/${Number(bits)}`;
  }
  return Number(bits) > 128 ? undefined : unmap(ipaddr.IPv6.networkAddressFromCIDR(text), Number(bits));
};

/** Addresses and networks in PostgreSQL's form, each once. If some texts are neither, the error names them all. */
const readNetworks = (texts: readonly string[]): string[] => {
  const wrong = texts.filter((text) => canonical(text) === undefined);
  if (wrong.length > 0) fail('validation_error', { field: 'allowed_ips', detail: keyMessages.wrongAddresses(wrong) });
  return [...new Set(texts.flatMap((text) => canonical(text) ?? []))];
};

/**
 * Records the use of keys, unless a use in the last minute is recorded. Keys that this process has recorded are left
 * out of the statement. The statement does not change keys that another process has recorded.
 */
export const makeNoteUses = (database: Database, { capacity = 10_000 } = {}) => {
  const noted = new TtlMap<true>({ capacity, ttlMs: usesNotedEveryMs });
  return async (uses: readonly { tenantId: string; keyId: string; at: Date }[]): Promise<void> => {
    const at = uses.at(-1)?.at;
    const now = at?.getTime();
    const due = uses.filter(({ keyId }) => !noted.has(keyId, now));
    if (!at || due.length === 0) return;
    for (const { id } of await keys.noteUses(database, due, at)) noted.set(id, true, { now });
  };
};

/** Deletes budgets and counters whose windows are over. The next request starts new ones. */
export const deleteOldBudgets = async (database: Database): Promise<void> => {
  await windows.deleteOld(database);
  await keys.deleteBudgets(database);
};

/**
 * Checks the key of a request that has waited: it may have been revoked, and the team's switches may have changed.
 * Returns the switches of this moment. A key's scopes and addresses never change.
 */
export const admitAgain = async (team: Team): Promise<Team['privacy']> => {
  const { actor } = team;
  if (actor.kind !== 'key') return team.privacy;
  const { database, clock } = team.platform;
  const key = await keys.validity(database, team, actor.id);
  if (!key || statusOf(key, clock.now()) !== 'active') return fail('unauthorized');
  if (!apiIsOn(key.team)) fail('api_disabled');
  return { memberDetail: key.team.memberDetailEnabled, leaderboard: key.team.leaderboardEnabled };
};
