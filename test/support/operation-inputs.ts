import type { Operation } from '../../src/platform/trpc/procedures.ts';
import { anAssignment } from './assignments.ts';
import { aCase } from './cases.ts';
import { aCatalogItem } from './catalog.ts';
import type { CalledOperation } from './operations.ts';
import type { TestService } from './service.ts';
import { anEmail, type TestTeam } from './team.ts';
import { aScoredTraining } from './trainings.ts';
import { aDelivery, anEndpoint } from './webhooks.ts';

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
  /** An id of the given team for each parameter that a path can have. A new parameter needs a line here. */
  const idsOf: Readonly<Record<string, (team: TestTeam) => Promise<string>>> = {
    member_id: async (team) => (await team.anActiveMember()).id,
    assignment_id: async (team) => anAssignment(service, team, { memberId: (await team.anActiveMember()).id }),
    training_id: async (team) =>
      aScoredTraining(service, team, { userId: (await team.anActiveMember()).user_id ?? '' }),
    case_id: async (team) => aCase(service, team, { userId: (await team.anActiveMember()).user_id ?? '' }),
    endpoint_id: (team) => anEndpoint(service, team),
    delivery_id: async (team) =>
      aDelivery(service, team, { endpointId: await anEndpoint(service, team), status: 'failed' }),
  };

  /** A value for each field of a body that must be unique or must refer to an object of the team. */
  const valuesOf: Readonly<Record<string, (team: TestTeam) => Promise<string>>> = {
    email: async () => anEmail(),
    member_id: async (team) => (await team.anActiveMember()).id,
    user_id: async (team) => (await team.anActiveMember()).user_id ?? '',
    situation_id: () => aCatalogItem(service, { dimension: 'situation' }),
    personality_id: () => aCatalogItem(service, { dimension: 'personality' }),
    industry_id: () => aCatalogItem(service, { dimension: 'industry' }),
  };

  const idOf = (parameter: string, team: TestTeam): Promise<string> => {
    const make = idsOf[parameter];
    if (!make) throw new Error(`add a way to make a ${parameter} to idsOf`);
    return make(team);
  };

  /** The operation's own example as a body for this team: its ids are replaced by ids of the team's objects. */
  const bodyFor = async (
    { operation, openapi }: Operation,
    team?: TestTeam,
  ): Promise<Record<string, unknown> | undefined> => {
    if (openapi.method === 'GET' || openapi.method === 'DELETE') return undefined;
    const inPath = new Set(parametersOf({ openapi }));
    const body: Record<string, unknown> = {};
    for (const [key, value] of Object.entries(operation.example.input ?? {})) {
      if (inPath.has(key)) continue;
      const make = team && Object.hasOwn(valuesOf, key) ? valuesOf[key] : undefined;
      body[key] = make && team ? await make(team) : value;
    }
    return body;
  };

  return { idsOf, idOf, bodyFor };
};
