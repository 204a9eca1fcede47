import type { inferRouterOutputs } from '@trpc/server';
import type { appRouter } from '../../../modules/app-router.ts';
import { useText } from '../../language/language.ts';

export type TeamMember = inferRouterOutputs<typeof appRouter>['members']['list']['data'][number];
export type Role = TeamMember['role'];

/** The right to make keys, as the server calls it. */
export const keyRight = 'schnittstellen';

export const nameOf = ({ name, email }: Pick<TeamMember, 'name' | 'email'>): string => name ?? email;

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
