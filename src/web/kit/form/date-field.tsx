import { TextInput, type TextInputProps } from '@mantine/core';
import { dayInWords } from '../text/dates.ts';

interface DateFieldProps extends Omit<TextInputProps, 'type' | 'value' | 'onChange' | 'description'> {
  value?: string;
  onChange: (value: string) => void;
  /** A time to the minute, in the reader's time zone. */
  withTime?: boolean;
}

/**
 * A field for a day. Below it is the chosen day in words: a browser shows the field in its own language, where `05/06`
 * may be another day than in the app's, and the words also have the day of the week.
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
