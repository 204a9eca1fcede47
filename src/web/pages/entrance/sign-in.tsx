import { Anchor, Button, Checkbox, Paper, PasswordInput, Stack, Text, TextInput, Title } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { FormEvent } from 'react';
import { Link, useNavigate, useSearchParams } from 'react-router';
import { ProblemAlert } from '../../kit/problem-alert.tsx';
import { useText } from '../../language/language.ts';
import { problemOf } from '../../server/problem.ts';
import { entrance } from '../../server/server.ts';

/** Only a path of ours: a link must not lead through here to somebody else's page. */
const pathWithin = (next: string | null): string => (next !== null && /^\/(?![/\\])/.test(next) ? next : '/');

const useArrive = () => {
  const navigate = useNavigate();
  const queries = useQueryClient();
  const [params] = useSearchParams();
  return async () => {
    await queries.resetQueries();
    await navigate(pathWithin(params.get('next')), { replace: true });
  };
};

const isWrong = (error: unknown): boolean => problemOf(error)?.code === 'validation_error';

const PasswordStep = ({ onNext }: { onNext: () => void }) => {
  const t = useText();
  const arrive = useArrive();
  const signIn = entrance.useChange('entrance.signIn');
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    signIn.mutate(
      { email: email.trim(), password },
      { onSuccess: ({ next }) => (next === 'second_factor' ? onNext() : void arrive()) },
    );
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <Title order={1} size="h2">
          {t('Anmelden', 'Sign in')}
        </Title>
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
          error={
            isWrong(signIn.error) ? t('E-Mail oder Passwort stimmt nicht.', 'Email or password is wrong.') : undefined
          }
          visibilityToggleButtonProps={{ 'aria-label': t('Passwort zeigen', 'Show password'), tabIndex: 0 }}
        />
        {!isWrong(signIn.error) && <ProblemAlert error={signIn.error} />}
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
  );
};

const SecondStep = ({ onBack }: { onBack: () => void }) => {
  const t = useText();
  const arrive = useArrive();
  const prove = entrance.useChange('entrance.proveSecondFactor');
  const [code, setCode] = useState('');
  const [trust, setTrust] = useState(false);
  const [backup, setBackup] = useState(false);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    prove.mutate(
      { code: code.trim(), kind: backup ? 'backup' : 'totp', trust_device: trust },
      { onSuccess: () => void arrive() },
    );
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <Title order={1} size="h2">
          {t('Zweiter Faktor', 'Second factor')}
        </Title>
        <TextInput
          label={
            backup
              ? t('Ersatzcode', 'Backup code')
              : t('Code aus Ihrer Authenticator-App', 'Code from your authenticator app')
          }
          name="code"
          autoComplete="one-time-code"
          inputMode={backup ? 'text' : 'numeric'}
          required
          data-autofocus
          value={code}
          onChange={(event) => setCode(event.currentTarget.value)}
          error={isWrong(prove.error) ? t('Der Code stimmt nicht.', 'The code is wrong.') : undefined}
        />
        <Checkbox
          label={t('Diesem Browser 30 Tage vertrauen', 'Trust this browser for 30 days')}
          checked={trust}
          onChange={(event) => setTrust(event.currentTarget.checked)}
        />
        {!isWrong(prove.error) && <ProblemAlert error={prove.error} />}
        <Button type="submit" size="md" loading={prove.isPending}>
          {t('Bestätigen', 'Confirm')}
        </Button>
        <Button variant="subtle" onClick={() => setBackup(!backup)}>
          {backup
            ? t('Code aus der App verwenden', 'Use a code from the app')
            : t('Ersatzcode verwenden', 'Use a backup code')}
        </Button>
        <Button variant="subtle" color="gray" onClick={onBack}>
          {t('Zurück', 'Back')}
        </Button>
      </Stack>
    </form>
  );
};

export default function SignInPage() {
  const t = useText();
  const [step, setStep] = useState<'password' | 'second'>('password');
  const title = t('Anmelden', 'Sign in');
  useEffect(() => {
    document.title = `${title} · Team Customer API`;
  }, [title]);
  return (
    <Paper withBorder p="xl" radius="lg">
      {step === 'password' ? (
        <PasswordStep onNext={() => setStep('second')} />
      ) : (
        <SecondStep onBack={() => setStep('password')} />
      )}
    </Paper>
  );
}
