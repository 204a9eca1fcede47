import { Button, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { t } from '../../language/language.tsx';
import type { Asked } from './confirm.tsx';
import { DialogButtons } from './dialog-buttons.tsx';
import { DialogShell } from './dialog-shell.tsx';
import { Consequences } from './dialog.tsx';
import { notify, ProblemAlert } from '../page/messages.tsx';

/** The dialog of `useConfirm`. It opens for each new question. */
export default function ConfirmDialog({ asked }: { asked: Asked }) {
  const { question } = asked;
  const [opened, setOpened] = useState(false);
  const action = useMutation({
    mutationFn: async () => {
      await question.act();
      // Before the page is loaded again.
      setOpened(false);
      if (question.done !== undefined) notify(question.done);
    },
    ...(question.endsSession === true && { onSuccess: () => undefined }),
  });
  /** The button of a row's menu. Its menu item is gone when the dialog closes, so the button gets the focus back. */
  const asker = useRef<HTMLElement | null>(null);
  useEffect(() => {
    const menu = asked.focused?.closest('[role=menu]')?.id;
    asker.current = menu === undefined ? null : document.querySelector<HTMLElement>(`[aria-controls="${menu}"]`);
    action.reset();
    setOpened(true);
  }, [asked]);
  return (
    <DialogShell
      opened={opened}
      onClose={() => {
        if (!action.isPending) setOpened(false); // the dialog shows a refusal
      }}
      onExitTransitionEnd={() => {
        // Only if nothing else has the focus by now.
        if (document.activeElement === document.body) asker.current?.focus();
      }}
      title={question.title}
    >
      <Stack>
        <Text component="div" size="sm">
          {question.points && <Consequences name={question.of} points={question.points} />}
          {question.consequences}
        </Text>
        <ProblemAlert error={action.error} />
        <DialogButtons>
          <Button data-autofocus disabled={action.isPending} onClick={() => setOpened(false)}>
            {t('Abbrechen', 'Cancel')}
          </Button>
          <Button
            variant="filled"
            color={question.harmless === true ? 'brand' : 'red.9'}
            loading={action.isPending}
            onClick={() => action.mutate()}
          >
            {question.action}
          </Button>
        </DialogButtons>
      </Stack>
    </DialogShell>
  );
}
