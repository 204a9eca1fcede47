import { Group } from '@mantine/core';
import { createContext, useContext, type ReactNode } from 'react';
import { createPortal } from 'react-dom';

/**
 * The lower edge of a dialog, which does not scroll and contains the buttons. Null until it is drawn, undefined outside
 * of dialogs.
 */
export const DialogFooter = createContext<HTMLElement | null | undefined>(undefined);

/**
 * The buttons of a dialog. They are always visible, however long the dialog is. They are in a file of their own because
 * forms have them, too: the sign-in page has a form, but should not load the code of dialogs.
 */
export const DialogButtons = ({ children }: { children: ReactNode }) => {
  const footer = useContext(DialogFooter);
  const buttons = (
    <Group justify="flex-end" gap="sm">
      {children}
    </Group>
  );
  if (footer === undefined) return buttons;
  return footer && createPortal(buttons, footer);
};
