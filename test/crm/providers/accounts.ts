import { makeHubSpot } from '../../../src/modules/crm/providers/hubspot.ts';
import { makePipedrive } from '../../../src/modules/crm/providers/pipedrive.ts';
import type { MakeProvider, ProviderSettings } from '../../../src/modules/crm/providers/provider.ts';
import { aReceiver } from '../../support/receiver.ts';
import { aRun, everythingSince } from './a-run.ts';
import { FakeHubSpot } from './fake-hubspot.ts';
import { FakePipedrive } from './fake-pipedrive.ts';

type Settings = Partial<ProviderSettings> & { token?: string; hurried?: boolean };

/** An account at a fake CRM, and functions that start a run with it, or read all that a run finds. */
const anAccount = async <Crm extends FakeHubSpot | FakePipedrive>(crm: Crm, make: MakeProvider) => {
  const server = await aReceiver({ answer: crm.answer });
  const run = (settings: Settings = {}) => aRun(make, server.url, { token: crm.token, ...settings });
  const found = async ({ since, ...settings }: Settings & { since?: Date | undefined } = {}) =>
    everythingSince((await run(settings)).provider, since);
  /** The same, if each page is read by another process. */
  const foundByProcesses = (since?: Date) => everythingSince(async () => (await run()).provider, since);
  return { crm, server, run, found, foundByProcesses };
};

export const aHubSpot = () => anAccount(new FakeHubSpot(), makeHubSpot);
export const aPipedrive = () => anAccount(new FakePipedrive(), makePipedrive);
