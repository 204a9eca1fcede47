import { operationsOf } from '../../platform/trpc/operation.ts';
import { personProcedure, personRouter } from '../../platform/trpc/procedures.ts';
import { publicRouter } from '../public-router.ts';
import { describeEvents } from './events.ts';
import { EventReference, LimitReference, Nothing, ScopeReference } from './schema.ts';
import { limitsOf, scopesIn } from './service.ts';

const routes = operationsOf(publicRouter).map(({ operation: { scope, route } }) => ({ scope, route }));

export const reference = personRouter({
  scopes: personProcedure
    .meta({ needs: 'member', summary: 'The scopes of keys, and the templates' })
    .input(Nothing)
    .output(ScopeReference)
    .query(({ ctx }) => scopesIn(ctx.language, routes)),

  events: personProcedure
    .meta({ needs: 'member', summary: 'The events that endpoints can receive, each with a signed example' })
    .input(Nothing)
    .output(EventReference)
    .query(({ ctx }) => describeEvents(ctx.language)),

  limits: personProcedure
    .meta({ needs: 'member', summary: 'The limits of the team' })
    .input(Nothing)
    .output(LimitReference)
    .query(({ ctx }) => limitsOf(ctx.team)),
});
