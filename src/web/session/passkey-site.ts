import { t } from '../language/texts.ts';

/** Whether a site at this host can have passkeys: they belong to a name, so an IP address has none. */
export const canHavePasskeys = (hostname: string): boolean => !/^[\d.]+$|:/.test(hostname);

/** Why the browser has refused a passkey. */
export const browserRefusal = (isKnown: boolean): string =>
  isKnown
    ? t(
        'Auf diesem Gerät gibt es schon einen Passkey für Ihr Konto.',
        'This device already has a passkey for your account.',
      )
    : t(
        'Der Browser konnte keinen Passkey verwenden. Öffnen Sie die App unter ihrer üblichen Adresse.',
        'The browser could not use a passkey. Open the app at its usual address.',
      );
