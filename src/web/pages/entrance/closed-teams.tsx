import { Button, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Navigate, useNavigate, useSearchParams } from 'react-router';
import { ProblemAlert } from '../../kit/page/messages.tsx';
import { t } from '../../language/language.tsx';
import { entrance } from '../../server/server.ts';
import { CompanyButton, startFor } from '../../session/company-account.tsx';
import { SecondFactor } from '../account/second-factor.tsx';
import { Card, CardLoading, SignOutButton } from './card.tsx';
import { pathWithin } from './path-within.ts';

/** Shown to a signed-in person whose teams all demand another way to sign in. */
export default function ClosedTeamsPage() {
  const [params] = useSearchParams();
  const navigate = useNavigate();
  const { data, error, refetch } = useQuery(entrance.entrance.who.queryOptions({}));
  /** The page stays when a team can be opened again, because the person may have to save recovery codes. */
  const [wasClosed, setWasClosed] = useState(false);
  if (data?.me?.teams.length === 0 && !wasClosed) setWasClosed(true);

  const next = pathWithin(params.get('next'));
  if (!data) return error ? <ProblemAlert error={error} retry={() => void refetch()} /> : <CardLoading />;
  const { me } = data;
  if (!me) return <Navigate to={`/sign-in?${params.toString()}`} replace />;
  if (me.teams.length > 0) {
    if (!wasClosed) return <Navigate to={next} replace />;
    return (
      <Card title={t('Sie sind angemeldet', 'You are signed in')}>
        <SecondFactor />
        <Button variant="filled" size="md" onClick={() => void navigate(next, { replace: true })}>
          {t('Weiter zur App', 'Continue to the app')}
        </Button>
      </Card>
    );
  }
  const needsSecondFactor = me.closed_teams.some(({ demand }) => demand === 'second_factor');
  const title = needsSecondFactor
    ? t('Ihr Team verlangt die Zwei-Faktor-Authentifizierung', 'Your team requires two-factor authentication')
    : t('Ihr Team verlangt das Firmenkonto', 'Your team requires the company account');
  return (
    <Card title={title} lead={t(`Sie sind als ${me.email} angemeldet.`, `You are signed in as ${me.email}.`)}>
      {me.closed_teams.map(({ tenant_id: id, name, demand }) =>
        demand === 'company' ? (
          <Stack key={id} gap="xs">
            <Text size="sm">
              {t(
                `„${name}“ lässt nur die Anmeldung mit dem Firmenkonto zu.`,
                `“${name}” only accepts the company account.`,
              )}
            </Text>
            <CompanyButton size="md" start={() => startFor(me.email, id, next)} />
          </Stack>
        ) : (
          <Text key={id} size="sm">
            {t(
              `„${name}“ verlangt die Zwei-Faktor-Authentifizierung oder einen Passkey.`,
              `“${name}” requires two-factor authentication or a passkey.`,
            )}{' '}
            {me.two_factor &&
              t('Melden Sie sich ab und mit einem Code erneut an.', 'Sign out, and sign in again with a code.')}
          </Text>
        ),
      )}
      {needsSecondFactor && !me.two_factor && <SecondFactor />}
      <SignOutButton />
    </Card>
  );
}
