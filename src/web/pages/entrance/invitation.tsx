import { Button, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { FormEvent } from 'react';
import { Link, useNavigate, useParams } from 'react-router';
import { NewPasswordInput, useNameFlaw, usePasswordRule } from '../../kit/account-fields.tsx';
import { Day } from '../../kit/formats.tsx';
import { ProblemAlert } from '../../kit/messages.tsx';
import { useLanguage, useText } from '../../language/language.tsx';
import { entrance } from '../../server/server.ts';
import { lookAt } from '../../session/current-team.ts';
import { Card, CardLoading } from './card.tsx';

const Over = () => {
  const t = useText();
  return (
    <Card
      title={t('Diese Einladung gilt nicht mehr', 'This invitation is no longer valid')}
      lead={t(
        'Sie wurde schon angenommen, zurückgezogen, durch eine neuere ersetzt, oder sie ist abgelaufen.',
        'It was accepted already, withdrawn, replaced by a newer one, or it ran out.',
      )}
    >
      <Text size="sm">
        {t(
          'Bitten Sie die Person, die Sie eingeladen hat, um eine neue.',
          'Ask the person who invited you for a new one.',
        )}
      </Text>
      <Button component={Link} to="/" variant="default">
        {t('Zur App', 'To the app')}
      </Button>
    </Card>
  );
};

const SignOutFirst = ({ me, email }: { me: string; email: string }) => {
  const t = useText();
  const signOut = entrance.useChange('entrance.signOut');
  return (
    <>
      <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
        {t(
          `Die Einladung ist für ${email}, angemeldet sind Sie als ${me}. Melden Sie sich ab, um sie anzunehmen.`,
          `The invitation is for ${email}, and you are signed in as ${me}. Sign out to accept it.`,
        )}
      </Text>
      <ProblemAlert error={signOut.error} />
      <Button size="md" loading={signOut.isPending} onClick={() => signOut.mutate({})}>
        {t('Abmelden', 'Sign out')}
      </Button>
    </>
  );
};

/** Accepts an invitation: who is new chooses name and password, who is known signs in as the one who was invited. */
export default function InvitationPage() {
  const t = useText();
  const { language } = useLanguage();
  const { token = '' } = useParams();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const invitation = entrance.useAnswer('entrance.invitation', { token });
  const who = entrance.useAnswer('entrance.who', {});

  const arrive = async (tenantId: string, isNew: boolean) => {
    // Who is new reads the language that they have just been reading.
    // If that fails they are in all the same, and can choose it there.
    if (isNew) await entrance.do('account.changeMe', { language }).catch(() => undefined);
    lookAt(tenantId);
    queries.clear();
    await navigate('/', { replace: true });
  };

  const error = invitation.error ?? who.error;
  if (error && !(invitation.data && who.data)) {
    return (
      <ProblemAlert
        error={error}
        retry={() => {
          void invitation.refetch();
          void who.refetch();
        }}
      />
    );
  }
  if (!invitation.data || !who.data) return <CardLoading />;
  const { valid, known, is_you, expires_at } = invitation.data;
  const [team, email] = [invitation.data.team_name ?? '', invitation.data.email ?? ''];
  const { me } = who.data;
  if (!valid) return <Over />;
  return (
    <Card
      title={t(`Einladung in das Team „${team}“`, `Invitation to the team “${team}”`)}
      lead={
        <>
          {t(`Für ${email}, gültig bis `, `For ${email}, valid until `)}
          <Day on={expires_at ?? ''} />.
        </>
      }
    >
      {me && !is_you && <SignOutFirst me={me.email} email={email} />}
      {me && is_you && <AcceptAsKnown token={token} onDone={(tenantId) => void arrive(tenantId, false)} />}
      {!me && known && (
        <>
          <Text size="sm">
            {t(
              'Sie haben schon ein Konto. Melden Sie sich damit an, danach nehmen Sie die Einladung hier an.',
              'You have an account already. Sign in with it, then accept the invitation here.',
            )}
          </Text>
          <Button component={Link} size="md" to={`/sign-in?next=${encodeURIComponent(`/invitations/${token}`)}`}>
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
  /** They are in this team now. */
  onDone: (tenantId: string) => void;
}

// What is on show is not asked for anew here: the invitation would say that it is used.
const useAcceptance = ({ onDone }: Pick<AcceptanceProps, 'onDone'>) =>
  useMutation({
    mutationFn: (acceptance: { token: string; name?: string; password?: string }) =>
      entrance.do('entrance.acceptInvitation', acceptance),
    onSuccess: ({ tenant_id }) => onDone(tenant_id),
  });

const AcceptAsKnown = ({ token, onDone }: AcceptanceProps) => {
  const t = useText();
  const accept = useAcceptance({ onDone });
  return (
    <>
      <Text size="sm">{t('Sie sind mit dieser Adresse angemeldet.', 'You are signed in with this address.')}</Text>
      <ProblemAlert error={accept.error} />
      <Button size="md" loading={accept.isPending || accept.isSuccess} onClick={() => accept.mutate({ token })}>
        {t('Einladung annehmen', 'Accept the invitation')}
      </Button>
    </>
  );
};

const AcceptAsNew = ({ token, email, onDone }: AcceptanceProps & { email: string }) => {
  const t = useText();
  const accept = useAcceptance({ onDone });
  const nameFlaw = useNameFlaw()(accept.error);
  const { fits } = usePasswordRule();
  const { data: rules } = entrance.useAnswer('entrance.rules', {});
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const [tried, setTried] = useState(false);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (name.trim() !== '' && fits(password)) accept.mutate({ token, name: name.trim(), password });
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <TextInput
          label={t('Ihr Name', 'Your name')}
          description={t('So sehen andere im Team Sie.', 'How others in the team see you.')}
          name="name"
          autoComplete="name"
          required
          {...(rules && { maxLength: rules.name_characters })}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          error={tried && name.trim() === '' ? t('Bitte nennen Sie Ihren Namen.', 'Please give your name.') : nameFlaw}
        />
        {/* For password managers: whose password it is. */}
        <input type="email" name="email" autoComplete="username" value={email} readOnly hidden />
        <NewPasswordInput label={t('Passwort', 'Password')} value={password} onChange={setPassword} tried={tried} />
        {nameFlaw === undefined && <ProblemAlert error={accept.error} />}
        <Button type="submit" size="md" loading={accept.isPending || accept.isSuccess}>
          {t('Einladung annehmen', 'Accept the invitation')}
        </Button>
      </Stack>
    </form>
  );
};
