import { PasswordInput, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import type { FormEvent, ReactNode } from 'react';
import { DialogButtons } from '../../kit/dialog-buttons.tsx';
import { ProblemAlert } from '../../kit/problem-alert.tsx';
import { useText } from '../../language/language.ts';
import { problemOf } from '../../server/problem.ts';

interface PasswordProofProps {
  /** What follows once the password is right. */
  consequences: ReactNode;
  /** The word on the button: what is done. */
  action: string;
  harmful?: boolean;
  error: unknown;
  running: boolean;
  act: (password: string) => void;
  onCancel: () => void;
}

/** Asks who sits here for their password before something about their sign-in changes. */
export const PasswordProof = ({
  consequences,
  action,
  harmful = false,
  error,
  running,
  act,
  onCancel,
}: PasswordProofProps) => {
  const t = useText();
  const [password, setPassword] = useState('');
  const isWrong = problemOf(error)?.field === 'password';
  const submit = (event: FormEvent) => {
    event.preventDefault();
    act(password);
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <Text size="sm">{consequences}</Text>
        <PasswordInput
          label={t('Ihr Passwort', 'Your password')}
          name="password"
          autoComplete="current-password"
          required
          data-autofocus
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
          error={isWrong ? t('Das Passwort stimmt nicht.', 'The password is wrong.') : undefined}
          errorProps={{ role: 'alert' }}
          visibilityToggleButtonProps={{ 'aria-label': t('Passwort zeigen', 'Show password'), tabIndex: 0 }}
        />
        {!isWrong && <ProblemAlert error={error} />}
        <DialogButtons action={action} running={running} onCancel={onCancel} harmful={harmful} />
      </Stack>
    </form>
  );
};
