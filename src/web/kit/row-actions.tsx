import { ActionIcon, Menu } from '@mantine/core';
import { IconDots } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useText } from '../language/language.ts';

/** What can be done with a row, behind three dots. */
export const RowActions = ({ of, children }: { of: string; children: ReactNode }) => {
  const t = useText();
  return (
    <Menu position="bottom-end" portalProps={{ target: '#main' }} withInitialFocusPlaceholder={false}>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size="lg" aria-label={t(`Aktionen für ${of}`, `Actions for ${of}`)}>
          <IconDots size={18} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>{children}</Menu.Dropdown>
    </Menu>
  );
};
