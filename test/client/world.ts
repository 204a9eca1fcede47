import { exampleBodyOf } from '../../src/modules/events/payloads.ts';
import { headersOf, makeSecret } from '../../src/deliveries/message.ts';
import { aCombination, anEvaluation, aScoredTraining, aTraining } from '../support/practice.ts';
import type { TestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';
import type { World } from './suite.ts';

/** A team with all data that the suite reads. */
export const aWorld = async (service: TestService): Promise<World> => {
  const team = await aTeam(service, { members: 3 });
  const members = team.members.map(({ id, user_id }) => ({ id, user_id: user_id ?? '' }));
  for (const { user_id } of members) {
    await aTraining(service, team, { userId: user_id });
    await aScoredTraining(service, team, {
      userId: user_id,
      evaluation: { ...anEvaluation(), savedAt: service.clock.now() },
    });
  }
  const body = exampleBodyOf('evaluation.completed');
  const secret = makeSecret();
  const { id: eventId }: { id: string } = JSON.parse(body);
  return {
    baseUrl: service.baseUrl,
    key: (await team.aKey()).text,
    teamId: team.id,
    members,
    combination: await aCombination(service),
    webhook: { secret, body, headers: headersOf({ secret, eventId, body, at: new Date() }) },
  };
};
