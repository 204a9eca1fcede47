import type { Scope } from '../../src/core/scopes.ts';
import { publicRouter } from '../../src/modules/public-router.ts';
import { operationsOf } from '../../src/platform/trpc/operation.ts';
import type { Operation } from '../../src/platform/trpc/operation.ts';

/** An operation as tests call it: plain, or with something that it can include. */
export interface CalledOperation extends Operation {
  /** The route, and what is included: `GET /trainings?include=evaluation`. */
  readonly title: string;
  readonly include?: string;
  /** All scopes that the call needs. */
  readonly scopes: readonly Scope[];
}

/** Every operation of the API, and once more for each value that its `include` may have. */
export const calledOperations = (): CalledOperation[] =>
  operationsOf(publicRouter).flatMap((operation) => {
    const { route, scope, includes = {} } = operation.operation;
    const own = scope === null ? [] : [scope];
    return [
      { ...operation, title: route, scopes: own },
      ...Object.entries(includes).map(([include, further]) => ({
        ...operation,
        title: `${route}?include=${include}`,
        include,
        scopes: [...new Set([...own, further])],
      })),
    ];
  });
