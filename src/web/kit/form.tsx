import { Button, Group, Stack } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { FormErrors, UseFormReturnType } from '@mantine/form';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { FormEvent, ReactNode } from 'react';
import { useText } from '../language/language.tsx';
import { errorsByField, problemOf } from '../server/problem.ts';
import type { AppProblem } from '../server/problem.ts';
import { ProblemAlert } from './messages.tsx';

// Every form that sends something to the server: `useServerForm` holds its values, errors and progress, and `Form` draws the frame
// around its fields. What was typed in stays if sending fails.

interface FormSettings<Values, Answer> {
  initial: Values;
  send: (values: Values) => Promise<Answer>;
  onSent?: (answer: Answer, values: Values, form: UseFormReturnType<Values>) => void;
  onRefused?: (error: Error) => void;
  /** Checks the values before they are sent, and returns a message for each field that is wrong. */
  check?: (values: Values) => FormErrors;
  /** Runs `check` on every change too, not only on submit. */
  checkWhileTyping?: boolean;
  /**
   * Turns the server's errors into messages at the form's fields. Without it, each error is shown at the field of the same name, in
   * the server's words. An error that belongs to no field is shown above the buttons.
   */
  errorsAt?: (errors: Record<string, string>, problem: AppProblem) => FormErrors;
  /** Clears the outcome of the last attempt as soon as a value changes. */
  resetsOnChange?: boolean;
  onChange?: (values: Values, previous: Values) => void;
  /** Keeps what the page shows, which is otherwise loaded again after success. */
  keepsPage?: boolean;
}

export const useServerForm = <Values extends object, Answer>({
  initial,
  send,
  onSent,
  onRefused,
  check,
  checkWhileTyping = false,
  errorsAt,
  resetsOnChange = false,
  onChange,
  keepsPage = false,
}: FormSettings<Values, Answer>) => {
  const queries = useQueryClient();
  const sending = useMutation({
    mutationFn: send,
    onSuccess: () => (keepsPage ? undefined : queries.invalidateQueries()),
  });
  const form = useForm<Values>({
    initialValues: initial,
    validate: (values) => check?.(values) ?? {},
    validateInputOnChange: checkWhileTyping,
    onValuesChange: (values, previous) => {
      if (resetsOnChange) sending.reset();
      onChange?.(values, previous);
    },
  });

  const fieldErrorsOf = (error: unknown): FormErrors => {
    const problem = problemOf(error);
    if (!problem) return {};
    const errors = errorsByField(problem);
    if (errorsAt) return errorsAt(errors, problem);
    return Object.fromEntries(Object.entries(errors).filter(([name]) => Object.hasOwn(initial, name)));
  };
  /** Whether an error is shown at a field, and needs no alert of its own. */
  const isAtField = (error: unknown): boolean =>
    Object.values(fieldErrorsOf(error)).some((message) => message !== undefined && message !== false);

  return {
    ...form,
    sending,
    submit: form.onSubmit((values) =>
      sending.mutate(values, {
        onSuccess: (answer) => onSent?.(answer, values, form),
        onError: (error) => {
          form.setErrors(fieldErrorsOf(error));
          onRefused?.(error);
        },
      }),
    ),
    /** The error that belongs to no field. */
    error: isAtField(sending.error) ? null : sending.error,
    isAtField,
    fieldErrorsOf,
    /** Props for a component whose `onChange` passes the value itself. */
    field: <Name extends keyof Values & string>(name: Name): FieldProps<Values[Name]> => {
      const { value, onChange: set, error } = form.getInputProps(name);
      return { value, onChange: set, error };
    },
  };
};

export interface FieldProps<Value> {
  value: Value;
  onChange: (value: Value) => void;
  error?: ReactNode;
}

interface FormProps {
  form: {
    submit: (event: FormEvent<HTMLFormElement>) => void;
    sending: { isPending: boolean };
    error: unknown;
  };
  /** The fields. */
  children: ReactNode;
  /** The text of the button that submits the form. */
  action: string;
  /** For an action that can’t be undone. */
  harmful?: boolean;
  disabled?: boolean;
  /** Keeps the button busy after success, where the page is left. */
  busy?: boolean;
  /** In a dialog the buttons are at its right end, in a panel at the left; in a card the button is as wide as the card. */
  place?: 'dialog' | 'panel' | 'card';
  /** Leaves the button out, when there is nothing more to submit. */
  hidesAction?: boolean;
  /** Adds a button that closes the dialog. */
  onCancel?: () => void;
  /** The text of that button, if it is not “Cancel”. */
  cancel?: string | undefined;
  /** Further buttons of a dialog, or what follows the button of a card. */
  extra?: ReactNode;
  gap?: 'md' | 'lg';
}

/** The frame of a form: its fields, the error that belongs to none of them, and the buttons. */
export const Form = ({
  form: { submit, sending, error },
  children,
  action,
  harmful = false,
  disabled = false,
  busy = false,
  place = 'dialog',
  hidesAction = false,
  onCancel,
  cancel,
  extra,
  gap = 'md',
}: FormProps) => {
  const t = useText();
  const button = (
    <Button
      type="submit"
      color={harmful ? 'red.9' : 'brand'}
      size={place === 'card' ? 'md' : 'sm'}
      disabled={disabled}
      loading={sending.isPending || busy}
    >
      {action}
    </Button>
  );
  return (
    <form onSubmit={submit}>
      <Stack gap={gap} {...(place === 'panel' && { maw: 480 })}>
        {children}
        <ProblemAlert error={error} />
        {place === 'dialog' && (
          <Group justify="flex-end">
            {onCancel && (
              <Button variant="default" onClick={onCancel}>
                {cancel ?? t('Abbrechen', 'Cancel')}
              </Button>
            )}
            {extra}
            {!hidesAction && button}
          </Group>
        )}
        {place === 'panel' && <Group>{button}</Group>}
        {place === 'card' && (
          <>
            {button}
            {extra}
          </>
        )}
      </Stack>
    </form>
  );
};
