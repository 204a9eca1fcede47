import { appRouterOf } from '../trpc/app-operation.ts';
import { ownCases } from './cases/app.ts';
import { catalog, policy } from './catalog/app.ts';
import { sessions } from './trainings/app.ts';
import { webhookHistory } from './webhooks/app.ts';

/** Everything that only the app can do; REST never sees it. */
export const appRouter = appRouterOf({ ownCases, catalog, policy, sessions, webhookHistory });
