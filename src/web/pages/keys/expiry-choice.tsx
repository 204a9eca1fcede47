import { NativeSelect, SimpleGrid, TextInput } from '@mantine/core';
import { useLocale, useText } from '../../language/language.tsx';

/** When a key ends: never, so many days from now, or with a day. */
export interface Ending {
  after: 'never' | '30' | '90' | '365' | 'date';
  date: string;
}

const choices = ['never', '30', '90', '365', 'date'] as const satisfies readonly Ending['after'][];

/** The last moment of a day where the reader is. */
const endOf = (date: string): Date => new Date(`${date}T23:59:59.999`);

/** When exactly; null for never, undefined while no day was chosen. */
export const momentOf = ({ after, date }: Ending): Date | null | undefined => {
  if (after === 'never') return null;
  if (after === 'date') return date === '' ? undefined : endOf(date);
  const moment = new Date();
  moment.setDate(moment.getDate() + Number(after));
  return moment;
};

interface ExpiryChoiceProps {
  value: Ending;
  onChange: (value: Ending) => void;
  error?: string | undefined;
}

export const ExpiryChoice = ({ value, onChange, error }: ExpiryChoiceProps) => {
  const t = useText();
  const locale = useLocale();
  const words: Record<Ending['after'], string> = {
    never: t('Nie', 'Never'),
    '30': t('Nach 30 Tagen', 'After 30 days'),
    '90': t('Nach 90 Tagen', 'After 90 days'),
    '365': t('Nach einem Jahr', 'After a year'),
    date: t('An einem bestimmten Tag', 'On a certain day'),
  };
  const moment = momentOf(value);
  const told = moment?.toLocaleDateString(locale, { dateStyle: 'long' });
  const hint =
    told === undefined
      ? t('Er gilt, bis Sie ihn widerrufen oder ablösen.', 'It works until you revoke or replace it.')
      : t(`Er gilt bis zum ${told}.`, `It works until ${told}.`);
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }}>
      <NativeSelect
        label={t('Läuft ab', 'Expires')}
        value={value.after}
        onChange={(event) =>
          onChange({ ...value, after: choices.find((choice) => choice === event.currentTarget.value) ?? 'never' })
        }
        data={choices.map((choice) => ({ value: choice, label: words[choice] }))}
        {...(value.after === 'date'
          ? {}
          : { description: hint, error, inputWrapperOrder: ['label', 'input', 'description', 'error'] })}
      />
      {value.after === 'date' && (
        <TextInput
          type="date"
          label={t('Letzter Tag', 'Last day')}
          required
          min={new Date().toLocaleDateString('sv-SE')}
          value={value.date}
          onChange={(event) => onChange({ ...value, date: event.currentTarget.value })}
          error={error}
        />
      )}
    </SimpleGrid>
  );
};
