import { Modal, ModalStackContext, type ModalProps } from '@mantine/core';
import { useContext, useEffect, useId, useState, type ReactNode } from 'react';
import { t } from '../../language/language.tsx';
import { DialogFooter } from './dialog-buttons.tsx';
import classes from './dialog-shell.module.css';

interface DialogShellProps extends Pick<
  ModalProps,
  'opened' | 'onClose' | 'title' | 'size' | 'onExitTransitionEnd' | 'closeOnClickOutside'
> {
  withCloseButton?: boolean;
  /**
   * Replaces the buttons while a question about the dialog itself is open. The rest of the dialog can't be used then.
   */
  question?: ReactNode;
  children: ReactNode;
}

/** The frame of every dialog: a header, the content, which scrolls, and the place of the buttons (`DialogButtons`). */
export const DialogShell = ({ question, children, ...modal }: DialogShellProps) => {
  const [footer, setFooter] = useState<HTMLElement | null>(null);
  const id = useId();
  const stack = useContext(ModalStackContext);
  // If an open dialog is removed with its page, it does not report this to the stack.
  useEffect(() => () => stack?.removeModal(id), []);
  return (
    <Modal
      // The open dialogs form one stack (`ModalStack` in the shell): Escape closes the last one.
      stackId={id}
      classNames={{
        content: classes['content'] ?? '',
        header: classes['header'] ?? '',
        body: classes['body'] ?? '',
      }}
      closeButtonProps={{ 'aria-label': t('Schließen', 'Close') }}
      {...modal}
    >
      <div className={classes['scrolled']} inert={question !== undefined}>
        <DialogFooter value={footer}>{children}</DialogFooter>
      </div>
      <div ref={setFooter} className={classes['footer']} hidden={question !== undefined} />
      {question !== undefined && <div className={classes['footer']}>{question}</div>}
    </Modal>
  );
};
