import type { Key } from '../../../modules/keys/schema.ts';
import type { May } from '../../session/may.ts';

/** Whether the reader can create keys for this team; undefined while this is loading. */
export type KeyCreation = 'allowed' | 'no_plan' | 'no_permission' | undefined;

export const keyCreation = (hasApi: boolean | undefined, may: May): KeyCreation => {
  if (hasApi === undefined) return undefined;
  if (!hasApi) return 'no_plan';
  return may('keys') ? 'allowed' : 'no_permission';
};

/** The actions on a key. If the team's plan does not include the API, a key can be revoked but not replaced. */
export const actionsOn = (
  { status, rotated_to_id: next }: Pick<Key, 'status' | 'rotated_to_id'>,
  creation: KeyCreation,
  may: May,
): Readonly<Record<'rotate' | 'revoke', boolean>> => {
  const isChangeable = may('keys') && status === 'active';
  return { rotate: isChangeable && creation === 'allowed' && next === null, revoke: isChangeable };
};
