import { Button, Group, Text } from '@mantine/core';
import { useNavigate } from 'react-router';
import { DataTable } from '../../kit/data-table.tsx';
import { Panel } from '../../kit/panel.tsx';
import { useRoleName } from '../../kit/roles.ts';
import { Status } from '../../kit/status.tsx';
import { useText } from '../../language/language.ts';
import { useHere } from '../../session/me.ts';

/** The teams that somebody is in, and what they are there. */
export const OwnTeams = () => {
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
