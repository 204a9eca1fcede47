import { Button, Stack } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { FormEvent } from 'react';
import { Link, useParams } from 'react-router';
import { NewPasswordInput, usePasswordRule } from '../../kit/account-fields.tsx';
import { ProblemAlert } from '../../kit/messages.tsx';
import { useText } from '../../language/language.tsx';
import { problemOf } from '../../server/problem.ts';
import { entrance } from '../../server/server.ts';
import { Card, CardLoading } from './card.tsx';

const Over = () => {
  const t = useText();
  return (
    <Card
      title={t('Dieser Link gilt nicht mehr', 'This link no longer works')}
      lead={t(
        'Er wurde schon benutzt, ist abgelaufen, oder Ihr Passwort hat sich seitdem geändert.',
        'It was used already, it ran out, or your password has changed since.',
      )}
    >
      <Button component={Link} to="/reset-password" size="md">
        {t('Neuen Link anfordern', 'Ask for a new link')}
      </Button>
      <Button component={Link} to="/sign-in" variant="default">
        {t('Zur Anmeldung', 'To the sign-in')}
      </Button>
    </Card>
  );
};

const Changed = () => {
  const t = useText();
  return (
    <Card
      title={t('Ihr Passwort ist geändert', 'Your password is changed')}
      lead={t(
        'Sie sind jetzt überall abgemeldet. Melden Sie sich mit dem neuen Passwort an.',
        'You are signed out everywhere now. Sign in with the new password.',
      )}
    >
      <Button component={Link} to="/sign-in" size="md">
        {t('Zur Anmeldung', 'To the sign-in')}
      </Button>
    </Card>
  );
};

/** Sets a new password with a link that was mailed. */
export default function ResetPasswordPage() {
  const t = useText();
  const { token = '' } = useParams();
  const link = entrance.useAnswer('entrance.resetState', { token });
  const { fits } = usePasswordRule();
  const [password, setPassword] = useState('');
  const [tried, setTried] = useState(false);
  // Whether the link still works is not asked anew once it was used: it would say no.
  const change = useMutation({
    mutationFn: () => entrance.do('entrance.resetPassword', { token, password }),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (fits(password)) change.mutate();
  };

  if (change.isSuccess) return <Changed />;
  if (link.error && !link.data) return <ProblemAlert error={link.error} retry={() => void link.refetch()} />;
  if (!link.data) return <CardLoading />;
  if (!link.data.valid || problemOf(change.error)?.code === 'not_found') return <Over />;
  const email = link.data.email ?? '';
  return (
    <Card title={t('Neues Passwort festlegen', 'Set a new password')} lead={t(`Für ${email}.`, `For ${email}.`)}>
      <form onSubmit={submit}>
        <Stack>
          {/* For password managers: whose password it is. */}
          <input type="email" name="email" autoComplete="username" value={email} readOnly hidden />
          <NewPasswordInput value={password} onChange={setPassword} tried={tried} />
          <ProblemAlert error={change.error} />
          <Button type="submit" size="md" loading={change.isPending}>
            {t('Passwort festlegen', 'Set the password')}
          </Button>
        </Stack>
      </form>
    </Card>
  );
}
