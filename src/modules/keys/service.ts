import { daysToMs, later } from '../../core/clock.ts';
import { randomText, sha256 } from '../../core/crypto.ts';
import { isId, newId } from '../../core/ids.ts';
import { limits } from '../../core/limits.ts';
import { fail, failUntil } from '../../core/problem.ts';
import { isScope } from '../../core/scopes.ts';
import type { Tx } from '../../db/database.ts';
import type { ApiKey } from '../../db/generated/client.ts';
import type { Platform, Team } from '../../platform/team.ts';
import { inTransaction } from '../../platform/team.ts';
import { lineOf } from '../../platform/values.ts';
import { record } from '../audit/service.ts';
import { hasApi, lockTeam } from '../teams/service.ts';
import { isActive, memberOf } from '../members/membership.ts';
import { readNetwork } from './network.ts';
import { statusOf } from './states.ts';
import { keys } from './store.ts';

export { getKey, listKeys, pageOfKeys } from './listing.ts';
export { keyDays } from './days.ts';

/** The right that lets a person make keys; the owner has it without being given it. */
export const keyRight = 'schnittstellen';

interface NewKey {
  name: string;
  /** The membership that creates it. */
  by: string;
  scopes: readonly string[];
  allowedIps?: readonly string[];
  expiresAt?: Date | null;
}

/** What is told once, when a key is made: the secret part is stored nowhere. */
interface ShownKey {
  key_id: string;
  key: string;
}

const makeSecret = () => {
  const prefix = randomText(12);
  const secret = randomText(43);
  return { prefix, secretHash: Uint8Array.from(sha256(secret)), text: `svck_live_${prefix}_${secret}` };
};

const KeyName = lineOf(limits.keyNameCharacters);

const readName = (given: string): string =>
  KeyName.safeParse(given).data ??
  fail('validation_error', {
    field: 'name',
    detail: `A key's name is one line of 1 to ${limits.keyNameCharacters} characters, none of them invisible.`,
  });

/** No key is made, and none replaced, for a team whose plan lacks the API. */
const lockTeamWithApi = async (tx: Tx, team: Team): Promise<void> => {
  const { plan } = (await lockTeam(tx, team)).row;
  if (!hasApi(plan)) fail('api_disabled', { detail: 'The API is not part of this plan.' });
};

/** The owner may make keys, and so may an admin with the right for it. */
const needCreator = async (tx: Tx, team: Team, memberId: string): Promise<void> => {
  const member = await memberOf(tx, team, memberId);
  if (!member) return fail('not_found', { detail: `The team has no member ${memberId}.` });
  if (!isActive(member)) fail('conflict', { detail: 'Only an active member can make keys.' });
  if (member.role === 'owner') return;
  if (member.role !== 'admin') fail('conflict', { detail: 'Only the owner and admins can make keys.' });
  if (!member.rights.includes(keyRight)) {
    fail('conflict', { detail: `Making keys needs the right ${keyRight}.` });
  }
};

/** Refuses one more key where the team has made too many in the last 24 hours, or has too many active ones. Only right while it is locked. */
const needRoomForKey = async (tx: Tx, team: Team, now: Date, { rotated }: { rotated: boolean }): Promise<void> => {
  const recent = await keys.madeAfter(tx, team, later(now, -daysToMs(1)));
  if (recent.first !== null && recent.count >= limits.newKeysPerDay) {
    const detail = `A team can make or rotate ${limits.newKeysPerDay} keys within 24 hours.`;
    failUntil(later(recent.first, daysToMs(1)), now, detail);
  }
  // The key that is rotated gives up its place, at the end of its grace period at the latest.
  if (!rotated && (await keys.countActive(tx, team, now)) >= limits.activeKeys) {
    fail('conflict', {
      detail: `A team has at most ${limits.activeKeys} active keys: revoke one that is no longer used.`,
    });
  }
};

/** Makes a key. Only a team whose plan has the API gets one, from a member who may make keys. */
export const createKey = (
  team: Team,
  { name: given, by, scopes: wanted, allowedIps = [], expiresAt = null }: NewKey,
): Promise<ShownKey> =>
  inTransaction(team, async (tx) => {
    await lockTeamWithApi(tx, team);
    await needCreator(tx, team, by);
    const now = team.platform.clock.now();
    if (expiresAt !== null && expiresAt <= now) {
      fail('validation_error', { field: 'expires_at', detail: 'A key can not expire in the past.' });
    }
    const name = readName(given);
    const scopes = [...new Set(wanted)];
    if (scopes.length === 0) fail('validation_error', { field: 'scopes', detail: 'A key needs at least one scope.' });
    const unknown = scopes.find((scope) => !isScope(scope));
    if (unknown !== undefined) fail('validation_error', { field: 'scopes', detail: `There is no scope ${unknown}.` });
    await needRoomForKey(tx, team, now, { rotated: false });
    const { text, ...secret } = makeSecret();
    const id = newId();
    await keys.insert(tx, team, {
      id,
      ...secret,
      name,
      scopes,
      allowedIps: [...new Set(allowedIps.map(readNetwork))],
      createdBy: by,
      expiresAt,
      createdAt: now,
    });
    await record(tx, team, { action: 'key.created', target: { type: 'key', id }, data: { name, scopes } });
    return { key_id: id, key: text };
  });

/** Only right while the team is locked. */
const findKey = async (tx: Tx, team: Team, id: string): Promise<ApiKey> => {
  const key = isId(id) ? await keys.get(tx, team, id) : undefined;
  return key ?? fail('not_found', { detail: `There is no key ${id}.` });
};

/** Ends a key at once: the next request with it is refused. */
export const revokeKey = (team: Team, id: string): Promise<void> =>
  inTransaction(team, async (tx) => {
    await lockTeam(tx, team);
    const { revokedAt } = await findKey(tx, team, id);
    if (revokedAt !== null) return;
    await keys.update(tx, team, id, { revokedAt: team.platform.clock.now() });
    await record(tx, team, { action: 'key.revoked', target: { type: 'key', id } });
  });

/** Replaces a key by one with the same scopes, addresses and expiry; the old one works on for the grace period. */
export const rotateKey = (
  team: Team,
  id: string,
  { graceSeconds, by }: { graceSeconds: number; by?: string },
): Promise<ShownKey> =>
  inTransaction(team, async (tx) => {
    await lockTeamWithApi(tx, team);
    const old = await findKey(tx, team, id);
    if (by !== undefined) await needCreator(tx, team, by);
    const now = team.platform.clock.now();
    if (
      !Number.isSafeInteger(graceSeconds) ||
      graceSeconds < 0 ||
      graceSeconds * 1000 > daysToMs(limits.keyRotationGraceDays)
    ) {
      fail('validation_error', {
        field: 'grace_days',
        detail: `A grace period lasts 0 to ${limits.keyRotationGraceDays} days.`,
      });
    }
    if (statusOf(old, now) !== 'active') fail('conflict', { detail: 'The key is no longer active.' });
    if (old.rotatedToId !== null) fail('conflict', { detail: 'The key was already rotated.' });

    await needRoomForKey(tx, team, now, { rotated: true });
    const { text, ...secret } = makeSecret();
    const next = { id: newId(), ...secret, createdBy: by ?? old.createdBy, createdAt: now };
    const { name, scopes, allowedIps, expiresAt } = old;
    await keys.insert(tx, team, { name, scopes, allowedIps, expiresAt, ...next });
    const graceEnds = later(now, graceSeconds * 1000);
    await keys.update(tx, team, id, {
      rotatedToId: next.id,
      expiresAt: expiresAt !== null && expiresAt < graceEnds ? expiresAt : graceEnds,
      // Without grace it ends now, whatever the database's clock says.
      revokedAt: graceSeconds === 0 ? now : null,
    });
    await record(tx, team, {
      action: 'key.rotated',
      target: { type: 'key', id },
      data: { to: next.id, grace_seconds: graceSeconds },
    });
    return { key_id: next.id, key: text };
  });

/** The membership that created a key of the team. */
export const creatorOfKey = (tx: Tx, team: Team, id: string): Promise<string | undefined> =>
  keys.creatorOf(tx, team, id);

/** The team that a key belongs to, for an operator who has only the key's id. */
export const teamOfKey = async ({ database }: Platform, id: string): Promise<string> => {
  const tenantId = isId(id) ? await keys.teamOf(database.prisma, id) : undefined;
  return tenantId ?? fail('not_found', { detail: `There is no key ${id}.` });
};
