import pg from 'pg';
import { expect, it, vi } from 'vitest';
import { definedQueries } from '../../src/db/query.ts';
import type { Statement } from '../../src/db/round-trip.ts';
import { useTestService } from '../support/service.ts';
import { aCombination } from '../support/assignments.ts';
import { aTeam, anEmail } from '../support/team.ts';
import { anEndpoint } from '../support/webhooks.ts';

const service = await useTestService();
const team = await aTeam(service);

const nameOf = ({ name, text }: Statement): string =>
  definedQueries().find(({ statement }) => name?.startsWith(statement))?.name ?? text.slice(0, 60);

const during = async (action: () => Promise<unknown>): Promise<string[]> => {
  const sent = vi.spyOn(pg.Client.prototype, 'query');
  await action();
  await new Promise((resolve) => setTimeout(resolve, 100));
  const trips: unknown[] = sent.mock.calls.map(([trip]) => trip);
  sent.mockRestore();
  return trips.flatMap((trip) =>
    typeof trip === 'object' && trip !== null && 'statements' in trip
      ? [(trip.statements as Statement[]).map(nameOf).join(' + ')]
      : [`raw ${String(trip).slice(0, 50)}`],
  );
};

it('prints', async () => {
  const member = team.owner.member_id;
  const combination = await aCombination(service);
  const receiver = 'https://hooks.example.com/x';
  const print = async (name: string, action: () => Promise<{ status: number }>) => {
    let status = 0;
    await action();
    const trips = await during(async () => (status = (await action()).status));
    console.log(name, status, trips.length, '\n  ' + trips.join('\n  '));
  };
  await anEndpoint(service, team, {});
  const id = (answer: { body: unknown }) => String((answer.body as { id: string }).id);
  const newCase = () => team.client.post('/cases', { user_id: team.owner.user_id, title: 'x' });
  const newAssignment = () => team.client.post('/assignments', { member_id: member, title: 'x', ...combination });
  await print('POST /cases', newCase);
  const kase = id(await newCase());
  let n = 0;
  await print('PATCH /cases', () => team.client.patch(`/cases/${kase}`, { title: `${(n += 1)}` }));
  const kases = [id(await newCase()), id(await newCase())];
  await print('DELETE /cases', () => team.client.delete(`/cases/${kases.pop()}`));
  await print('POST /assignments', newAssignment);
  const assignment = id(await newAssignment());
  await print('PATCH /assignments', () =>
    team.client.patch(`/assignments/${assignment}`, { status: (n += 1) % 2 ? 'done' : 'open' }),
  );
  const assignments = [id(await newAssignment()), id(await newAssignment())];
  await print('DELETE /assignments', () => team.client.delete(`/assignments/${assignments.pop()}`));
  await print('POST /users', () => team.client.post('/users', { email: anEmail() }));
  const member2 = id(await team.client.post('/users', { email: anEmail() }));
  await print('PATCH /users', () =>
    team.client.patch(`/users/${member2}`, { role: (n += 1) % 2 ? 'admin' : 'member' }),
  );
  const members = [id(await team.client.post('/users', { email: anEmail() })), member2];
  await print('DELETE /users', () => team.client.delete(`/users/${members.pop()}`));
  await print('POST /webhook-endpoints', () =>
    team.client.post('/webhook-endpoints', { url: receiver, events: ['training.completed'] }),
  );
  const endpoint = id(await team.client.post('/webhook-endpoints', { url: receiver, events: ['training.completed'] }));
  await print('PATCH /webhook-endpoints', () =>
    team.client.patch(`/webhook-endpoints/${endpoint}`, { description: `${(n += 1)}` }),
  );
  await print('POST test', () => team.client.post(`/webhook-endpoints/${endpoint}/test`));
  const endpoints = [
    endpoint,
    id(await team.client.post('/webhook-endpoints', { url: receiver, events: ['training.completed'] })),
  ];
  await print('DELETE /webhook-endpoints', () => team.client.delete(`/webhook-endpoints/${endpoints.pop()}`));
  expect(member).toBeTruthy();
});
