import type { Scope } from '../../src/core/scopes.ts';
import { publicRouter } from '../../src/modules/public-router.ts';
import { operationsOf, type Operation } from '../../src/platform/trpc/procedures.ts';
import { routes, type OperationRow } from '../contract/access.ts';

/** An operation as tests call it: plain, or with a value of the parameter that decides what it needs. */
export interface CalledOperation extends Operation {
  /** The route with the value: `GET /trainings?include=evaluation`. */
  readonly title: string;
  /** The parameter with its value; empty for a plain call. */
  readonly query: Readonly<Record<string, string>>;
  /** All scopes that the call needs, as in the table of who may call what. */
  readonly scopes: readonly Scope[];
  /** Whether the call is refused while member details are off. */
  readonly privacy: boolean;
  readonly people: OperationRow['people'];
}

/** What a caller needs, from the table and not from the operation, which is what the tests check. */
const expectedOf = (title: string) => {
  const row = routes[title];
  if (!row) throw new Error(`add a row for ${title} to routes in test/contract/access.ts`);
  const { scopes, refusedWhileHidden = false, people } = row;
  return { title, scopes, privacy: refusedWhileHidden, people };
};

const isRequired = ({ input }: Operation, parameter: string): boolean =>
  input.safeParse({}).error?.issues.some(({ path }) => path[0] === parameter) === true;

/**
 * Every operation of the API, and once more for each value that decides what it needs. A required value has no plain
 * call.
 */
export const calledOperations = (): CalledOperation[] =>
  operationsOf(publicRouter).flatMap((operation) => {
    const { route, needsBy } = operation.operation;
    const plain = () => ({ ...operation, query: {}, ...expectedOf(route) });
    if (!needsBy) return [plain()];
    const { parameter, needs } = needsBy;
    const chosen = Object.keys(needs).map((value) => ({
      ...operation,
      query: { [parameter]: value },
      ...expectedOf(`${route}?${parameter}=${value}`),
    }));
    return isRequired(operation, parameter) ? chosen : [plain(), ...chosen];
  });
