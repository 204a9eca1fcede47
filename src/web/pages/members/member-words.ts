import type { inferRouterOutputs } from '@trpc/server';
import type { appRouter } from '../../../modules/app-router.ts';

export type TeamMember = inferRouterOutputs<typeof appRouter>['members']['list']['data'][number];

/** The right to make keys, as the server calls it. */
export const keyRight = 'schnittstellen';

export const nameOf = ({ name, email }: Pick<TeamMember, 'name' | 'email'>): string => name ?? email;
