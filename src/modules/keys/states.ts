import type { ApiKey } from '../../db/generated/client.ts';

/**
 * A key is in one of three states, told by its times alone.
 *
 *   active ──revoked──▶ revoked
 *      │ rotated: ends with the grace period, or at its own expiry if that comes first (without grace: revoked)
 *      ▼ its time has come
 *   expired
 *
 * Nothing leads back.
 */
export type KeyStatus = 'active' | 'expired' | 'revoked';

export const statusOf = ({ revokedAt, expiresAt }: Pick<ApiKey, 'revokedAt' | 'expiresAt'>, now: Date): KeyStatus => {
  if (revokedAt !== null) return 'revoked';
  return expiresAt !== null && expiresAt <= now ? 'expired' : 'active';
};
