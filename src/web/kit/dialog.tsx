import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { createContext, useContext, useRef, useState } from 'react';
import type { ReactNode } from 'react';
import { useText } from '../language/language.tsx';
import { ProblemAlert } from './messages.tsx';

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

interface Question {
  title: string;
  /** What follows from it, above all what can’t be undone. */
  consequences: ReactNode;
  /** The word on the button: what is done. */
  action: string;
  harmless?: boolean;
  act: () => Promise<unknown>;
}

const AskContext = createContext<(question: Question) => void>(() => undefined);

/** Asks before something that can’t be undone; the question stays, with the reason, if it fails. */
export const useConfirm = () => useContext(AskContext);

export const ConfirmProvider = ({ children }: { children: ReactNode }) => {
  const t = useText();
  const [question, setQuestion] = useState<Question>();
  const [opened, setOpened] = useState(false);
  const [running, setRunning] = useState(false);
  const [error, setError] = useState<unknown>();
  /** A row's menu is gone by the time the question is answered: the focus goes back to what opened it. */
  const asker = useRef<HTMLElement | null>(null);

  const ask = (asked: Question) => {
    const focused = document.activeElement;
    const menu = focused?.closest('[role=menu]')?.id;
    asker.current = menu === undefined ? null : document.querySelector<HTMLElement>(`[aria-controls="${menu}"]`);
    setError(undefined);
    setQuestion(asked);
    setOpened(true);
  };
  const act = async () => {
    setRunning(true);
    try {
      await question?.act();
      setOpened(false);
    } catch (failure) {
      setError(failure);
    } finally {
      setRunning(false);
    }
  };
  return (
    <AskContext value={ask}>
      {children}
      <Modal
        opened={opened}
        onClose={() => setOpened(false)}
        onExitTransitionEnd={() => {
          // Never away from where they have gone meanwhile.
          if (document.activeElement === document.body) asker.current?.focus();
        }}
        title={question?.title}
        closeButtonProps={{ 'aria-label': t('Schließen', 'Close') }}
      >
        <Stack>
          <Text component="div" size="sm">
            {question?.consequences}
          </Text>
          <ProblemAlert error={error} />
          <Group justify="flex-end">
            <Button variant="default" data-autofocus onClick={() => setOpened(false)}>
              {t('Abbrechen', 'Cancel')}
            </Button>
            <Button
              color={question?.harmless === true ? 'brand' : 'red.9'}
              loading={running}
              onClick={() => void act()}
            >
              {question?.action}
            </Button>
          </Group>
        </Stack>
      </Modal>
    </AskContext>
  );
};
