import { Button, Checkbox, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from 'react-router';
import { ActionButton } from '../../kit/page/action-button.tsx';
import { useConfirm } from '../../kit/dialog/confirm.tsx';
import { Status } from '../../kit/page/facts.tsx';
import { Time } from '../../kit/text/formats.tsx';
import { Panel } from '../../kit/page/page.tsx';
import { DataTable } from '../../kit/list/table.tsx';
import { t } from '../../language/language.tsx';
import { client, entrance } from '../../server/server.ts';
import { forgetPerson } from '../../session/sign-out.ts';
import { useSignedIn } from '../../session/signed-in.tsx';
import { browserName } from './browser-name.ts';
import { unknownSessionText } from './figures.ts';

const Browser = ({ userAgent, current }: { userAgent: string | null; current: boolean }) => {
  const { browser, system } = browserName(userAgent ?? '');
  const name = browser ?? t('Unbekannter Browser', 'Unknown browser');
  return (
    <Group gap="xs">
      <Text component="span" size="sm" {...(userAgent !== null && { title: userAgent })}>
        {system === undefined ? name : t(`${name} unter ${system}`, `${name} on ${system}`)}
      </Text>
      {current && <Status tone="good">{t('Dieser Browser', 'This browser')}</Status>}
    </Group>
  );
};

export const OwnSignIns = () => {
  const confirm = useConfirm();
  const navigate = useNavigate();
  const { me } = useSignedIn();
  const query = useQuery(entrance.account.sessions.queryOptions({}));

  const signOutEverywhere = async (keepsAssistants: boolean) => {
    await client.entrance.account.signOutEverywhere.mutate({ keep_assistants: keepsAssistants });
    forgetPerson();
    await navigate('/sign-in');
  };
  const confirmSignOut = () => {
    let keepsAssistants = false;
    confirm({
      title: t('Überall abmelden?', 'Sign out everywhere?'),
      consequences: (
        <Stack>
          {t(
            'Alle Sitzungen werden beendet, auch diese. Vertrauenswürdige Browser fragen wieder nach einem Code. Verbundene Assistenten verlieren ihren Zugriff.',
            'All sessions will end, including this one. Trusted browsers will ask for a code again. Connected assistants will lose their access.',
          )}
          <Checkbox
            label={t('Assistenten verbunden lassen', 'Keep assistants connected')}
            onChange={({ currentTarget }) => {
              keepsAssistants = currentTarget.checked;
            }}
          />
        </Stack>
      ),
      action: t('Überall abmelden', 'Sign out everywhere'),
      act: () => signOutEverywhere(keepsAssistants),
      endsSession: true,
    });
  };

  return (
    <Panel
      title={t('Sitzungen', 'Sessions')}
      lead={unknownSessionText(me.with_company_account)}
      actions={
        !me.with_company_account && (
          <Button onClick={confirmSignOut}>{t('Überall abmelden', 'Sign out everywhere')}</Button>
        )
      }
    >
      <DataTable
        label={t('Sitzungen', 'Sessions')}
        list={{ ...query, rows: query.data?.sessions }}
        keyOf={({ id }) => id}
        none={t('Keine Sitzungen', 'No sessions')}
        columns={[
          {
            label: t('Browser', 'Browser'),
            cell: ({ user_agent, current }) => <Browser userAgent={user_agent} current={current} />,
          },
          { label: t('IP-Adresse', 'IP address'), cell: ({ address }) => address ?? t('Unbekannt', 'Unknown') },
          {
            label: t('Angemeldet', 'Signed in'),
            alwaysShown: true,
            cell: ({ created_at }) => <Time at={created_at} />,
          },
        ]}
        actions={({ id, current, user_agent }) =>
          !current && (
            <ActionButton
              size="xs"
              aria-label={t(
                `${browserName(user_agent ?? '').browser ?? 'Sitzung'} abmelden`,
                `Sign out ${browserName(user_agent ?? '').browser ?? 'this session'}`,
              )}
              act={() => client.entrance.account.endSession.mutate({ session_id: id })}
              done={t('Sitzung beendet.', 'Session ended.')}
            >
              {t('Abmelden', 'Sign out')}
            </ActionButton>
          )
        }
      />
    </Panel>
  );
};
