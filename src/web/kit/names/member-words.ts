import type { TeamMember } from '../../../modules/members/schema.ts';
import { t } from '../../language/texts.ts';

type Role = TeamMember['role'];

export const roleNames = (): Readonly<Record<Role, string>> => ({
  owner: t('Inhaber', 'Owner'),
  admin: t('Admin', 'Admin'),
  member: t('Mitglied', 'Member'),
});

export const roleName = (role: Role): string => roleNames()[role];

/** The states of members, as filters. */
export const statusNames = (): Readonly<Record<TeamMember['status'], string>> => ({
  active: t('Nur aktive', 'Active only'),
  invited: t('Nur eingeladene', 'Invited only'),
});
