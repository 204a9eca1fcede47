import { appRouterOf, operation, operationsOf } from '../../trpc/operation.ts';
import { publicRouter } from '../public-router.ts';
import { EventReference, LimitReference, Nothing, ScopeReference } from './schema.ts';
import { eventsIn, limitsOf, scopesIn } from './service.ts';

const routes = operationsOf(publicRouter).map(({ operation: { scope, route } }) => ({ scope, route }));

export const reference = appRouterOf({
  scopes: operation(
    'query',
    {
      audience: 'person',
      needs: 'member',
      summary: 'The scopes of keys, and the templates',
      input: Nothing,
      output: ScopeReference,
    },
    ({ ctx }) => scopesIn(ctx.language, routes),
  ),

  events: operation(
    'query',
    {
      audience: 'person',
      needs: 'member',
      summary: 'The events that endpoints can receive, each with a signed example',
      input: Nothing,
      output: EventReference,
    },
    ({ ctx }) => eventsIn(ctx.language),
  ),

  limits: operation(
    'query',
    {
      audience: 'person',
      needs: 'member',
      summary: 'The limits of the team',
      input: Nothing,
      output: LimitReference,
    },
    ({ ctx }) => limitsOf(ctx.team),
  ),
});
