import { afterAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { jsonSchemaOf } from '../../src/core/json-schema.ts';
import { publicEventId } from '../../src/deliveries/message.ts';
import { appRouter } from '../../src/modules/app-router.ts';
import { publicRouter } from '../../src/modules/public-router.ts';
import { proceduresOf, schemasOf } from '../../src/platform/trpc/procedures.ts';
import { cliOnDatabase } from '../cli/on-database.ts';
import { apiInTheApp, inTheApp } from '../support/app-caller.ts';
import { certificates } from '../support/certificates.ts';
import { aDispatcher, deliveriesTo } from '../support/worker.ts';
import { liveThrough, usualTypes } from '../support/every-event.ts';
import { startReceiver } from '../support/receiver.ts';
import { useTestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';
import { aDelivery, anEndpoint } from '../support/webhooks.ts';

// A receiver may answer with what it was sent. While member details are off, no channel shows what it answered to a
// request that named a person.

/** Repeats each request in its answer. */
const receiver = await startReceiver({
  answer: ({ body }) => ({ status: 500, headers: { 'X-Echo': body }, body: `Refused: ${body}` }),
});
afterAll(() => receiver.close());

const service = await useTestService({
  own: true,
  environment: {
    WEBHOOK_ALLOW_TARGETS: `127.0.0.1:${receiver.port}`,
    WEBHOOK_CA_FILE: (await certificates()).caFile(),
  },
});
const cli = await cliOnDatabase(service.databaseUrl);

/** Sends what is due once, with no retries. */
const dispatchTo = async (endpointId: string) => {
  const { egress } = service.platform;
  const dispatcher = await aDispatcher(service, { egress, retrySeconds: [] });
  const waiting = async () => (await deliveriesTo(service, endpointId)).filter(({ status }) => status !== 'gave_up');
  await expect.poll(waiting).toEqual([]);
  await dispatcher.stop();
};

/** A team whose receiver has refused and repeated every type of event. */
const aWorld = async () => {
  const team = await aTeam(service);
  const { body } = await team.client.post('/webhook-endpoints', { url: receiver.url, events: usualTypes });
  const endpointId = String(body['id']);
  await liveThrough(service, team);
  await dispatchTo(endpointId);
  const where = { tenantId: team.id };
  const events = await service.database.prisma.webhookEvent.findMany({ where, orderBy: { id: 'asc' } });
  const named = new Set(events.filter(({ data }) => /"user_id"|"score"/.test(data)).map(({ id }) => id));
  const rows = await deliveriesTo(service, endpointId);
  const isNamed = ({ eventId }: { eventId: string }) => named.has(eventId);
  const [about, notAbout] = [rows.filter(isNamed), rows.filter((row) => !isNamed(row))];
  expect([about.length, notAbout.length]).toEqual([named.size, events.length - named.size]);
  /** The next delivery of an event that names a person, and one that does not. */
  const twoDeliveries = () => {
    const two = [about.shift(), notAbout.shift()];
    return two.map((one) => one ?? expect.unreachable('no delivery is left'));
  };
  const api = async () => (await apiInTheApp(team, ['webhooks:manage'])).webhooks;
  const app = async () => (await inTheApp(team)).webhookHistory;
  return { team, endpointId, twoDeliveries, api, app };
};
type World = Awaited<ReturnType<typeof aWorld>>;

const forTwo = async <Answer>(
  { twoDeliveries }: World,
  read: (delivery: { id: string; eventId: string }) => Promise<Answer>,
) => Promise.all(twoDeliveries().map(read));

/** Reads what a receiver answered: over REST with a key, and in the app. The names are those of the procedures. */
const publicChannels: Record<
  string,
  { rest: (world: World) => Promise<unknown>; app: (world: World) => Promise<unknown> }
> = {
  'webhooks.deliveries': {
    rest: async ({ team, endpointId }) => (await team.client.get(`/webhook-endpoints/${endpointId}/deliveries`)).body,
    app: async ({ api, endpointId }) => (await api()).deliveries({ endpoint_id: endpointId }),
  },
  'webhooks.allDeliveries': {
    rest: async ({ team }) => (await team.client.get('/webhook-deliveries')).body,
    app: async ({ api }) => (await api()).allDeliveries({}),
  },
  'webhooks.getDelivery': {
    rest: (world) => forTwo(world, async ({ id }) => (await world.team.client.get(`/webhook-deliveries/${id}`)).body),
    app: (world) => forTwo(world, async ({ id }) => (await world.api()).getDelivery({ delivery_id: id })),
  },
  'webhooks.retry': {
    rest: (world) =>
      forTwo(world, async ({ id }) => (await world.team.client.post(`/webhook-deliveries/${id}/retry`)).body),
    app: (world) => forTwo(world, async ({ id }) => (await world.api()).retry({ delivery_id: id })),
  },
};

const appChannels: Record<string, (world: World) => Promise<unknown>> = {
  'webhookHistory.delivery': (world) =>
    forTwo(world, async ({ id }) => (await world.app()).delivery({ delivery_id: id })),
  'webhookHistory.deliveries': async ({ app, endpointId }) => (await app()).deliveries({ endpoint_id: endpointId }),
  'webhookHistory.attempts': (world) =>
    forTwo(world, async ({ id }) => (await world.app()).attempts({ delivery_id: id })),
  'webhookHistory.event': (world) =>
    forTwo(world, async ({ eventId }) => (await world.app()).event({ event_id: publicEventId(eventId) })),
  'webhookHistory.newest': async ({ app }) => (await app()).newest({ since: '2026-01-01T00:00:00Z' }),
};

const Attempts = z.array(z.looseObject({}));

const channels: [string, (world: World) => Promise<unknown>][] = [
  ...Object.entries(publicChannels).flatMap(([name, { rest, app }]): [string, (world: World) => Promise<unknown>][] => [
    [`${name} over REST`, rest],
    [`${name} in the app`, app],
  ]),
  ...Object.entries(appChannels),
  [
    'the command line',
    (world) =>
      forTwo(world, ({ id }) =>
        cli.json(Attempts, ['webhooks', 'attempts', '--team', world.team.id, '--delivery', id]),
      ),
  ],
];

const Answered = z.looseObject({
  response_excerpt: z.string().nullable(),
  response_headers: z.record(z.string(), z.string()).nullish(),
  member_detail: z.boolean(),
});

/** All deliveries and attempts in an answer. */
const answeredIn = (value: unknown): z.output<typeof Answered>[] => {
  if (typeof value !== 'object' || value === null) return [];
  const own = 'response_excerpt' in value ? [Answered.parse(value)] : [];
  return [...own, ...Object.values(value).flatMap(answeredIn)];
};

/** The texts of the receiver that an answer shows. */
const shownIn = (answers: readonly z.output<typeof Answered>[]): string[] =>
  answers.flatMap(({ response_excerpt, response_headers }) =>
    [response_excerpt, response_headers?.['x-echo']].flatMap((text) => text ?? []),
  );

const isPersonal = (text: string): boolean => /"user_id"|"score"/.test(text);

const expectAnswers = (answer: unknown, isOn: boolean) => {
  const answers = answeredIn(answer);
  const [about, notAbout] = [answers.filter((one) => one.member_detail), answers.filter((one) => !one.member_detail)];
  expect([about.length, notAbout.length].every((count) => count > 0)).toBe(true);
  for (const one of notAbout) expect(one.response_excerpt).toMatch(/^Refused: /);
  for (const { response_excerpt, response_headers } of about) {
    expect(response_excerpt).toEqual(isOn ? expect.stringMatching(/^Refused: /) : null);
    if (response_headers !== undefined) expect(response_headers).toEqual(isOn ? expect.any(Object) : null);
  }
  expect(shownIn(answers).some(isPersonal)).toBe(isOn);
};

it('the table has every procedure whose answers have what a receiver wrote', () => {
  const shows = (procedure: Parameters<typeof schemasOf>[0]) =>
    /"response_(excerpt|headers)"/.test(JSON.stringify(jsonSchemaOf(schemasOf(procedure).output)));
  const namesIn = (router: Parameters<typeof proceduresOf>[0]) =>
    proceduresOf(router)
      .filter(shows)
      .map(([name]) => name);
  expect(namesIn(publicRouter).toSorted()).toEqual(Object.keys(publicChannels).toSorted());
  expect(namesIn(appRouter).toSorted()).toEqual(Object.keys(appChannels).toSorted());
});

describe('what a receiver answered to a request that named a person', () => {
  it.each(channels)('is hidden while member details are off, and then shown again: %s', async (_channel, read) => {
    const world = await aWorld();
    expectAnswers(await read(world), true);
    await world.team.change({ memberDetail: false });
    expectAnswers(await read(world), false);
    await world.team.change({ memberDetail: true });
    expectAnswers(await read(world), true);
  });

  it('is hidden in the kept answer of a retry', async () => {
    const { team, twoDeliveries } = await aWorld();
    const [{ id } = { id: '' }] = twoDeliveries();
    const again = async () => {
      const headers = { 'Idempotency-Key': 'one' };
      const { status, body } = await team.client.post(`/webhook-deliveries/${id}/retry`, undefined, { headers });
      expect([status, body['member_detail']]).toEqual([202, true]);
      return body['response_excerpt'];
    };
    expect(await again()).toMatch(/user_id/);
    await team.change({ memberDetail: false });
    expect(await again()).toBeNull();
    await team.change({ memberDetail: true });
    expect(await again()).toMatch(/user_id/);
  });

  it('is shown if the request was sent while member details were off', async () => {
    const world = await aWorld();
    await world.team.change({ memberDetail: false });
    const [{ id } = { id: '' }] = world.twoDeliveries();
    const read = async () => (await world.team.client.get(`/webhook-deliveries/${id}`)).body;
    expect(await read()).toMatchObject({ member_detail: true, response_excerpt: null });
    expect((await world.team.client.post(`/webhook-deliveries/${id}/retry`)).status).toBe(202);
    await dispatchTo(world.endpointId);
    const shown = await read();
    expect(shown).toMatchObject({
      member_detail: false,
      response_excerpt: expect.stringMatching(/^Refused: /),
      attempts: [
        { number: 2, member_detail: false, response_excerpt: expect.stringMatching(/^Refused: /) },
        { number: 1, member_detail: true, response_excerpt: null, response_headers: null },
      ],
    });
    expect(isPersonal(JSON.stringify(shown).replaceAll('\\', ''))).toBe(false);
  });

  it('is hidden if nothing says what the request had, as in rows of a former version', async () => {
    const team = await aTeam(service);
    const id = await aDelivery(service, team, { endpointId: await anEndpoint(service, team), status: 'gave_up' });
    await service.database.prisma.webhookDelivery.updateMany({ where: { id }, data: { memberDetail: null } });
    const excerpt = async () => (await team.client.get(`/webhook-deliveries/${id}`)).body['response_excerpt'];
    expect(await excerpt()).toBe('no');
    await team.change({ memberDetail: false });
    expect(await excerpt()).toBeNull();
  });

  it('is not known before the first attempt: then there is no answer', async () => {
    const team = await aTeam(service);
    const { body } = await team.client.post('/webhook-endpoints', { url: receiver.url, events: ['member.joined'] });
    await team.client.post(`/webhook-endpoints/${String(body['id'])}/test`);
    expect((await team.client.get('/webhook-deliveries')).data).toMatchObject([
      { attempt: 0, member_detail: null, response_excerpt: null },
    ]);
  });
});
