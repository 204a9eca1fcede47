import { Menu, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useConfirm } from '../../kit/dialog/confirm.tsx';
import { Time } from '../../kit/text/formats.tsx';
import { PersonName } from '../../kit/names/members.tsx';
import { roleName } from '../../kit/names/member-words.ts';
import { Notice } from '../../kit/page/messages.tsx';
import { RowActions } from '../../kit/list/row-actions.tsx';
import { DataTable } from '../../kit/list/table.tsx';
import { t } from '../../language/language.tsx';
import { app, client, nextPage, usePages, type AppOutputs } from '../../server/server.ts';

import { Holdings } from './holdings.tsx';

type FormerMember = AppOutputs['formerMembers']['list']['data'][number];

const nameOf = ({ name, email }: FormerMember): string => name ?? email;

const refreshMs = 5_000;

/** The running erasures, and those that failed. */
const RunningErasures = () => {
  const { data } = useQuery(
    app.formerMembers.running.queryOptions(
      {},
      { refetchInterval: ({ state: { data: running } }) => (running?.data.length ? refreshMs : false) },
    ),
  );
  const [first] = data?.data ?? [];
  const failedAt = data?.data.find(({ failed_at }) => failed_at !== null)?.failed_at;
  if (!first) return null;
  return (
    <Notice tone={failedAt ? 'bad' : 'info'} role="status" title={t('Daten werden gelöscht', 'Data is being erased')}>
      <Text size="sm">
        {t('Laufende Löschungen:', 'Erasures under way:')} {data?.data.length}.{' '}
        {t('Die älteste hat begonnen', 'The oldest one started')} <Time at={first.started_at} />.
      </Text>
      {failedAt && (
        <Text size="sm">
          {t('Ein Versuch ist fehlgeschlagen', 'An attempt failed')} <Time at={failedAt} />.{' '}
          {t(
            'Die Löschung wird automatisch fortgesetzt. Bleibt diese Meldung länger als eine Stunde, wenden Sie sich an den Betreiber der Plattform.',
            'The erasure continues automatically. If you still see this message after an hour, contact the platform operator.',
          )}
        </Text>
      )}
    </Notice>
  );
};

/**
 * Shown before an erasure in a team with a company account. Afterwards the service can't distinguish the person from a
 * new one.
 */
const ComesBackNote = () => {
  const { data } = useQuery(app.companySignIn.state.queryOptions({}));
  if (!data?.provider) return null;
  return (
    <Text size="sm" mt="sm">
      {t(
        'Nach der Löschung kann die Person dem Team mit dem Firmenkonto wieder beitreten, bis ihr Konto beim Anbieter geschlossen ist.',
        'After the erasure, the person can join the team again with the company account, until their account at the provider is closed.',
      )}
    </Text>
  );
};

/** People who left the team. The owner can erase their data. */
export const FormerMembers = () => {
  const confirm = useConfirm();
  const list = usePages(app.formerMembers.list.infiniteQueryOptions({}, nextPage));
  const confirmErasure = (former: FormerMember): void =>
    confirm({
      title: t(`Daten von ${nameOf(former)} löschen?`, `Erase the data of ${nameOf(former)}?`),
      // The data that is deleted with the person, and the data that stays.
      points: [
        t(
          'Trainings, Bewertungen, Aufgaben und private Fälle dieser Person werden gelöscht.',
          'This person’s trainings, evaluations, assignments and private cases will be erased.',
        ),
        t(
          'Team-Fälle, API-Schlüssel, Ereignisse und Protokolle bleiben erhalten. Der Name wird durch „Gelöschte Person“ ersetzt.',
          'Team cases, API keys, events and logs are kept. The name is replaced with “Erased person”.',
        ),
        t(
          `Name und E-Mail-Adresse (${former.email}) werden auch in Texten des Teams ersetzt. Das kann einige Minuten dauern.`,
          `Name and email address (${former.email}) are also replaced in the team’s texts. This can take a few minutes.`,
        ),
        t(
          'Das Benutzerkonto wird gelöscht, sofern die Person nicht auch Mitglied eines anderen Teams ist oder war.',
          'The user account is deleted unless the person is or was a member of another team.',
        ),
      ],
      consequences: (
        <>
          <Holdings ids={[former.id]} erased />
          <ComesBackNote />
          <Text size="sm" fw={600} mt="sm">
            {t('Das kann nicht rückgängig gemacht werden.', 'This can’t be undone.')}
          </Text>
        </>
      ),
      typed: nameOf(former),
      action: t('Endgültig löschen', 'Erase permanently'),
      act: () => client.app.formerMembers.erase.mutate({ member_id: former.id }),
      done: t('Löschung gestartet.', 'Erasure started.'),
    });
  return (
    <>
      <RunningErasures />
      <DataTable
        label={t('Ehemalige Mitglieder', 'Former members')}
        csv={{ read: (page) => client.app.formerMembers.list.query(page) }}
        columns={[
          { label: t('Mitglieds-ID', 'Member ID'), value: ({ id }) => id },
          { label: t('Name', 'Name'), value: ({ name }) => name },
          { label: t('E-Mail', 'Email'), value: ({ email }) => email },
          {
            label: t('Person', 'Person'),
            name: 'name',
            sortBy: ({ name }) => name,
            cell: ({ name, email }) => <PersonName name={name} email={email} />,
          },
          {
            label: t('Letzte Rolle', 'Last role'),
            name: 'last_role',
            value: ({ role }) => role,
            cell: ({ role }) => roleName(role),
          },
          {
            label: t('Ausgeschieden', 'Left'),
            name: 'left',
            value: ({ ended_at }) => ended_at,
            alwaysShown: true,
            cell: 'time',
          },
        ]}
        actions={(former) => (
          <RowActions name={nameOf(former)}>
            <Menu.Item c="var(--bad)" onClick={() => confirmErasure(former)}>
              {t('Daten der Person löschen …', 'Erase the person’s data …')}
            </Menu.Item>
          </RowActions>
        )}
        list={list}
        keyOf={({ id }) => id}
        none={t('Keine ehemaligen Mitglieder', 'No former members')}
        hint={t(
          'Entfernte Mitglieder erscheinen hier. Sie können dann deren Daten löschen.',
          'Removed members appear here. You can then erase their data.',
        )}
      />
    </>
  );
};
