import { Alert, Anchor, Button, Checkbox, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { FormEvent } from 'react';
import { Link, Navigate, useSearchParams } from 'react-router';
import { ProblemAlert } from '../../kit/messages.tsx';
import { useText } from '../../language/language.tsx';
import { problemOf } from '../../server/problem.ts';
import { entrance } from '../../server/server.ts';
import { Card, CardLoading } from './card.tsx';
import { pathWithin } from './path-within.ts';

/** Signing in: password, then the second factor where there is one. Whoever is signed in goes on to where they wanted to go. */
export default function SignInPage() {
  const [params] = useSearchParams();
  const queries = useQueryClient();
  const [step, setStep] = useState<'password' | 'second' | 'over'>('password');
  const { data, error, isFetchedAfterMount } = entrance.useAnswer('entrance.who', {});
  useEffect(() => {
    // What was shown to whoever was signed in before is nobody else's.
    queries.removeQueries({ type: 'inactive' });
    void queries.invalidateQueries({ queryKey: ['entrance', 'entrance.who'] });
  }, [queries]);

  if (!isFetchedAfterMount && !error) return <CardLoading />;
  if (isFetchedAfterMount && data?.me) return <Navigate to={pathWithin(params.get('next'))} replace />;
  return step === 'second' ? (
    <SecondStep onBack={() => setStep('password')} onOver={() => setStep('over')} />
  ) : (
    <PasswordStep again={step === 'over'} onNext={() => setStep('second')} />
  );
}

interface PasswordStepProps {
  /** The second step took too long, or was wrong too often. */
  again: boolean;
  /** The second factor is still owed. */
  onNext: () => void;
}

const PasswordStep = ({ again, onNext }: PasswordStepProps) => {
  const t = useText();
  const signIn = entrance.useChange('entrance.signIn');
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const isWrong = problemOf(signIn.error)?.code === 'validation_error';
  const submit = (event: FormEvent) => {
    event.preventDefault();
    signIn.mutate(
      { email: email.trim(), password },
      { onSuccess: ({ next }) => (next === 'second_factor' ? onNext() : undefined) },
    );
  };
  return (
    <Card title={t('Anmelden', 'Sign in')}>
      {again && (
        <Alert variant="outline" color="gray" role="alert">
          <Text size="sm">
            {t(
              'Es hat zu lange gedauert, oder zu viele Codes waren falsch. Bitte melden Sie sich noch einmal an.',
              'It took too long, or too many codes were wrong. Please sign in again.',
            )}
          </Text>
        </Alert>
      )}
      <form onSubmit={submit}>
        <Stack>
          <TextInput
            label={t('E-Mail', 'Email')}
            type="email"
            name="email"
            autoComplete="username"
            required
            value={email}
            onChange={(event) => setEmail(event.currentTarget.value)}
          />
          <PasswordInput
            label={t('Passwort', 'Password')}
            name="password"
            autoComplete="current-password"
            required
            value={password}
            onChange={(event) => setPassword(event.currentTarget.value)}
            error={isWrong ? t('E-Mail oder Passwort stimmt nicht.', 'Email or password is wrong.') : undefined}
            errorProps={{ role: 'alert' }}
            visibilityToggleButtonProps={{ 'aria-label': t('Passwort zeigen', 'Show password'), tabIndex: 0 }}
          />
          {!isWrong && <ProblemAlert error={signIn.error} />}
          <Button type="submit" size="md" loading={signIn.isPending}>
            {t('Anmelden', 'Sign in')}
          </Button>
          <Text size="sm">
            <Anchor component={Link} to="/reset-password">
              {t('Passwort vergessen?', 'Forgot your password?')}
            </Anchor>
          </Text>
        </Stack>
      </form>
    </Card>
  );
};

interface SecondStepProps {
  onBack: () => void;
  /** The password is wanted once more. */
  onOver: () => void;
}

const SecondStep = ({ onBack, onOver }: SecondStepProps) => {
  const t = useText();
  const prove = entrance.useChange('entrance.proveSecondFactor');
  const { data: rules } = entrance.useAnswer('entrance.rules', {});
  const [code, setCode] = useState('');
  const [trust, setTrust] = useState(false);
  const [kind, setKind] = useState<'totp' | 'backup'>('totp');
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.focus(), [kind]);

  const isWrong = problemOf(prove.error)?.code === 'validation_error';
  const days = rules?.trusted_device_days;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    prove.mutate(
      { code: kind === 'totp' ? code.replaceAll(/\s/g, '') : code.trim(), kind, trust_device: trust },
      { onError: (error) => (problemOf(error)?.code === 'unauthorized' ? onOver() : input.current?.select()) },
    );
  };
  const switchKind = () => {
    setKind(kind === 'totp' ? 'backup' : 'totp');
    setCode('');
    prove.reset();
  };
  return (
    <Card
      title={t('Zweiter Faktor', 'Second factor')}
      lead={
        kind === 'totp'
          ? t(
              'Öffnen Sie Ihre Authenticator-App und geben Sie den Code ein, den sie gerade zeigt.',
              'Open your authenticator app and enter the code that it shows now.',
            )
          : t(
              'Jeder Ersatzcode, den Sie beim Einrichten bekommen haben, gilt einmal.',
              'Each backup code that you got when you set this up works once.',
            )
      }
    >
      <form onSubmit={submit}>
        <Stack>
          <TextInput
            ref={input}
            label={
              kind === 'totp'
                ? t('Code aus Ihrer Authenticator-App', 'Code from your authenticator app')
                : t('Ersatzcode', 'Backup code')
            }
            name="code"
            autoComplete={kind === 'totp' ? 'one-time-code' : 'off'}
            inputMode={kind === 'totp' ? 'numeric' : 'text'}
            required
            value={code}
            onChange={(event) => setCode(event.currentTarget.value)}
            error={isWrong ? t('Der Code stimmt nicht.', 'The code is wrong.') : undefined}
            errorProps={{ role: 'alert' }}
          />
          {days !== undefined && (
            <Checkbox
              label={t(`Diesem Browser ${days} Tage vertrauen`, `Trust this browser for ${days} days`)}
              checked={trust}
              onChange={(event) => setTrust(event.currentTarget.checked)}
            />
          )}
          {!isWrong && <ProblemAlert error={prove.error} />}
          <Button type="submit" size="md" loading={prove.isPending}>
            {t('Bestätigen', 'Confirm')}
          </Button>
          <Button variant="default" onClick={switchKind}>
            {kind === 'totp'
              ? t('Ersatzcode verwenden', 'Use a backup code')
              : t('Code aus der App verwenden', 'Use a code from the app')}
          </Button>
          <Button variant="subtle" color="gray" onClick={onBack}>
            {t('Zurück', 'Back')}
          </Button>
        </Stack>
      </form>
    </Card>
  );
};
