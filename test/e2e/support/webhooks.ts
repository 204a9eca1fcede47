import { expect, onTestFinished } from 'vitest';
import { z } from 'zod';
import { startReceiver } from '../../support/receiver.ts';
import type { Answering, Receiver } from '../../support/receiver.ts';
import { anEmail } from '../../support/team.ts';
import type { TestTeam } from '../../support/team.ts';

/** A customer's receiver, open until the end of the test. */
export const aReceiver = async (answer?: Answering): Promise<Receiver> => {
  const receiver = await startReceiver(answer && { answer });
  onTestFinished(() => receiver.close());
  return receiver;
};

const Made = z.object({ id: z.string(), secret: z.string() });

/** An endpoint subscribed to new members, created through the API. */
export const anEndpointTo = async ({ client }: TestTeam, { url }: Receiver): Promise<z.output<typeof Made>> => {
  const made = await client.post('/webhook-endpoints', { url: `${url}/hooks`, events: ['member.joined'] });
  expect(made.status).toBe(201);
  return Made.parse(made.body);
};

/** A person joins, which raises an event. */
export const somebodyJoins = async ({ client }: TestTeam): Promise<void> => {
  expect((await client.post('/users', { email: anEmail('joins') })).status).toBe(201);
};
