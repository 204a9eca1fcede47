import { Modal } from '@mantine/core';
import type { ReactNode } from 'react';
import { useText } from '../language/language.ts';

interface DialogProps {
  title: string;
  opened: boolean;
  onClose: () => void;
  size?: 'md' | 'lg' | 'xl';
  children: ReactNode;
}

/** Something to fill in on top of the page. What is in it begins anew each time it opens. */
export const Dialog = ({ title, opened, onClose, size = 'md', children }: DialogProps) => {
  const t = useText();
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={title}
      size={size}
      closeButtonProps={{ 'aria-label': t('Schließen', 'Close') }}
    >
      {children}
    </Modal>
  );
};
