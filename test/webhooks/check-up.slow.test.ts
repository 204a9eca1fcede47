import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { hoursToMs, minutesToMs } from '../../src/core/clock.ts';
import { languages } from '../../src/core/language.ts';
import { deliveryLimits, endpointLimits } from '../../src/core/limits.ts';
import { exampleFile } from '../../src/server/developers/facts.ts';
import { deleteOldDeliveries } from '../../src/modules/webhooks/cleanup.ts';
import { probeNames, probes, verdicts, type ProbeName } from '../../src/modules/webhooks/probes.ts';
import { WebhookCheck, WebhookCheckList } from '../../src/modules/webhooks/schema.ts';
import { verifyWebhook, WebhookRefused } from '../../src/server/developers/examples/verify-webhook.mts';
import { makeSecret, sealSecret } from '../../src/deliveries/message.ts';
import { sealHeaders } from '../../src/deliveries/team-headers.ts';
import { certificates } from '../support/certificates.ts';
import { localEgress, aWorker } from '../support/worker.ts';
import { aReceiver, type AnswerProgress, type Received } from '../support/receiver.ts';
import { useTestService } from '../support/service.ts';
import { aTeam, type TestTeam } from '../support/team.ts';
import { anEndpoint } from '../support/webhooks.ts';
import { throwAwayFolder } from '../support/throw-away-postgres.ts';

let team: TestTeam;
const service = await useTestService({ own: true });
beforeEach(async () => {
  team = await aTeam(service);
});

const ofGateway = new Map([['X-Gateway-Key', 'a key of the gateway']]);

/** An endpoint at this URL with a known secret, and with a header of the team's own. */
const endpointAt = async (url: string, secret = makeSecret()): Promise<string> => {
  const id = await anEndpoint(service, team);
  const { vault } = service.platform;
  await service.database.prisma.webhookEndpoint.update({
    where: { tenantId_id: { tenantId: team.id, id } },
    data: { url, secret: sealSecret(vault, id, secret), headers: sealHeaders(vault, id, ofGateway) },
  });
  return id;
};

const startWorkerHere = async (timeout?: number) =>
  aWorker(service, {
    platform: { ...service.platform, egress: await localEgress(service, timeout === undefined ? {} : { timeout }) },
  });

const begin = async (endpointId: string): Promise<WebhookCheck> => {
  const answer = await team.client.post(`/webhook-endpoints/${endpointId}/check`, undefined, {
    headers: { 'Accept-Language': 'en' },
  });
  expect(answer.status).toBe(202);
  return WebhookCheck.parse(answer.body);
};

const newest = async (endpointId: string): Promise<WebhookCheck | undefined> => {
  const answer = await team.client.get(`/webhook-endpoints/${endpointId}/checks?limit=1`, {
    headers: { 'Accept-Language': 'en' },
  });
  return WebhookCheckList.parse(answer.body).data[0];
};

const completed = async (endpointId: string): Promise<WebhookCheck> => {
  // Not through the API: polling so often would use up the key's budget.
  const where = { tenantId: team.id, endpointId, completedAt: { not: null } };
  await expect.poll(() => service.database.prisma.webhookCheck.count({ where })).toBe(1);
  return (await newest(endpointId)) ?? expect.unreachable();
};

/** Runs a complete check of a receiver. */
const checked = async (answer: AnswerProgress, secret?: string) => {
  const receiver = await aReceiver({ answer });
  const endpointId = await endpointAt(`${receiver.url}/hook`, secret);
  await startWorkerHere();
  await begin(endpointId);
  return { check: await completed(endpointId), receiver, endpointId };
};

type Checked = Awaited<ReturnType<typeof checked>> & { readonly secret: string; readonly of: TestTeam };
const answering = new Map<number, Promise<Checked>>();

/** The check of a receiver that answers everything with this status: made once, because it takes seconds. */
const alwaysAnswering = (status: number): Promise<Checked> => {
  const secret = makeSecret();
  const made =
    answering.get(status) ?? checked(() => ({ status }), secret).then((one) => ({ ...one, secret, of: team }));
  answering.set(status, made);
  return made;
};

const Sent = z.object({ type: z.string(), data: z.record(z.string(), z.unknown()) });

const verdictsOf = ({ probes: rows }: WebhookCheck) => Object.fromEntries(rows.map((row) => [row.probe, row.verdict]));
const allOf = (verdict: string, others: Partial<Record<ProbeName, string | null>> = {}) => ({
  ...Object.fromEntries(probeNames.map((name) => [name, verdict])),
  ...others,
});

/** The event, if the request is genuine; otherwise it throws. */
const verified = ({ body, headers }: Pick<Received, 'body' | 'headers'>, secret: string) =>
  verifyWebhook({ body: Buffer.from(body), signature: String(headers['svc-signature']), secrets: [secret] });

/** The docs' own receiver, over TLS as the docs say. */
const startDocumented = async (secret: string) => {
  const folder = throwAwayFolder();
  const { cert, key } = (await certificates()).server;
  await writeFile(join(folder, 'cert.pem'), cert);
  await writeFile(join(folder, 'key.pem'), key);
  await writeFile(join(folder, 'receiver.mjs'), exampleFile('receiver.mjs'));
  const child = spawn(process.execPath, ['receiver.mjs'], {
    cwd: folder,
    env: { PORT: '0', WEBHOOK_SECRETS: secret },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(async () => {
    child.kill();
    await once(child, 'exit');
  });
  const [line]: unknown[] = await once(createInterface(child.stdout), 'line');
  return `https://127.0.0.1:${/\d+$/.exec(String(line))?.[0] ?? expect.unreachable(String(line))}/`;
};

describe('the check of a receiver', () => {
  it('of the docs gives full marks', async () => {
    const secret = makeSecret();
    const endpointId = await endpointAt(await startDocumented(secret), secret);
    await startWorkerHere();
    const begun = await begin(endpointId);
    expect(begun).toMatchObject({ status: 'running', grade: null, completed_at: null });
    expect(begun.probes.map(({ probe, expected, outcome }) => [probe, expected, outcome])).toEqual(
      probeNames.map((name) => [name, probes[name].expected, null]),
    );
    const check = await completed(endpointId);
    expect(verdictsOf(check)).toEqual(allOf('passed'));
    expect(check).toMatchObject({ id: begun.id, grade: 'passed' });
    for (const { expected, outcome, advice, docs_url, response_code } of check.probes) {
      expect(outcome).toBe(expected);
      expect(response_code).toBe(expected === 'accepted' ? 204 : 400);
      expect([advice, docs_url]).toEqual([null, null]);
    }
  });

  it('that answers 200 to everything fails for requests that it must refuse, with links to the documentation', async () => {
    const { check, receiver } = await alwaysAnswering(200);
    expect(check.grade).toBe('failed');
    expect(verdictsOf(check)).toEqual(allOf('passed', { tampered: 'failed', stale: 'failed', wrong_secret: 'failed' }));
    for (const { verdict, expected, outcome, advice, docs_url } of check.probes) {
      if (verdict === 'passed') continue;
      expect([expected, outcome]).toEqual(['refused', 'accepted']);
      expect(advice).toContain('Your server accepts');
      expect(docs_url).toBe(`${service.platform.publicUrl}/developers/webhook-signatures#the-rules`);
    }
    expect(receiver.received.map(({ headers }) => headers['svc-check'])).toEqual([...probeNames]);
  });

  it('sends requests that match their names, with the team’s headers, and none that reports a real event', async () => {
    const { receiver, endpointId, secret, of: itsTeam } = await alwaysAnswering(200);
    const of = (probe: ProbeName) =>
      receiver.received.find(({ headers }) => headers['svc-check'] === probe) ?? expect.unreachable(probe);
    const refusal = (probe: ProbeName) => {
      const { body, headers } = of(probe);
      try {
        verified({ body, headers }, secret);
        return undefined;
      } catch (error) {
        return error instanceof WebhookRefused ? error.reason : String(error);
      }
    };
    const reasons = Object.fromEntries(probeNames.map((probe) => [probe, refusal(probe)]));
    expect(reasons).toEqual({
      ...Object.fromEntries(probeNames.map((probe) => [probe, undefined])),
      tampered: 'wrong',
      stale: 'too_old',
      wrong_secret: 'wrong',
    });
    for (const probe of probeNames) {
      const { type, data } = Sent.parse(JSON.parse(of(probe).body));
      expect(of(probe).headers).toMatchObject({ 'x-gateway-key': 'a key of the gateway' });
      expect(type).toBe(probe === 'unknown_type' ? 'check.unknown_type' : 'ping');
      expect(data).toMatchObject({ team_id: itsTeam.id, endpoint_id: endpointId });
    }
    expect(of('duplicate').body).toBe(of('valid').body);
    expect(Buffer.byteLength(of('large').body)).toBe(endpointLimits.bodyBytes);
    expect(of('slow').headers['content-length']).toBe(String(Buffer.byteLength(of('slow').body)));
    expect(of('slow').headers['transfer-encoding']).toBeUndefined();
  });

  it('that redirects, or answers 500, fails for requests that it must accept; not accepting a forgery is not a refusal', async () => {
    const forged = { tampered: 'improvable', stale: 'improvable', wrong_secret: 'improvable' };
    const redirect = { status: 302, headers: { Location: 'https://example.com/' } };
    const [redirecting, broken] = await Promise.all([checked(() => redirect), alwaysAnswering(500)]);
    expect(verdictsOf(redirecting.check)).toEqual(allOf('failed', forged));
    expect(redirecting.check.probes[0]).toMatchObject({
      outcome: 'redirected',
      response_code: 302,
      advice: expect.stringContaining('Redirects are not supported'),
      docs_url: expect.stringMatching(/#answering$/),
    });
    expect(verdictsOf(broken.check)).toEqual(allOf('failed', forged));
    expect(broken.check.probes[0]).toMatchObject({ outcome: 'server_error', response_code: 500 });
  });

  it('that answers a forgery with 500 and accepts the rest shows what can be improved; a slow one too', async () => {
    const secret = makeSecret();
    const slowTo = (probe: unknown) => (probe === 'large' ? deliveryLimits.slowAfterSeconds * 1000 + 50 : 0);
    const { check } = await checked(async ({ body, headers }) => {
      await sleep(slowTo(headers['svc-check']));
      try {
        verified({ body, headers }, secret);
        return { status: 204 };
      } catch {
        return { status: 500 };
      }
    }, secret);
    const improvable = { tampered: 'improvable', stale: 'improvable', wrong_secret: 'improvable', large: 'improvable' };
    expect(verdictsOf(check)).toEqual(allOf('passed', improvable));
    expect(check.grade).toBe('improvable');
    expect(check.probes.find(({ probe }) => probe === 'large')?.advice).toContain('respond immediately');
  });

  it('that refuses duplicates, unknown types and everything large shows that', async () => {
    const secret = makeSecret();
    const seen = new Set<unknown>();
    const { check } = await checked(({ body, headers }) => {
      if (body.length > 10_000) return { status: 413 };
      try {
        const { id, type } = verified({ body, headers }, secret);
        if (seen.has(id)) return { status: 409 };
        seen.add(id);
        return { status: type === 'ping' ? 200 : 422 };
      } catch {
        return { status: 400 };
      }
    }, secret);
    expect(verdictsOf(check)).toEqual(
      allOf('passed', { duplicate: 'failed', unknown_type: 'failed', large: 'failed' }),
    );
  });

  it('that does not answer sends one request', async () => {
    const receiver = await aReceiver({ answer: () => 'hang' });
    const endpointId = await endpointAt(receiver.url);
    await startWorkerHere(300);
    await begin(endpointId);
    const check = await completed(endpointId);
    expect(check.grade).toBe('failed');
    expect(verdictsOf(check)).toEqual({
      ...Object.fromEntries(probeNames.map((name) => [name, null])),
      valid: 'failed',
    });
    expect(check.probes[0]).toMatchObject({ outcome: 'no_answer', response_code: null, error: expect.any(String) });
    expect(receiver.received).toHaveLength(1);
  });

  it('uses the guard: nothing reaches a private address', async () => {
    const receiver = await aReceiver();
    const endpointId = await endpointAt(receiver.url);
    aWorker(service);
    await begin(endpointId);
    const check = await completed(endpointId);
    expect(check.probes[0]).toMatchObject({ outcome: 'no_answer', verdict: 'failed', error: expect.any(String) });
    expect(receiver.connections()).toBe(0);
  });

  it('counts neither as a delivery nor for the health of the endpoint', async () => {
    const { endpointId, of: itsTeam } = await alwaysAnswering(500);
    const { body } = await itsTeam.client.get(`/webhook-endpoints/${endpointId}`);
    expect(body).toMatchObject({ status: 'active', last_success_at: null });
    expect((await itsTeam.client.get(`/webhook-endpoints/${endpointId}/deliveries`)).data).toEqual([]);
    const key = { tenantId_id: { tenantId: itsTeam.id, id: endpointId } };
    expect(await service.database.prisma.webhookEndpoint.findUnique({ where: key })).toMatchObject({
      failingSince: null,
      slowAt: null,
    });
  });
});

describe.each(languages)('the documentation in %s', (language) => {
  const pageOf = async (path: string) => (await fetch(`${service.origin}/developers/${language}/${path}`)).text();

  it('has a section for each piece of advice', async () => {
    const sections = new Set(['webhooks#answering', ...Object.values(probes).map(({ section }) => section)]);
    for (const section of sections) {
      const [path = '', anchor = ''] = section.split('#');
      expect(await pageOf(path), section).toMatch(new RegExp(`<h[23] id="${anchor}">`));
    }
  });

  it('describes every request of a check, in the order in which they are sent', async () => {
    const named = [...(await pageOf('receiver-check.md')).matchAll(/^\| `(\w+)` /gm)].map(([, name]) => name);
    expect(named).toEqual([...probeNames, ...verdicts]);
  });
});

describe('starting a check', () => {
  it('409 conflict: while one of the same endpoint is running, but not of another', async () => {
    const [one, other] = [await endpointAt('https://example.com/'), await endpointAt('https://example.com/')];
    await begin(one);
    expect(await team.client.post(`/webhook-endpoints/${one}/check`)).toBeProblem('conflict');
    await begin(other);
  });

  it('429 rate_limited: after six in an hour, for any endpoints', async () => {
    for (let count = 0; count < endpointLimits.checksPerTeamPerHour; count += 1) {
      await begin(await endpointAt('https://example.com/'));
    }
    const endpointId = await endpointAt('https://example.com/');
    const refused = await team.client.post(`/webhook-endpoints/${endpointId}/check`);
    expect(refused).toBeProblem('rate_limited', { retry_after: expect.any(Number) });
    expect(refused.body['retry_after']).toBeGreaterThan(3_500);
    await service.database.prisma.rateWindow.updateMany({
      where: { subject: `checks ${team.id}` },
      data: { endsAt: service.clock.now() },
    });
    await begin(endpointId);
  });

  it('is audited', async () => {
    const endpointId = await endpointAt('https://example.com/');
    const { id } = await begin(endpointId);
    const entries = await service.database.prisma.auditEntry.findMany({
      where: { tenantId: team.id, action: 'webhook_endpoint.checked' },
    });
    expect(entries.map(({ targetId, data }) => [targetId, data])).toEqual([[endpointId, { check_id: id }]]);
  });

  it('gives advice in the language of the request', async () => {
    const { endpointId, of: itsTeam } = await alwaysAnswering(200);
    const path = `/webhook-endpoints/${endpointId}/checks`;
    const german = await itsTeam.client.get(path, { headers: { 'Accept-Language': 'de' } });
    expect(JSON.stringify(german.data)).toContain('Ihr Server nimmt');
  });
});

describe('a check that was started', () => {
  it('continues where it was when its worker was lost: no probe with a result is sent twice', async () => {
    const receiver = await aReceiver({ answer: () => ({ status: 200 }) });
    const endpointId = await endpointAt(receiver.url);
    const { id } = await begin(endpointId);
    const results = probeNames.slice(0, 6).map((probe) => ({ probe, code: 200, ms: 1, error: null }));
    await service.database.prisma.webhookCheck.updateMany({ where: { id }, data: { results } });
    await startWorkerHere();
    const { probes } = await completed(endpointId);
    expect(probes.map(({ outcome }) => outcome)).toEqual(probeNames.map(() => 'accepted'));
    expect(receiver.received.map(({ headers }) => headers['svc-check'])).toEqual(probeNames.slice(6));
  });

  it('has failed after five minutes, is not continued, and another one can be started', async () => {
    const receiver = await aReceiver({ answer: () => ({ status: 200 }) });
    const endpointId = await endpointAt(receiver.url);
    const { id } = await begin(endpointId);
    const longAgo = new Date(service.clock.now().getTime() - minutesToMs(endpointLimits.checkMinutes));
    await service.database.prisma.webhookCheck.updateMany({ where: { id }, data: { createdAt: longAgo } });
    expect(await newest(endpointId)).toMatchObject({ status: 'failed', grade: null });
    await startWorkerHere();
    const { id: next } = await begin(endpointId);
    expect(await completed(endpointId)).toMatchObject({ id: next });
    expect(receiver.received).toHaveLength(probeNames.length);
  });

  it('sends nothing more once the team’s plan lacks the API, or its endpoint is deleted, which deletes it too', async () => {
    const receiver = await aReceiver({ answer: () => ({ status: 200 }) });
    const [kept, deleted] = [await endpointAt(receiver.url), await endpointAt(receiver.url)];
    await begin(kept);
    await begin(deleted);
    await team.client.delete(`/webhook-endpoints/${deleted}`);
    await team.change({ plan: 'basic' });
    await startWorkerHere();
    const jobs = () =>
      service.database.prisma.$queryRaw<
        unknown[]
      >`select from graphile_worker.jobs where task_identifier = 'check_receiver'`;
    await expect.poll(() => jobs()).toEqual([]);
    expect(receiver.received).toEqual([]);
    const left = await service.database.prisma.webhookCheck.findMany({ where: { tenantId: team.id } });
    expect(left.map(({ endpointId }) => endpointId)).toEqual([kept]);
  });

  it('is deleted by age', async () => {
    const endpointId = await endpointAt('https://example.com/');
    await begin(endpointId);
    await deleteOldDeliveries(service.platform, { days: 30 });
    expect(await newest(endpointId)).toBeDefined();
    const later = new Date(service.clock.now().getTime() + hoursToMs(31 * 24));
    await deleteOldDeliveries({ ...service.platform, clock: { now: () => later } }, { days: 30 });
    expect(await newest(endpointId)).toBeUndefined();
  });
});
