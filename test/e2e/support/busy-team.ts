import { daysToMs, later } from '../../../src/core/clock.ts';
import { anAssignment } from '../../support/assignments.ts';
import { anAnswer } from '../../support/requests.ts';
import { anEvaluation, theTrainings } from '../../support/trainings.ts';
import { anEndpoint } from '../../support/webhooks.ts';
import type { AppTest } from './app.ts';

/** A team with some activity of every kind. */
export const aBusyTeam = async ({ service, team: aTeam }: AppTest) => {
  const team = await aTeam({ members: 2 });
  await team.anInvitedMember();
  const now = service.clock.now();
  const [anna, ben] = team.members.map((member) => member.user_id ?? '');
  const evaluation = { ...anEvaluation(), savedAt: now };
  const scored = { status: 'ended' as const, finishedAt: now, evaluation };
  await theTrainings(service, team, [
    { ...scored, userId: anna ?? '', createdAt: now },
    { ...scored, userId: ben ?? '', createdAt: now },
    { status: 'ended', finishedAt: now, userId: ben ?? '', createdAt: now },
    { ...scored, userId: ben ?? '', createdAt: later(now, -daysToMs(7)) },
  ]);
  const memberId = team.members[0]?.id ?? '';
  await anAssignment(service, team, { memberId, dueDate: new Date('2026-01-02') });
  await anAssignment(service, team, { memberId, status: 'in_progress' });
  await anAssignment(service, team, { memberId, status: 'done' });
  const key = await team.aKey({ expiresAt: later(now, daysToMs(3)) });
  const paused = await anEndpoint(service, team, {
    status: 'disabled_failures',
    failingSince: later(now, -daysToMs(4)),
  });
  await anEndpoint(service, team);
  for (const said of [{}, { status: 404 }, { status: 500 }]) service.requestLog.note(anAnswer(team, key.id, said));
  await service.requestLog.write();
  return { team, key, paused };
};
