import { Alert, Anchor, Button, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { FormEvent } from 'react';
import { Link } from 'react-router';
import { ProblemAlert } from '../../kit/messages.tsx';
import { useText } from '../../language/language.tsx';
import { problemOf } from '../../server/problem.ts';
import { entrance } from '../../server/server.ts';
import { Card } from './card.tsx';

interface PasswordStepProps {
  /** The second step took too long, or was wrong too often. */
  again: boolean;
  /** The second factor is still owed. */
  onNext: () => void;
}

export const PasswordStep = ({ again, onNext }: PasswordStepProps) => {
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
