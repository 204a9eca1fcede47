import { Menu } from '@mantine/core';
import { IconDots, IconTrash } from '@tabler/icons-react';
import { useState, type ReactNode, type Ref } from 'react';
import { t } from '../../language/language.tsx';
import { useOpenAtOnce } from '../page/open-at-once.ts';
import classes from './table.module.css';

interface RowActionsProps {
  name: string;
  children: ReactNode;
}

/**
 * A menu with the actions of a row. A menu takes as long to draw as the rest of its row, so it is created when it is
 * first opened.
 */
export const RowActions = ({ name, children }: RowActionsProps) => {
  const [wasOpened, setWasOpened] = useState(false);
  if (!wasOpened) return <ActionsButton name={name} aria-expanded={false} onClick={() => setWasOpened(true)} />;
  return <ActionsMenu name={name}>{children}</ActionsMenu>;
};

const ActionsMenu = ({ name, children }: RowActionsProps) => {
  const { opened, onChange, button } = useOpenAtOnce();
  return (
    <Menu
      opened={opened}
      onChange={onChange}
      // The menu stays while its button is out of view, because otherwise the focus would be lost with the menu.
      hideDetached={false}
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

/** The last item of a row's menu: it removes the object of the row, after a question. */
export const RemovalItem = ({ onClick, children }: { onClick: () => void; children: ReactNode }) => (
  <Menu.Item c="var(--bad)" leftSection={<IconTrash size={16} aria-hidden />} onClick={onClick}>
    {children}
  </Menu.Item>
);

interface ActionsButtonProps {
  name: string;
  ref?: Ref<HTMLButtonElement>;
  'aria-expanded'?: boolean;
  onClick?: () => void;
}

/** Looks like Mantine's button for icons, which is too slow to be in every row. The menu adds further properties. */
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
