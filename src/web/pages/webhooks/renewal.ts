import type { EndpointDelivery, WebhookEndpoint } from '../../../modules/webhooks/schema.ts';
import { readAllPages } from '../../server/all-pages.ts';

type ListedEndpoint = Pick<WebhookEndpoint, 'id' | 'url' | 'events' | 'status'>;

/** A renewal of a signing secret that has begun. The first endpoint has the old secret, the second the new one. */
export interface Renewal<Endpoint = WebhookEndpoint> {
  first: Endpoint;
  second: Endpoint;
}

const subscriptions = ({ events }: ListedEndpoint): string => events.toSorted().join(' ');

/**
 * The renewal to which an endpoint belongs. It is recognized by another endpoint that gets the same events at the same
 * URL, because hardly anybody wants to get each event twice for long. `all` has the newest endpoint first.
 */
export const renewalOf = <Endpoint extends ListedEndpoint>(
  endpoint: Endpoint,
  all: readonly Endpoint[],
): Renewal<Endpoint> | undefined => {
  if (endpoint.status === 'disabled') return undefined;
  const alike = all.filter(
    (one) => one.status !== 'disabled' && one.url === endpoint.url && subscriptions(one) === subscriptions(endpoint),
  );
  const [second, first] = [alike[0], alike.at(-1)];
  return first && second && first !== second ? { first, second } : undefined;
};

/** The newest delivery that was attempted. It shows how the receiver answers now. */
export const lastAttempted = <Delivery extends Pick<EndpointDelivery, 'attempt'>>(
  newestFirst: readonly Delivery[],
): Delivery | undefined => newestFirst.find(({ attempt }) => attempt > 0);

type ListedDelivery = Pick<EndpointDelivery, 'event_type' | 'created_at'>;

/** When the oldest of these deliveries was created, not counting tests; undefined if there is none. */
export const oldestOf = (deliveries: readonly ListedDelivery[]): string | undefined =>
  deliveries
    .flatMap(({ event_type, created_at }) => (event_type === 'ping' || created_at === null ? [] : [created_at]))
    .toSorted()[0];

/** The procedures with which a renewal ends. */
export interface RenewalCalls {
  deliveries: (wanted: {
    endpoint_id: string;
    status: 'pending' | 'failed';
    limit: number;
    cursor?: string;
  }) => Promise<{ data: ListedDelivery[]; next_cursor: string | null }>;
  recover: (wanted: { endpoint_id: string; since: string; include_older: true }) => Promise<{ more: boolean }>;
  remove: (wanted: { endpoint_id: string }) => Promise<unknown>;
}

/** The time of the oldest event that still waits for an endpoint; undefined if none waits. */
const waitingSince = async (endpoint_id: string, { deliveries }: RenewalCalls): Promise<string | undefined> => {
  const found: ListedDelivery[] = [];
  for (const status of ['pending', 'failed'] as const) {
    found.push(...(await readAllPages((after) => deliveries({ endpoint_id, status, limit: 200, ...after }))));
  }
  return oldestOf(found);
};

/**
 * Deletes the first endpoint. The second one first gets the events that still wait for the first, because these are
 * deleted with it.
 */
export const endRenewal = async (
  { first, second }: Renewal<Pick<WebhookEndpoint, 'id'>>,
  calls: RenewalCalls,
): Promise<void> => {
  const since = await waitingSince(first.id, calls);
  if (since !== undefined) {
    let more: boolean;
    do {
      ({ more } = await calls.recover({ endpoint_id: second.id, since, include_older: true }));
    } while (more);
  }
  await calls.remove({ endpoint_id: first.id });
};
