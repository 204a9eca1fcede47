import { t } from '../../language/texts.ts';

/** Says which code the second step asks for. */
export const codeLead = (kind: 'totp' | 'backup'): string =>
  kind === 'totp'
    ? t('Geben Sie den Code aus Ihrer Authenticator-App ein.', 'Enter the code from your authenticator app.')
    : t(
        'Geben Sie einen Ihrer Wiederherstellungscodes ein. Jeder Code kann nur einmal verwendet werden.',
        'Enter one of your recovery codes. Each code can be used only once.',
      );
