import { execFile, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { allEventTypes } from '../../src/core/events.ts';
import { limits, webhookLimits } from '../../src/core/limits.ts';
import { exampleFile } from '../../src/server/developers/facts.ts';
import { verifyWebhook } from '../../src/server/developers/examples/verify-webhook.mts';
import { isAlive } from '../../src/run/process.ts';
import { aCopyProgramAt } from '../changes/copy-program.ts';
import { makeClient, type Client } from '../support/client.ts';
import { patience } from '../support/patience.ts';
import { command, installPacked, leftovers, removePacked, startDetached, startInShell } from './packed.ts';

// One sandbox of the packed service for the file: its tests run one after the other, and time passes from one to the
// next.

interface Received {
  headers: IncomingHttpHeaders;
  body: string;
}

const received: Received[] = [];

/** A customer's receiver as it is in CI: plain HTTP on this machine. */
const receiver = {
  answers: 200,
  server: createServer((request, response) => {
    void readText(request).then((body) => {
      received.push({ headers: request.headers, body });
      response.writeHead(receiver.answers).end();
    });
  }),
};

let packed: string[];
let sandbox: Awaited<ReturnType<typeof startInShell>>;
let client: Client;
/** The endpoint at the receiver. */
let endpoint: { id: string; secret: string };

beforeAll(async () => {
  await new Promise<void>((resolve) => {
    receiver.server.listen(0, '127.0.0.1', resolve);
  });
  const address = receiver.server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  packed = await installPacked();
  sandbox = await startInShell(`http://localhost:${port}/hooks`);
  client = makeClient(sandbox.base_url, sandbox.api_key);
  endpoint = sandbox.webhook_endpoint ?? expect.fail('there is no endpoint');
});

afterAll(() => {
  sandbox.shell.kill('SIGKILL');
  removePacked();
  receiver.server.closeAllConnections();
  receiver.server.close();
});

beforeEach(() => {
  receiver.answers = 200;
  received.length = 0;
});

/** Sends a request to the control channel. */
const control = async (
  operation: string,
  body?: object,
): Promise<{ status: number; body: Record<string, unknown> }> => {
  const [method = '', path = ''] = operation.split(' ');
  const response = await fetch(`${sandbox.control_url}${path}`, {
    method,
    headers: { Authorization: `Bearer ${sandbox.control_token}` },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: Object(await response.json()) };
};

/** Lets time pass, and fails if something that became due was not done. */
const pass = async (span: string): Promise<void> => {
  const { status, body } = await control('POST /clock', { move: span });
  expect([status, body['settled']], JSON.stringify(body)).toEqual([200, true]);
};

const trigger = async (event: string, options: object = {}): Promise<Record<string, unknown>> => {
  const { status, body } = await control('POST /trigger', { event, ...options });
  expect(status, JSON.stringify(body)).toBe(200);
  return body;
};

const newestDelivery = async (): Promise<Record<string, unknown>> =>
  (await client.get(`/webhook-endpoints/${endpoint.id}/deliveries?limit=1`)).data[0] ?? {};

const endpointStatus = async (): Promise<unknown> =>
  (await client.get('/webhook-endpoints')).data.find(({ id }) => id === endpoint.id)?.['status'];

it('the package has the code that runs, and no sources, tests, settings or secrets', () => {
  const expected =
    /^package\/(?:build\/(?:src|dist\/(?:web|client|client-py)|prisma|docs)\/|build\/(?:package\.json|sbom\.cdx\.json)$|bin\/|scripts\/install\/pinned-node\.mjs$|(?:package\.json|README\.md|CHANGELOG\.md|LICENSE)$)/;
  expect(packed.filter((file) => !expected.test(file))).toEqual([]);
  expect(packed).toContain('package/build/sbom.cdx.json');
  // The documentation shows these files unchanged, and customers install the client.
  const shown = /^package\/build\/(?:src\/server\/developers\/(?:examples|receivers)|dist\/client)\//;
  const own = packed.filter((file) => !shown.test(file));
  expect(own.filter((file) => /\.(?:ts|pem|env|log|map)$|\.test\.|\/\.data\//.test(file))).toEqual([]);
});

describe('a trigger', () => {
  it.each(allEventTypes)('raises %s, and the receiver gets it with the printed id', async (type) => {
    if (type === 'audit.recorded') {
      // Nobody is sent the audit log unless they ask for it.
      expect((await control('POST /trigger', { event: type })).status).toBe(422);
      const subscribe = (events: readonly string[]) => client.patch(`/webhook-endpoints/${endpoint.id}`, { events });
      expect((await subscribe(allEventTypes)).status).toBe(200);
      onTestFinished(async () => void (await subscribe(allEventTypes.filter((one) => one !== type))));
    }
    const { event_id } = await trigger(type);
    const delivered = await vi.waitFor(() => {
      const found = received.find(({ headers }) => headers['svc-event-id'] === event_id);
      return found ?? expect.fail('not delivered yet');
    }, patience);
    const signature = delivered.headers['svc-signature'];
    const event = verifyWebhook({ body: delivered.body, signature, secrets: endpoint.secret });
    expect(event.type).toBe(type);
  });

  it('uses the given member and score', async () => {
    const someone = sandbox.members.findLast(({ status }) => status === 'active');
    const { made } = await trigger('evaluation.completed', { member: someone?.member_id, score: 41 });
    const id = String(Reflect.get(Object(made), 'training_id'));
    const { body } = await client.get(`/trainings/${id}/evaluation`);
    expect(body).toMatchObject({ user_id: someone?.user_id, score: { total: 41 } });
  });

  it('refuses an unknown event and an option that the event does not take', async () => {
    expect((await control('POST /trigger', { event: 'training.started' })).status).toBe(422);
    expect((await control('POST /trigger', { event: 'member.joined', score: 5 })).status).toBe(422);
  });
});

describe('when the clock is moved', () => {
  it('a key expires', async () => {
    const { body } = await control('POST /keys', { expires: '+2d', scopes: ['users:read'] });
    const client = makeClient(sandbox.base_url, String(body['key']));
    expect((await client.get('/users')).status).toBe(200);
    await pass('+1d23h');
    expect((await client.get('/users')).status).toBe(200);
    await pass('+1h');
    expect((await client.get('/users')).status).toBe(401);
  });

  it('an Idempotency-Key is forgotten after 24 hours', async () => {
    const headers = { 'Idempotency-Key': randomUUID() };
    const [someone] = sandbox.members;
    const create = () => client.post('/cases', { user_id: someone?.user_id, title: 'Once' }, { headers });
    const first = await create();
    await pass('+23h');
    expect((await create()).body['id']).toBe(first.body['id']);
    await pass('+1h');
    const later = await create();
    expect(later.status).toBe(201);
    expect(later.body['id']).not.toBe(first.body['id']);
  });

  it('a used-up budget of requests is full again', async () => {
    const { body } = await control('POST /keys', {});
    const client = makeClient(sandbox.base_url, String(body['key']));
    await Promise.all(Array.from({ length: limits.requestsPerKeyPerMinute }, () => client.get('/me')));
    expect((await client.get('/me')).status).toBe(429);
    await pass('+1m');
    const answer = await client.get('/me');
    expect(answer.status).toBe(200);
    expect(answer.headers.get('RateLimit-Remaining')).toBe(String(limits.requestsPerKeyPerMinute - 1));
  });

  it('signatures have the time of the receiver', async () => {
    await pass('+5d');
    const { event_id } = await trigger('member.joined');
    const delivered = await vi.waitFor(
      () => received.find(({ headers }) => headers['svc-event-id'] === event_id) ?? expect.fail('not yet'),
      patience,
    );
    const signature = delivered.headers['svc-signature'];
    // The receiver refuses signatures that are older or newer than five minutes.
    const event = verifyWebhook({ body: delivered.body, signature, secrets: endpoint.secret });
    expect(Date.parse(event.created_at)).toBeGreaterThan(Date.now() + 4 * 86_400_000);
    expect((await client.post(`/webhook-endpoints/${endpoint.id}/check`)).status).toBe(202);
    const probe = await vi.waitFor(
      () => received.find(({ headers }) => headers['svc-check'] === 'valid') ?? expect.fail('not yet'),
      patience,
    );
    const signed = { body: probe.body, signature: probe.headers['svc-signature'], secrets: endpoint.secret };
    expect(verifyWebhook(signed).type).toBe('ping');
  });

  it('the retries of a delivery become due one after the other, until it is given up', async () => {
    receiver.answers = 500;
    await trigger('assignment.created');
    await expect.poll(() => newestDelivery()).toMatchObject({ attempt: 1, status: 'failed' });
    const { retrySeconds } = webhookLimits;
    for (const [index, seconds] of retrySeconds.slice(0, 2).entries()) {
      await pass(`+${seconds}s`);
      expect(await newestDelivery()).toMatchObject({ attempt: index + 2, status: 'failed' });
    }
    // A minute more, because each pause begins when an attempt has ended.
    await pass(`+${retrySeconds.slice(2).reduce((sum, seconds) => sum + seconds, 60)}s`);
    expect(await newestDelivery()).toMatchObject({ attempt: 1 + retrySeconds.length, status: 'gave_up' });
    const deliveries = received.filter(({ headers }) => headers['svc-check'] === undefined);
    expect(deliveries).toHaveLength(1 + retrySeconds.length);
    expect(await endpointStatus()).toBe('active');
  });

  it('an endpoint that fails for three days is paused, after all retries in between', async () => {
    receiver.answers = 200;
    await trigger('member.joined');
    await expect.poll(() => newestDelivery()).toMatchObject({ status: 'ok' });
    receiver.answers = 503;
    await trigger('assignment.created');
    await expect.poll(() => newestDelivery()).toMatchObject({ attempt: 1 });
    await pass('+3d');
    expect(await newestDelivery()).toMatchObject({ attempt: 8, status: 'gave_up' });
    expect(await endpointStatus()).toBe('disabled_failures');
  });

  it('new ids have its time, so that old rows are found and deleted', async () => {
    const { event_id } = await trigger('member.joined');
    const { now } = (await control('GET /clock')).body;
    const made = Number.parseInt(String(event_id).slice('evt_'.length, 'evt_'.length + 12), 16);
    expect(Math.abs(made - Date.parse(String(now)))).toBeLessThan(60_000);
    expect(Date.parse(String(now))).toBeGreaterThan(Date.now() + 86_400_000);
  });

  it('the Date header has its time', async () => {
    const clock = async () => Math.floor(Date.parse(String((await control('GET /clock')).body['now'])) / 1000) * 1000;
    await pass('+3d');
    for (const path of ['/me', '/nothing']) {
      const before = await clock();
      const date = Date.parse((await client.get(path)).headers.get('date') ?? '');
      expect(date).toBeGreaterThanOrEqual(before);
      expect(date).toBeLessThanOrEqual(await clock());
    }
  });

  it('the program that keeps a copy continues with each run', async () => {
    await pass('+31d'); // longer than deletions are kept
    const program = await aCopyProgramAt(sandbox.app_url, async () =>
      String((await control('POST /keys', {})).body['key']),
    );
    const run = async () => {
      await program.run();
      return Object.keys(program.rows()).toSorted();
    };
    const first = await run();
    expect(first.length).toBeGreaterThan(sandbox.members.length);
    for (const again of [await run(), await run()]) expect(again).toEqual(first);
    const { made } = await trigger('evaluation.completed');
    expect(await run()).toContain(`trainings ${String(Reflect.get(Object(made), 'training_id'))}`);
  });

  it.each(['3d', '-3d', '+3', '+3y', '+401d', ''])('%j is refused', async (move) => {
    expect((await control('POST /clock', { move })).status).toBe(422);
  });
});

describe('the control channel', () => {
  it('requires its token', async () => {
    const response = await fetch(`${sandbox.control_url}/clock`, { headers: { Authorization: 'Bearer other' } });
    expect(response.status).toBe(401);
  });

  it('is not on the port of the service', async () => {
    for (const path of ['/clock', '/trigger', '/reset', '/keys', '/stop']) {
      const response = await fetch(`${sandbox.app_url}${path}`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${sandbox.control_token}` },
      });
      expect(response.status, path).toBe(404);
    }
  });
});

it('a reset restores the seed, its keys, its endpoint and the time of the machine', async () => {
  await pass('+1d');
  const before = await client.get('/users');
  await trigger('member.joined');
  const { status, body } = await control('POST /reset');
  expect(status).toBe(200);
  expect(body['ahead_seconds']).toBe(0);
  const after = await client.get('/users');
  expect(after.data.map(({ id }) => id)).toEqual(sandbox.members.map(({ member_id }) => member_id));
  expect(after.data.length).toBeLessThan(before.data.length + 1);
  const { event_id } = await trigger('member.joined');
  await expect.poll(() => received.map(({ headers }) => headers['svc-event-id'])).toContain(event_id);
});

describe('the examples of the guide', () => {
  const run = async (program: string, args: string[], code: string): Promise<string> => {
    const env = {
      PATH: '/usr/local/bin:/usr/bin:/bin',
      SANDBOX_BASE_URL: sandbox.base_url,
      SANDBOX_API_KEY: sandbox.api_key,
      SANDBOX_CONTROL_URL: sandbox.control_url,
      SANDBOX_CONTROL_TOKEN: sandbox.control_token,
    };
    const running = promisify(execFile)(program, args, { env });
    running.child.stdin?.end(code);
    return (await running).stdout;
  };

  it('in JavaScript passes', async () => {
    const printed = await run(process.execPath, ['--input-type=module', '-'], exampleFile('sandbox-test.mjs'));
    expect(printed).toMatch(/^. pass 2$/m);
    expect(printed).toMatch(/^. fail 0$/m);
  });

  const hasPython = spawnSync('python3', ['--version']).error === undefined;

  it.runIf(hasPython)('in Python passes', async () => {
    const tests = "for name in [n for n in dir() if n.startswith('test_')]:\n    globals()[name]()\n    print(name)\n";
    const printed = await run('python3', ['-'], `${exampleFile('test_sandbox.py')}\n${tests}`);
    expect(printed.trim().split('\n')).toHaveLength(2);
  });
});

it('several sandboxes start at once, serve, obey their commands and leave nothing behind, however they end', async () => {
  const [stopped, killed] = await Promise.all([startDetached(), startDetached()]);
  const all = [stopped, killed, sandbox];
  expect(new Set(all.map(({ app_url }) => app_url)).size).toBe(3);
  expect(await command('status')).toHaveLength(3);

  const { port } = new URL(stopped.app_url);
  const moved = await command('clock', '+3d', '--port', port);
  expect(moved).toMatchObject({ ahead_seconds: expect.toSatisfy((ahead: number) => ahead >= 3 * 86_400 - 1) });
  expect(await command('trigger', 'evaluation.completed', '--port', port)).toMatchObject({
    event_id: expect.stringMatching(/^evt_/),
  });
  expect((await makeClient(stopped.base_url, stopped.api_key).get('/trainings?limit=1')).data[0]).toMatchObject({
    status: 'scored',
  });
  expect((await fetch(stopped.app_url)).headers.get('content-type')).toContain('text/html');
  for (const path of ['webhook-signatures', 'tools', 'reference', 'examples/webhook-test-vectors.json'])
    expect((await fetch(new URL(`/developers/${path}`, stopped.app_url))).status, path).toBe(200);

  await command('stop', '--port', port);
  process.kill(killed.pid, 'SIGKILL');
  sandbox.shell.kill('SIGKILL'); // the parent of the command
  await vi.waitFor(() => {
    expect(all.map(({ pid }) => isAlive(pid))).toEqual([false, false, false]);
    expect(leftovers()).toEqual([]);
  }, patience);
});
