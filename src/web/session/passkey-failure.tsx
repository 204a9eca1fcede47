import { Notice, ProblemAlert } from '../kit/messages.tsx';
import { t } from '../language/language.tsx';
import { problemOf } from '../server/problem.ts';
import { isCancelled, isKnownPasskey } from './passkey.ts';

/** Why a passkey could not be created or used: the server's problem, or the browser's error. Nothing if the person canceled it. */
export const PasskeyFailure = ({ error }: { error: unknown }) => {
  if (error === null || isCancelled(error)) return null;
  const problem = problemOf(error);
  if (problem?.field === 'passkey') {
    return (
      <Notice tone="bad" role="alert" title={t('Dieser Passkey ist nicht gültig', 'This passkey is not valid')}>
        {t(
          'Vielleicht wurde er aus dem Konto entfernt. Verwenden Sie einen anderen oder Ihr Passwort.',
          'It may have been removed from the account. Use another one or your password.',
        )}
      </Notice>
    );
  }
  if (problem || !(error instanceof DOMException)) return <ProblemAlert error={error} />;
  return (
    <Notice tone="bad" role="alert" title={t('Das hat nicht geklappt', 'That did not work')}>
      {isKnownPasskey(error)
        ? t(
            'Auf diesem Gerät gibt es schon einen Passkey für Ihr Konto.',
            'This device already has a passkey for your account.',
          )
        : t(
            'Der Browser konnte keinen Passkey verwenden. Öffnen Sie die App unter ihrer üblichen Adresse.',
            'The browser could not use a passkey. Open the app at its usual address.',
          )}
    </Notice>
  );
};
