import { Button, Stack, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useId, useRef, useState, type FormEvent } from 'react';
import { t } from '../../language/language.tsx';
import type { AskedQuestion } from './confirm.tsx';
import { DialogButtons } from './dialog-buttons.tsx';
import { DialogShell, openerOf } from './dialog-shell.tsx';
import { Consequences } from './dialog.tsx';
import { Notice, notify, ProblemAlert } from '../page/messages.tsx';

/** The dialog of `useConfirm`. It opens for each new question. */
export default function ConfirmDialog({ asked }: { asked: AskedQuestion }) {
  const { question } = asked;
  const { typed: wanted, again } = question;
  const id = useId();
  const [opened, setOpened] = useState(false);
  const [typed, setTyped] = useState('');
  /** Whether the second question of a dangerous action is shown. */
  const [isLast, setLast] = useState(false);
  const action = useMutation({
    mutationFn: async () => {
      await question.act();
      // The dialog closes before the data of the page is loaded again.
      setOpened(false);
      if (question.done !== undefined) notify(question.done, question.undo);
    },
    ...(question.endsSession === true && { onSuccess: () => undefined }),
  });
  /** The element that had the focus when the question was asked: this code may have been loaded since. */
  const asker = useRef<HTMLElement | null>(null);
  useEffect(() => {
    asker.current = openerOf(asked.focused);
    action.reset();
    setTyped('');
    setLast(false);
    setOpened(true);
  }, [asked]);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (again !== undefined && !isLast) setLast(true);
    else action.mutate();
  };
  const cancel = (
    <Button
      key={isLast ? 'last' : 'first'}
      data-autofocus={wanted === undefined || undefined}
      autoFocus={isLast}
      disabled={action.isPending}
      onClick={() => setOpened(false)}
    >
      {t('Abbrechen', 'Cancel')}
    </Button>
  );
  return (
    <DialogShell
      opened={opened}
      onClose={() => {
        if (!action.isPending) setOpened(false); // stays open, to show a refusal
      }}
      onExitTransitionEnd={() => {
        // The focus returns only if no other element has it by now.
        if (document.activeElement === document.body) asker.current?.focus();
      }}
      title={question.title}
    >
      <form id={id} onSubmit={submit} noValidate>
        <Stack>
          {isLast ? (
            <Notice tone="bad" role="alert" title={again ?? ''}>
              {t('Das kann nicht rückgängig gemacht werden.', 'This can’t be undone.')}
            </Notice>
          ) : (
            <>
              <Text component="div" size="sm">
                {question.points && <Consequences name={question.of} points={question.points} />}
                {question.consequences}
              </Text>
              {wanted !== undefined && (
                <TextInput
                  label={t(`Geben Sie zur Bestätigung ein: ${wanted}`, `Type to confirm: ${wanted}`)}
                  autoComplete="off"
                  spellCheck={false}
                  data-autofocus
                  value={typed}
                  onChange={(event) => setTyped(event.currentTarget.value)}
                />
              )}
            </>
          )}
          <ProblemAlert error={action.error} />
        </Stack>
      </form>
      <DialogButtons>
        {!isLast && cancel}
        <Button
          type="submit"
          form={id}
          variant="filled"
          color={question.harmless === true ? 'brand' : 'red.9'}
          disabled={wanted !== undefined && typed.trim() !== wanted.trim()}
          loading={action.isPending}
        >
          {question.action}
        </Button>
        {/* Here the button that confirms was before, so that a double click does not confirm twice. */}
        {isLast && cancel}
      </DialogButtons>
    </DialogShell>
  );
}
