import { useText } from '../../language/language.tsx';
import type { EndpointHealth } from './endpoint-health.ts';

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
