import { expect } from 'vitest';
import { z } from 'zod';
import type { Receiver } from '../../support/receiver.ts';
import { anEmail, type TestTeam } from '../../support/team.ts';

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
