import type { EndpointDelivery, WebhookEndpoint } from '../../../modules/webhooks/schema.ts';

type Listed = Pick<WebhookEndpoint, 'id' | 'url' | 'events' | 'status'>;

/** The renewal of a signing secret that has begun: the first endpoint has the old secret, the second the new one. */
export interface Renewal<Endpoint = WebhookEndpoint> {
  first: Endpoint;
  second: Endpoint;
}

const subscriptions = ({ events }: Listed): string => events.toSorted().join(' ');

/**
 * The renewal to which an endpoint belongs: another one gets the same events at the same URL. Hardly anybody wants to
 * get each event twice for long. `all` has the newest endpoint first.
 */
export const renewalOf = <Endpoint extends Listed>(
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

/** The newest delivery that was attempted: what the receiver answers now. */
export const lastAttempted = <Delivery extends Pick<EndpointDelivery, 'attempt'>>(
  newestFirst: readonly Delivery[],
): Delivery | undefined => newestFirst.find(({ attempt }) => attempt > 0);

/** When the oldest of these deliveries was created, tests apart; undefined if there is none. */
export const oldestOf = (deliveries: readonly Pick<EndpointDelivery, 'event_type' | 'created_at'>[]) =>
  deliveries
    .flatMap(({ event_type, created_at }) => (event_type === 'ping' || created_at === null ? [] : [created_at]))
    .toSorted()[0];
