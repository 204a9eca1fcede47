import type { Scope } from '../../src/core/scopes.ts';
import { publicRouter } from '../../src/modules/public-router.ts';
import { needsOf, operationsOf, type Operation } from '../../src/platform/trpc/procedures.ts';

/** An operation as tests call it: plain, or with a value of the parameter that decides what it needs. */
export interface CalledOperation extends Operation {
  /** The route with the value: `GET /trainings?include=evaluation`. */
  readonly title: string;
  /** The parameter with its value; empty for a plain call. */
  readonly query: Readonly<Record<string, string>>;
  /** All scopes that the call needs. */
  readonly scopes: readonly Scope[];
  /** Whether the call is refused while member details are off. */
  readonly privacy: boolean;
}

const isRequired = ({ input }: Operation, parameter: string): boolean =>
  input.safeParse({}).error?.issues.some(({ path }) => path[0] === parameter) === true;

/** Every operation of the API, and once more for each value that decides what it needs. A required value has no plain call. */
export const calledOperations = (): CalledOperation[] =>
  operationsOf(publicRouter).flatMap((operation) => {
    const { route, needsBy } = operation.operation;
    const plain = { ...operation, title: route, query: {}, ...needsOf(operation.operation) };
    if (!needsBy) return [plain];
    const { parameter, needs } = needsBy;
    const chosen = Object.keys(needs).map((value) => ({
      ...operation,
      title: `${route}?${parameter}=${value}`,
      query: { [parameter]: value },
      ...needsOf(operation.operation, value),
    }));
    return isRequired(operation, parameter) ? chosen : [plain, ...chosen];
  });
