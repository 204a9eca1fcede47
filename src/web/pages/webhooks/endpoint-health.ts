import type { WebhookEndpoint } from '../../../modules/webhooks/schema.ts';
import { useText } from '../../language/language.tsx';

/** The health of an endpoint: its status, and the results of its deliveries. */
export type EndpointHealth = 'delivering' | 'failing' | 'paused' | 'disabled' | 'never_delivered';

/** `failingSince` is set only if the failures are an alarm; the first failure of a working endpoint is none. */
export const healthOf = (
  { status, last_success_at }: Pick<WebhookEndpoint, 'status' | 'last_success_at'>,
  failingSince: string | undefined,
): EndpointHealth => {
  if (status === 'disabled') return 'disabled';
  if (status === 'disabled_failures') return 'paused';
  if (failingSince !== undefined) return 'failing';
  return last_success_at === null ? 'never_delivered' : 'delivering';
};

/** The health of an endpoint in words, the same ones in the list and on the overview. A file of its own, because the overview loads first. */
export const useHealthWords = (): Readonly<Record<EndpointHealth, string>> => {
  const t = useText();
  return {
    delivering: t('Stellt zu', 'Delivering'),
    never_delivered: t('Noch nichts zugestellt', 'Nothing delivered yet'),
    failing: t('Gestört', 'Failing'),
    paused: t('Pausiert', 'Paused'),
    disabled: t('Deaktiviert', 'Disabled'),
  };
};
