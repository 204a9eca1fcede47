// Passkeys in the browser: WebAuthn, with options and answers in the server's JSON format.

import type { CreatedPasskey, PasskeyAnswer } from '../../modules/sign-ins/schema.ts';
import { Notice, ProblemAlert } from '../kit/page/messages.tsx';
import { t } from '../language/language.tsx';
import { problemOf } from '../server/problem.ts';
import { browserRefusal, canHavePasskeys } from './passkey-site.ts';

/** Whether this browser supports passkeys at this address. */
export const hasPasskeys = (): boolean =>
  typeof PublicKeyCredential !== 'undefined' &&
  typeof PublicKeyCredential.parseRequestOptionsFromJSON === 'function' &&
  canHavePasskeys(location.hostname);

/** Whether the browser can suggest passkeys in a text field, like stored passwords. */
export const hasAutofill = async (): Promise<boolean> =>
  hasPasskeys() && (await PublicKeyCredential.isConditionalMediationAvailable());

/** The browser's current WebAuthn request. A browser handles one at a time, so a new request aborts it. */
let asking: AbortController | undefined;

const signalForNewRequest = (): AbortSignal => {
  asking?.abort();
  asking = new AbortController();
  return asking.signal;
};

/** Aborts the waiting request, for instance when its page is left. */
export const stopAsking = (): void => {
  asking?.abort();
  asking = undefined;
};

const passkeyIn = (credential: Credential | null): PublicKeyCredential => {
  if (!(credential instanceof PublicKeyCredential)) throw new Error('the browser answered without a passkey');
  return credential;
};

/** Asks for a passkey. With `autofill` the browser offers them in the field for the email address, and waits. */
export const askForPasskey = async (
  options: PublicKeyCredentialRequestOptionsJSON,
  { autofill = false } = {},
): Promise<PasskeyAnswer> => {
  const credential = await navigator.credentials.get({
    publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options),
    signal: signalForNewRequest(),
    ...(autofill && { mediation: 'conditional' as const }),
  });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion, typescript/consistent-type-assertions -- toJSON() has the type of answers or of created passkeys; get() returns an answer
  return passkeyIn(credential).toJSON() as PasskeyAnswer;
};

export const makePasskey = async (options: PublicKeyCredentialCreationOptionsJSON): Promise<CreatedPasskey> => {
  const credential = await navigator.credentials.create({
    publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options),
    signal: signalForNewRequest(),
  });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion, typescript/consistent-type-assertions -- as above; create() returns a created passkey
  return passkeyIn(credential).toJSON() as CreatedPasskey;
};

/** Whether the person closed the browser's dialog, its time-out passed, or we aborted the request ourselves. */
const isCancelled = (error: unknown): boolean =>
  error instanceof DOMException && (error.name === 'NotAllowedError' || error.name === 'AbortError');

/** Whether the authenticator already has a passkey for this account. */
const isKnownPasskey = (error: unknown): boolean => error instanceof DOMException && error.name === 'InvalidStateError';

/**
 * Shows why a passkey could not be created or used: the server's problem, or the browser's error. Shows nothing if
 * the person canceled it.
 */
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
      {browserRefusal(isKnownPasskey(error))}
    </Notice>
  );
};
