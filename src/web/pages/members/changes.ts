import type { TeamMember } from '../../../modules/members/schema.ts';
import type { UndoableChange } from '../../kit/dialog/undo.ts';
import { hasKeyRight, keyRight } from './rights.ts';

interface RoleInput {
  member_id: string;
  role: TeamMember['role'];
}

export const roleChange = ({ id, role }: Pick<TeamMember, 'id' | 'role'>): UndoableChange<RoleInput> => ({
  act: { member_id: id, role: role === 'admin' ? 'member' : 'admin' },
  undo: { member_id: id, role },
});

interface RightsInput {
  member_id: string;
  rights: (typeof keyRight)[];
}

export const permissionChange = (member: Pick<TeamMember, 'id' | 'rights'>): UndoableChange<RightsInput> => {
  const granted = { member_id: member.id, rights: [keyRight] };
  const revoked = { member_id: member.id, rights: [] };
  return hasKeyRight(member) ? { act: revoked, undo: granted } : { act: granted, undo: revoked };
};
