import { Button, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from 'react-router';
import { NewPasswordField, PersonNameField, nameMessage, useNewPasswordRule } from '../../kit/form/account-fields.tsx';
import { Form, useServerForm } from '../../kit/form/form.tsx';
import { DayOf } from '../../kit/text/formats.tsx';
import { notifyProblem, ProblemAlert } from '../../kit/page/messages.tsx';
import { currentLanguage, t } from '../../language/language.tsx';
import { client, entrance } from '../../server/server.ts';
import { setCurrentTeam } from '../../session/current-team.ts';
import { signInFor } from '../../session/sign-in-address.ts';
import { Card, CardLoading, SignOutButton } from './card.tsx';

const Expired = () => (
  <Card
    title={t('Diese Einladung ist nicht mehr gültig', 'This invitation is no longer valid')}
    lead={t(
      'Sie wurde bereits angenommen, zurückgezogen oder durch eine neuere ersetzt oder ist abgelaufen.',
      'It was already accepted, withdrawn or replaced by a newer one, or it has expired.',
    )}
  >
    <Text size="sm">{t('Bitten Sie um eine neue Einladung.', 'Ask for a new invitation.')}</Text>
    <Button component={Link} to="/" size="md">
      {t('Zur App', 'To the app')}
    </Button>
  </Card>
);

const SignOutFirst = ({ me, email }: { me: string; email: string }) => (
  <>
    <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
      {t(
        `Die Einladung gilt für ${email}, Sie sind jedoch als ${me} angemeldet. Melden Sie sich ab, um die Einladung anzunehmen.`,
        `The invitation is for ${email}, but you are signed in as ${me}. Sign out to accept it.`,
      )}
    </Text>
    <SignOutButton variant="filled" />
  </>
);

/** Accepts an invitation. New people choose a name and a password; people with an account sign in with it. */
export default function InvitationPage() {
  const language = currentLanguage();
  const { token = '' } = useParams();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const invitation = useQuery(entrance.entrance.invitation.queryOptions({ token }));
  const who = useQuery(entrance.entrance.who.queryOptions({}));

  const arrive = async (tenantId: string, isNew: boolean) => {
    // A new person keeps the language of this page. If this fails, they are in the team nevertheless.
    if (isNew) await client.entrance.account.changeMe.mutate({ language }).catch(notifyProblem);
    setCurrentTeam(tenantId);
    queries.clear();
    await navigate('/', { replace: true });
  };

  if (!invitation.data || !who.data) {
    const { error, refetch } = invitation.data ? who : invitation;
    return error ? <ProblemAlert error={error} retry={() => void refetch()} /> : <CardLoading />;
  }
  const { valid, known, is_you, expires_at } = invitation.data;
  const [team, email] = [invitation.data.team_name ?? '', invitation.data.email ?? ''];
  const { me } = who.data;
  if (!valid) return <Expired />;
  return (
    <Card
      title={t(`Einladung in das Team „${team}“`, `Join the team “${team}”`)}
      lead={
        <>
          {t(`Für ${email}, gültig bis `, `For ${email}, valid until `)}
          {expires_at !== null && <DayOf at={expires_at} />}.
        </>
      }
    >
      {me && !is_you && <SignOutFirst me={me.email} email={email} />}
      {me && is_you && <AcceptAsKnown token={token} onDone={(tenantId) => void arrive(tenantId, false)} />}
      {!me && known && (
        <>
          <Text size="sm">
            {t(
              'Sie haben bereits ein Konto. Melden Sie sich an, um die Einladung anzunehmen.',
              'You already have an account. Sign in to accept the invitation.',
            )}
          </Text>
          <Button variant="filled" component={Link} size="md" to={signInFor({ pathname: `/invitations/${token}` })}>
            {t('Anmelden', 'Sign in')}
          </Button>
        </>
      )}
      {!me && !known && <AcceptAsNew token={token} email={email} onDone={(tenantId) => void arrive(tenantId, true)} />}
    </Card>
  );
}

interface AcceptanceProps {
  token: string;
  /** Called once the person is in the team. */
  onDone: (tenantId: string) => void;
}

const AcceptAsKnown = ({ token, onDone }: AcceptanceProps) => {
  // Does not load the page's data again, because the invitation is used now, and would be shown as no longer valid.
  const accept = useMutation({
    mutationFn: () => client.entrance.entrance.acceptInvitation.mutate({ token }),
    onSuccess: ({ tenant_id }) => onDone(tenant_id),
  });
  return (
    <>
      <Text size="sm">{t('Sie sind mit dieser Adresse angemeldet.', 'You are signed in with this address.')}</Text>
      <ProblemAlert error={accept.error} />
      <Button variant="filled" size="md" loading={accept.isPending || accept.isSuccess} onClick={() => accept.mutate()}>
        {t('Einladung annehmen', 'Accept invitation')}
      </Button>
    </>
  );
};

const AcceptAsNew = ({ token, email, onDone }: AcceptanceProps & { email: string }) => {
  const { check } = useNewPasswordRule();
  const form = useServerForm({
    initial: { name: '', password: '' },
    check: ({ name, password }) => ({
      name: name.trim() === '' && t('Bitte geben Sie Ihren Namen ein.', 'Please enter your name.'),
      password: check(password),
    }),
    send: ({ name, password }) =>
      client.entrance.entrance.acceptInvitation.mutate({ token, name: name.trim(), password }),
    onSent: ({ tenant_id }) => onDone(tenant_id),
    errorsAt: ({ name }) => ({ name: name && nameMessage() }),
    keepsPage: true,
  });
  return (
    <Form form={form} place="card" action={t('Einladung annehmen', 'Accept invitation')} busy={form.sending.isSuccess}>
      <PersonNameField
        label={t('Ihr Name', 'Your name')}
        description={t('Für andere im Team sichtbar.', 'Visible to others in the team.')}
        {...form.getInputProps('name')}
      />
      {/* With this field, password managers store the right user name. */}
      <input type="email" name="email" autoComplete="username" value={email} readOnly hidden />
      <NewPasswordField label={t('Passwort', 'Password')} {...form.getInputProps('password')} />
    </Form>
  );
};
