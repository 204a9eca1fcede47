import { aCombination, anAssignment, aCase, aScoredTraining } from '../support/practice.ts';
import { anEmail } from '../support/team.ts';
import { aDelivery, anEndpoint } from '../support/webhooks.ts';
import { userOf, without, type Place, type Prepare, type Writes } from './writes.ts';

/** Creates something with an `Idempotency-Key`, and sends the same request again. */
const creating =
  (list: string, bodyOf: (place: Place) => Promise<object>): Prepare =>
  async (place) => {
    const body = await bodyOf(place);
    const send = () => place.team.client.post(`/${list}`, body, { headers: { 'Idempotency-Key': 'once' } });
    return { call: async () => ({ changed: [`${list} ${String((await send()).body['id'])}`] }), again: send };
  };

/** Sends a PATCH twice: the second one changes nothing. */
const patching =
  (list: string, make: (place: Place) => Promise<string>, body: object): Prepare =>
  async (place) => {
    const id = await make(place);
    return {
      call: async () => {
        await place.api('PATCH', `/${list}/${id}`, body);
        return { changed: [`${list} ${id}`] };
      },
      again: () => place.team.client.patch(`/${list}/${id}`, body),
    };
  };

const onEndpoint = (method: string, path: string, body?: object): Prepare =>
  without(async ({ companies: { service }, team, api }) => {
    const id = await anEndpoint(service, team);
    return () => api(method, `/webhook-endpoints/${id}${path}`, body);
  });

/** Every route that writes. */
export const apiWrites: Writes = {
  'POST /assignments': creating('assignments', async ({ companies: { service }, team }) => ({
    member_id: (await team.anActiveMember()).id,
    title: 'Price talk',
    ...(await aCombination(service)),
  })),
  'PATCH /assignments/{assignment_id}': patching(
    'assignments',
    async ({ companies: { service }, team }) => anAssignment(service, team, { memberId: team.owner.member_id }),
    { status: 'done', note: 'Well done', due_date: '2026-12-24' },
  ),
  'DELETE /assignments/{assignment_id}': async ({ companies: { service }, team, api }) => {
    const id = await anAssignment(service, team, { memberId: team.owner.member_id });
    const training = await aScoredTraining(service, team, { userId: team.owner.user_id, assignmentId: id });
    return {
      call: async () => {
        await api('DELETE', `/assignments/${id}`);
        return { changed: [`trainings ${training}`], gone: [`assignments ${id}`] };
      },
      again: () => team.client.delete(`/assignments/${id}`),
    };
  },

  'POST /cases': creating('cases', async ({ team }) => ({ user_id: team.owner.user_id, title: 'Renewal' })),
  'PATCH /cases/{case_id}': patching(
    'cases',
    ({ companies: { service }, team }) => aCase(service, team, { userId: team.owner.user_id }),
    { title: 'Renewal', fields: { size: 1.5 }, persona_id: 'p', external_ref: { deal: 'd' } },
  ),
  'DELETE /cases/{case_id}': async ({ companies: { service }, team, api }) => {
    const id = await aCase(service, team, { userId: team.owner.user_id });
    return {
      call: async () => {
        await api('DELETE', `/cases/${id}`);
        return { gone: [`cases ${id}`] };
      },
      again: () => team.client.delete(`/cases/${id}`),
    };
  },

  'POST /users': creating('users', async () => ({ email: anEmail('invited'), role: 'member' })),
  'PATCH /users/{member_id}': patching('users', async ({ team }) => (await team.anActiveMember()).id, {
    role: 'admin',
  }),
  'DELETE /users/{member_id}': async ({ companies: { service }, team, api }) => {
    const member = await team.anActiveMember();
    const userId = userOf(member);
    const open = await anAssignment(service, team, { memberId: member.id });
    await anAssignment(service, team, { memberId: member.id, status: 'revoked' });
    const training = await aScoredTraining(service, team, { userId });
    await aCase(service, team, { userId });
    return {
      call: async () => {
        await api('DELETE', `/users/${member.id}`);
        return {
          changed: [`assignments ${open}`],
          gone: [`users ${member.id}`],
          hidden: [`trainings ${training}`],
        };
      },
      again: () => team.client.delete(`/users/${member.id}`),
    };
  },

  'POST /webhook-endpoints': without(
    async ({ api }) =>
      () =>
        api('POST', '/webhook-endpoints', { url: 'https://example.com/', events: ['training.completed'] }),
  ),
  'PATCH /webhook-endpoints/{endpoint_id}': onEndpoint('PATCH', '', { status: 'disabled' }),
  'DELETE /webhook-endpoints/{endpoint_id}': onEndpoint('DELETE', ''),
  'POST /webhook-endpoints/{endpoint_id}/test': onEndpoint('POST', '/test'),
  'POST /webhook-endpoints/{endpoint_id}/check': onEndpoint('POST', '/check'),
  'POST /webhook-endpoints/{endpoint_id}/recover': onEndpoint('POST', '/recover', { since: '2026-01-01T00:00:00Z' }),
  'POST /webhook-deliveries/{delivery_id}/retry': without(async ({ companies: { service }, team, api }) => {
    const endpointId = await anEndpoint(service, team);
    const id = await aDelivery(service, team, { endpointId, status: 'failed' });
    return () => api('POST', `/webhook-deliveries/${id}/retry`);
  }),
};
