import { Modal, ModalStackContext, type ModalProps } from '@mantine/core';
import { useContext, useEffect, useId, useLayoutEffect, useRef, useState, type ReactNode } from 'react';
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

/**
 * The element that gets the focus back: the one that had it, or the button of a menu, whose item no longer exists when
 * the dialog closes.
 */
export const openerOf = (focused: Element | null): HTMLElement | null => {
  const menu = focused?.closest('[role=menu]')?.id;
  const opener = menu === undefined ? focused : document.querySelector(`[aria-controls="${menu}"]`);
  return opener instanceof HTMLElement ? opener : null;
};

/** The frame of every dialog: a header, the content, which scrolls, and the place of the buttons (`DialogButtons`). */
export const DialogShell = ({ question, children, ...modal }: DialogShellProps) => {
  const [footer, setFooter] = useState<HTMLElement | null>(null);
  const id = useId();
  const stack = useContext(ModalStackContext);
  // If an open dialog is removed with its page, it does not report this to the stack.
  useEffect(() => () => stack?.removeModal(id), []);
  const { opened } = modal;
  const opener = useRef<HTMLElement | null>(null);
  useLayoutEffect(() => {
    if (opened) opener.current = openerOf(document.activeElement);
  }, [opened]);
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
      onExitTransitionEnd={() => {
        // Mantine does not return the focus from a dialog of a stack. No other element must lose it.
        if (document.activeElement === document.body) opener.current?.focus();
      }}
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
