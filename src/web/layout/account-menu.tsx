import { Avatar, Menu, Text, UnstyledButton } from '@mantine/core';
import { IconLogout, IconUser } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from 'react-router';
import { useText } from '../language/language.ts';
import { entrance } from '../server/server.ts';
import { lookAt } from '../session/current-team.ts';
import { useHere } from '../session/me.ts';

export const AccountMenu = () => {
  const t = useText();
  const { me } = useHere();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const leave = async () => {
    // What is still being asked would be refused.
    await queries.cancelQueries();
    await entrance.do('entrance.signOut', {});
    lookAt(undefined);
    // What was on show is forgotten there.
    await navigate('/sign-in');
  };
  return (
    <Menu position="bottom-end" width={240}>
      <Menu.Target>
        <UnstyledButton aria-label={t('Ihr Konto', 'Your account')}>
          <Avatar size={34} radius="xl" color="brand" variant="filled" aria-hidden>
            <IconUser size={18} />
          </Avatar>
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Text size="sm" px="sm" pt="xs" fw={600} truncate>
          {me.name ?? me.email}
        </Text>
        <Text size="xs" px="sm" pb="xs" c="dimmed" truncate>
          {me.email}
        </Text>
        <Menu.Divider />
        <Menu.Item component={Link} to="/account" leftSection={<IconUser size={16} aria-hidden />}>
          {t('Konto und Sicherheit', 'Account and security')}
        </Menu.Item>
        <Menu.Item leftSection={<IconLogout size={16} aria-hidden />} onClick={() => void leave()}>
          {t('Abmelden', 'Sign out')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
};
