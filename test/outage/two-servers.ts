import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openEmbedded } from '../../src/db/embedded.ts';
import { migrate } from '../../src/db/migrate.ts';
import { startTestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';

/** The server in this folder starts as a standby. */
export const makeStandby = (folder: string): void =>
  writeFileSync(join(folder, 'postgres', 'data', 'standby.signal'), '');

/**
 * Fills two folders with the data of a primary and its standby, both stopped. A team has a key, and an endpoint at the
 * receiver that gets an event for each invitation.
 */
export const prepareTwoServers = async (folders: { primary: string; standby: string }, receiver: { url: string }) => {
  const { url, release } = await openEmbedded(folders.primary);
  await migrate(url);
  const environment = { WEBHOOK_ALLOW_TARGETS: '127.0.0.0/8' };
  const service = await startTestService({ databaseUrl: url, environment });
  const team = await aTeam(service);
  const { text: key } = await team.aKey();
  const endpoint = { url: `${receiver.url}/hooks`, events: ['member.joined'] };
  const made = await team.client.post('/webhook-endpoints', endpoint);
  if (made.status !== 201) throw new Error(made.text);
  await service.close();
  await release();
  execFileSync('cp', ['-a', `${folders.primary}/.`, folders.standby]);
  makeStandby(folders.standby);
  return { url, key };
};
