import { keyRouter } from '../platform/trpc/procedures.ts';
import { analytics } from './analytics/public.ts';
import { crm } from './crm/public.ts';
import { auditEntries } from './audit/public.ts';
import { assignments } from './assignments/public.ts';
import { cases } from './cases/public.ts';
import { catalog } from './catalog/public.ts';
import { deletions } from './deletions/public.ts';
import { events } from './events/public.ts';
import { me } from './me/public.ts';
import { members } from './members/public.ts';
import { trainings } from './trainings/public.ts';
import { webhooks } from './webhooks/public.ts';

/** The modules of v1. A later version uses most of them unchanged and replaces only those that differ. */
export const publicModules = {
  account: me,
  assignments,
  cases,
  members,
  analytics,
  crm,
  catalog,
  trainings,
  webhooks,
  events,
  deletions,
  auditEntries,
};

/** Everything that v1 of the public API can do. */
export const publicRouter = keyRouter(publicModules);
