import { anAssignment, aCase, aCatalogItem, aScoredTraining } from './practice.ts';
import { aCrmConnection } from './crm.ts';
import { aLoggedEntry, aLoggedRequest } from './logs.ts';
import type { TestService } from './service.ts';
import type { TestTeam } from './team.ts';
import { aDelivery, anEndpoint, anEvent } from './webhooks.ts';

export type MakeId = (team: TestTeam) => Promise<unknown>;

/**
 * For each field with ids in an input of the app: an id of the given team, and of its owner if the object belongs to a
 * person. A new field needs a line here.
 */
export const idMakers = (service: TestService): Readonly<Record<string, MakeId>> => {
  const anItem =
    (dimension: 'situation' | 'personality' | 'industry' | 'role' | 'methodology'): MakeId =>
    ({ id: tenantId }) =>
      aCatalogItem(service, { dimension, tenantId });

  /** A training with everything that a training can have. */
  const aTraining: MakeId = (team) => aScoredTraining(service, team, { userId: team.owner.user_id });

  const anOpenAssignment = (team: TestTeam) => anAssignment(service, team, { memberId: team.owner.member_id });

  const aPrivateCase = (team: TestTeam) => aCase(service, team, { userId: team.owner.user_id, private: true });

  return {
    member_id: async (team) => (await team.anActiveMember()).id,
    member_ids: async (team) => [(await team.anActiveMember()).id],
    user_id: async (team) => (await team.anActiveMember()).user_id,
    user_ids: async (team) => [(await team.anActiveMember()).user_id],
    target_id: async (team) => (await team.anActiveMember()).id,
    actor_id: async (team) => (await team.anActiveMember()).user_id,
    training_id: aTraining,
    training_ids: async (team) => [await aTraining(team)],
    assignment_id: anOpenAssignment,
    assignment_ids: async (team) => [await anOpenAssignment(team)],
    case_id: aPrivateCase,
    situation_id: anItem('situation'),
    personality_id: anItem('personality'),
    industry_id: anItem('industry'),
    role_id: anItem('role'),
    methodology_id: anItem('methodology'),
    item_id: anItem('situation'),
    key_id: async (team) => (await team.aKey()).id,
    request_id: (team) => aLoggedRequest(service, team),
    entry_id: (team) => aLoggedEntry(service, team),
    connection_id: (team) => aCrmConnection(service, team),
    endpoint_id: (team) => anEndpoint(service, team),
    delivery_id: async (team) => aDelivery(service, team, { endpointId: await anEndpoint(service, team) }),
    delivery_ids: async (team) => [await aDelivery(service, team, { endpointId: await anEndpoint(service, team) })],
    event_id: (team) => anEvent(service, team),
    only: async (team) => [await anItem('personality')(team)],
    never: async (team) => [await anItem('industry')(team)],
    block: async (team) => [await anItem('situation')(team)],
    release: async (team) => [await anItem('situation')(team)],
  };
};
