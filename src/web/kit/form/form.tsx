import { Button, Group, Stack } from '@mantine/core';
import { useForm, type FormErrors, type UseFormReturnType } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useId, useRef, type FormEvent, type ReactNode } from 'react';
import { t } from '../../language/language.tsx';
import { isField, messageFor } from '../../language/field-messages.ts';
import { errorsByField, type FieldErrors, problemOf, type AppProblem } from '../../server/problem.ts';
import { DialogButtons } from '../dialog/dialog-buttons.tsx';
import { RestoredDraft, useDraft, useUnsentInput, type DraftOf } from './draft.tsx';
import { notify, ProblemAlert } from '../page/messages.tsx';

// Forms that send data to the server use these two: `useServerForm` holds the values, errors and progress, and `Form`
// draws the frame around the fields. If sending fails, the input stays. With `draft` it also stays if the document is
// reloaded.

/**
 * The part of the form that `onSent` may use. It has no `reset`, which would restore the values that were sent. To
 * empty the form, set `empties`.
 */
type SentForm<Values> = Pick<UseFormReturnType<Values>, 'getValues' | 'setFieldValue'>;

interface FormSettings<Values, Answer> {
  initial: Values;
  send: (values: Values) => Promise<Answer>;
  onSent?: (answer: Answer, values: Values, form: SentForm<Values>) => void;
  /** Empties the fields after success, for forms whose next input is a new one. */
  empties?: boolean;
  /** The message after the values were sent. */
  done?: string;
  onRefused?: (error: Error) => void;
  /** Checks the values before they are sent, and returns a message for each field that is wrong. */
  check?: (values: Values) => FormErrors;
  /** The fields that are also checked on every change, not only on submit. */
  checkWhileTyping?: (keyof Values & string)[];
  /**
   * Turns the server's errors into messages at the form's fields. Without it, each error is shown at the field of the
   * same name. Errors that belong to no field are shown above the buttons.
   */
  errorsAt?: (errors: FieldErrors, problem: AppProblem) => FormErrors;
  /** Removes the result of the last attempt as soon as a value changes. */
  resetsOnChange?: boolean;
  onChange?: (values: Values, previous: Values) => void;
  /** Keeps the data that the page shows. Otherwise this data is loaded again after success. */
  keepsPage?: boolean;
  /** Stores unsent input, so that it survives reloading the document. */
  draft?: DraftOf<Values>;
}

/** For each field that breaks a rule of HTML, its message. */
const flawsOfInputs = (frame: HTMLFormElement): Record<string, string> =>
  Object.fromEntries(
    [...frame.elements]
      .filter(isField)
      .filter(({ dataset, validity }) => dataset['path'] !== undefined && !validity.valid)
      .map((field) => [field.dataset['path'] ?? '', messageFor(field)]),
  );

export const useServerForm = <Values extends object, Answer>({
  initial,
  send,
  onSent,
  empties = false,
  done,
  onRefused,
  check,
  checkWhileTyping = [],
  errorsAt,
  resetsOnChange = false,
  onChange,
  keepsPage = false,
  draft,
}: FormSettings<Values, Answer>) => {
  /** The buttons of a dialog name the form by this id, because they are outside of the form. */
  const id = useId();
  const sendAndForget = async (values: Values): Promise<Answer> => {
    const answer = await send(values);
    kept.drop(); // here, because the page may have been left since
    return answer;
  };
  const sending = useMutation({ mutationFn: sendAndForget, ...(keepsPage && { onSuccess: () => undefined }) });
  const form = useForm<Values>({
    initialValues: initial,
    validate: (values) => check?.(values) ?? {},
    validateInputOnChange: checkWhileTyping,
    onValuesChange: (values, previous) => {
      if (resetsOnChange) sending.reset();
      kept.keep(values);
      onChange?.(values, previous);
    },
  });
  const kept = useDraft(draft, initial, (values) => form.setValues(values));
  useUnsentInput({ isDirty: () => form.isDirty(), drop: kept.drop });

  /** The part of an error that the form shows at its fields. With `name`, only the part about this field. */
  const shownAt = (problem: AppProblem, name?: string): FormErrors => {
    const isAsked = ([one]: [string, string]) => name === undefined || one === name;
    const errors = Object.fromEntries(Object.entries(errorsByField(problem)).filter(isAsked));
    if (errorsAt) return errorsAt(errors, problem);
    return Object.fromEntries(Object.entries(errors).filter(([field]) => Object.hasOwn(initial, field)));
  };
  const fieldErrorsOf = (error: unknown): FormErrors => {
    const problem = problemOf(error);
    return problem ? shownAt(problem) : {};
  };
  const hasMessage = (errors: FormErrors): boolean =>
    Object.values(errors).some((message) => message !== undefined && message !== false);
  /** The names in the server's errors for which the form has a field. */
  const fieldsOf = (error: unknown): readonly string[] => {
    const problem = problemOf(error);
    if (!problem) return [];
    return Object.keys(errorsByField(problem)).filter((name) => hasMessage(shownAt(problem, name)));
  };
  /** Whether the fields show the whole error, so that it needs no alert of its own. */
  const isAtField = (error: unknown): boolean =>
    hasMessage(fieldErrorsOf(error)) && fieldsOf(error).length === Object.keys(errorsByField(problemOf(error))).length;

  const submitValues = form.onSubmit((values) =>
    sending.mutate(values, {
      onSuccess: (answer) => {
        if (empties) form.setValues(initial);
        form.resetDirty(empties ? initial : values);
        if (done !== undefined) notify(done);
        onSent?.(answer, values, form);
      },
      onError: (error) => {
        form.setErrors(fieldErrorsOf(error));
        onRefused?.(error);
      },
    }),
  );

  return {
    ...form,
    id,
    sending,
    draft: kept,
    submit: (event: FormEvent<HTMLFormElement>) => {
      const flaws = flawsOfInputs(event.currentTarget);
      if (Object.keys(flaws).length === 0) return submitValues(event);
      event.preventDefault();
      form.setErrors({ ...check?.(form.getValues()), ...flaws });
    },
    /** The error, if it belongs to no field, or if the fields don't show all of it. */
    error: isAtField(sending.error) ? null : sending.error,
    /** The names in the last error that are shown at fields of the form. */
    fieldsOfError: fieldsOf(sending.error),
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
    id: string;
    submit: (event: FormEvent<HTMLFormElement>) => void;
    sending: { isPending: boolean };
    error: unknown;
    fieldsOfError?: readonly string[];
    draft: { restoredFrom: number | undefined; drop: () => void };
    reset: () => void;
  };
  children: ReactNode;
  /** The text of the button that submits the form. */
  action: string;
  /** Marks an action that can’t be undone: its button is red. */
  harmful?: boolean;
  disabled?: boolean;
  /** Keeps the button busy after success, because the app is about to leave the page. */
  busy?: boolean;
  /**
   * Where the buttons are: in a dialog at its right end, in a panel at the left. In a card the button is as wide as the
   * card.
   */
  place?: 'dialog' | 'panel' | 'card';
  /** Removes the button when there is nothing more to submit. */
  hidesAction?: boolean;
  /** Adds a button that closes the dialog. */
  onCancel?: () => void;
  /** The text of the button that closes the dialog, if it is not “Cancel”. */
  cancel?: string | undefined;
  /** Further buttons, or the content after the button of a card. */
  extra?: ReactNode;
  gap?: 'md' | 'lg';
}

/** After a submit that failed, scrolls to the first error in the form and moves the focus there. */
const useFocusOnError = (error: unknown, isPending: boolean) => {
  const frame = useRef<HTMLFormElement>(null);
  const isAwaited = useRef(false);
  const former = useRef<unknown>(undefined);
  // This effect has no dependencies, because the errors at the fields are part of the content.
  useEffect(() => {
    if (!isAwaited.current || isPending) return;
    const alert = error !== null && error === former.current ? '' : ', [role="alert"]';
    const first = frame.current?.querySelector<HTMLElement>(`[aria-invalid="true"]:not(:disabled)${alert}`);
    if (!first) return;
    isAwaited.current = false;
    if (first.role === 'alert') first.tabIndex = -1;
    first.scrollIntoView({ block: 'center' });
    first.focus({ preventScroll: true });
  });
  const awaitOutcome = () => {
    isAwaited.current = true;
    former.current = error;
  };
  return { frame, awaitOutcome };
};

/** The frame of a form: its fields, errors that belong to no field, and the buttons. */
export const Form = ({
  form: { id, submit, sending, error, fieldsOfError, draft, reset },
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
  const { frame, awaitOutcome } = useFocusOnError(error, sending.isPending);
  const button = (
    <Button
      variant="filled"
      type="submit"
      form={id}
      color={harmful ? 'red.9' : 'brand'}
      size={place === 'card' ? 'md' : 'sm'}
      disabled={disabled}
      loading={sending.isPending || busy}
    >
      {action}
    </Button>
  );
  return (
    <form
      id={id}
      noValidate
      ref={frame}
      onSubmit={(event) => {
        awaitOutcome();
        submit(event);
      }}
    >
      <Stack gap={gap} {...(place === 'panel' && { maw: 480 })}>
        {draft.restoredFrom !== undefined && (
          <RestoredDraft
            onDiscard={() => {
              reset();
              draft.drop();
            }}
          />
        )}
        {children}
        <ProblemAlert error={error} {...(fieldsOfError && { except: fieldsOfError })} />
        {place === 'dialog' && (
          <DialogButtons>
            {onCancel && (
              <Button
                disabled={sending.isPending}
                onClick={() => {
                  draft.drop();
                  onCancel();
                }}
              >
                {cancel ?? t('Abbrechen', 'Cancel')}
              </Button>
            )}
            {extra}
            {!hidesAction && button}
          </DialogButtons>
        )}
        {place === 'panel' && (
          <Group>
            {button}
            {extra}
          </Group>
        )}
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
