import { openHubSpot } from '../../../src/modules/crm/providers/hubspot.ts';
import type { ProviderSettings } from '../../../src/modules/crm/providers/provider.ts';
import { aReceiver } from '../../support/receiver.ts';
import { aRun } from './a-run.ts';
import { FakeHubSpot } from './fake-hubspot.ts';

/** A HubSpot account, and a function that starts a run with it. */
export const aHubSpot = async () => {
  const crm = new FakeHubSpot();
  const server = await aReceiver({ answer: crm.answer });
  const run = (settings: Partial<ProviderSettings> & { token?: string; hurried?: boolean } = {}) =>
    aRun(openHubSpot, server.url, { token: crm.token, ...settings });
  return { crm, server, run };
};
