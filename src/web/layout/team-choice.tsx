import { Button, Menu, Text } from '@mantine/core';
import { IconCheck, IconSelector } from '@tabler/icons-react';
import { useNavigate } from 'react-router';
import { useText } from '../language/language.ts';
import { useHere } from '../session/me.ts';

/** The team that this tab is about, and a way to one's others. */
export const TeamChoice = () => {
  const t = useText();
  const { me, team, goTo } = useHere();
  const navigate = useNavigate();
  if (me.teams.length === 1) {
    return (
      <Text fw={600} truncate>
        {team.name}
      </Text>
    );
  }
  return (
    <Menu position="bottom-start" width={280}>
      <Menu.Target>
        <Button
          variant="subtle"
          color="gray"
          maw={240}
          rightSection={<IconSelector size={16} aria-hidden />}
          aria-label={t(`Team wechseln, jetzt ${team.name}`, `Switch team, now ${team.name}`)}
        >
          <Text fw={600} truncate>
            {team.name}
          </Text>
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {me.teams.map(({ tenant_id, name }) => (
          <Menu.Item
            key={tenant_id}
            leftSection={
              tenant_id === team.tenant_id ? <IconCheck size={16} aria-hidden /> : <span style={{ width: 16 }} />
            }
            onClick={() => {
              goTo(tenant_id);
              void navigate('/');
            }}
          >
            {name}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
};
