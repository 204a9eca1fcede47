import { Anchor, Button, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { FormEvent } from 'react';
import { Link } from 'react-router';
import { ProblemAlert } from '../../kit/messages.tsx';
import { useText } from '../../language/language.tsx';
import { entrance } from '../../server/server.ts';
import { Card } from './card.tsx';

/** Asks for a link that sets a new password. What is said afterwards is the same for everybody. */
export default function AskForResetPage() {
  const t = useText();
  const ask = entrance.useChange('entrance.requestReset');
  const [email, setEmail] = useState('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    ask.mutate({ email: email.trim() });
  };
  const toSignIn = (
    <Text size="sm">
      <Anchor component={Link} to="/sign-in">
        {t('Zur Anmeldung', 'To the sign-in')}
      </Anchor>
    </Text>
  );
  if (ask.isSuccess) {
    return (
      <Card
        title={t('Sehen Sie in Ihr Postfach', 'Look into your mail')}
        lead={t(
          `Gibt es ein Konto mit der Adresse ${email.trim()}, ist jetzt eine Mail mit einem Link dorthin unterwegs.`,
          `If there is an account with the address ${email.trim()}, a mail with a link is on its way to it now.`,
        )}
      >
        <Text size="sm">
          {t(
            'Kommt nichts an? Sehen Sie im Spam-Ordner nach, und prüfen Sie, mit welcher Adresse Sie eingeladen wurden.',
            'Nothing there? Look into your spam folder, and check which address you were invited with.',
          )}
        </Text>
        <Button variant="default" onClick={() => ask.reset()}>
          {t('Andere Adresse verwenden', 'Use another address')}
        </Button>
        {toSignIn}
      </Card>
    );
  }
  return (
    <Card
      title={t('Passwort vergessen', 'Forgotten password')}
      lead={t(
        'Wir schicken Ihnen einen Link, mit dem Sie ein neues festlegen.',
        'We send you a link with which you set a new one.',
      )}
    >
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
          <ProblemAlert error={ask.error} />
          <Button type="submit" size="md" loading={ask.isPending}>
            {t('Link anfordern', 'Send me the link')}
          </Button>
          {toSignIn}
        </Stack>
      </form>
    </Card>
  );
}
