import {
  ActionIcon,
  Avatar,
  Box,
  Burger,
  Button,
  Group,
  Kbd,
  ModalStack,
  Stack,
  Text,
  UnstyledButton,
} from '@mantine/core';
import { useDisclosure, useLocalStorage, useMediaQuery } from '@mantine/hooks';
import { useNotifications } from '@mantine/notifications';
import {
  IconLayoutSidebarLeftCollapse,
  IconLayoutSidebarLeftExpand,
  IconSearch,
  IconSelector,
  IconUser,
} from '@tabler/icons-react';
import { cloneElement, lazy, useEffect, useRef, useState, type ComponentProps, type ReactElement } from 'react';
import { NavLink, Outlet, useLocation } from 'react-router';
import { ConfirmProvider } from '../kit/dialog/confirm.tsx';
import { currentLanguage, t, useLanguage } from '../language/language.tsx';
import { navigation } from '../pages.tsx';
import { useKeyboard } from '../search/keyboard.tsx';
import { withCommandKey } from '../search/shortcuts.ts';
import { useKeepLanguage } from '../session/own-language.ts';
import { Proof } from '../session/proof.tsx';
import { useSignedIn } from '../session/signed-in.tsx';
import { ColorSchemeChoice, LanguageChoice, Logo } from './choices.tsx';
import { keepFrame } from './frame.ts';
import type { Opener } from './menus.tsx';
import { ClosingNotice } from './closing-notice.tsx';
import { NewVersionNotice, OutageNotice } from './outage-notice.tsx';
import { ProgressBar } from './loading.tsx';
import { pageIcons } from './page-icons.ts';
import classes from './shell.module.css';
import { Late } from '../kit/page/late.tsx';

/** The header and navigation around every page of a signed-in person. */
export const Shell = () => {
  useLanguage();
  const [opened, { toggle, close }] = useDisclosure();
  const { pathname } = useLocation();
  const main = useRef<HTMLElement>(null);
  const keepLanguage = useKeepLanguage();
  const keyboard = useKeyboard();
  const isNarrow = useMediaQuery('(width < 75em)', undefined, { getInitialValueInEffect: false });
  const [chosenFold, setFolded] = useLocalStorage<boolean | null>({
    key: 'navigation-folded',
    defaultValue: null,
    getInitialValueInEffect: false,
  });
  const isFolded = chosenFold ?? isNarrow;
  const first = useRef(true);
  // Moves the focus to the new page, so that screen readers notice it.
  useEffect(() => {
    if (!first.current) main.current?.focus();
    first.current = false;
  }, [pathname]);

  return (
    <ModalStack>
      <ConfirmProvider>
        <ProgressBar />
        <Confirmations />
        <a href="#main" className={classes['skip'] ?? ''}>
          {t('Zum Inhalt springen', 'Skip to content')}
        </a>
        <header className={classes['header']}>
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
            <SearchButton onClick={keyboard.search} />
            {/* On a phone these choices are in the menu of the account. */}
            <Group gap={4} wrap="nowrap" visibleFrom="sm">
              <LanguageChoice onChoose={keepLanguage} />
              <ColorSchemeChoice />
            </Group>
            <AccountChoice onShortcuts={keyboard.listShortcuts} />
          </Group>
        </header>
        <Navigation isOpen={opened} onNavigate={close} isFolded={isFolded} onFold={() => setFolded(!isFolded)} />
        <main id="main" ref={main} tabIndex={-1} className={classes['main']} data-folded={isFolded || undefined}>
          <Stack gap="lg" maw={1160} mx="auto">
            <OutageNotice />
            <NewVersionNotice />
            <ClosingNotice />
            <div>
              <Outlet />
            </div>
          </Stack>
        </main>
        {keyboard.dialogs}
        <Proof />
      </ConfirmProvider>
    </ModalStack>
  );
};

interface NavigationProps {
  isOpen: boolean;
  onNavigate: () => void;
  /** Only the icons are shown, beside the page. On a phone the whole navigation covers the page. */
  isFolded: boolean;
  onFold: () => void;
}

const Navigation = ({ isOpen, onNavigate, isFolded, onFold }: NavigationProps) => {
  const { may } = useSignedIn();
  const groups = navigation
    .map(({ name, entries }) => ({ name, entries: entries.filter(({ needs }) => may(needs)) }))
    .filter(({ entries }) => entries.length > 0);
  // The navigation is stored, so that the frame can show it the next time that the app is loaded.
  const lang = currentLanguage();
  useEffect(() => {
    const named = ({ path, name }: (typeof groups)[number]['entries'][number]) => ({ path, name: name(t) });
    keepFrame({ lang, groups: groups.map(({ name, entries }) => ({ name: name(t), entries: entries.map(named) })) });
  }, [lang, may]);
  const foldLabel = isFolded ? t('Navigation ausklappen', 'Expand navigation') : t('Einklappen', 'Collapse');
  return (
    <Stack
      component="nav"
      aria-label={t('Seiten', 'Pages')}
      gap="lg"
      className={classes['nav'] ?? ''}
      mod={{ open: isOpen, folded: isFolded }}
    >
      {groups.map(({ name, entries }) => (
        <Box key={name(t)}>
          <div className={classes['group']}>
            <span>{name(t)}</span>
          </div>
          {entries.map(({ path, name: nameOf, load }) => {
            const Icon = pageIcons[path];
            return (
              <NavLink
                key={path}
                to={path}
                end={path === '/'}
                {...(isFolded && { title: nameOf(t) })}
                className={({ isPending }) => `${classes['link']} ${isPending ? classes['pending'] : ''}`}
                onClick={onNavigate}
                onPointerEnter={() => void load().catch(() => undefined)}
              >
                <Icon size={18} stroke={1.7} aria-hidden />
                <span>{nameOf(t)}</span>
              </NavLink>
            );
          })}
        </Box>
      ))}
      <UnstyledButton
        visibleFrom="md"
        className={classes['link'] ?? ''}
        aria-expanded={!isFolded}
        onClick={onFold}
        title={foldLabel}
      >
        {isFolded ? (
          <IconLayoutSidebarLeftExpand size={18} stroke={1.7} aria-hidden />
        ) : (
          <IconLayoutSidebarLeftCollapse size={18} stroke={1.7} aria-hidden />
        )}
        <span>{foldLabel}</span>
      </UnstyledButton>
    </Stack>
  );
};

/** The button that opens the search. It has a label if there is room for one. */
const SearchButton = ({ onClick }: { onClick: () => void }) => {
  const label = t('Suchen', 'Search');
  return (
    <>
      <Button
        visibleFrom="sm"
        size="compact-md"
        fw={400}
        c="dimmed"
        leftSection={<IconSearch size={16} aria-hidden />}
        rightSection={
          <Kbd size="xs" aria-hidden>
            {withCommandKey('K', t)}
          </Kbd>
        }
        aria-keyshortcuts="Control+K Meta+K"
        onClick={onClick}
      >
        {label}
      </Button>
      <ActionIcon hiddenFrom="sm" variant="subtle" color="gray" size="lg" aria-label={label} onClick={onClick}>
        <IconSearch size={18} aria-hidden />
      </ActionIcon>
    </>
  );
};

// Parts that no page shows at first. Their code is loaded when they are needed.

const TeamMenu = lazy(async () => ({ default: (await import('./menus.tsx')).TeamMenu }));
const AccountMenu = lazy(async () => ({ default: (await import('./menus.tsx')).AccountMenu }));
const Notifications = lazy(() => import('./notifications.tsx'));

interface MenuButtonProps {
  button: ReactElement<ComponentProps<'button'>>;
  menu: (opener: Opener) => ReactElement;
}

/** A button whose menu is loaded when the reader is about to open it. */
const MenuButton = ({ button, menu }: MenuButtonProps) => {
  const [isWanted, setWanted] = useState(false);
  const waiting = cloneElement(button, {
    'aria-haspopup': 'menu',
    'aria-expanded': false,
    onClick: () => setWanted(true),
  });
  return isWanted ? <Late fallback={waiting}>{menu(button)}</Late> : waiting;
};

/** The current team, and a menu to switch to the person's other teams. */
const TeamChoice = () => {
  const { me, team } = useSignedIn();
  const name = (
    <Text fw={600} truncate>
      {team.name}
    </Text>
  );
  if (me.teams.length === 1) return name;
  return (
    <MenuButton
      menu={(opener) => <TeamMenu opener={opener} />}
      button={
        <Button
          variant="subtle"
          color="gray"
          maw={240}
          rightSection={<IconSelector size={16} aria-hidden />}
          aria-label={t(`Team wechseln, aktuell ${team.name}`, `Switch team, currently ${team.name}`)}
        >
          {name}
        </Button>
      }
    />
  );
};

const AccountChoice = ({ onShortcuts }: { onShortcuts: () => void }) => (
  <MenuButton
    menu={(opener) => <AccountMenu opener={opener} onShortcuts={onShortcuts} />}
    button={
      <UnstyledButton aria-label={t('Ihr Konto', 'Your account')}>
        <Avatar size={34} radius="xl" color="brand" variant="filled" aria-hidden>
          <IconUser size={18} />
        </Avatar>
      </UnstyledButton>
    }
  />
);

/** The messages of `notify`. Their code is loaded with the first one. */
const Confirmations = () => {
  const { notifications } = useNotifications();
  const [wasUsed, setUsed] = useState(false);
  const isUsed = wasUsed || notifications.length > 0;
  useEffect(() => setUsed(isUsed), [isUsed]);
  return (
    isUsed && (
      <Late>
        <Notifications />
      </Late>
    )
  );
};
