import { Button, Group } from '@mantine/core';
import type { ReactNode } from 'react';
import { useText } from '../language/language.ts';

interface DialogButtonsProps {
  /** The word on the button that submits the form: what is done. */
  action: string;
  running: boolean;
  onCancel: () => void;
  /** For what can’t be undone. */
  harmful?: boolean;
  disabled?: boolean;
  /** Further buttons, between the two. */
  children?: ReactNode;
}

/** The end of a form in a dialog: cancel, or submit. */
export const DialogButtons = ({
  action,
  running,
  onCancel,
  harmful = false,
  disabled = false,
  children,
}: DialogButtonsProps) => {
  const t = useText();
  return (
    <Group justify="flex-end">
      <Button variant="default" onClick={onCancel}>
        {t('Abbrechen', 'Cancel')}
      </Button>
      {children}
      <Button type="submit" color={harmful ? 'red.9' : 'brand'} disabled={disabled} loading={running}>
        {action}
      </Button>
    </Group>
  );
};
