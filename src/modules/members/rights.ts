import { fail } from '../../core/problem.ts';
import type { Tx } from '../../db/database.ts';
import type { Team } from '../../platform/team.ts';
import { creatorOfKey } from '../keys/service.ts';
import { isActive, isActiveAdmin, memberOf } from './membership.ts';

/** Whether the actor may grant or revoke the role admin: the owner and active admins may, and a key that one of them created. */
const mayGrantAdmin = async (tx: Tx, team: Team): Promise<boolean> => {
  const { actor } = team;
  if (actor.kind === 'operator') return true;
  if (actor.kind === 'service') return false;
  if (actor.kind === 'person') return isActiveAdmin(tx, team, actor.userId);
  const creatorId = await creatorOfKey(tx, team, actor.id);
  const creator = creatorId === undefined ? undefined : await memberOf(tx, team, creatorId);
  return isActive(creator) && creator.role !== 'member';
};

export const needRightToGrantAdmin = async (tx: Tx, team: Team): Promise<void> => {
  if (await mayGrantAdmin(tx, team)) return;
  fail('insufficient_scope', {
    required_scope: 'users:write',
    detail: 'Only the owner, an active admin, or a key that one of them created can grant or revoke the role admin.',
  });
};
