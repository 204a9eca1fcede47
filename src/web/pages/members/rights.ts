import type { keyRight as serversKeyRight } from '../../../modules/keys/schema.ts';
import type { TeamMember } from '../../../modules/members/schema.ts';
import type { May } from '../../session/may.ts';

/**
 * The permission for API keys. The app imports only types from the server, so a type ensures that this is the server's
 * word.
 */
export const keyRight: typeof serversKeyRight = 'schnittstellen';

export const hasKeyRight = ({ rights }: Pick<TeamMember, 'rights'>): boolean => rights.includes(keyRight);

type MemberAction = 'resend' | 'promote' | 'demote' | 'grant' | 'revoke' | 'transfer' | 'withdraw' | 'remove';

/** The actions of the reader on a member. There are none on the owner, who can only transfer the team. */
export const actionsOn = (
  member: Pick<TeamMember, 'role' | 'status' | 'rights'>,
  may: May,
): Readonly<Record<MemberAction, boolean>> => {
  const isChangeable = may('admin') && member.role !== 'owner';
  const isInvited = member.status === 'invited';
  const isOwners = isChangeable && may('owner');
  return {
    resend: isChangeable && isInvited,
    promote: isChangeable && member.role === 'member',
    demote: isChangeable && member.role === 'admin',
    grant: isOwners && !hasKeyRight(member),
    revoke: isOwners && hasKeyRight(member),
    transfer: isOwners && !isInvited,
    withdraw: isChangeable && isInvited,
    remove: isChangeable && !isInvited,
  };
};

/** The lists to which the menu of a member leads. */
export const linksFrom = (
  { user_id }: Pick<TeamMember, 'user_id'>,
  { member_detail }: { member_detail: boolean },
): Readonly<Record<'trainings' | 'assignments' | 'policy', boolean>> => ({
  trainings: member_detail && user_id !== null,
  assignments: member_detail,
  policy: true,
});

/** Among several members, those whose role or membership can change, and those whose invitation is pending. */
export const amongChosen = <Member extends Pick<TeamMember, 'role' | 'status'>>(chosen: readonly Member[]) => ({
  changeable: chosen.filter(({ role }) => role !== 'owner'),
  invited: chosen.filter(({ status }) => status === 'invited'),
});

/** Whether the reader can open the list of people who left the team. */
export const findsFormer = (may: May): boolean => may('owner');
