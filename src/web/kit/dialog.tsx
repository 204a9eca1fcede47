import { Button, Group, List, Modal, Stack, Text } from '@mantine/core';
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

/** A dialog on top of the page. Its content is created anew each time it opens. */
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

export interface Question {
  title: string;
  /** The effects of the action, above all those that can’t be undone. */
  consequences: ReactNode;
  /** The text of the button that confirms. */
  action: string;
  /** Whether the action can be undone: its button is not red then. */
  harmless?: boolean;
  act: () => Promise<unknown>;
}

/** A list of consequences. The name says which object they concern. */
export const Consequences = ({ name, points }: { name?: string; points: readonly (string | undefined)[] }) => (
  <>
    {name !== undefined && (
      <Text size="sm" mb="xs" fw={600} style={{ overflowWrap: 'anywhere' }}>
        {name}
      </Text>
    )}
    <List size="sm" spacing={6}>
      {points.map((point) => point !== undefined && <List.Item key={point}>{point}</List.Item>)}
    </List>
  </>
);

const AskContext = createContext<(question: Question) => void>(() => undefined);

/** Asks for confirmation before an action. If the action fails, the dialog stays open and shows the error. */
export const useConfirm = () => useContext(AskContext);

export const ConfirmProvider = ({ children }: { children: ReactNode }) => {
  const t = useText();
  const [question, setQuestion] = useState<Question>();
  const [opened, setOpened] = useState(false);
  const [running, setRunning] = useState(false);
  const [error, setError] = useState<unknown>();
  /** The button of a row's menu. Its menu item is gone when the dialog closes, so the button gets the focus back. */
  const asker = useRef<HTMLElement | null>(null);

  const ask = (next: Question) => {
    const focused = document.activeElement;
    const menu = focused?.closest('[role=menu]')?.id;
    asker.current = menu === undefined ? null : document.querySelector<HTMLElement>(`[aria-controls="${menu}"]`);
    setError(undefined);
    setQuestion(next);
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
          // Only if nothing else has the focus by now.
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
