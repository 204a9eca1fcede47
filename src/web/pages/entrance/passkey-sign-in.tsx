import { Button } from '@mantine/core';
import { IconFingerprint } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { PasskeyAnswer } from '../../../modules/sign-ins/schema.ts';
import { useText } from '../../language/language.tsx';
import { client } from '../../server/server.ts';
import { askForPasskey, hasAutofill, hasPasskeys, isCancelled, stopAsking } from '../../session/passkey.ts';
import { PasskeyFailure } from '../../session/passkey-failure.tsx';

/** A challenge must be answered within ten minutes, so a page that stays open gets a new one earlier. */
const renewMs = 9 * 60_000;

/** Signs in with a passkey: by its button, or where the browser offers passkeys in the field for the email address. */
export const PasskeySignIn = () => {
  const t = useText();
  const queries = useQueryClient();
  const [isAsking, setAsking] = useState(false);
  const [error, setError] = useState<unknown>();
  /** Raised to offer passkeys in the field again. */
  const [round, setRound] = useState(0);

  const ask = async (how: { autofill: boolean }) =>
    askForPasskey(await client.entrance.entrance.passkeyQuestion.query({}), how);
  const signIn = async (passkey: PasskeyAnswer) => {
    setAsking(true);
    setError(undefined);
    await client.entrance.entrance.signInWithPasskey.mutate({ passkey });
    await queries.invalidateQueries();
  };
  const show = (failure: unknown) => {
    setAsking(false);
    if (!isCancelled(failure)) setError(failure);
  };

  useEffect(() => {
    let isOver = false;
    const offer = async () => {
      // The person has not started anything yet, so it is no failure if the browser can't offer passkeys here.
      const passkey = (await hasAutofill()) ? await ask({ autofill: true }).catch(() => undefined) : undefined;
      if (passkey && !isOver) await signIn(passkey);
    };
    offer().catch((failure: unknown) => {
      if (!isOver) show(failure);
    });
    const timer = setTimeout(() => setRound((former) => former + 1), renewMs);
    return () => {
      isOver = true;
      clearTimeout(timer);
      stopAsking();
    };
  }, [round]);

  if (!hasPasskeys()) return null;
  const byButton = async () => {
    setAsking(true);
    setError(undefined);
    try {
      await signIn(await ask({ autofill: false }));
    } catch (failure) {
      show(failure);
      setRound((former) => former + 1);
    }
  };
  return (
    <>
      <Button
        variant="default"
        size="md"
        leftSection={<IconFingerprint size={18} aria-hidden />}
        loading={isAsking}
        onClick={() => void byButton()}
      >
        {t('Mit Passkey anmelden', 'Sign in with a passkey')}
      </Button>
      <PasskeyFailure error={error} />
    </>
  );
};
