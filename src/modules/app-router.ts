import { appRouterOf } from '../trpc/app-operation.ts';

/** Everything that only the app can do; REST never sees it. */
export const appRouter = appRouterOf({});
