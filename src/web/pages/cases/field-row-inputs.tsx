import { NativeSelect, Textarea, TextInput } from '@mantine/core';
import { isAmong } from '../../kit/filters.tsx';
import { useText } from '../../language/language.tsx';
import classes from './field-row-inputs.module.css';
import type { FieldRow, Flaw, Kind } from './field-rows.ts';

interface FieldRowInputsProps {
  row: FieldRow;
  /** Which one it is, for those who can’t see it. */
  number: number;
  flaw: Flaw | undefined;
  onChange: (row: FieldRow) => void;
}

/** A key, what kind of value it has, and the value. */
export const FieldRowInputs = ({ row, number, flaw, onChange }: FieldRowInputsProps) => {
  const t = useText();
  const kinds: Record<Kind, string> = {
    text: t('Text', 'Text'),
    number: t('Zahl', 'Number'),
    yes_no: t('Ja/Nein', 'Yes/no'),
    json: 'JSON',
  };
  const said: Record<Flaw, string> = {
    no_key: t('Der Schlüssel fehlt.', 'The key is missing.'),
    same_key: t('Dieser Schlüssel ist schon vorhanden.', 'This key already exists.'),
    no_number: t('Das ist keine Zahl.', 'This is no number.'),
    no_json: t('Das ist kein JSON.', 'This is no JSON.'),
  };
  const isOfKey = flaw === 'no_key' || flaw === 'same_key';
  const label = t(`Wert ${number}`, `Value ${number}`);
  const setText = (text: string) => onChange({ ...row, text });
  return (
    <div className={classes['row']}>
      <TextInput
        aria-label={t(`Schlüssel ${number}`, `Key ${number}`)}
        placeholder={t('Schlüssel', 'Key')}
        value={row.key}
        onChange={(event) => onChange({ ...row, key: event.currentTarget.value })}
        error={isOfKey ? said[flaw] : undefined}
      />
      <NativeSelect
        aria-label={t(`Art ${number}`, `Kind ${number}`)}
        data={Object.entries(kinds).map(([value, name]) => ({ value, label: name }))}
        value={row.kind}
        onChange={({ currentTarget: { value: kind } }) => {
          if (isAmong(kinds, kind)) onChange({ ...row, kind, text: kind === 'yes_no' ? 'true' : row.text });
        }}
      />
      {row.kind === 'yes_no' ? (
        <NativeSelect
          aria-label={label}
          data={[
            { value: 'true', label: t('Ja', 'Yes') },
            { value: 'false', label: t('Nein', 'No') },
          ]}
          value={row.text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
      ) : (
        <Textarea
          aria-label={label}
          placeholder={t('Wert', 'Value')}
          autosize
          minRows={1}
          maxRows={6}
          inputMode={row.kind === 'number' ? 'decimal' : 'text'}
          value={row.text}
          onChange={(event) => setText(event.currentTarget.value)}
          error={flaw !== undefined && !isOfKey ? said[flaw] : undefined}
        />
      )}
    </div>
  );
};
