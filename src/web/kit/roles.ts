import type { Membership } from '../../modules/sessions/schema.ts';
import { useText } from '../language/language.ts';

export type Role = Membership['role'];

/** What roles are called. */
export const useRoleName = (): ((role: Role) => string) => {
  const t = useText();
  const names: Readonly<Record<Role, string>> = {
    owner: t('Inhaber', 'Owner'),
    admin: t('Admin', 'Admin'),
    member: t('Mitglied', 'Member'),
  };
  return (role) => names[role];
};
