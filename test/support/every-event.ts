import { daysToMs, later } from '../../src/core/clock.ts';
import { allEventTypes } from '../../src/core/events.ts';
import type { Prisma } from '../../src/db/generated/client.ts';
import { tendEndpoint } from '../../src/modules/webhooks/failing-endpoints.ts';
import { anEndpointAt } from './worker.ts';
import { connectCrm } from '../../src/modules/crm/service.ts';
import { endTraining, startTraining, saveEvaluation } from '../../src/modules/trainings/service.ts';
import { aCombination, anEvaluation } from './practice.ts';
import { syncFailed } from './crm.ts';
import type { TestService } from './service.ts';
import { anEmail, type TestTeam } from './team.ts';

const aPractice = async (team: TestTeam, memberId: string, evaluation = anEvaluation({ total: 72 })) => {
  const acting = await team.acting();
  const { trainingId } = await startTraining(acting, { memberId, source: 'phone' });
  await endTraining(acting, trainingId);
  await saveEvaluation(acting, trainingId, evaluation);
  return trainingId;
};

/** An endpoint fails for some time, is paused and works again, as deliveries and a person leave it. */
const failAndRecover = async ({ platform, clock }: TestService, { id: tenantId }: TestTeam, id: string) => {
  const where = { tenantId_id: { tenantId, id } };
  const set = async (data: Prisma.WebhookEndpointUpdateInput) => {
    await platform.database.prisma.webhookEndpoint.update({ where, data });
    await tendEndpoint(platform, { tenantId, id });
  };
  const since = (days: number) => later(clock.now(), -daysToMs(days));
  await set({ failingSince: since(1), failedAgainAt: since(1) });
  await set({ failingSince: since(4) });
  const lastSuccessAt = later(clock.now(), 1);
  await set({ status: 'active', failingSince: null, failedAgainAt: null, warnedAt: null, lastSuccessAt });
};

/** The types that everything raises, whoever subscribes: entries of the audit log are events only for subscribers. */
export const usualTypes = allEventTypes.filter((type) => type !== 'audit.recorded');

/** Raises every usual type of event through the API and the services, for an active and for an invited member. */
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
  const { id: endpointId } = await anEndpointAt(service, team, 'https://unreachable.example.com/');
  await failAndRecover(service, team, endpointId);
  return { active, connectionId, endpointId };
};
