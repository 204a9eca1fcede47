import { Button, Group, NativeSelect } from '@mantine/core';
import { IconUserPlus, IconUsersPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { Dialog } from '../../kit/dialog.tsx';
import { SearchField, useFilters } from '../../kit/filters.tsx';
import { useRoleName } from '../../kit/members.tsx';
import { Empty } from '../../kit/messages.tsx';
import { Page } from '../../kit/page.tsx';
import { DataTable } from '../../kit/table.tsx';
import { useText } from '../../language/language.tsx';
import { app } from '../../server/server.ts';
import { useHere } from '../../session/signed-in.tsx';
import { FormerMembers } from './former-members.tsx';
import { HandOver } from './hand-over.tsx';
import { InviteMany } from './invite-many.tsx';
import { InviteOne } from './invite-one.tsx';
import { useMemberColumns } from './member-columns.tsx';
import type { TeamMember } from './member-words.ts';
import { SeatsTaken } from './seats-taken.tsx';

const roles = ['owner', 'admin', 'member'] as const;
const statuses = ['active', 'invited'] as const;

type Opened = 'one' | 'many' | 'hand over';

export default function MembersPage() {
  const t = useText();
  const roleName = useRoleName();
  const { may } = useHere();
  const [opened, setOpened] = useState<Opened>();
  const [heir, setHeir] = useState<TeamMember>();
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
      setHeir(member);
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
              title={t('Niemand passt dazu', 'Nobody matches')}
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
        {heir && <HandOver to={heir} onDone={close} />}
      </Dialog>
    </Page>
  );
}
