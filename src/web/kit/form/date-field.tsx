import { TextInput, type TextInputProps } from '@mantine/core';
import { dayInWords } from '../text/dates.ts';

interface DateFieldProps extends Omit<TextInputProps, 'type' | 'value' | 'onChange' | 'description'> {
  value?: string;
  onChange: (value: string) => void;
  /** Asks also for the time to the minute, in the reader's time zone. */
  withTime?: boolean;
}

/**
 * A field for a day. The chosen day is shown in words below it, with the day of the week, because a browser shows the
 * field in its own language: `05/06` may be another day there than in the app's language.
 */
export const DateField = ({ value = '', onChange, withTime = false, ...props }: DateFieldProps) => (
  <TextInput
    type={withTime ? 'datetime-local' : 'date'}
    description={dayInWords(value)}
    inputWrapperOrder={['label', 'input', 'description', 'error']}
    value={value}
    onChange={(event) => onChange(event.currentTarget.value)}
    {...props}
  />
);
