import { useText } from '../../language/language.tsx';
import type { Series } from './parts.tsx';

/** How requests end, in the order in which bars are stacked. */
export const useRequestOutcomes = () => {
  const t = useText();
  return [
    { key: 'answered', name: t('Erfolgreich', 'Successful'), color: '--chart-answered' },
    { key: 'refused', name: t('Abgelehnt (4xx)', 'Rejected (4xx)'), color: '--chart-refused' },
    { key: 'limited', name: t('Rate-Limit (429)', 'Rate limited (429)'), color: '--chart-limited' },
    { key: 'failed', name: t('Fehlgeschlagen (5xx)', 'Failed (5xx)'), color: '--chart-failed' },
  ] as const satisfies readonly Series[];
};
