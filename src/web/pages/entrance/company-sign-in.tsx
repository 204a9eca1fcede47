import { Button, Radio, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { Link, useLocation, useNavigate, useParams, useSearchParams } from 'react-router';
import { TextLink } from '../../kit/text/text.tsx';
import { EmailField } from '../../kit/form/account-fields.tsx';
import { Form, useServerForm } from '../../kit/form/form.tsx';
import { ProblemAlert } from '../../kit/page/messages.tsx';
import { t } from '../../language/language.tsx';
import { problemOf } from '../../server/problem.ts';
import { client, type EntranceOutputs } from '../../server/server.ts';
import { roleName } from '../../kit/names/member-words.ts';
import { leaveFor } from '../../session/company-account.tsx';
import { forgetCompanyTest, isCompanyTest } from '../../session/company-test-mark.ts';
import { setCurrentTeam } from '../../session/current-team.ts';
import { Card, CardLoading } from './card.tsx';
import { pathWithin } from './path-within.ts';

type Teams = EntranceOutputs['entrance']['startCompanySignIn']['teams'];

/** Asks for the address, by which the company's provider is found, and leads to the provider. */
export function CompanySignInPage() {
  const [params] = useSearchParams();
  const [teams, setTeams] = useState<Teams>([]);
  const form = useServerForm({
    initial: { email: '', team: '' },
    keepsPage: true,
    send: async ({ email, team }) => {
      const next = pathWithin(params.get('next'));
      const wanted = { email: email.trim(), next, ...(team !== '' && { tenant_id: team }) };
      const { redirect_to: url, teams: found } = await client.entrance.entrance.startCompanySignIn.mutate(wanted);
      return url === null ? found : leaveFor(url);
    },
    onSent: setTeams,
    onChange: ({ email }, previous) => {
      if (email !== previous.email) setTeams([]);
    },
  });
  return (
    <Card
      title={t('Mit dem Firmenkonto anmelden', 'Sign in with your company account')}
      lead={t(
        'Wir leiten Sie zur Anmeldung Ihres Unternehmens weiter.',
        'We will redirect you to your company’s sign-in page.',
      )}
    >
      <Form
        form={form}
        place="card"
        action={t('Weiter', 'Continue')}
        extra={
          <Text size="sm" ta="center">
            <TextLink to={`/sign-in?${params.toString()}`}>
              {t('Mit Passwort oder Passkey anmelden', 'Sign in with a password or passkey')}
            </TextLink>
          </Text>
        }
      >
        <EmailField
          label={t('Geschäftliche E-Mail-Adresse', 'Work email')}
          autoComplete="email"
          {...form.getInputProps('email')}
        />
        {teams.length > 0 && (
          <Radio.Group label={t('Team auswählen', 'Select a team')} required {...form.field('team')}>
            <Stack gap="xs" mt="xs">
              {teams.map(({ tenant_id: id, name }) => (
                <Radio key={id} value={id} label={name} />
              ))}
            </Stack>
          </Radio.Group>
        )}
      </Form>
    </Card>
  );
}

/** The provider sends the browser here. Each team has its own address. */
export function CompanyReturnPage() {
  const { team: returnedTo = '' } = useParams();
  const { search } = useLocation();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const wasSent = useRef(false);
  // The mark is removed only in the effect: React may render twice at first, and both renders must read the mark.
  const [isTest] = useState(isCompanyTest);
  const finish = useMutation({
    mutationFn: () =>
      client.entrance.entrance.finishCompanySignIn.mutate({ tenant_id: returnedTo, query: search.slice(1) }),
    onSuccess: async ({ next, tenant_id: team, test }) => {
      if (test) return;
      setCurrentTeam(team);
      queries.clear();
      await navigate(pathWithin(next), { replace: true });
    },
  });
  useEffect(() => {
    // The provider's answer can be used only once.
    if (wasSent.current) return;
    wasSent.current = true;
    forgetCompanyTest();
    finish.mutate();
  }, []);
  const toSettings = (
    <Button variant="filled" component={Link} to="/settings/company-account" replace size="md">
      {t('Zurück zu den Einstellungen', 'Back to the settings')}
    </Button>
  );
  if (finish.data?.test) return <TestSucceeded test={finish.data.test}>{toSettings}</TestSucceeded>;
  if (finish.error === null) return <CardLoading />;
  const reason = problemOf(finish.error)?.detail;
  return (
    <Card title={isTest ? t('Test fehlgeschlagen', 'Test failed') : t('Anmeldung fehlgeschlagen', 'Sign-in failed')}>
      {reason === undefined ? (
        <ProblemAlert error={finish.error} />
      ) : (
        <Text role="alert" c="var(--bad)">
          {reason}
        </Text>
      )}
      {isTest ? (
        toSettings
      ) : (
        <>
          <Button variant="filled" component={Link} to="/sign-in/company" replace size="md">
            {t('Erneut versuchen', 'Try again')}
          </Button>
          <Text size="sm" ta="center">
            <TextLink to="/sign-in" replace>
              {t('Zur Anmeldung', 'Back to sign-in')}
            </TextLink>
          </Text>
        </>
      )}
    </Card>
  );
}

type Test = NonNullable<EntranceOutputs['entrance']['finishCompanySignIn']['test']>;

/** The person who would have been signed in. The test has changed nothing. */
const TestSucceeded = ({ test: { name, email, role, joins }, children }: { test: Test; children: ReactNode }) => {
  const who = name === null ? email : `${name} (${email})`;
  return (
    <Card title={t('Die Anmeldung funktioniert', 'Signing in works')}>
      <Text>
        {joins
          ? t(
              `Sie wären ${who} und würden dem Team beitreten: als ${roleName(role)}.`,
              `You would be ${who} and join the team as: ${roleName(role)}.`,
            )
          : t(
              `Sie wären ${who}, im Team als ${roleName(role)}.`,
              `You would be ${who}, in the team as: ${roleName(role)}.`,
            )}
      </Text>
      <Text size="sm" c="dimmed">
        {t(
          'Das war ein Test. Niemand wurde angemeldet oder Mitglied.',
          'This was a test. Nobody was signed in or joined.',
        )}
      </Text>
      {children}
    </Card>
  );
};
