import { z } from 'zod';
import { exampleIds } from '../../core/example-ids.ts';
import { nothingPersonal, payload, text } from '../../deliveries/payload.ts';

/** The event that the test of an endpoint sends. Nobody can subscribe to it. */
export const ping = payload('ping', {
  data: z.object({ endpoint_id: text('The endpoint that is tested.') }),
  personal: nothingPersonal,
  example: { endpoint_id: exampleIds.endpoint },
});

const ofEndpoint = { endpoint_id: text('The endpoint that the event is about. It does not get the event itself.') };
const since = text('Since when: the time of its first failed attempt.');
const reason = z
  .string()
  .nullable()
  .meta({ description: 'For people: why its last attempt failed, at most 200 characters.' });
const failing = { endpoint_id: exampleIds.endpoint, since: '2026-11-20T08:00:00.000Z', reason: 'HTTP 503' };

export const endpointFailing = payload('endpoint.failing', {
  data: z.object({ ...ofEndpoint, since, reason }),
  personal: nothingPersonal,
  example: failing,
});

export const endpointPaused = payload('endpoint.paused', {
  data: z.object({ ...ofEndpoint, since, reason }),
  personal: nothingPersonal,
  example: { ...failing, since: '2026-11-17T08:00:00.000Z' },
});

export const endpointRecovered = payload('endpoint.recovered', {
  data: z.object({ ...ofEndpoint, since: text('Since when: the time of a successful delivery.') }),
  personal: nothingPersonal,
  example: { endpoint_id: exampleIds.endpoint, since: '2026-11-20T08:30:00.000Z' },
});
