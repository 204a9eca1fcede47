import { Anchor, Button, Text, TextInput } from '@mantine/core';
import { Link, useParams } from 'react-router';
import { NewPasswordField, useNewPasswordRule } from '../../kit/account-fields.tsx';
import { Form, useServerForm } from '../../kit/form.tsx';
import { ProblemAlert } from '../../kit/messages.tsx';
import { useText } from '../../language/language.tsx';
import { problemOf } from '../../server/problem.ts';
import { entrance } from '../../server/server.ts';
import { Card, CardLoading } from './card.tsx';

/** Asks for a link that sets a new password. The answer is the same for all addresses, so that it does not reveal who has an account. */
export const RequestResetPage = () => {
  const t = useText();
  const form = useServerForm({
    initial: { email: '' },
    send: ({ email }) => entrance.mutate('entrance.requestReset', { email: email.trim() }),
  });
  const email = form.values.email.trim();
  const toSignIn = (
    <Text size="sm">
      <Anchor component={Link} to="/sign-in">
        {t('Zur Anmeldung', 'To the sign-in')}
      </Anchor>
    </Text>
  );
  if (form.sending.isSuccess) {
    return (
      <Card
        title={t('E-Mail gesendet', 'Check your email')}
        lead={t(
          `Gibt es ein Konto mit der Adresse ${email}, ist jetzt eine Mail mit einem Link dorthin unterwegs.`,
          `If there is an account with the address ${email}, a mail with a link is on its way to it now.`,
        )}
      >
        <Text size="sm">
          {t(
            'Kommt nichts an? Sehen Sie im Spam-Ordner nach, und prüfen Sie, mit welcher Adresse Sie eingeladen wurden.',
            'Nothing there? Look into your spam folder, and check which address you were invited with.',
          )}
        </Text>
        <Button variant="default" onClick={() => form.sending.reset()}>
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
      <Form form={form} place="card" action={t('Link anfordern', 'Send me the link')} extra={toSignIn}>
        <TextInput
          label={t('E-Mail', 'Email')}
          type="email"
          name="email"
          autoComplete="username"
          required
          {...form.getInputProps('email')}
        />
      </Form>
    </Card>
  );
};

/** Sets a new password with a link from a mail. */
export const ResetPasswordPage = () => {
  const t = useText();
  const { token = '' } = useParams();
  const link = entrance.useQuery('entrance.resetState', { token });
  const { check } = useNewPasswordRule();
  const form = useServerForm({
    initial: { password: '' },
    check: ({ password }) => ({ password: check(password) }),
    send: ({ password }) => entrance.mutate('entrance.resetPassword', { token, password }),
    errorsAt: () => ({}),
    // The link is used now. Loaded again, it would be shown as expired.
    keepsPage: true,
  });

  if (form.sending.isSuccess) return <Changed />;
  if (link.error && !link.data) return <ProblemAlert error={link.error} retry={() => void link.refetch()} />;
  if (!link.data) return <CardLoading />;
  if (!link.data.valid || problemOf(form.sending.error)?.code === 'not_found') return <LinkExpired />;
  const email = link.data.email ?? '';
  return (
    <Card title={t('Neues Passwort festlegen', 'Set a new password')} lead={t(`Für ${email}.`, `For ${email}.`)}>
      <Form form={form} place="card" action={t('Passwort festlegen', 'Set the password')}>
        {/* Tells password managers whose password it is. */}
        <input type="email" name="email" autoComplete="username" value={email} readOnly hidden />
        <NewPasswordField {...form.getInputProps('password')} />
      </Form>
    </Card>
  );
};

const LinkExpired = () => {
  const t = useText();
  return (
    <Card
      title={t('Dieser Link gilt nicht mehr', 'This link no longer works')}
      lead={t(
        'Er wurde schon benutzt, ist abgelaufen, oder Ihr Passwort hat sich seitdem geändert.',
        'It was used already, it has expired, or your password has changed since.',
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
