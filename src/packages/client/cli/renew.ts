import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError, ConnectionError } from '../errors.ts';
import type { KnownEventType, WebhookDelivery, WebhookEndpoint, WebhookRecovery } from '../generated/types.ts';
import { createClient } from '../index.ts';
import { headerLines, readOptions, untilEnded, urlOption, UsageError, variable } from './options.ts';
import { makePrinter, type Print } from './renew-print.ts';

const help = `Renews the signing secret of an endpoint: creates a second endpoint like it and prints its secret, sends tests
to both until your receiver accepts the new secret, and then deletes the first endpoint. No event is lost.

Usage: npx team-customer-api-client renew --endpoint <id> [options]

  --endpoint <id>         The endpoint whose secret is to be replaced
  --key <key>             A key with the scope webhooks:manage, by default the variable API_KEY
  --base-url <url>        Where the service is, by default the variable API_BASE_URL
  --header <name: value>  A header of your own that the endpoint has; may be repeated. The service never shows values,
                          so the second endpoint needs all of them
  --second <id>           Goes on with a renewal that was interrupted; this is its second endpoint, which then stays
  --skip-check            Does not check the receiver first
  --json                  One line of JSON for each step, for programs

While there are two endpoints, each event comes twice, with the same id. So the receiver is checked first: it has to
accept an event that it has already, and to refuse a wrong secret. Ctrl-C ends the command and leaves both endpoints.`;

const options = {
  endpoint: { type: 'string' },
  key: { type: 'string' },
  'base-url': { type: 'string' },
  header: { type: 'string', multiple: true },
  second: { type: 'string' },
  'skip-check': { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
} as const;

/** The renewal can't continue now. Another call of the command may continue it. */
class RenewalStopped extends Error {}

interface Renewal {
  api: ReturnType<typeof createClient>;
  print: Print;
  /** Aborted when the user ends the command. Requests that make or delete an endpoint are not aborted. */
  signal: AbortSignal;
}

/** The command that continues a renewal. It needs no `--header`, because both endpoints already have their headers. */
const commandFor = (firstId = '', secondId = ''): string =>
  `npx team-customer-api-client renew --endpoint ${firstId} --second ${secondId}`;

const isLike =
  ({ id, url, events }: WebhookEndpoint) =>
  (other: WebhookEndpoint): boolean =>
    other.id !== id &&
    other.status !== 'disabled' &&
    other.url === url &&
    other.events.toSorted().join() === events.toSorted().join();

/** The first endpoint of a renewal, and the second one if `secondId` is given. */
const endpointsOf = async ({ api, signal }: Renewal, firstId: string, secondId: string | undefined) => {
  const { data } = await api.webhooks.endpoints.list({ signal });
  const first = data.find(({ id }) => id === firstId);
  if (!first) throw new RenewalStopped(`There is no endpoint ${firstId}.`);
  if (secondId !== undefined) {
    // The newest endpoint comes first in the list.
    const second = data.slice(0, data.indexOf(first)).find(({ id }) => id === secondId);
    if (second && isLike(first)(second)) return { first, second };
    throw new RenewalStopped(`${secondId} is no newer endpoint with the same URL and the same events.`);
  }
  const other = data.find(isLike(first));
  if (other) {
    const [newer, older] = data.filter((one) => one === first || one === other);
    throw new RenewalStopped(`There are two endpoints with this URL and these events. To go on with a renewal:
${commandFor(older?.id, newer?.id)}
If the secret of the second is lost, delete that endpoint and begin anew.`);
  }
  if (first.status === 'disabled') throw new RenewalStopped('The endpoint is disabled. Set it to active first.');
  return { first, second: undefined };
};

/** Checks that the receiver can handle two endpoints, before a second one exists. */
const check = async ({ api, print, signal }: Renewal, endpointId: string): Promise<void> => {
  const { id } = await api.webhooks.endpoints.check(endpointId, { signal });
  const read = async () => (await api.webhooks.endpoints.checks(endpointId, { limit: 1 }, { signal })).data[0];
  let found = await read();
  while (found?.id === id && found.status === 'running') {
    await sleep(1_000, undefined, { signal });
    found = await read();
  }
  if (found?.id !== id || found.status !== 'completed') {
    throw new RenewalStopped(
      'The check of the receiver was not completed. Call the command again, or with --skip-check.\nNothing was created.',
    );
  }
  const probeOf = (name: string) => found.probes.find(({ probe }) => probe === name);
  const accepts = (name: string) => probeOf(name)?.outcome === 'accepted';
  if (accepts('valid')) {
    if (!accepts('duplicate')) {
      const { advice, docs_url } = probeOf('duplicate') ?? {};
      const about = [advice, docs_url].filter((text) => typeof text === 'string');
      const reason = 'The receiver does not accept an event that it has already.';
      throw new RenewalStopped([reason, ...about, 'Nothing was created.'].join('\n'));
    }
    if (accepts('wrong_secret')) {
      throw new RenewalStopped(
        'The receiver accepts a wrong secret, so nothing would show that it has the new one.\nNothing was created.',
      );
    }
  }
  // The id of the event, in the service's format. Several requests of the check have it.
  const event_id = `evt_${id.replaceAll('-', '')}`;
  print({ step: 'checked', event_id, accepts_old_secret: accepts('valid') });
};

/** The service refuses types that it does not have; it may have more types than this version of the client. */
const isEventType = (_text: string): _text is KnownEventType => true;

/** The given headers. Refuses them unless their names are exactly those of the endpoint's headers. */
const headersFor = (endpoint: WebhookEndpoint, given: readonly (readonly [name: string, value: string])[]) => {
  const namesOf = (names: readonly string[]) => names.map((name) => name.toLowerCase()).toSorted();
  const stored = Object.keys(endpoint.headers);
  const names = given.map(([name]) => name);
  const unknown = names.filter((name) => !namesOf(stored).includes(name.toLowerCase()));
  if (unknown.length > 0)
    throw new UsageError(`The endpoint has no header ${unknown.join(', ')}. Nothing was created.`);
  if (namesOf(stored).join() !== namesOf(names).join()) {
    throw new UsageError(`--header is needed for: ${stored.join(', ')}. Nothing was created.`);
  }
  return Object.fromEntries(given);
};

const create = async ({ api, print }: Renewal, first: WebhookEndpoint, headers: Record<string, string>) => {
  const { url, description } = first;
  const events = first.events.filter(isEventType);
  const second = await api.webhooks.endpoints.create({ url, events, description, headers });
  print({ step: 'created', endpoint_id: second.id, secret: second.secret });
  return second;
};

/** Sends a test to an endpoint; the result is its delivery after the first attempt. */
const test = async ({ api, signal }: Renewal, endpointId: string): Promise<WebhookDelivery> => {
  const { delivery_id } = await api.webhooks.endpoints.test(endpointId, { signal });
  for (;;) {
    const delivery = await api.webhooks.deliveries.get(delivery_id, { signal });
    if (delivery.attempt > 0) return delivery;
    await sleep(1_000, undefined, { signal });
  }
};

/** The seconds between two tests. The last number is used again and again. An endpoint takes 100 tests an hour. */
const pauses = [5, 5, 10, 20, 40, 60];

/** Sends tests to both endpoints until a test to the second one has succeeded. Prints each answer that is new. */
const untilAccepted = async (renewal: Renewal, firstId: string, secondId: string): Promise<void> => {
  const known = new Map<string, string>();
  for (let round = 0; ; round += 1) {
    let isAccepted = false;
    for (const [secret, endpointId] of [
      ['old', firstId],
      ['new', secondId],
    ] as const) {
      const { status, response_code, error } = await test(renewal, endpointId);
      const answer = `${status} ${response_code} ${error}`;
      if (known.get(secret) !== answer) renewal.print({ step: 'answered', secret, response_code, error });
      known.set(secret, answer);
      isAccepted = secret === 'new' && status === 'ok';
    }
    if (isAccepted) return;
    await sleep((pauses[round] ?? pauses.at(-1) ?? 0) * 1_000, undefined, { signal: renewal.signal });
  }
};

/**
 * Sends to the second endpoint the events that still wait for the first one, because deleting the first one discards
 * them. The second one has got all events since its creation anyway.
 */
const handOver = async ({ api, print, signal }: Renewal, firstId: string, secondId: string): Promise<void> => {
  let since: string | undefined;
  for (const status of ['pending', 'failed'] as const) {
    const waiting = api.webhooks.deliveries.listAll({ endpoint_id: firstId, status, limit: 200 }, { signal });
    for await (const { event_type, created_at } of waiting) {
      if (event_type === 'ping' || created_at === null) continue;
      if (since === undefined || created_at < since) since = created_at;
    }
  }
  if (since === undefined) return;
  let recovered = 0;
  let sent: WebhookRecovery;
  do {
    sent = await api.webhooks.endpoints.recover(secondId, { since, include_older: true }, { signal });
    recovered += sent.recovered;
  } while (sent.more);
  if (recovered > 0) print({ step: 'recovered', since, events: recovered });
};

const run = async (args: string[]): Promise<number> => {
  const { endpoint: firstId, second: secondId, ...given } = readOptions(args, options);
  const key = given.key ?? variable('API_KEY');
  if (key === undefined) throw new UsageError('--key is needed, or the variable API_KEY.');
  if (firstId === undefined) throw new UsageError('--endpoint is needed.');
  const address = given['base-url'] ?? variable('API_BASE_URL');
  const baseUrl = address === undefined ? undefined : urlOption('base-url', address).href;
  const headers = headerLines(given.header);
  const controller = new AbortController();
  void untilEnded().then(() => controller.abort());
  const { signal } = controller;
  const renewal = { api: createClient({ key, baseUrl, language: 'en' }), print: makePrinter(given.json), signal };
  let goOn: string | undefined;
  try {
    const known = await endpointsOf(renewal, firstId, secondId);
    const { first } = known;
    let { second } = known;
    if (!second) {
      const ofFirst = headersFor(first, headers);
      if (!given['skip-check']) await check(renewal, firstId);
      second = await create(renewal, first, ofFirst);
    }
    goOn = `Both endpoints are there. Go on with:\n${commandFor(firstId, second.id)}`;
    await untilAccepted(renewal, firstId, second.id);
    await handOver(renewal, firstId, second.id);
    await renewal.api.webhooks.endpoints.delete(firstId);
    renewal.print({ step: 'deleted', endpoint_id: firstId });
    return 0;
  } catch (error) {
    const isKnown = error instanceof RenewalStopped || error instanceof ApiError || error instanceof ConnectionError;
    if (!isKnown && !signal.aborted) throw error;
    if (isKnown) console.error(error.message);
    if (goOn !== undefined) console.error(goOn);
    return 1;
  }
};

export const renewCommand = { help, run };
