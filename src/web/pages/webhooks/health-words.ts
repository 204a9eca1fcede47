import type { StateWords } from '../../kit/page/tones.ts';
import { t } from '../../language/texts.ts';
import type { EndpointHealth } from './endpoint-health.ts';

/**
 * The health of an endpoint in words. These words have a file of their own, because the overview, which is loaded
 * first, needs them, too.
 */
export const healthWords = (): Readonly<Record<EndpointHealth, StateWords>> => ({
  delivering: ['good', t('Stellt zu', 'Delivering')],
  never_delivered: ['info', t('Noch nichts zugestellt', 'Nothing delivered yet')],
  failing: ['bad', t('Gestört', 'Failing')],
  paused: ['bad', t('Pausiert', 'Paused')],
  disabled: ['plain', t('Deaktiviert', 'Disabled')],
});
