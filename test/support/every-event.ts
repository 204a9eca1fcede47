import { connectCrm } from '../../src/modules/crm/service.ts';
import { endTraining, startTraining, saveEvaluation } from '../../src/modules/trainings/service.ts';
import { aCombination } from './assignments.ts';
import { syncFailed } from './crm.ts';
import type { TestService } from './service.ts';
import { anEmail, type TestTeam } from './team.ts';
import { anEvaluation } from './trainings.ts';

const aPractice = async (team: TestTeam, memberId: string, evaluation = anEvaluation({ total: 72 })) => {
  const acting = await team.acting();
  const { trainingId } = await startTraining(acting, { memberId, source: 'phone' });
  await endTraining(acting, trainingId);
  await saveEvaluation(acting, trainingId, evaluation);
  return trainingId;
};

/** Raises every type of event through the API and the services, for an active and for an invited member. */
export const liveThrough = async (service: TestService, team: TestTeam) => {
  const combination = await aCombination(service);
  const active = await team.anActiveMember();
  const invited = (await team.client.post('/users', { email: anEmail('invited') })).body;
  for (const member_id of [active.id, invited['id']]) {
    const wanted = { member_id, title: 'Price talk', due_date: '2026-12-24', ...combination };
    const assignment = (await team.client.post('/assignments', wanted)).body;
    await team.client.patch(`/assignments/${String(assignment['id'])}`, { status: 'done' });
  }
  const trainingId = await aPractice(team, active.id);
  await saveEvaluation(await team.acting(), trainingId, anEvaluation({ total: 81 }));
  await aPractice(team, active.id, anEvaluation({ total: null }));
  for (const id of [active.id, invited['id']]) await team.client.delete(`/users/${String(id)}`);
  const { id: connectionId } = await connectCrm(await team.acting(), { provider: 'hubspot' });
  await syncFailed(await team.acting(), { connectionId, reason: 'Signed out.' });
  return { active, connectionId };
};
