import { Button, Group, Input, SegmentedControl, Stack, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import type { Language } from '../../../core/language.ts';
import { DocsLink, Hint } from '../../kit/text/text.tsx';
import { CopyableId } from '../../kit/text/copy.tsx';
import { TextInCell } from '../../kit/text/cut.tsx';
import {
  NewPasswordField,
  PasswordField,
  PersonNameField,
  nameMessage,
  useNewPasswordRule,
  wrongPassword,
} from '../../kit/form/account-fields.tsx';
import { ActionButton } from '../../kit/page/action-button.tsx';
import { Status } from '../../kit/page/facts.tsx';
import { Form, useServerForm } from '../../kit/form/form.tsx';
import { LastTime } from '../../kit/text/formats.tsx';
import { roleName } from '../../kit/names/member-words.ts';
import { Notice, ProblemAlert } from '../../kit/page/messages.tsx';
import { Page, Panel } from '../../kit/page/page.tsx';
import { DataTable } from '../../kit/list/table.tsx';
import { chooseLanguage, currentLanguage, t } from '../../language/language.tsx';
import { client, entrance } from '../../server/server.ts';
import { closedText } from '../../session/closing-words.ts';
import { CompanyButton, startFor } from '../../session/company-account.tsx';
import { leads } from '../../session/may.ts';
import { useSignedIn } from '../../session/signed-in.tsx';
import { OwnPasskeys } from './passkeys.tsx';
import { SecondFactor } from './second-factor.tsx';
import { OwnSignIns } from './sign-ins.tsx';
import { WeeklyMail } from './weekly-mail.tsx';

/** The person's own account, which is the same in all their teams. */
export default function AccountPage() {
  const { me, may, team } = useSignedIn();
  const isOwn = !me.with_company_account;
  return (
    <Page
      title={t('Konto und Sicherheit', 'Account and security')}
      lead={isOwn && t('Änderungen gelten in allen Ihren Teams.', 'Changes apply to all of your teams.')}
    >
      <Stack gap="lg" maw={860}>
        {!isOwn && (
          <Notice tone="info" title={t('Angemeldet mit dem Firmenkonto', 'Signed in with the company account')}>
            {t(
              'Ihr Unternehmen verwaltet diese Anmeldung. Sie endet nach einem Tag und gilt nur für dieses Team. Passwort, Passkeys und Zwei-Faktor-Authentifizierung können Sie ändern, wenn Sie sich mit Ihrem Passwort oder einem Passkey anmelden.',
              'Your company manages this sign-in. It ends after a day and is for this team only. To change your password, passkeys or two-factor authentication, sign in with your password or a passkey.',
            )}
          </Notice>
        )}
        <Profile />
        {isOwn && (
          <>
            <PasswordChange />
            <OwnPasskeys />
            <SecondFactor />
          </>
        )}
        {leads(may) && team.status === 'active' && <WeeklyMail />}
        <OwnSignIns />
        <OwnAssistants />
        <OwnTeams />
      </Stack>
    </Page>
  );
}

const languages = [
  { value: 'de', label: 'Deutsch' },
  { value: 'en', label: 'English' },
] as const satisfies readonly { value: Language; label: string }[];

const LanguageChoice = () => {
  const language = currentLanguage();
  const change = useMutation(entrance.account.changeMe.mutationOptions());
  const pick = (chosen: Language) => {
    if (chosen === language) return;
    chooseLanguage(chosen);
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
      <Hint size="xs">{t('Gilt auch für E-Mails an Sie.', 'Also used for emails to you.')}</Hint>
      <ProblemAlert error={change.error} />
    </Stack>
  );
};

const Profile = () => {
  const { me } = useSignedIn();
  const form = useServerForm({
    initial: { name: me.name ?? '' },
    send: ({ name }) => client.entrance.account.changeMe.mutate({ name: name.trim() }),
    done: t('Name gespeichert.', 'Name saved.'),
    errorsAt: ({ name }) => ({ name: name && nameMessage() }),
    draft: { name: 'profile', fields: ['name'] },
  });
  const name = form.values.name.trim();
  return (
    <Panel title={t('Profil', 'Profile')}>
      <Stack>
        <Form
          form={form}
          place="panel"
          action={t('Namen speichern', 'Save name')}
          disabled={name === '' || name === (me.name ?? '')}
        >
          <PersonNameField label={t('Name', 'Name')} {...form.getInputProps('name')} />
          {/* This is not an input field, because a field would cut a long address on a phone. */}
          <Input.Wrapper
            label={t('E-Mail', 'Email')}
            description={t('Mit dieser Adresse melden Sie sich an.', 'You sign in with this address.')}
            labelElement="div"
          >
            <Text size="sm" mt={4} style={{ overflowWrap: 'anywhere' }}>
              {me.email}
            </Text>
          </Input.Wrapper>
        </Form>
        <LanguageChoice />
      </Stack>
    </Panel>
  );
};

/** Changes the password, which ends all other sessions. */
const PasswordChange = () => {
  const { me } = useSignedIn();
  const { check } = useNewPasswordRule();
  const form = useServerForm({
    initial: { current: '', password: '' },
    check: ({ password }) => ({ password: check(password) }),
    send: (values) => client.entrance.account.changePassword.mutate(values),
    empties: true,
    done: t(
      'Passwort geändert. Alle anderen Sitzungen wurden beendet.',
      'Password changed. All other sessions were signed out.',
    ),
    errorsAt: (_, problem) => ({ current: wrongPassword(problem) }),
  });
  return (
    <Panel
      title={t('Passwort', 'Password')}
      lead={t(
        'Nach der Änderung werden Sie in allen anderen Browsern abgemeldet.',
        'Changing your password signs you out of all other browsers.',
      )}
    >
      <Form form={form} place="panel" action={t('Passwort ändern', 'Change password')}>
        <input type="email" name="email" autoComplete="username" value={me.email} readOnly hidden />
        <PasswordField
          label={t('Aktuelles Passwort', 'Current password')}
          name="current-password"
          {...form.getInputProps('current')}
        />
        <NewPasswordField {...form.getInputProps('password')} />
      </Form>
    </Panel>
  );
};

const OwnTeams = () => {
  const { me, team, switchTeam } = useSignedIn();
  return (
    <Panel title={t('Ihre Teams', 'Your teams')}>
      <DataTable
        label={t('Ihre Teams', 'Your teams')}
        list={{ rows: me.teams }}
        keyOf={({ tenant_id }) => tenant_id}
        columns={[
          {
            label: t('Team', 'Team'),
            cell: ({ name, tenant_id, status }) => (
              <Group gap="xs">
                <Text component="span" size="sm" fw={500}>
                  <TextInCell text={name} />
                </Text>
                {tenant_id === team.tenant_id && <Status tone="info">{t('Aktuelles Team', 'Current team')}</Status>}
                {status === 'suspended' && <Status tone="bad">{t('Gesperrt', 'Suspended')}</Status>}
                {status === 'ended' && <Status tone="bad">{t('Beendet', 'Ended')}</Status>}
              </Group>
            ),
          },
          { label: t('Rolle', 'Role'), cell: ({ role }) => roleName(role) },
        ]}
        actions={({ tenant_id, name }) =>
          tenant_id !== team.tenant_id && (
            <Button
              size="xs"
              aria-label={t(`Zu ${name} wechseln`, `Switch to ${name}`)}
              onClick={() => switchTeam(tenant_id)}
            >
              {t('Wechseln', 'Switch')}
            </Button>
          )
        }
      />
      {me.closed_teams.map(({ tenant_id: id, name, demand }) => (
        <Group key={id} mt="md" justify="space-between">
          <Text size="sm">{closedText(name, demand)}</Text>
          {demand === 'company' && <CompanyButton start={() => startFor(me.email, id, '/')} />}
        </Group>
      ))}
    </Panel>
  );
};

/** The assistants that the person has connected, in all their teams. */
const OwnAssistants = () => {
  const query = useQuery(entrance.assistants.list.queryOptions({}));
  return (
    <Panel
      title={t('Verbundene Assistenten', 'Connected assistants')}
      lead={t(
        'Diese Assistenten greifen mit Ihren Berechtigungen auf die Daten eines Teams zu.',
        'These assistants access the data of one team with your permissions.',
      )}
    >
      <DataTable
        label={t('Verbundene Assistenten', 'Connected assistants')}
        list={{ ...query, rows: query.data?.assistants }}
        keyOf={({ id }) => id}
        none={t('Keine Assistenten verbunden', 'No assistants connected')}
        hint={
          <>
            {t(
              'Geben Sie Ihrem Assistenten diese Adresse, in Claude unter „Einstellungen → Connectors“. Er öffnet dann eine Seite dieser App, auf der Sie zustimmen. ',
              'Give this address to your assistant, in Claude under “Settings → Connectors”. It then opens a page of this app, where you agree. ',
            )}
            <DocsLink page="assistants">{t('Anleitung', 'Instructions')}</DocsLink>
          </>
        }
        action={<CopyableId id={`${location.origin}/mcp`} what={t('Adresse', 'address')} />}
        columns={[
          { label: t('Assistent', 'Assistant'), cell: ({ client_name: name }) => name },
          { label: t('Team', 'Team'), cell: ({ team_name: name }) => name },
          { label: t('Verbunden', 'Connected'), value: ({ created_at }) => created_at, cell: 'time' },
          { label: t('Zuletzt verwendet', 'Last used'), cell: ({ last_used_at: at }) => <LastTime at={at} /> },
        ]}
        actions={({ id, client_name: name }) => (
          <ActionButton
            size="xs"
            aria-label={t(`${name} trennen`, `Disconnect ${name}`)}
            act={() => client.entrance.assistants.disconnect.mutate({ connection_id: id })}
            done={t('Assistent getrennt.', 'Assistant disconnected.')}
          >
            {t('Trennen', 'Disconnect')}
          </ActionButton>
        )}
      />
    </Panel>
  );
};
