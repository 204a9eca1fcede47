import { Text } from '@mantine/core';
import { Notice } from '../../kit/notice.tsx';
import { useText } from '../../language/language.ts';
import { useHasApi } from '../../session/me.ts';

/** Says what webhooks do while the plan does not include the API. */
export const NoApiNotice = () => {
  const t = useText();
  if (useHasApi()) return null;
  return (
    <Notice tone="warn" title={t('Ihr Tarif enthält die API nicht', 'Your plan does not include the API')}>
      <Text size="sm">
        {t(
          'Neue Ereignisse werden nicht gesendet und später auch nicht nachgeholt. Endpunkte lassen sich weder anlegen noch testen. Den Tarif ändert der Betreiber der Plattform.',
          'New events are not sent, and are not made up for later. Endpoints can be neither created nor tested. The operator of the platform changes the plan.',
        )}
      </Text>
    </Notice>
  );
};
