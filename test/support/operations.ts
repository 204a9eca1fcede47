import type { Scope } from '../../src/core/scopes.ts';
import { makeId } from '../../src/core/ids.ts';
import { publicRouter } from '../../src/modules/public-router.ts';
import { operationsOf, type Operation } from '../../src/platform/trpc/procedures.ts';
import { idMakers, type MakeOneId } from './id-makers.ts';
import type { TestService } from './service.ts';
import { anEmail, type TestTeam } from './team.ts';
import type { OperationRow } from '../contract/rows/kinds.ts';
import { routes } from '../contract/rows/routes.ts';

/** An operation with a way to call it: plain, or with a value of the parameter that decides what it needs. */
interface Call extends Operation {
  /** The route with the value: `GET /trainings?include=evaluation`. */
  readonly title: string;
  /** The parameter with its value; empty for a plain call. */
  readonly query: Readonly<Record<string, string>>;
}

/** An operation as tests call it. */
export interface CalledOperation extends Call {
  /** All scopes that the call needs, as in the table of who may call what. */
  readonly scopes: readonly Scope[];
  /** Whether the call is refused while member details are off. */
  readonly privacy: boolean;
  readonly people: OperationRow['people'];
}

const isRequired = ({ input }: Operation, parameter: string): boolean =>
  input.safeParse({}).error?.issues.some(({ path }) => path[0] === parameter) === true;

/**
 * Every operation of the API, and once more for each value that decides what it needs. A required value has no plain
 * call.
 */
export const everyCall = (): Call[] =>
  operationsOf(publicRouter).flatMap((operation) => {
    const { route, needsBy } = operation.operation;
    const plain = { ...operation, title: route, query: {} };
    if (!needsBy) return [plain];
    const { parameter, needs } = needsBy;
    const chosen = Object.keys(needs).map((value) => ({
      ...operation,
      title: `${route}?${parameter}=${value}`,
      query: { [parameter]: value },
    }));
    return isRequired(operation, parameter) ? chosen : [plain, ...chosen];
  });

/**
 * The same, with what a caller needs: from the table and not from the operation, which is what the tests check. One
 * without a row fails in test/contract/access.test.ts.
 */
export const calledOperations = (): CalledOperation[] =>
  everyCall().flatMap((call) => {
    const row = routes[call.title];
    if (!row) return [];
    const { scopes, refusedWhileHidden = false, people } = row;
    return [{ ...call, scopes, privacy: refusedWhileHidden, people }];
  });

// Valid paths and bodies for every operation of the API.

/** The names of the parameters in an operation's path. */
export const parametersOf = ({ openapi }: Pick<Operation, 'openapi'>): string[] =>
  openapi.path.match(/(?<=\{)\w+(?=\})/g) ?? [];

export const withQuery = (path: string, parameter: string): string =>
  `${path}${path.includes('?') ? '&' : '?'}${parameter}`;

export const pathFor = async (
  operation: Pick<CalledOperation, 'openapi' | 'query'>,
  idFor: (parameter: string) => Promise<string>,
): Promise<string> => {
  let path: string = operation.openapi.path;
  for (const parameter of parametersOf(operation)) {
    const id = await idFor(parameter);
    path = path.replace(`{${parameter}}`, () => id);
  }
  for (const [name, value] of Object.entries(operation.query)) path = withQuery(path, `${name}=${value}`);
  return path;
};

export const operationInputs = (service: TestService) => {
  const make = idMakers(service);
  const { member_id, assignment_id, training_id, case_id, endpoint_id, delivery_id } = make;
  /** An id of the given team for each parameter that a path can have. A new parameter needs a name here. */
  const idsOf: Readonly<Record<string, MakeOneId>> = {
    member_id,
    assignment_id,
    training_id,
    case_id,
    endpoint_id,
    delivery_id,
  };

  /** A value for each field of a body that must be unique or must refer to an object of the team. */
  const { user_id, situation_id, personality_id, industry_id } = make;
  const valuesOf: Readonly<Record<string, MakeOneId>> = {
    email: async () => anEmail(),
    external_id: async () => makeId(),
    member_id,
    user_id,
    situation_id,
    personality_id,
    industry_id,
  };

  const idOf = (parameter: string, team: TestTeam): Promise<string> => {
    const makeId = idsOf[parameter];
    if (!makeId) throw new Error(`add a way to make a ${parameter} to idsOf`);
    return makeId(team);
  };

  /** A value of an example, with ids of the team's objects in place of its own, also in a list of objects. */
  const ofTeam = async (team: TestTeam, key: string, value: unknown): Promise<unknown> => {
    const makeValue = Object.hasOwn(valuesOf, key) ? valuesOf[key] : undefined;
    if (makeValue) return makeValue(team);
    if (!Array.isArray(value)) return value;
    const items: unknown[] = [];
    for (const item of value) {
      const isObject = typeof item === 'object' && item !== null;
      items.push(isObject ? await fieldsOf(team, Object.entries(item)) : item);
    }
    return items;
  };

  const fieldsOf = async (team: TestTeam, entries: readonly [key: string, value: unknown][]) => {
    const fields: Record<string, unknown> = {};
    for (const [key, value] of entries) fields[key] = await ofTeam(team, key, value);
    return fields;
  };

  /** The operation's own example as a body for this team: its ids are replaced by ids of the team's objects. */
  const bodyFor = async (
    { operation, openapi }: Operation,
    team?: TestTeam,
  ): Promise<Record<string, unknown> | undefined> => {
    if (openapi.method === 'GET' || openapi.method === 'DELETE') return undefined;
    const inPath = new Set(parametersOf({ openapi }));
    const fields = Object.entries(operation.example.input ?? {}).filter(([key]) => !inPath.has(key));
    return team ? fieldsOf(team, fields) : Object.fromEntries(fields);
  };

  return { idsOf, idOf, bodyFor };
};
