import { Button, Group, PasswordInput, SegmentedControl, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { FormEvent } from 'react';
import { useNavigate } from 'react-router';
import { DataTable } from '../../kit/data-table.tsx';
import { useNameFlaw } from '../../kit/name-flaw.ts';
import { NewPasswordInput, usePasswordRule } from '../../kit/new-password-input.tsx';
import { tell } from '../../kit/notify.ts';
import { Page } from '../../kit/page.tsx';
import { Panel } from '../../kit/panel.tsx';
import { ProblemAlert } from '../../kit/problem-alert.tsx';
import { useRoleName } from '../../kit/roles.ts';
import { Status } from '../../kit/status.tsx';
import { useLanguage, useText } from '../../language/language.ts';
import type { Language } from '../../language/language.ts';
import { problemOf } from '../../server/problem.ts';
import { entrance } from '../../server/server.ts';
import { useHere } from '../../session/me.ts';
import { SecondFactor } from './second-factor.tsx';
import { OwnSessions } from './sign-ins.tsx';

/** What is somebody's own, whatever team they look at. */
export default function AccountPage() {
  const t = useText();
  return (
    <Page
      title={t('Konto und Sicherheit', 'Account and security')}
      lead={t(
        'Ihr Name, Ihre Anmeldung und Ihre Teams. Was Sie hier ändern, gilt in allen Teams.',
        'Your name, how you sign in, and your teams. What you change here holds in every team.',
      )}
    >
      <Stack gap="lg" maw={860}>
        <Profile />
        <PasswordChange />
        <SecondFactor />
        <OwnSessions />
        <OwnTeams />
      </Stack>
    </Page>
  );
}

const languages = [
  { value: 'de', label: 'Deutsch' },
  { value: 'en', label: 'English' },
] as const satisfies readonly { value: Language; label: string }[];

const LanguageOfMine = () => {
  const t = useText();
  const { language, choose } = useLanguage();
  const change = entrance.useChange('account.changeMe');
  const pick = (value: string) => {
    const chosen = languages.find((one) => one.value === value)?.value;
    if (chosen === undefined || chosen === language) return;
    choose(chosen);
    change.mutate({ language: chosen });
  };
  return (
    <Stack gap={4}>
      <Text size="sm" fw={500} id="language">
        {t('Sprache', 'Language')}
      </Text>
      <SegmentedControl
        aria-labelledby="language"
        data={[...languages]}
        value={language}
        onChange={pick}
        w="fit-content"
      />
      <Text size="xs" c="dimmed">
        {t('Auch die Mails an Sie kommen in dieser Sprache.', 'Mails to you come in this language too.')}
      </Text>
      <ProblemAlert error={change.error} />
    </Stack>
  );
};

/** What somebody is called, and the language they read. */
const Profile = () => {
  const t = useText();
  const { me } = useHere();
  const { data: rules } = entrance.useAnswer('entrance.rules', {});
  const change = entrance.useChange('account.changeMe');
  const nameFlaw = useNameFlaw()(change.error);
  const [name, setName] = useState(me.name ?? '');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    change.mutate(
      { name: name.trim() },
      { onSuccess: () => tell(t('Ihr Name ist gespeichert.', 'Your name is saved.')) },
    );
  };
  return (
    <Panel title={t('Profil', 'Profile')}>
      <Stack>
        <form onSubmit={submit}>
          <Stack maw={480}>
            <TextInput
              label={t('Name', 'Name')}
              name="name"
              autoComplete="name"
              required
              {...(rules && { maxLength: rules.name_characters })}
              value={name}
              onChange={(event) => setName(event.currentTarget.value)}
              error={nameFlaw}
            />
            <TextInput
              label={t('E-Mail', 'Email')}
              description={t('Damit melden Sie sich an.', 'You sign in with it.')}
              value={me.email}
              readOnly
              variant="filled"
            />
            {nameFlaw === undefined && <ProblemAlert error={change.error} />}
            <Group>
              <Button
                type="submit"
                loading={change.isPending}
                disabled={name.trim() === '' || name.trim() === (me.name ?? '')}
              >
                {t('Namen speichern', 'Save the name')}
              </Button>
            </Group>
          </Stack>
        </form>
        <LanguageOfMine />
      </Stack>
    </Panel>
  );
};

/** A new password; every other session ends. */
const PasswordChange = () => {
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

/** The teams that somebody is in, and what they are there. */
const OwnTeams = () => {
  const t = useText();
  const { me, team, goTo } = useHere();
  const navigate = useNavigate();
  const roleName = useRoleName();
  return (
    <Panel title={t('Ihre Teams', 'Your teams')}>
      <DataTable
        label={t('Ihre Teams', 'Your teams')}
        rows={me.teams}
        keyOf={({ tenant_id }) => tenant_id}
        empty={null}
        columns={[
          {
            label: t('Team', 'Team'),
            cell: ({ name, tenant_id, status }) => (
              <Group gap="xs">
                <Text component="span" size="sm" fw={500}>
                  {name}
                </Text>
                {tenant_id === team.tenant_id && <Status tone="info">{t('Dieses Team', 'This team')}</Status>}
                {status === 'suspended' && <Status tone="bad">{t('Gesperrt', 'Suspended')}</Status>}
                {status === 'ended' && <Status tone="bad">{t('Beendet', 'Ended')}</Status>}
              </Group>
            ),
          },
          {
            label: t('Rolle', 'Role'),
            cell: ({ role }) => <span style={{ whiteSpace: 'nowrap' }}>{roleName(role)}</span>,
          },
          {
            label: '',
            align: 'end',
            cell: ({ tenant_id, name }) =>
              tenant_id !== team.tenant_id && (
                <Button
                  variant="default"
                  size="xs"
                  aria-label={t(`Zu ${name} wechseln`, `Switch to ${name}`)}
                  onClick={() => {
                    goTo(tenant_id);
                    void navigate('/');
                  }}
                >
                  {t('Wechseln', 'Switch')}
                </Button>
              ),
          },
        ]}
      />
    </Panel>
  );
};
