import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { z } from 'zod';
import { compile } from '../../scripts/client/build.ts';
import { verifyWebhook, WebhookError } from '../../src/packages/client/webhooks.ts';
import { publicEventId } from '../../src/deliveries/message.ts';
import { certificates } from '../support/certificates.ts';
import { patience } from '../support/patience.ts';
import { aReceiver, localFeeds, type AnswerProgress } from '../support/receiver.ts';
import { useTestService } from '../support/service.ts';
import { aTeam, type TestTeam } from '../support/team.ts';
import { throwAwayFolder } from '../support/throw-away-postgres.ts';
import { aDispatcher, anEvent, aWorker, untilAllAre } from '../support/worker.ts';

// The command `renew`, as it is shipped, against the real service and a receiver over TLS.

const folder = throwAwayFolder();
await compile(folder, {
  format: 'es',
  entries: { cli: 'src/packages/client/cli/main.ts' },
  origin: 'http://localhost:3000',
});
await writeFile(join(folder, 'package.json'), '{ "type": "module" }');

const service = await useTestService({ environment: localFeeds((await certificates()).caFile()) });

const Step = z.looseObject({ step: z.string(), secret: z.string().optional(), event_id: z.string().optional() });

/** Calls `renew` with a key of the team. */
const startRenewing = async (team: TestTeam, args: readonly string[]) => {
  const env = { API_KEY: (await team.aKey()).text, API_BASE_URL: service.baseUrl };
  const child = spawn(process.execPath, ['cli.js', 'renew', '--json', ...args], { cwd: folder, env });
  onTestFinished(() => void child.kill('SIGKILL'));
  let written = '';
  child.stdout.setEncoding('utf8').on('data', (part: string) => (written += part));
  const steps = () =>
    written
      .split('\n')
      .slice(0, -1)
      .map((line) => Step.parse(JSON.parse(line)));
  const ended = Promise.all([text(child.stderr), once(child, 'close')]).then(([err, [code]]) => ({
    code: Number(code),
    err,
  }));
  return {
    steps,
    ended,
    interrupt: () => child.kill('SIGINT'),
    /** The secret of the second endpoint. */
    untilCreated: async (): Promise<string> => {
      const created = () => steps().find(({ step }) => step === 'created')?.secret;
      await expect.poll(created).toBeDefined();
      return created() ?? '';
    },
  };
};

const Made = z.object({ id: z.string(), secret: z.string() });
const events = ['crm.sync.failed'];

/**
 * A receiver with an endpoint, which verifies with the client and processes each event once. `failsFor`: whether it
 * fails for every event, or for those for which it has failed.
 */
const aVerifyingReceiver = async (team: TestTeam, more: object = {}) => {
  const state: { secrets: string[]; failsFor: 'all' | 'those' | 'none'; refused: number; duplicates: number } = {
    secrets: [],
    failsFor: 'none',
    refused: 0,
    duplicates: 0,
  };
  const failed = new Set<string>();
  const processed = new Map<string, string>();
  const answer: AnswerProgress = async ({ headers, body }) => {
    try {
      const event = await verifyWebhook({ headers, body, secret: state.secrets, now: service.clock.now() });
      if (state.failsFor === 'all') failed.add(event.id);
      if (state.failsFor === 'all' || (state.failsFor === 'those' && failed.has(event.id))) return { status: 503 };
      if (processed.has(event.id)) state.duplicates += 1;
      else processed.set(event.id, event.type);
      return { status: 204 };
    } catch (error) {
      if (!(error instanceof WebhookError)) throw error;
      state.refused += 1;
      return { status: 400 };
    }
  };
  const receiver = await aReceiver({ answer });
  const wanted = { url: `${receiver.url}/hooks`, events, description: 'Ours', ...more };
  const { id, secret } = Made.parse((await team.client.post('/webhook-endpoints', wanted)).body);
  state.secrets = [secret];
  return { receiver, id, state, processed };
};

const startWorkers = async () => {
  aWorker(service);
  await aDispatcher(service);
};

const endpointsOf = async ({ client }: TestTeam) => (await client.get('/webhook-endpoints')).data;

describe('renew', () => {
  it('checks the receiver, creates an endpoint like the first, waits until its secret is accepted, and deletes the first', async () => {
    const team = await aTeam(service);
    const headers = { 'X-Gateway-Key': 'a key of the gateway' };
    const { receiver, id, state, processed } = await aVerifyingReceiver(team, { headers });
    const [first] = await endpointsOf(team);
    await startWorkers();
    const { steps, ended, untilCreated } = await startRenewing(team, [
      '--endpoint',
      id,
      '--header',
      'x-gateway-key: a key of the gateway',
    ]);
    const secret = await untilCreated();
    await expect.poll(() => state.refused).toBeGreaterThan(0);
    await expect.poll(() => steps().filter(({ step }) => step === 'answered').length).toBe(2);
    state.secrets = [secret];
    expect(await ended).toEqual({ code: 0, err: '' });
    expect(steps()).toEqual(
      [
        { step: 'checked', event_id: expect.any(String), accepts_old_secret: true },
        { step: 'created', endpoint_id: expect.any(String), secret },
        { step: 'answered', secret: 'old', response_code: 204, error: null },
        { step: 'answered', secret: 'new', response_code: 400, error: null },
        { step: 'answered', secret: 'old', response_code: 400, error: null },
        { step: 'answered', secret: 'new', response_code: 204, error: null },
        { step: 'deleted', endpoint_id: id },
      ].map((step) => ({ at: expect.any(String), ...step })),
    );
    // The event of the check came twice.
    expect(processed.get(steps()[0]?.event_id ?? '')).toBe('ping');
    const keys = new Set(receiver.received.map((one) => one.headers['x-gateway-key']));
    expect([...keys]).toEqual([headers['X-Gateway-Key']]);

    const [second, ...others] = await endpointsOf(team);
    expect(others).toEqual([]);
    const like = { url: first?.['url'], events, description: 'Ours', status: 'active' };
    expect(second).toMatchObject(like);
    expect(second?.['id']).not.toBe(id);
    expect(Object.keys(Object(second?.['headers']))).toEqual(['x-gateway-key']);
  });

  it('stops before it creates anything: without the endpoint’s headers, or if the receiver is not ready for two endpoints', async () => {
    const team = await aTeam(service);
    const { receiver, id, state } = await aVerifyingReceiver(team, { headers: { 'X-Gateway-Key': 'k' } });
    await startWorkers();
    const outcome = async (...args: string[]) => (await startRenewing(team, args)).ended;
    const header = ['--header', 'X-Gateway-Key: k'];
    expect(await outcome('--endpoint', id)).toEqual({
      code: 2,
      err: expect.stringContaining('--header is needed for: X-Gateway-Key. Nothing was created.'),
    });
    expect(await outcome('--endpoint', id, ...header, '--header', 'X-Other: k')).toEqual({
      code: 2,
      err: expect.stringContaining('The endpoint has no header X-Other. Nothing was created.'),
    });
    expect(await outcome('--endpoint', 'unknown', ...header)).toEqual({
      code: 1,
      err: 'There is no endpoint unknown.\n',
    });

    receiver.answerWith(() => ({ status: 204 }));
    expect(await outcome('--endpoint', id, ...header)).toEqual({
      code: 1,
      err: expect.stringMatching(/accepts a wrong secret.*\nNothing was created\.\n$/),
    });
    const seen = new Set<string>();
    receiver.answerWith(async ({ headers, body }) => {
      const event = await verifyWebhook({ headers, body, secret: state.secrets }).catch(() => undefined);
      if (!event || seen.has(event.id)) return { status: 400 };
      seen.add(event.id);
      return { status: 204 };
    });
    expect(await outcome('--endpoint', id, ...header)).toEqual({
      code: 1,
      err: expect.stringMatching(
        /^The receiver does not accept an event that it has already\.\n.*\nhttp\S+#answering\nNothing was created\.\n$/,
      ),
    });
    expect((await team.client.patch(`/webhook-endpoints/${id}`, { status: 'disabled' })).status).toBe(200);
    expect(await outcome('--endpoint', id, ...header)).toEqual({
      code: 1,
      err: 'The endpoint is disabled. Set it to active first.\n',
    });
    expect(await endpointsOf(team)).toHaveLength(1);
  });

  it('leaves both endpoints when it is ended halfway, says how to go on, and goes on', async () => {
    const team = await aTeam(service);
    const { id, state } = await aVerifyingReceiver(team);
    await startWorkers();
    const begun = await startRenewing(team, ['--endpoint', id, '--skip-check']);
    const secret = await begun.untilCreated();
    expect(begun.steps()[0]?.step).toBe('created');
    begun.interrupt();
    const [second] = await endpointsOf(team);
    const secondId = String(second?.['id']);
    const goOn = `npx team-customer-api-client renew --endpoint ${id} --second ${secondId}`;
    expect(await begun.ended).toEqual({ code: 1, err: `Both endpoints are there. Go on with:\n${goOn}\n` });
    expect(await endpointsOf(team)).toHaveLength(2);

    // Without the option it makes no third endpoint, whichever of the two is named.
    for (const named of [id, secondId]) {
      const { ended } = await startRenewing(team, ['--endpoint', named]);
      expect(await ended).toEqual({ code: 1, err: expect.stringContaining(`\n${goOn}\n`) });
    }
    const reversed = await startRenewing(team, ['--endpoint', secondId, '--second', id]);
    expect(await reversed.ended).toMatchObject({ code: 1, err: expect.stringContaining('no newer endpoint') });
    expect(await endpointsOf(team)).toHaveLength(2);

    state.secrets = [...state.secrets, secret];
    const again = await startRenewing(team, ['--endpoint', id, '--second', secondId]);
    expect(await again.ended).toEqual({ code: 0, err: '' });
    expect(again.steps().map(({ step, secret: which }) => [step, which])).toEqual([
      ['answered', 'old'],
      ['answered', 'new'],
      ['deleted', undefined],
    ]);
    expect(await endpointsOf(team)).toMatchObject([{ id: secondId }]);
  });

  it('loses none of 2,000 events while the receiver changes from the old to the new secret, and each is processed once', async () => {
    const team = await aTeam(service);
    const { id, state, processed } = await aVerifyingReceiver(team);
    await startWorkers();
    let raised = 0;
    const raise = async (count: number) => {
      for (let left = count; left > 0; left -= 50) await anEvent(service, team, 50);
      raised += count;
    };
    const ids = () => [...processed].filter(([, type]) => events.includes(type)).map(([event]) => event);

    // These still wait for the first endpoint when it is deleted.
    state.failsFor = 'all';
    await raise(200);
    await untilAllAre(service, 'failed', id, 200);
    state.failsFor = 'those';
    await raise(400);
    await expect.poll(() => ids().length).toBe(400);

    const renewing = await startRenewing(team, ['--endpoint', id]);
    const secret = await renewing.untilCreated();
    await raise(400);
    await expect.poll(() => ids().length).toBe(800);
    await expect.poll(() => state.refused).toBeGreaterThan(10);
    const [{ code, err }] = await Promise.all([
      renewing.ended,
      raise(500),
      (async () => {
        [state.secrets, state.failsFor] = [[secret], 'none'];
        await raise(500);
      })(),
    ]);
    expect([code, err]).toEqual([0, '']);
    expect(renewing.steps().map(({ step }) => step)).toEqual(expect.arrayContaining(['recovered', 'deleted']));
    expect(raised).toBe(2_000);

    // What the receiver refused while it had only the old secret is due again after a minute, or five.
    await vi.waitFor(
      () => {
        service.clock.forward(100_000);
        expect(ids().length).toBe(2_000);
      },
      { ...patience, interval: 1_000 },
    );
    const stored = await service.database.prisma.webhookEvent.findMany({
      where: { tenantId: team.id, type: 'crm.sync.failed' },
      select: { id: true },
    });
    expect(ids().toSorted()).toEqual(stored.map((one) => publicEventId(one.id)).toSorted());
    // Events did come twice, once from each endpoint.
    expect(state.duplicates).toBeGreaterThan(300);
  });
});
