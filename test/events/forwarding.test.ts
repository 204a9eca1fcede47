import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { createClient, type WebhookEvent } from 'team-customer-api-client';
import { expect, it, onTestFinished } from 'vitest';
import { stateOf } from '../../src/server/developers/examples/state-of-event.mts';
import { liveThrough } from '../support/every-event.ts';
import { listen } from '../support/ports.ts';
import { useTestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';
import { throwAwayFolder } from '../support/throw-away-postgres.ts';
import { anEvent } from '../support/webhooks.ts';

const service = await useTestService();
const project = join(import.meta.dirname, '..', '..');

it('the forwarder puts every event into the queue, in order, and goes on after it was killed or the queue failed', async () => {
  const team = await aTeam(service);
  const queued: { id: string; body: string }[] = [];
  let status = 200;
  const queue = createServer((request, response) => {
    const store = async () => {
      const body = await text(request);
      if (status === 200) queued.push({ id: String(request.headers['message-id']), body });
      response.writeHead(status).end();
    };
    store().catch(() => response.destroy());
  });
  const port = await listen(queue);
  onTestFinished(() => void queue.close());
  const folder = throwAwayFolder();
  await mkdir(join(folder, 'node_modules'));
  await symlink(join(project, 'dist', 'client'), join(folder, 'node_modules', 'team-customer-api-client'));
  await writeFile(join(folder, 'package.json'), '{ "type": "commonjs" }');
  const program = 'forward-events.mts';
  await cp(join(project, 'src', 'server', 'developers', 'examples', program), join(folder, program));
  const { text: key } = await team.aKey({ scopes: ['webhooks:manage'] });
  const start = () => {
    const env = { BASE_URL: service.origin, API_KEY: key, QUEUE_URL: `http://127.0.0.1:${port}/` };
    const child = spawn(process.execPath, [program], { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'], env });
    onTestFinished(() => void child.kill('SIGKILL'));
    return { child, ended: once(child, 'exit'), complaints: text(child.stderr) };
  };
  const raised: string[] = [];
  const raise = async () => raised.push(`evt_${(await anEvent(service, team)).replaceAll('-', '')}`);
  const ids = () => [...new Set(queued.map(({ id }) => id))];

  await raise();
  const first = start();
  await expect.poll(() => ids()).toEqual(raised);
  await raise();
  await expect.poll(() => ids()).toEqual(raised);
  first.child.kill('SIGKILL');
  await first.ended;

  status = 503;
  await raise();
  const second = start();
  expect(await second.ended).toEqual([1, null]);
  expect(await second.complaints).toContain('The queue answered with 503.');
  status = 200;
  const third = start();
  await expect.poll(() => ids()).toEqual(raised);
  third.child.kill('SIGTERM');
  expect(await third.ended).toEqual([0, null]);
  const [{ body } = { body: '' }] = queued;
  expect(JSON.parse(body)).toMatchObject({ id: raised[0], tenant_id: team.id });
});

it('the state of each event is read, or found to be gone', async () => {
  const team = await aTeam(service);
  await liveThrough(service, team);
  const api = createClient({ baseUrl: service.origin, key: team.client.key ?? '' });
  const events: WebhookEvent[] = await api.events.list().all();
  const read = await Promise.all(events.map(async (event) => [event.type, (await stateOf(api, event)) !== undefined]));
  // Everybody in them has left the team. Assignments stay.
  expect(new Set(read.filter(([, exists]) => exists).map(([type]) => type))).toEqual(
    new Set(['assignment.created', 'assignment.completed']),
  );
  const joined = events.find(({ type }) => type === 'member.joined');
  if (joined?.type !== 'member.joined') throw new Error('nobody joined');
  const member = await team.anActiveMember();
  const now = { ...joined, data: { ...joined.data, member_id: member.id } };
  expect(await stateOf(api, now)).toMatchObject({ id: member.id, status: 'active' });
});
