import { expect, it } from 'vitest';
import type { SendMail } from '../../src/worker/send-mail.ts';
import { mailsOfTeamsAtOnce } from '../../src/worker/job-limits.ts';
import { makeBrowser, aPerson } from '../support/people.ts';
import { useTestService } from '../support/service.ts';
import { anEmail, aTeam } from '../support/team.ts';
import { afterJobs, aWorker } from '../support/worker.ts';

const service = await useTestService({ own: true });

/** A mail server that delays every mail to a domain with `slow` in its name until it is released. */
const aSlowServer = () => {
  const sent: string[] = [];
  const hanging: string[] = [];
  let max = 0;
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const sendMail: SendMail = async ({ recipient }) => {
    if (recipient.includes('@slow')) {
      hanging.push(recipient);
      max = Math.max(max, hanging.length);
      await released;
      hanging.splice(hanging.indexOf(recipient), 1);
    }
    sent.push(recipient);
  };
  aWorker(service, { sendMail });
  return { sent, hanging, release, max: () => max };
};

const invite = async (count: number, domainOf: (index: number) => string): Promise<string[]> => {
  const team = await aTeam(service, { seats: 100 });
  const emails = Array.from({ length: count }, (_, index) => `someone-${index}@${domainOf(index)}`);
  for (const email of emails) expect((await team.client.post('/users', { email })).status).toBe(201);
  return emails;
};

it.each([
  ['to one domain', 1, 2],
  ['of one team to many domains', 6, 2],
])('slow mails %s have a limited number of slots: other teams’ mails are sent meanwhile', async (_, domains, max) => {
  const name = crypto.randomUUID();
  const slow = await invite(6, (index) => `slow-${name}-${index % domains}.example`);
  const server = aSlowServer();
  await afterJobs(service, () => expect(server.hanging).toHaveLength(max));
  const [other = ''] = await invite(1, () => `fast-${name}.example`);
  await afterJobs(service, () => expect(server.sent).toContain(other));
  expect(server.max()).toBe(max);
  server.release();
  await afterJobs(service, () => expect(server.sent).toEqual(expect.arrayContaining(slow)));
  // Each exactly once, however often its job was postponed.
  expect(server.sent).toHaveLength(new Set(server.sent).size);
  expect(server.max()).toBe(max);
});

it('slow mails of many teams leave slots for reset links and for other jobs', async () => {
  const name = crypto.randomUUID();
  const { email } = await aPerson(await aTeam(service), { email: anEmail() });
  for (let team = 0; team < 5; team += 1) await invite(3, () => `slow-${name}-${team}.example`);
  const server = aSlowServer();
  await afterJobs(service, () => expect(server.hanging).toHaveLength(mailsOfTeamsAtOnce));
  await makeBrowser(service).mutate('entrance/entrance.requestReset', { email });
  await afterJobs(service, () => expect(server.sent).toContain(email));
  expect(server.max()).toBe(mailsOfTeamsAtOnce);
  server.release();
  await afterJobs(service, () => expect(server.sent).toHaveLength(16));
});
