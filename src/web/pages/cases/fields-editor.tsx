import {
  ActionIcon,
  Button,
  Group,
  Input,
  NativeSelect,
  SegmentedControl,
  Stack,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import { isAmong } from '../../kit/filters.tsx';
import { useText } from '../../language/language.tsx';
import { isFreeForm, parsed, readRows, rowOf, rowsOf } from './field-rows.ts';
import type { FieldRow, Flaw, FreeForm, Kind } from './field-rows.ts';
import classes from './fields-editor.module.css';

/** What somebody is filling in: rows, or the JSON as it is. */
type FieldsDraft = { as: 'rows'; rows: FieldRow[] } | { as: 'json'; text: string };

/** A draft of a stored value. Only an object has rows; a list is edited as JSON. */
export const draftOf = (fields: unknown): FieldsDraft => {
  if (fields === null) return { as: 'rows', rows: [] };
  return isFreeForm(fields)
    ? { as: 'rows', rows: rowsOf(fields) }
    : { as: 'json', text: JSON.stringify(fields, null, 2) };
};

/** The value of a draft, null if it is empty; undefined while something is wrong with it. */
export const readDraft = (draft: FieldsDraft): FreeForm | unknown[] | null | undefined => {
  if (draft.as === 'rows') {
    const { fields } = { fields: undefined, ...readRows(draft.rows) };
    return fields && Object.keys(fields).length === 0 ? null : fields;
  }
  if (draft.text.trim() === '') return null;
  const value = parsed(draft.text)?.value;
  return value === null || isFreeForm(value) || Array.isArray(value) ? value : undefined;
};

interface FieldsEditorProps {
  value: FieldsDraft;
  onChange: (draft: FieldsDraft) => void;
  /** Whether flaws are told that somebody may only not have come to yet. */
  tried: boolean;
}

/** Free-form fields: keys with values, or the JSON itself. One can go over into the other while nothing is wrong. */
export const FieldsEditor = ({ value: draft, onChange, tried }: FieldsEditorProps) => {
  const t = useText();
  const read = readDraft(draft);
  const switchTo = (as: string) => {
    if (read === undefined || as === draft.as) return;
    onChange(as === 'json' ? { as: 'json', text: JSON.stringify(read ?? {}, null, 2) } : draftOf(read));
  };
  const label = t('Felder', 'Fields');
  return (
    <Stack gap="sm" role="group" aria-label={label}>
      <Group justify="space-between" gap="xs">
        <div>
          <Input.Label component="div">{label}</Input.Label>
          <Input.Description>
            {t('Frei wählbar: was man über den Fall wissen soll.', 'Free-form: what there is to know about the case.')}
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
          onChange={(event) => onChange({ as: 'json', text: event.currentTarget.value })}
          error={
            read === undefined
              ? t(
                  'Erwartet wird ein JSON-Objekt { "Schlüssel": … } oder eine Liste [ … ].',
                  'Expected a JSON object { "key": … } or a list [ … ].',
                )
              : undefined
          }
        />
      ) : (
        <Rows rows={draft.rows} tried={tried} onChange={(rows) => onChange({ as: 'rows', rows })} />
      )}
    </Stack>
  );
};

interface RowsProps {
  rows: FieldRow[];
  tried: boolean;
  onChange: (rows: FieldRow[]) => void;
}

const Rows = ({ rows, tried, onChange }: RowsProps) => {
  const t = useText();
  const { flaws } = { flaws: undefined, ...readRows(rows) };
  return (
    <>
      {rows.length === 0 && (
        <Text size="sm" c="dimmed">
          {t('Noch keine Felder.', 'No fields yet.')}
        </Text>
      )}
      {rows.map((row, index) => (
        <Group key={row.id} gap="xs" align="flex-start" wrap="nowrap">
          <FieldRowInputs
            row={row}
            number={index + 1}
            flaw={tried || row.key !== '' ? flaws?.get(row.id) : undefined}
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
        <Button
          variant="default"
          size="xs"
          leftSection={<IconPlus size={14} aria-hidden />}
          onClick={() => onChange([...rows, rowOf()])}
        >
          {t('Feld hinzufügen', 'Add field')}
        </Button>
      </Group>
    </>
  );
};

interface FieldRowInputsProps {
  row: FieldRow;
  /** Which one it is, for those who can’t see it. */
  number: number;
  flaw: Flaw | undefined;
  onChange: (row: FieldRow) => void;
}

/** A key, what kind of value it has, and the value. */
const FieldRowInputs = ({ row, number, flaw, onChange }: FieldRowInputsProps) => {
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
