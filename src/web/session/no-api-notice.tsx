import { Text } from '@mantine/core';
import { Notice } from '../kit/notice.tsx';
import { useText } from '../language/language.ts';
import { useHasApi } from './me.ts';

/** Shown while the team's plan does not include the API: what CRM connections or webhooks do then. */
export const NoApiNotice = ({ of }: { of: 'crm' | 'webhooks' }) => {
  const t = useText();
  if (useHasApi()) return null;
  const effects = {
    crm: t(
      'Es wird nichts abgeglichen, und es lässt sich kein CRM verbinden. Die bisherigen Deals und Einwände bleiben sichtbar.',
      'Nothing is synced, and no CRM can be connected. The deals and objections so far stay visible.',
    ),
    webhooks: t(
      'Neue Ereignisse werden nicht gesendet und lassen sich auch später nicht nachholen. Endpunkte können weder angelegt noch getestet werden.',
      'New events are not sent, and can’t be sent later either. Endpoints can be neither created nor tested.',
    ),
  };
  return (
    <Notice tone="warn" title={t('Ihr Tarif enthält die API nicht', 'Your plan does not include the API')}>
      <Text size="sm">
        {effects[of]}{' '}
        {t('Den Tarif ändert der Betreiber der Plattform.', 'The operator of the platform changes the plan.')}
      </Text>
    </Notice>
  );
};
