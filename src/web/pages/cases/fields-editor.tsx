import {
  ActionIcon,
  Button,
  Group,
  Input,
  NativeSelect,
  SegmentedControl,
  Stack,
  Textarea,
  TextInput,
} from '@mantine/core';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import { Hint } from '../../kit/text/text.tsx';
import { DateField } from '../../kit/form/date-field.tsx';
import { isKeyOf, optionsOf } from '../../kit/list/filters.tsx';
import type { FieldProps } from '../../kit/form/form.tsx';
import { t } from '../../language/language.tsx';
import {
  asKind,
  isFreeForm,
  jsonOf,
  parsed,
  readRows,
  rowOf,
  rowsOf,
  type FieldRow,
  type FreeForm,
  type FieldKind,
  type RowError,
} from './field-rows.ts';

/**
 * Unsaved fields: rows, or a JSON text. `from`: if the text was made from rows, these rows and the text that was made.
 */
type FieldsDraft =
  | { as: 'rows'; rows: FieldRow[] }
  | { as: 'json'; text: string; from?: { rows: FieldRow[]; text: string } };

/** The draft of a stored value. An object is edited as rows, a list as JSON. */
export const draftOf = (fields: unknown): FieldsDraft => {
  if (fields === null) return { as: 'rows', rows: [] };
  return isFreeForm(fields)
    ? { as: 'rows', rows: rowsOf(fields) }
    : { as: 'json', text: JSON.stringify(fields, null, 2) };
};

/** The value of a draft, null if it is empty; undefined if it is not valid. */
export const readDraft = (draft: FieldsDraft): FreeForm | unknown[] | null | undefined => {
  if (draft.as === 'rows') {
    const { fields } = { fields: undefined, ...readRows(draft.rows) };
    return fields && Object.keys(fields).length === 0 ? null : fields;
  }
  if (draft.text.trim() === '') return null;
  const value = parsed(draft.text)?.value;
  return value === null || isFreeForm(value) || Array.isArray(value) ? value : undefined;
};

/**
 * Edits free-form fields, as rows of keys and values or as JSON. It switches between the two while the draft is valid.
 * With `error`, new rows also show their mistakes, even if nobody has started to fill them in.
 */
export const FieldsEditor = ({ value: draft, onChange, error }: FieldProps<FieldsDraft>) => {
  const read = readDraft(draft);
  const switchTo = (as: string) => {
    if (read === undefined || as === draft.as) return;
    if (draft.as === 'rows') {
      const text = jsonOf(draft.rows);
      onChange({ as: 'json', text, from: { rows: draft.rows, text } });
    } else if (draft.from?.text === draft.text) onChange({ as: 'rows', rows: draft.from.rows });
    else onChange(draftOf(read));
  };
  const label = t('Felder', 'Fields');
  return (
    <Stack gap="sm" role="group" aria-label={label}>
      <Group justify="space-between" gap="xs">
        <div>
          <Input.Label component="div">{label}</Input.Label>
          <Input.Description>
            {t('Frei definierbare Angaben zum Fall.', 'Custom details about the case.')}
          </Input.Description>
        </div>
        <SegmentedControl
          size="xs"
          aria-label={t('Ansicht der Felder', 'View of the fields')}
          value={draft.as}
          onChange={switchTo}
          data={[
            {
              value: 'rows',
              label: t('Formular', 'Form'),
              disabled: draft.as === 'json' && (read === undefined || Array.isArray(read)),
            },
            { value: 'json', label: 'JSON', disabled: draft.as === 'rows' && read === undefined },
          ]}
        />
      </Group>
      {draft.as === 'json' ? (
        <Textarea
          aria-label={t('Felder als JSON', 'Fields as JSON')}
          autosize
          minRows={6}
          maxRows={18}
          styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: 13 } }}
          spellCheck={false}
          value={draft.text}
          onChange={(event) => onChange({ ...draft, text: event.currentTarget.value })}
          error={
            read === undefined
              ? t(
                  'Geben Sie ein JSON-Objekt { "Schlüssel": … } oder eine Liste [ … ] ein.',
                  'Enter a JSON object { "key": … } or a list [ … ].',
                )
              : undefined
          }
        />
      ) : (
        <Rows rows={draft.rows} showsAll={Boolean(error)} onChange={(rows) => onChange({ as: 'rows', rows })} />
      )}
    </Stack>
  );
};

interface RowsProps {
  rows: FieldRow[];
  /** Also shows the mistakes of rows without a key. */
  showsAll: boolean;
  onChange: (rows: FieldRow[]) => void;
}

const Rows = ({ rows, showsAll, onChange }: RowsProps) => {
  const { errors } = { errors: undefined, ...readRows(rows) };
  return (
    <>
      {rows.length === 0 && <Hint>{t('Noch keine Felder.', 'No fields yet.')}</Hint>}
      {rows.map((row, index) => (
        <Group key={row.id} gap="xs" align="flex-start" wrap="nowrap">
          <FieldRowInputs
            row={row}
            number={index + 1}
            error={showsAll || row.key !== '' ? errors?.get(row.id) : undefined}
            onChange={(next) => onChange(rows.map((former) => (former.id === row.id ? next : former)))}
          />
          <ActionIcon
            variant="subtle"
            color="gray"
            size={36}
            aria-label={t(`Feld ${index + 1} entfernen`, `Remove field ${index + 1}`)}
            onClick={() => onChange(rows.filter(({ id }) => id !== row.id))}
          >
            <IconTrash size={16} aria-hidden />
          </ActionIcon>
        </Group>
      ))}
      <Group>
        <Button size="xs" leftSection={<IconPlus size={14} aria-hidden />} onClick={() => onChange([...rows, rowOf()])}>
          {t('Feld hinzufügen', 'Add field')}
        </Button>
      </Group>
    </>
  );
};

interface FieldRowInputsProps {
  row: FieldRow;
  /** The row's number, for screen readers. */
  number: number;
  error: RowError | undefined;
  onChange: (row: FieldRow) => void;
}

/** A key, the kind of its value, and the value. */
const FieldRowInputs = ({ row, number, error, onChange }: FieldRowInputsProps) => {
  const kinds: Record<FieldKind, string> = {
    text: t('Text', 'Text'),
    number: t('Zahl', 'Number'),
    yes_no: t('Ja/Nein', 'Yes/no'),
    date: t('Datum', 'Date'),
    list: t('Liste', 'List'),
    json: 'JSON',
  };
  const messages: Record<RowError, string> = {
    no_key: t('Geben Sie einen Schlüssel ein.', 'Enter a key.'),
    same_key: t('Dieser Schlüssel ist bereits vorhanden.', 'This key already exists.'),
    no_number: t('Geben Sie eine Zahl ein.', 'Enter a number.'),
    no_date: t('Geben Sie ein Datum ein.', 'Enter a date.'),
    no_json: t('Das ist kein gültiges JSON.', 'This is not valid JSON.'),
  };
  const isKeyError = error === 'no_key' || error === 'same_key';
  const valueError = error !== undefined && !isKeyError ? messages[error] : undefined;
  const label = t(`Wert ${number}`, `Value ${number}`);
  const setText = (text: string) => onChange({ ...row, text });
  // On a phone, the value is on a line of its own.
  const room = '1.4 1 180px';
  return (
    <Group gap="xs" align="flex-start" flex={1} miw={0}>
      <TextInput
        flex="1 1 110px"
        aria-label={t(`Schlüssel ${number}`, `Key ${number}`)}
        placeholder={t('Schlüssel', 'Key')}
        value={row.key}
        onChange={(event) => onChange({ ...row, key: event.currentTarget.value })}
        error={isKeyError ? messages[error] : undefined}
      />
      <NativeSelect
        w={110}
        aria-label={t(`Typ ${number}`, `Type ${number}`)}
        data={optionsOf(kinds)}
        value={row.kind}
        onChange={({ currentTarget: { value: kind } }) => {
          if (isKeyOf(kinds, kind)) onChange(asKind(row, kind));
        }}
      />
      {row.kind === 'yes_no' ? (
        <NativeSelect
          flex={room}
          aria-label={label}
          data={[
            { value: 'true', label: t('Ja', 'Yes') },
            { value: 'false', label: t('Nein', 'No') },
          ]}
          value={row.text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
      ) : row.kind === 'date' ? (
        <DateField flex={room} aria-label={label} value={row.text} onChange={setText} error={valueError} />
      ) : (
        <Textarea
          flex={room}
          aria-label={label}
          placeholder={row.kind === 'list' ? t('Ein Eintrag je Zeile', 'One entry per line') : t('Wert', 'Value')}
          autosize
          minRows={row.kind === 'list' ? 2 : 1}
          maxRows={6}
          inputMode={row.kind === 'number' ? 'decimal' : 'text'}
          value={row.text}
          onChange={(event) => setText(event.currentTarget.value)}
          error={valueError}
        />
      )}
    </Group>
  );
};
