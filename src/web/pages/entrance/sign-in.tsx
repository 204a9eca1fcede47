import { Button, Text } from '@mantine/core';
import { IconFingerprint } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useEffect, useState } from 'react';
import { Link, Navigate, useLocation, useSearchParams } from 'react-router';
import type { PasskeyAnswer } from '../../../modules/sign-ins/schema.ts';
import { TextLink } from '../../kit/text/text.tsx';
import { EmailField, PasswordField } from '../../kit/form/account-fields.tsx';
import { Form, useServerForm } from '../../kit/form/form.tsx';
import { Notice } from '../../kit/page/messages.tsx';
import { t } from '../../language/language.tsx';
import { client, entrance } from '../../server/server.ts';
import type { SignInState } from '../../session/signed-in.tsx';
import { askForPasskey, hasAutofill, hasPasskeys, stopAsking, PasskeyFailure } from '../../session/passkey.tsx';
import { Card, CardLoading } from './card.tsx';
import { pathWithin } from './path-within.ts';

// Most people have no second factor, so the code for it is loaded when it is needed.
const SecondStep = lazy(() => import('./second-step.tsx'));

/**
 * Signs in with a password, and with a second factor if there is one. Then opens the page from which the person came.
 */
export default function SignInPage() {
  const [params] = useSearchParams();
  const queries = useQueryClient();
  // After a reset of the password, only the second step is left.
  const isBegun = useSignInState('needsSecondStep');
  const [step, setStep] = useState<'password' | 'second' | 'over'>(isBegun ? 'second' : 'password');
  const { data, error, isFetchedAfterMount } = useQuery(entrance.entrance.who.queryOptions({}));
  const isCached = data !== undefined;
  useEffect(() => {
    // The cached answers belong to the person who was signed in before.
    queries.removeQueries({ type: 'inactive' });
    // When the app opens on this page, the query is running and has no cached answer, so it is not sent again.
    if (isCached) void queries.invalidateQueries(entrance.entrance.who.queryFilter());
    // The effect runs once, when the page appears.
  }, []);

  if (!isFetchedAfterMount && !error) return <CardLoading />;
  if (isFetchedAfterMount && data?.me) {
    const isClosed = data.me.teams.length === 0;
    return <Navigate to={isClosed ? `/sign-in/closed${location.search}` : pathWithin(params.get('next'))} replace />;
  }
  return step === 'second' ? (
    <Suspense fallback={<CardLoading />}>
      <SecondStep onBack={() => setStep('password')} onOver={() => setStep('over')} />
    </Suspense>
  ) : (
    <PasswordStep again={step === 'over'} onNext={() => setStep('second')} />
  );
}

interface PasswordStepProps {
  /** Whether the second step failed, because it took too long or too many codes were wrong. */
  again: boolean;
  /** Called if a second factor is required. */
  onNext: () => void;
}

const PasswordStep = ({ again, onNext }: PasswordStepProps) => {
  const hasEnded = useSignInState('hasEnded');
  const form = useServerForm({
    initial: { email: '', password: '' },
    send: ({ email, password }) => client.entrance.entrance.signIn.mutate({ email: email.trim(), password }),
    onSent: ({ next }) => (next === 'second_factor' ? onNext() : undefined),
    errorsAt: (_, { code }) => ({
      password: code === 'validation_error' && t('E-Mail oder Passwort ist falsch.', 'Wrong email or password.'),
    }),
  });
  return (
    <Card title={t('Anmelden', 'Sign in')}>
      {again ? <TriedTooLong /> : hasEnded && <SessionEnded />}
      <Form
        form={form}
        place="card"
        action={t('Anmelden', 'Sign in')}
        extra={
          <>
            <PasskeySignIn />
            <Button component={Link} to={`/sign-in/company${location.search}`} size="md" px="xs">
              {t('Mit dem Firmenkonto anmelden', 'Sign in with your company account')}
            </Button>
            <Text size="sm" ta="center">
              <TextLink to="/reset-password">{t('Passwort vergessen?', 'Forgot your password?')}</TextLink>
            </Text>
          </>
        }
      >
        <EmailField autoComplete="username webauthn" {...form.getInputProps('email')} />
        <PasswordField label={t('Passwort', 'Password')} name="password" {...form.getInputProps('password')} />
      </Form>
    </Card>
  );
};

const useSignInState = (flag: keyof SignInState): boolean => {
  const state: unknown = useLocation().state;
  return Object.entries(state ?? {}).some(([name, is]) => name === flag && is === true);
};

const SessionEnded = () => (
  <Notice tone="info" role="status" title={t('Ihre Sitzung wurde beendet', 'Your session has ended')}>
    {t(
      'Sie wurden an anderer Stelle abgemeldet, oder die Sitzung ist abgelaufen. Nach der Anmeldung kehren Sie zur vorherigen Seite zurück. Ihre Eingaben bleiben erhalten.',
      'You were signed out elsewhere, or the session has expired. After signing in you return to the page you were on. Your input is kept.',
    )}
  </Notice>
);

const TriedTooLong = () => (
  <Notice tone="warn" role="alert" title={t('Bitte melden Sie sich erneut an', 'Please sign in again')}>
    {t(
      'Die Anmeldung ist abgelaufen, oder es wurden zu viele falsche Codes eingegeben.',
      'The sign-in has timed out, or too many wrong codes were entered.',
    )}
  </Notice>
);

/** A challenge must be answered within ten minutes, so a page that stays open gets a new one earlier. */
const renewMs = 9 * 60_000;

/** Signs in with a passkey: by its button, or where the browser offers passkeys in the field for the email address. */
export const PasskeySignIn = () => {
  /** Increased to offer passkeys in the field again. */
  const [round, setRound] = useState(0);
  const ask = async (how: { autofill: boolean }) =>
    askForPasskey(await client.entrance.entrance.passkeyQuestion.query({}), how);
  const signIn = useMutation({
    mutationFn: async (offered: PasskeyAnswer | undefined) => {
      const passkey = offered ?? (await ask({ autofill: false }));
      await client.entrance.entrance.signInWithPasskey.mutate({ passkey });
    },
  });

  useEffect(() => {
    let isOver = false;
    const offer = async () => {
      // The person has not started anything yet, so it is no failure if the browser can't offer passkeys here.
      const passkey = (await hasAutofill()) ? await ask({ autofill: true }).catch(() => undefined) : undefined;
      if (passkey && !isOver) signIn.mutate(passkey);
    };
    void offer();
    const timer = setTimeout(() => setRound((former) => former + 1), renewMs);
    return () => {
      isOver = true;
      clearTimeout(timer);
      stopAsking();
    };
  }, [round]);

  if (!hasPasskeys()) return null;
  return (
    <>
      <Button
        size="md"
        // With the usual padding, a phone of 320 pixels would cut the text.
        px="xs"
        leftSection={<IconFingerprint size={18} aria-hidden />}
        loading={signIn.isPending}
        onClick={() => signIn.mutate(undefined, { onError: () => setRound((former) => former + 1) })}
      >
        {t('Mit Passkey anmelden', 'Sign in with a passkey')}
      </Button>
      <PasskeyFailure error={signIn.error} />
    </>
  );
};
