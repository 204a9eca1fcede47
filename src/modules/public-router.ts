import { router } from '../trpc/operation.ts';
import { account } from './account/public.ts';
import { analytics } from './analytics/public.ts';
import { crm } from './crm/public.ts';
import { assignments } from './assignments/public.ts';
import { cases } from './cases/public.ts';
import { catalog } from './catalog/public.ts';
import { members } from './members/public.ts';
import { trainings } from './trainings/public.ts';
import { webhooks } from './webhooks/public.ts';

/** Everything that the public API can do. */
export const publicRouter = router({
  account,
  assignments,
  cases,
  members,
  analytics,
  crm,
  catalog,
  trainings,
  webhooks,
});
