import { Button, Group, PasswordInput, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import type { FormEvent } from 'react';
import { NewPasswordInput, usePasswordRule } from '../../kit/new-password-input.tsx';
import { tell } from '../../kit/notify.ts';
import { Panel } from '../../kit/panel.tsx';
import { ProblemAlert } from '../../kit/problem-alert.tsx';
import { useText } from '../../language/language.ts';
import { problemOf } from '../../server/problem.ts';
import { entrance } from '../../server/server.ts';
import { useHere } from '../../session/me.ts';

/** A new password; every other session ends. */
export const PasswordChange = () => {
  const t = useText();
  const { me } = useHere();
  const { fits } = usePasswordRule();
  const change = entrance.useChange('account.changePassword');
  const [current, setCurrent] = useState('');
  const [password, setPassword] = useState('');
  const [tried, setTried] = useState(false);
  const isWrong = problemOf(change.error)?.field === 'password';
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (!fits(password)) return;
    change.mutate(
      { current, password },
      {
        onSuccess: () => {
          setCurrent('');
          setPassword('');
          setTried(false);
          tell(
            t(
              'Ihr Passwort ist geändert. Überall sonst sind Sie abgemeldet.',
              'Your password is changed. You are signed out everywhere else.',
            ),
          );
        },
      },
    );
  };
  return (
    <Panel title={t('Passwort', 'Password')}>
      <form onSubmit={submit}>
        <Stack maw={480}>
          <Text size="sm" c="dimmed">
            {t(
              'Ein neues Passwort meldet Sie in allen anderen Browsern ab.',
              'A new password signs you out in every other browser.',
            )}
          </Text>
          <input type="email" name="email" autoComplete="username" value={me.email} readOnly hidden />
          <PasswordInput
            label={t('Jetziges Passwort', 'Current password')}
            name="current-password"
            autoComplete="current-password"
            required
            value={current}
            onChange={(event) => setCurrent(event.currentTarget.value)}
            error={isWrong ? t('Das Passwort stimmt nicht.', 'The password is wrong.') : undefined}
            errorProps={{ role: 'alert' }}
            visibilityToggleButtonProps={{ 'aria-label': t('Passwort zeigen', 'Show password'), tabIndex: 0 }}
          />
          <NewPasswordInput value={password} onChange={setPassword} tried={tried} />
          {!isWrong && <ProblemAlert error={change.error} />}
          <Group>
            <Button type="submit" loading={change.isPending}>
              {t('Passwort ändern', 'Change the password')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Panel>
  );
};
