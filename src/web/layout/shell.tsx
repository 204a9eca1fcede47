import { AppShell, Burger, Group } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useEffect, useRef } from 'react';
import { Outlet, useLocation } from 'react-router';
import { useText } from '../language/language.ts';
import { entrance } from '../server/server.ts';
import { AccountMenu } from './account-menu.tsx';
import { ColorSchemeChoice, LanguageChoice } from './choices.tsx';
import { Logo } from './logo.tsx';
import { Navigation } from './navigation.tsx';
import classes from './shell.module.css';
import { TeamChoice } from './team-choice.tsx';

/** What surrounds every page behind the sign-in. */
export const Shell = () => {
  const t = useText();
  const [opened, { toggle, close }] = useDisclosure();
  const { pathname } = useLocation();
  const main = useRef<HTMLElement>(null);
  const language = entrance.useChange('account.changeMe');
  const first = useRef(true);
  // Whoever can't see the page change is put at its beginning.
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
