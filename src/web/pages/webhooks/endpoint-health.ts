import type { WebhookEndpoint } from '../../../modules/webhooks/schema.ts';
import type { StateWords } from '../../kit/page/facts.tsx';
import { t } from '../../language/language.tsx';

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

/** The health of an endpoint in words. They are not in `words.tsx`, because the overview, which loads first, has them too. */
export const healthWords = (): Readonly<Record<EndpointHealth, StateWords>> => ({
  delivering: ['good', t('Stellt zu', 'Delivering')],
  never_delivered: ['info', t('Noch nichts zugestellt', 'Nothing delivered yet')],
  failing: ['bad', t('Gestört', 'Failing')],
  paused: ['bad', t('Pausiert', 'Paused')],
  disabled: ['plain', t('Deaktiviert', 'Disabled')],
});
