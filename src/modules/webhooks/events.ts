import { z } from 'zod';
import { exampleIds } from '../../core/example-ids.ts';
import { nothingPersonal, payload, text } from '../../deliveries/payload.ts';

/** What an endpoint's test sends. Nobody can subscribe to it. */
export const ping = payload('ping', {
  data: z.object({ endpoint_id: text('The endpoint that is tested.') }),
  personal: nothingPersonal,
  example: { endpoint_id: exampleIds.endpoint },
});
