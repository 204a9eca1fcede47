import { Button, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from 'react-router';
import { TextLink } from '../../kit/text/text.tsx';
import { EmailField, NewPasswordField, useNewPasswordRule } from '../../kit/form/account-fields.tsx';
import { Form, useServerForm } from '../../kit/form/form.tsx';
import { notify, ProblemAlert } from '../../kit/page/messages.tsx';
import { t } from '../../language/language.tsx';
import { problemOf } from '../../server/problem.ts';
import { client, entrance } from '../../server/server.ts';
import type { SignInState } from '../../session/signed-in.tsx';
import { Card, CardLoading } from './card.tsx';

/**
 * Asks for a link that sets a new password. The answer is the same for all addresses, so that it does not reveal who
 * has an account.
 */
export const RequestResetPage = () => {
  const form = useServerForm({
    initial: { email: '' },
    send: ({ email }) => client.entrance.entrance.requestReset.mutate({ email: email.trim() }),
  });
  const email = form.values.email.trim();
  const toSignIn = (
    <Text size="sm" ta="center">
      <TextLink to="/sign-in">{t('Zur Anmeldung', 'Back to sign-in')}</TextLink>
    </Text>
  );
  if (form.sending.isSuccess) {
    return (
      <Card
        title={t('E-Mail gesendet', 'Check your email')}
        lead={t(
          `Wenn ein Konto mit der Adresse ${email} existiert, erhalten Sie in Kürze eine E-Mail mit einem Link.`,
          `If an account with the address ${email} exists, you will receive an email with a link shortly.`,
        )}
      >
        <Text size="sm">
          {t(
            'Keine E-Mail erhalten? Prüfen Sie Ihren Spam-Ordner und die Adresse, mit der Sie eingeladen wurden.',
            'Didn’t get an email? Check your spam folder and the address you were invited with.',
          )}
        </Text>
        <Button size="md" onClick={() => form.sending.reset()}>
          {t('Andere Adresse verwenden', 'Use another address')}
        </Button>
        {toSignIn}
      </Card>
    );
  }
  return (
    <Card
      title={t('Passwort zurücksetzen', 'Reset your password')}
      lead={t(
        'Sie erhalten per E-Mail einen Link, um ein neues Passwort festzulegen.',
        'We’ll email you a link to set a new password.',
      )}
    >
      <Form form={form} place="card" action={t('Link anfordern', 'Send link')} extra={toSignIn}>
        <EmailField {...form.getInputProps('email')} />
      </Form>
    </Card>
  );
};

/** Sets a new password with a link from a mail. */
export const ResetPasswordPage = () => {
  const { token = '' } = useParams();
  const link = useQuery(entrance.entrance.resetState.queryOptions({ token }));
  const { check } = useNewPasswordRule();
  const navigate = useNavigate();
  const form = useServerForm({
    initial: { password: '' },
    check: ({ password }) => ({ password: check(password) }),
    // Sets the password and then signs in, which asks for a second factor as usual. If only the sign-in fails, the
    // password is changed nevertheless.
    send: async ({ password }) => {
      await client.entrance.entrance.resetPassword.mutate({ token, password });
      const signIn = client.entrance.entrance.signIn.mutate({ email: link.data?.email ?? '', password });
      return signIn.catch((refusal: unknown) => ({ next: 'failed' as const, refusal }));
    },
    onSent: ({ next }) => {
      if (next === 'failed') return;
      notify(
        t('Passwort geändert. Andere Geräte wurden abgemeldet.', 'Password changed. Other devices are signed out.'),
      );
      const state: SignInState = { needsSecondStep: next === 'second_factor' };
      void navigate('/sign-in', { replace: true, state });
    },
    errorsAt: () => ({}),
    // The link has been used. It must not be loaded again, because it would be shown as expired.
    keepsPage: true,
  });

  const { data: sent } = form.sending;
  if (sent) return sent.next === 'failed' ? <Changed refusal={sent.refusal} /> : <CardLoading />;
  if (link.error && !link.data) return <ProblemAlert error={link.error} retry={() => void link.refetch()} />;
  if (!link.data) return <CardLoading />;
  if (!link.data.valid || problemOf(form.sending.error)?.code === 'not_found') return <LinkExpired />;
  const email = link.data.email ?? '';
  return (
    <Card title={t('Neues Passwort festlegen', 'Set a new password')} lead={t(`Für ${email}.`, `For ${email}.`)}>
      <Form form={form} place="card" action={t('Passwort festlegen', 'Set password')}>
        {/* With this field, password managers store the right user name. */}
        <input type="email" name="email" autoComplete="username" value={email} readOnly hidden />
        <NewPasswordField {...form.getInputProps('password')} />
      </Form>
    </Card>
  );
};

const LinkExpired = () => (
  <Card
    title={t('Dieser Link ist nicht mehr gültig', 'This link is no longer valid')}
    lead={t(
      'Er wurde bereits verwendet, ist abgelaufen oder Ihr Passwort wurde inzwischen geändert.',
      'It was already used, has expired, or your password has changed in the meantime.',
    )}
  >
    <Button variant="filled" component={Link} to="/reset-password" size="md">
      {t('Neuen Link anfordern', 'Request a new link')}
    </Button>
    <Button component={Link} to="/sign-in" size="md">
      {t('Zur Anmeldung', 'Back to sign-in')}
    </Button>
  </Card>
);

/** The password is changed, but the person is not signed in. */
const Changed = ({ refusal }: { refusal: unknown }) => (
  <Card
    title={t('Passwort geändert', 'Password changed')}
    lead={t(
      'Sie wurden auf allen Geräten abgemeldet. Melden Sie sich mit dem neuen Passwort an.',
      'You have been signed out on all devices. Sign in with your new password.',
    )}
  >
    <ProblemAlert error={refusal} />
    <Button variant="filled" component={Link} to="/sign-in" size="md">
      {t('Zur Anmeldung', 'Back to sign-in')}
    </Button>
  </Card>
);
