import { toSnake } from '../../core/spelling.ts';
import { operationsOf, memberProcedure, personRouter } from '../../platform/trpc/procedures.ts';
import { directoryRoutes } from '../provisioning/procedures.ts';
import { publicRouter } from '../public-router.ts';
import { describeEvents } from './events.ts';
import { EventReference, LimitReference, Nothing, ScopeReference } from './schema.ts';
import { limitsOf, scopesIn } from './service.ts';

/**
 * Each route with its scope, and with the scope that a value of a parameter needs, as in
 * `GET /deletions?resource=users`.
 */
const routes = operationsOf(publicRouter).flatMap(({ operation: { scope, route, needsBy } }) => [
  { scope, route },
  ...Object.entries(needsBy?.needs ?? {})
    .filter(([, further]) => further.scope !== scope)
    .map(([value, further]) => ({ scope: further.scope ?? null, route: `${route}?${needsBy?.parameter}=${value}` })),
]);

const withoutInput = memberProcedure.input(Nothing);

export const reference = personRouter({
  scopes: withoutInput
    .output(ScopeReference)
    .query(({ ctx }) => scopesIn(ctx.language, [...routes, ...directoryRoutes])),
  events: withoutInput.output(EventReference).query(({ ctx }) => describeEvents(ctx.language)),
  limits: withoutInput.output(LimitReference).query(({ ctx }) => toSnake(limitsOf(ctx.team))),
});
