import { Menu } from '@mantine/core';
import { IconDots } from '@tabler/icons-react';
import { useEffect, useRef, useState, type ReactNode, type Ref } from 'react';
import { t } from '../../language/language.tsx';
import classes from './table.module.css';

interface RowActionsProps {
  name: string;
  children: ReactNode;
}

/**
 * A menu with the actions of a row. A menu costs as much as the rest of its row, so it is created when it is opened
 * first.
 */
export const RowActions = ({ name, children }: RowActionsProps) => {
  const [wasOpened, setWasOpened] = useState(false);
  if (!wasOpened) return <ActionsButton name={name} aria-expanded={false} onClick={() => setWasOpened(true)} />;
  return <ActionsMenu name={name}>{children}</ActionsMenu>;
};

const ActionsMenu = ({ name, children }: RowActionsProps) => {
  const button = useRef<HTMLButtonElement>(null);
  const [opened, setOpened] = useState(false);
  useEffect(() => {
    // The button is a new element. The menu returns the focus to it when it is closed.
    button.current?.focus({ preventScroll: true });
    setOpened(true);
  }, []);
  useEffect(() => {
    const { current } = button;
    if (!opened || !current) return undefined;
    // The menu is hidden while its button is out of view, and the focus would be lost with it. A closed menu returns
    // the focus to the button.
    const observer = new IntersectionObserver(([entry]) => {
      if (entry?.isIntersecting === false) setOpened(false);
    });
    observer.observe(current);
    return () => observer.disconnect();
  }, [opened]);
  return (
    <Menu
      opened={opened}
      onChange={setOpened}
      position="bottom-end"
      portalProps={{ target: '#main' }}
      withInitialFocusPlaceholder={false}
    >
      <Menu.Target>
        <ActionsButton name={name} ref={button} />
      </Menu.Target>
      <Menu.Dropdown>{children}</Menu.Dropdown>
    </Menu>
  );
};

interface ActionsButtonProps {
  name: string;
  ref?: Ref<HTMLButtonElement>;
  'aria-expanded'?: boolean;
  onClick?: () => void;
}

/**
 * Looks like Mantine's button for icons, of which one in every row costs too much. The menu adds further properties.
 */
const ActionsButton = ({ name, ...props }: ActionsButtonProps) => (
  <button
    type="button"
    {...props}
    className={`mantine-focus-auto mantine-active ${classes['actions']}`}
    aria-haspopup="menu"
    aria-label={t(`Aktionen für ${name}`, `Actions for ${name}`)}
  >
    <IconDots size={18} aria-hidden />
  </button>
);
