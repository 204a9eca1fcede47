import { Group } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './dialog-buttons.module.css';

/**
 * The buttons of a dialog, as its last part. They are always visible, however long the dialog is. This is a separate file because forms
 * have these buttons too: the sign-in page, which has a form, does not load the code of dialogs.
 */
export const DialogButtons = ({ children }: { children: ReactNode }) => (
  <Group className={classes['buttons'] ?? ''} justify="flex-end">
    {children}
  </Group>
);
