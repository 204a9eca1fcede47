import type { EndpointDelivery, WebhookEndpoint } from '../../../modules/webhooks/schema.ts';

type EndpointStatus = WebhookEndpoint['status'];

/** Whether an event can be sent to an endpoint again. A test event can't, because it belongs to its test. */
export const canReplay = (eventType: string | null, endpoint: EndpointStatus | undefined, hasApi: boolean): boolean =>
  hasApi && endpoint === 'active' && eventType !== 'ping';

export const canRetry = ({ status }: Pick<EndpointDelivery, 'status'>, hasApi: boolean): boolean =>
  hasApi && (status === 'failed' || status === 'gave_up');

/**
 * Whether a second endpoint can replace the secret of an endpoint. If a renewal has already begun, it is continued
 * instead.
 */
export const canRenew = (status: EndpointStatus, hasApi: boolean): boolean => hasApi && status !== 'disabled';

/** The button beside the facts of an endpoint. A paused endpoint has its button in the notice that gives the reason. */
export const switchOf = (status: EndpointStatus): 'disable' | 'reactivate' | undefined =>
  ({ active: 'disable', disabled: 'reactivate', disabled_failures: undefined } as const)[status];
