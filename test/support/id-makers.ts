import { aCrmConnection } from './crm.ts';
import { aLoggedEntry, aLoggedRequest } from './logs.ts';
import { aCase, aCatalogItem, anAssignment, aScoredTraining } from './practice.ts';
import type { TestService } from './service.ts';
import type { TestTeam } from './team.ts';
import { aDelivery, anEndpoint, anEvent } from './webhooks.ts';

/** Makes something in a team, and returns its id. */
export type MakeOneId = (team: TestTeam) => Promise<string>;
/** The same; the input may have a list of such ids. */
export type MakeId = (team: TestTeam) => Promise<unknown>;

/**
 * For each field or parameter with an id: makes an object of the given team, which belongs to its owner if it belongs to
 * a person, and returns its id. A new field needs a line here.
 */
export const idMakers = (service: TestService) => {
  const anItem =
    (dimension: 'situation' | 'personality' | 'industry' | 'role' | 'methodology'): MakeOneId =>
    ({ id: tenantId }) =>
      aCatalogItem(service, { dimension, tenantId });
  const aMember: MakeOneId = async (team) => (await team.anActiveMember()).id;
  const aUser: MakeOneId = async (team) => (await team.anActiveMember()).user_id ?? '';
  return {
    member_id: aMember,
    user_id: aUser,
    target_id: aMember,
    actor_id: aUser,
    // With everything that a training can have.
    training_id: (team) => aScoredTraining(service, team, { userId: team.owner.user_id }),
    assignment_id: (team) => anAssignment(service, team, { memberId: team.owner.member_id }),
    case_id: (team) => aCase(service, team, { userId: team.owner.user_id }),
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
    delivery_id: async (team) =>
      aDelivery(service, team, { endpointId: await anEndpoint(service, team), status: 'failed' }),
    event_id: (team) => anEvent(service, team),
  } satisfies Record<string, MakeOneId>;
};

/** The same for the inputs of the app, some of which have lists of ids. The cases there are private. */
export const appIdMakers = (service: TestService): Readonly<Record<string, MakeId>> => {
  const one = idMakers(service);
  const listOf = (make: MakeOneId) => async (team: TestTeam) => [await make(team)];
  return {
    ...one,
    case_id: (team) => aCase(service, team, { userId: team.owner.user_id, private: true }),
    member_ids: listOf(one.member_id),
    user_ids: listOf(one.user_id),
    training_ids: listOf(one.training_id),
    assignment_ids: listOf(one.assignment_id),
    delivery_ids: listOf(one.delivery_id),
    only: listOf(one.personality_id),
    never: listOf(one.industry_id),
    block: listOf(one.situation_id),
    release: listOf(one.situation_id),
  };
};
