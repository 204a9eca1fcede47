import { Button, Group, NativeSelect, Text } from '@mantine/core';
import { IconUserPlus, IconUsersPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { Dialog } from '../../kit/dialog.tsx';
import { Status } from '../../kit/facts.tsx';
import { SearchField, useFilters } from '../../kit/filters.tsx';
import { Time } from '../../kit/formats.tsx';
import { useRoleName } from '../../kit/members.tsx';
import { Empty } from '../../kit/messages.tsx';
import { Page } from '../../kit/page.tsx';
import { DataTable } from '../../kit/table.tsx';
import type { Column } from '../../kit/table.tsx';
import { useText } from '../../language/language.tsx';
import { app } from '../../server/server.ts';
import { useSignedIn } from '../../session/signed-in.tsx';
import { FormerMembers } from './former-members.tsx';
import { InviteMany } from './invite-many.tsx';
import { InviteOne } from './invite-one.tsx';
import { HandOver, keyPermission, MemberActions, useMemberChanges } from './member-actions.tsx';
import type { TeamMember } from './member-actions.tsx';

const roles = ['owner', 'admin', 'member'] as const;
const statuses = ['active', 'invited'] as const;

type Opened = 'one' | 'many' | 'hand over';

export default function MembersPage() {
  const t = useText();
  const roleName = useRoleName();
  const { may } = useSignedIn();
  const [opened, setOpened] = useState<Opened>();
  const [newOwner, setNewOwner] = useState<TeamMember>();
  const { valueOf, set, clear, isSet } = useFilters('search', 'role', 'status');
  const search = valueOf('search');
  const role = roles.find((one) => one === valueOf('role'));
  const status = statuses.find((one) => one === valueOf('status'));
  const showsFormer = valueOf('status') === 'former' && may('owner');
  const list = app.usePages('members.list', {
    ...(search !== '' && { search }),
    ...(role && { role }),
    ...(status && { status }),
  });
  const columns = useMemberColumns({
    onHandOver: (member) => {
      setNewOwner(member);
      setOpened('hand over');
    },
  });
  const close = () => setOpened(undefined);

  return (
    <Page
      title={t('Mitglieder', 'Members')}
      lead={<SeatsTaken />}
      actions={
        <>
          <Button
            variant="default"
            leftSection={<IconUsersPlus size={16} aria-hidden />}
            onClick={() => setOpened('many')}
          >
            {t('Mehrere einladen', 'Invite several')}
          </Button>
          <Button leftSection={<IconUserPlus size={16} aria-hidden />} onClick={() => setOpened('one')}>
            {t('Einladen', 'Invite')}
          </Button>
        </>
      }
    >
      <Group gap="sm">
        {!showsFormer && (
          <>
            <SearchField
              label={t('Name oder E-Mail suchen', 'Search by name or email')}
              value={search}
              onChange={(text) => set('search', text)}
            />
            <NativeSelect
              aria-label={t('Rolle', 'Role')}
              value={role ?? ''}
              onChange={(event) => set('role', event.currentTarget.value)}
              data={[
                { value: '', label: t('Alle Rollen', 'All roles') },
                ...roles.map((one) => ({ value: one, label: roleName(one) })),
              ]}
            />
          </>
        )}
        <NativeSelect
          aria-label={t('Status', 'Status')}
          value={showsFormer ? 'former' : (status ?? '')}
          onChange={(event) => set('status', event.currentTarget.value)}
          data={[
            { value: '', label: t('Aktiv und eingeladen', 'Active and invited') },
            { value: 'active', label: t('Nur aktive', 'Active only') },
            { value: 'invited', label: t('Nur eingeladene', 'Invited only') },
            ...(may('owner') ? [{ value: 'former', label: t('Ehemalige', 'Former members') }] : []),
          ]}
        />
        {isSet && (
          <Button variant="subtle" onClick={clear}>
            {t('Filter löschen', 'Clear filters')}
          </Button>
        )}
      </Group>
      {showsFormer ? (
        <FormerMembers />
      ) : (
        <DataTable
          label={t('Mitglieder', 'Members')}
          columns={columns}
          rows={list.rows}
          keyOf={({ id }) => id}
          error={list.error}
          retry={() => void list.refetch()}
          more={list}
          empty={
            <Empty
              title={t('Keine Mitglieder entsprechen den Filtern', 'No members match these filters')}
              action={
                <Button variant="default" onClick={clear}>
                  {t('Alle zeigen', 'Show everybody')}
                </Button>
              }
            >
              {t(
                'Suchen Sie nach einem anderen Namen, oder laden Sie die Person ein.',
                'Search for another name, or invite the person.',
              )}
            </Empty>
          }
        />
      )}
      <Dialog title={t('Einladen', 'Invite')} opened={opened === 'one'} onClose={close}>
        <InviteOne onDone={close} />
      </Dialog>
      <Dialog title={t('Mehrere einladen', 'Invite several')} size="xl" opened={opened === 'many'} onClose={close}>
        <InviteMany onDone={close} />
      </Dialog>
      <Dialog title={t('Team übergeben', 'Hand the team over')} opened={opened === 'hand over'} onClose={close}>
        {newOwner && <HandOver to={newOwner} onDone={close} />}
      </Dialog>
    </Page>
  );
}

/** The page's lead: how many seats are taken. */
const SeatsTaken = () => {
  const t = useText();
  const { data } = app.useQuery('team.settings', {});
  const who = t('Wer im Team ist und wer eingeladen wurde.', 'Who is in the team and who was invited.');
  if (!data) return who;
  const { taken, total } = data.seats;
  const seats =
    total === 1
      ? t('Der eine Platz ist belegt.', 'The one seat is taken.')
      : t(`${taken} von ${total} Plätzen sind belegt.`, `${taken} of ${total} seats are taken.`);
  return `${who} ${seats}`;
};

const Person = ({ member: { id, name, email } }: { member: TeamMember }) => {
  const t = useText();
  const isMe = useSignedIn().team.member_id === id;
  return (
    <div>
      <Text size="sm" fw={600}>
        {name ?? email}
        {isMe && ` ${t('(Sie)', '(you)')}`}
      </Text>
      {name !== null && (
        <Text size="xs" c="dimmed">
          {email}
        </Text>
      )}
    </div>
  );
};

const Membership = ({ member: { status, invitation, joined_at, invited_at } }: { member: TeamMember }) => {
  const t = useText();
  const since = status === 'active' ? joined_at : invited_at;
  return (
    <div>
      {status === 'active' && <Status tone="good">{t('Aktiv', 'Active')}</Status>}
      {status === 'invited' && invitation?.expired === true && (
        <Status tone="warn">{t('Einladung abgelaufen', 'Invitation expired')}</Status>
      )}
      {status === 'invited' && invitation?.expired !== true && (
        <Status tone="info">{t('Eingeladen', 'Invited')}</Status>
      )}
      <Text size="xs" c="dimmed" mt={2}>
        {since !== null && (
          <>
            {status === 'active' ? t('beigetreten', 'joined') : t('eingeladen', 'invited')} <Time at={since} />
          </>
        )}
        {invitation && !invitation.expired && (
          <>
            , {t('läuft ab', 'expires')} <Time at={invitation.expires_at} />
          </>
        )}
      </Text>
    </div>
  );
};

const Permissions = ({ member: { role, rights } }: { member: TeamMember }) => {
  const t = useText();
  if (role === 'owner') return t('alle', 'all');
  return rights.includes(keyPermission) ? t('API-Schlüssel', 'API keys') : '–';
};

const SecondFactor = ({ member: { status, two_factor } }: { member: TeamMember }) => {
  const t = useText();
  if (status !== 'active') return '–';
  return two_factor ? (
    <Status tone="good">{t('Eingerichtet', 'Set up')}</Status>
  ) : (
    <Status tone="plain">{t('Ohne', 'None')}</Status>
  );
};

/** The columns of the member list. */
const useMemberColumns = ({
  onHandOver,
}: {
  onHandOver: (member: TeamMember) => void;
}): readonly Column<TeamMember>[] => {
  const t = useText();
  const roleName = useRoleName();
  const changes = useMemberChanges();
  return [
    { label: t('Person', 'Person'), cell: (member) => <Person member={member} /> },
    { label: t('Rolle', 'Role'), cell: ({ role }) => roleName(role) },
    { label: t('Status', 'Status'), cell: (member) => <Membership member={member} /> },
    { label: t('Berechtigungen', 'Permissions'), cell: (member) => <Permissions member={member} /> },
    { label: t('Zweiter Faktor', 'Second factor'), cell: (member) => <SecondFactor member={member} /> },
    {
      label: '',
      align: 'end',
      cell: (member) => <MemberActions member={member} changes={changes} onHandOver={onHandOver} />,
    },
  ];
};
