import { Text } from '@mantine/core';
import { Notice } from '../../kit/notice.tsx';
import { useText } from '../../language/language.ts';
import { useHasApi } from '../../session/me.ts';

/** Says what CRM connections do while the plan does not include the API. */
export const NoApiNotice = () => {
  const t = useText();
  if (useHasApi()) return null;
  return (
    <Notice tone="warn" title={t('Ihr Tarif enthält die API nicht', 'Your plan does not include the API')}>
      <Text size="sm">
        {t(
          'Es wird nichts abgeglichen, und es lässt sich kein CRM verbinden. Die bisherigen Deals und Einwände bleiben sichtbar. Den Tarif ändert der Betreiber der Plattform.',
          'Nothing is synced, and no CRM can be connected. The deals and objections so far stay visible. The operator of the platform changes the plan.',
        )}
      </Text>
    </Notice>
  );
};
