import {
  ActionIcon,
  AppShell,
  Avatar,
  Box,
  Burger,
  Button,
  Center,
  Container,
  Group,
  Loader,
  Menu,
  ScrollArea,
  Stack,
  Text,
  Tooltip,
  UnstyledButton,
  useComputedColorScheme,
  useMantineColorScheme,
} from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconBook, IconCheck, IconLogout, IconMoon, IconSelector, IconSun, IconUser } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { Suspense, useEffect, useRef } from 'react';
import { Link, NavLink, Outlet, useLocation, useNavigate } from 'react-router';
import { useLanguage, useText } from '../language/language.tsx';
import { navigation } from '../pages.tsx';
import { entrance } from '../server/server.ts';
import { setCurrentTeam } from '../session/current-team.ts';
import { useSignedIn } from '../session/signed-in.tsx';
import { useDocsAddress } from '../kit/docs-link.tsx';
import classes from './shell.module.css';

/** The header and navigation around every page of a signed-in person. */
export const Shell = () => {
  const t = useText();
  const [opened, { toggle, close }] = useDisclosure();
  const { pathname } = useLocation();
  const main = useRef<HTMLElement>(null);
  const language = entrance.useMutation('account.changeMe');
  const first = useRef(true);
  // Moves the focus to the new page, so that screen readers notice it.
  useEffect(() => {
    if (!first.current) main.current?.focus();
    first.current = false;
  }, [pathname]);

  return (
    <AppShell
      header={{ height: 60 }}
      navbar={{ width: 248, breakpoint: 'md', collapsed: { mobile: !opened } }}
      padding={{ base: 'md', md: 'xl' }}
    >
      <a href="#main" className={classes['skip'] ?? ''}>
        {t('Zum Inhalt springen', 'Skip to content')}
      </a>
      <AppShell.Header className={classes['header'] ?? ''}>
        <Group h="100%" px="md" justify="space-between" wrap="nowrap">
          <Group gap="sm" wrap="nowrap" miw={0}>
            <Burger
              opened={opened}
              onClick={toggle}
              hiddenFrom="md"
              size="sm"
              aria-label={t('Navigation', 'Navigation')}
              aria-expanded={opened}
            />
            <Logo />
            <TeamChoice />
          </Group>
          <Group gap={4} wrap="nowrap">
            <LanguageChoice onChoose={(chosen) => language.mutate({ language: chosen })} />
            <ColorSchemeChoice />
            <AccountMenu />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar className={classes['nav'] ?? ''} px="sm">
        <Navigation onNavigate={close} />
      </AppShell.Navbar>
      <AppShell.Main id="main" ref={main} tabIndex={-1} className={classes['main'] ?? ''}>
        <div style={{ maxWidth: 1160, marginInline: 'auto' }}>
          <Outlet />
        </div>
      </AppShell.Main>
    </AppShell>
  );
};

/** The frame of the pages that are open without signing in. */
export const EntranceLayout = () => {
  const t = useText();
  return (
    <Box mih="100vh" bg="var(--surface)">
      <Group component="header" justify="space-between" p="md">
        <Group gap="xs">
          <Logo />
          <Text fw={650}>Team Customer API</Text>
        </Group>
        <Group gap="xs">
          <LanguageChoice />
          <ColorSchemeChoice />
        </Group>
      </Group>
      <Container component="main" size={440} py="xl">
        <Suspense
          fallback={
            <Center mih={200} role="status" aria-label={t('Wird geladen', 'Loading')}>
              <Loader />
            </Center>
          }
        >
          <Outlet />
        </Suspense>
      </Container>
    </Box>
  );
};

/** Links to all pages that the person may open. */
const Navigation = ({ onNavigate }: { onNavigate: () => void }) => {
  const t = useText();
  const { may } = useSignedIn();
  return (
    <ScrollArea type="auto" h="100%">
      <Stack gap="lg" py="md" component="nav" aria-label={t('Seiten', 'Pages')}>
        {navigation.map(({ name, entries }) => {
          const open = entries.filter(({ needs }) => may(needs));
          return open.length === 0 ? null : (
            <Box key={name(t)}>
              <div className={classes['group']}>{name(t)}</div>
              {open.map(({ path, name: nameOf, Icon }) => (
                <NavLink key={path} to={path} end={path === '/'} className={classes['link'] ?? ''} onClick={onNavigate}>
                  <Icon size={18} stroke={1.7} aria-hidden />
                  {nameOf(t)}
                </NavLink>
              ))}
            </Box>
          );
        })}
      </Stack>
    </ScrollArea>
  );
};

/** The current team, and a menu to switch to the person's other teams. */
const TeamChoice = () => {
  const t = useText();
  const { me, team, switchTeam } = useSignedIn();
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
              switchTeam(tenant_id);
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

const AccountMenu = () => {
  const t = useText();
  const { me } = useSignedIn();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const docsAddress = useDocsAddress();
  const leave = async () => {
    // Requests that are still in flight would be refused.
    await queries.cancelQueries();
    await entrance.mutate('entrance.signOut', {});
    setCurrentTeam(undefined);
    // The sign-in page clears the cached answers.
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
        <Menu.Item component="a" href={docsAddress()} leftSection={<IconBook size={16} aria-hidden />}>
          {t('Dokumentation der API', 'API documentation')}
        </Menu.Item>
        <Menu.Item leftSection={<IconLogout size={16} aria-hidden />} onClick={() => void leave()}>
          {t('Abmelden', 'Sign out')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
};

/** Switches between the light and the dark theme. */
const ColorSchemeChoice = () => {
  const t = useText();
  const { setColorScheme } = useMantineColorScheme();
  const scheme = useComputedColorScheme('light');
  const label = scheme === 'dark' ? t('Helle Ansicht', 'Light theme') : t('Dunkle Ansicht', 'Dark theme');
  return (
    <Tooltip label={label}>
      <ActionIcon
        variant="subtle"
        color="gray"
        size="lg"
        aria-label={label}
        onClick={() => setColorScheme(scheme === 'dark' ? 'light' : 'dark')}
      >
        {scheme === 'dark' ? <IconSun size={18} aria-hidden /> : <IconMoon size={18} aria-hidden />}
      </ActionIcon>
    </Tooltip>
  );
};

/** Switches to the other language. The button has that language's own name. */
const LanguageChoice = ({ onChoose }: { onChoose?: (language: 'de' | 'en') => void }) => {
  const { language, choose } = useLanguage();
  const other = language === 'de' ? 'en' : 'de';
  return (
    <Button
      variant="subtle"
      color="gray"
      size="compact-sm"
      lang={other}
      onClick={() => {
        choose(other);
        onChoose?.(other);
      }}
    >
      {other === 'en' ? 'English' : 'Deutsch'}
    </Button>
  );
};

export const Logo = () => <img src="/icon.svg" width={28} height={28} alt="" />;
