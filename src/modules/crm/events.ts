import { z } from 'zod';
import { exampleIds } from '../../core/example-ids.ts';
import { nothingPersonal, payload, text } from '../../deliveries/payload.ts';

export const crmSyncFailed = payload('crm.sync.failed', {
  data: z.object({
    connection_id: text('The CRM connection, as the app names it.'),
    provider: text('The CRM, for instance `hubspot`.'),
    reason: text('For people: why it failed, at most 1000 characters.'),
  }),
  personal: nothingPersonal,
  example: {
    connection_id: exampleIds.connection,
    provider: 'hubspot',
    reason: 'The CRM refused the stored sign-in.',
  },
});
