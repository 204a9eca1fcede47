import { makeHubSpot } from '../../../src/modules/crm/providers/hubspot.ts';
import { makePipedrive } from '../../../src/modules/crm/providers/pipedrive.ts';
import type { MakeProvider, ProviderSettings } from '../../../src/modules/crm/providers/provider.ts';
import { aReceiver } from '../../support/receiver.ts';
import { aRun } from './a-run.ts';
import { FakeHubSpot } from './fake-hubspot.ts';
import { FakePipedrive } from './fake-pipedrive.ts';

/** An account at a fake CRM, and a function that starts a run with it. */
const anAccount = async <Crm extends FakeHubSpot | FakePipedrive>(crm: Crm, make: MakeProvider) => {
  const server = await aReceiver({ answer: crm.answer });
  const run = (settings: Partial<ProviderSettings> & { token?: string; hurried?: boolean } = {}) =>
    aRun(make, server.url, { token: crm.token, ...settings });
  return { crm, server, run };
};

export const aHubSpot = () => anAccount(new FakeHubSpot(), makeHubSpot);
export const aPipedrive = () => anAccount(new FakePipedrive(), makePipedrive);
