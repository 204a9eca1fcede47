import { Text } from '@mantine/core';
import { Notice } from '../../kit/messages.tsx';
import { useText } from '../../language/language.tsx';
import { app } from '../../server/server.ts';
import { useHere } from '../../session/signed-in.tsx';

/** Whether keys can be made here, and by whoever looks; undefined while that is not known. */
type Making = 'open' | 'no_plan' | 'no_right' | undefined;

export const useMaking = (): Making => {
  const { may } = useHere();
  const { data } = app.useAnswer('team.settings', {});
  if (!data) return undefined;
  if (!data.has_api) return 'no_plan';
  return may('keys') ? 'open' : 'no_right';
};

/** What is needed where no key can be made. */
export const MakingNotice = ({ making }: { making: Making }) => {
  const t = useText();
  if (making === 'no_plan') {
    return (
      <Notice tone="warn" title={t('Ihr Tarif enthält die API nicht', 'Your plan does not include the API')}>
        <Text size="sm">
          {t(
            'Schlüssel lassen sich mit den Tarifen Team und Enterprise anlegen. Schlüssel von früher bekommen bis dahin die Antwort 403 ',
            'Keys can be made with the plans Team and Enterprise. Until then, keys from before are answered with 403 ',
          )}
          <a href="/developers/errors#api_disabled" style={{ color: 'var(--mantine-color-anchor)' }}>
            api_disabled
          </a>
          {t('. Den Tarif ändert der Betreiber der Plattform.', '. The operator of the platform changes the plan.')}
        </Text>
      </Notice>
    );
  }
  if (making === 'no_right') {
    return (
      <Notice
        tone="info"
        title={t('Anlegen kann, wer das Recht „Schnittstellen“ hat', 'Making keys needs the right “Schnittstellen”')}
      >
        <Text size="sm">
          {t(
            'Sie sehen die Schlüssel und die Anfragen mit ihnen. Um Schlüssel anzulegen, abzulösen oder zu widerrufen, bitten Sie die Inhaberin oder den Inhaber des Teams um dieses Recht.',
            'You see the keys and the requests with them. To make, replace or revoke keys, ask the team’s owner for this right.',
          )}
        </Text>
      </Notice>
    );
  }
  return null;
};
