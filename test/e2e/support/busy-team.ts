import { daysToMs, later } from '../../../src/core/clock.ts';
import { anAssignment, aScoredTraining, aTraining } from '../../support/practice.ts';
import { theRequests } from '../../support/logs.ts';
import { anEndpoint } from '../../support/webhooks.ts';
import type { AppTest } from './app.ts';

/** A team with some activity of every kind. */
export const aBusyTeam = async ({ service, team: aTeam }: AppTest) => {
  const team = await aTeam({ members: 2 });
  await team.anInvitedMember();
  const now = service.clock.now();
  const [memberId = ''] = team.members.map(({ id }) => id);
  const [anna = '', ben = ''] = team.members.map(({ user_id }) => user_id ?? '');
  await aScoredTraining(service, team, { userId: anna });
  await aScoredTraining(service, team, { userId: ben });
  await aScoredTraining(service, team, { userId: ben, createdAt: later(now, -daysToMs(7)) });
  await aTraining(service, team, { userId: ben, status: 'ended', createdAt: now, finishedAt: now });
  await anAssignment(service, team, { memberId, dueDate: new Date('2026-01-02') });
  await anAssignment(service, team, { memberId, status: 'in_progress' });
  await anAssignment(service, team, { memberId, status: 'done' });
  const key = await team.aKey({ expiresAt: later(now, daysToMs(3)) });
  const paused = await anEndpoint(service, team, {
    status: 'disabled_failures',
    failingSince: later(now, -daysToMs(4)),
  });
  await anEndpoint(service, team);
  await theRequests(service, team, key.id, [{}, { status: 404 }, { status: 500 }]);
  return { team, key, paused };
};
