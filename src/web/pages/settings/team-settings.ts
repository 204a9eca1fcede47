import type { inferRouterOutputs } from '@trpc/server';
import type { appRouter } from '../../../modules/app-router.ts';

export type TeamSettings = inferRouterOutputs<typeof appRouter>['team']['settings'];
export type Switches = TeamSettings['privacy'];
