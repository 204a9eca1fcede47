import { Alert, Anchor, Button, Checkbox, Text, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { Link, Navigate, useSearchParams } from 'react-router';
import { PasswordField } from '../../kit/account-fields.tsx';
import { Form, useServerForm } from '../../kit/form.tsx';
import { useText } from '../../language/language.tsx';
import { problemOf } from '../../server/problem.ts';
import { entrance } from '../../server/server.ts';
import { Card, CardLoading } from './card.tsx';
import { pathWithin } from './path-within.ts';

/** Signs in with a password, and with a second factor if there is one. Then opens the page that led here. */
export default function SignInPage() {
  const [params] = useSearchParams();
  const queries = useQueryClient();
  const [step, setStep] = useState<'password' | 'second' | 'over'>('password');
  const { data, error, isFetchedAfterMount } = entrance.useQuery('entrance.who', {});
  useEffect(() => {
    // The cached answers belong to the person who was signed in before.
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
  /** Whether the second step failed: it took too long, or too many codes were wrong. */
  again: boolean;
  /** Called if a second factor is required. */
  onNext: () => void;
}

const PasswordStep = ({ again, onNext }: PasswordStepProps) => {
  const t = useText();
  const form = useServerForm({
    initial: { email: '', password: '' },
    send: ({ email, password }) => entrance.mutate('entrance.signIn', { email: email.trim(), password }),
    onSent: ({ next }) => (next === 'second_factor' ? onNext() : undefined),
    errorsAt: (_, { code }) => ({
      password: code === 'validation_error' && t('E-Mail oder Passwort stimmt nicht.', 'Email or password is wrong.'),
    }),
  });
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
      <Form
        form={form}
        place="card"
        action={t('Anmelden', 'Sign in')}
        extra={
          <Text size="sm">
            <Anchor component={Link} to="/reset-password">
              {t('Passwort vergessen?', 'Forgot your password?')}
            </Anchor>
          </Text>
        }
      >
        <TextInput
          label={t('E-Mail', 'Email')}
          type="email"
          name="email"
          autoComplete="username"
          required
          {...form.getInputProps('email')}
        />
        <PasswordField label={t('Passwort', 'Password')} name="password" {...form.getInputProps('password')} />
      </Form>
    </Card>
  );
};

interface SecondStepProps {
  onBack: () => void;
  /** Called if the person must enter their password again. */
  onOver: () => void;
}

const SecondStep = ({ onBack, onOver }: SecondStepProps) => {
  const t = useText();
  const { data: rules } = entrance.useQuery('entrance.rules', {});
  const [kind, setKind] = useState<'totp' | 'backup'>('totp');
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.focus(), [kind]);

  const days = rules?.trusted_device_days;
  const form = useServerForm({
    initial: { code: '', trust: false },
    send: ({ code, trust }) =>
      entrance.mutate('entrance.proveSecondFactor', {
        code: kind === 'totp' ? code.replaceAll(/\s/g, '') : code.trim(),
        kind,
        trust_device: trust,
      }),
    onRefused: (error) => (problemOf(error)?.code === 'unauthorized' ? onOver() : input.current?.select()),
    errorsAt: (_, { code }) => ({
      code: code === 'validation_error' && t('Der Code stimmt nicht.', 'The code is wrong.'),
    }),
  });
  const switchKind = () => {
    setKind(kind === 'totp' ? 'backup' : 'totp');
    form.setFieldValue('code', '');
    form.sending.reset();
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
      <Form
        form={form}
        place="card"
        action={t('Bestätigen', 'Confirm')}
        extra={
          <>
            <Button variant="default" onClick={switchKind}>
              {kind === 'totp'
                ? t('Ersatzcode verwenden', 'Use a backup code')
                : t('Code aus der App verwenden', 'Use a code from the app')}
            </Button>
            <Button variant="subtle" color="gray" onClick={onBack}>
              {t('Zurück', 'Back')}
            </Button>
          </>
        }
      >
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
          errorProps={{ role: 'alert' }}
          {...form.getInputProps('code')}
        />
        {days !== undefined && (
          <Checkbox
            label={t(`Diesem Browser ${days} Tage vertrauen`, `Trust this browser for ${days} days`)}
            {...form.getInputProps('trust', { type: 'checkbox' })}
          />
        )}
      </Form>
    </Card>
  );
};
