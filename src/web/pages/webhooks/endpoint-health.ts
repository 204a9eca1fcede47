import type { WebhookEndpoint } from '../../../modules/webhooks/schema.ts';

/** The health of an endpoint: its status, and the results of its deliveries. */
export type EndpointHealth = 'delivering' | 'failing' | 'paused' | 'disabled' | 'never_delivered';

/** `failingSince` is set only if the last two attempts failed, or the endpoint is paused. */
export const healthOf = (
  { status, last_success_at }: Pick<WebhookEndpoint, 'status' | 'last_success_at'>,
  failingSince: string | undefined,
): EndpointHealth => {
  if (status === 'disabled') return 'disabled';
  if (status === 'disabled_failures') return 'paused';
  if (failingSince !== undefined) return 'failing';
  return last_success_at === null ? 'never_delivered' : 'delivering';
};

/** When a failing endpoint is paused, if no delivery succeeds until then; undefined while that is not known. */
export const pausesAt = (failingSince: string | undefined, afterSeconds: number | undefined): string | undefined =>
  failingSince === undefined || afterSeconds === undefined
    ? undefined
    : new Date(new Date(failingSince).getTime() + afterSeconds * 1_000).toISOString();
