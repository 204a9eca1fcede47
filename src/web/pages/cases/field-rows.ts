import { ExactNumber, parseExactly } from '../../../core/exact-json.ts';
import { isCalendarDay } from '../../kit/text/dates.ts';

// Free-form fields as the form edits them: a row for each key at the top level, and JSON for nested values.

/** `list`: a list of texts, an entry on each line. `date`: a text such as `2026-11-20`. */
export type FieldKind = 'text' | 'number' | 'yes_no' | 'date' | 'list' | 'json';

export interface FieldRow {
  /** The row's `key` in React. */
  id: string;
  key: string;
  kind: FieldKind;
  text: string;
}

export type FreeForm = Record<string, unknown>;

export const isFreeForm = (value: unknown): value is FreeForm =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber);

/** Ids do not begin at 0, because a restored draft has rows with earlier ids. */
let lastId = Date.now();
export const rowOf = (row: Partial<FieldRow> = {}): FieldRow => ({
  id: String((lastId += 1)),
  key: '',
  kind: 'text',
  text: '',
  ...row,
});

/** Whether a value is a list of texts that can be written with one text on each line and read again unchanged. */
const isLines = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((entry) => typeof entry === 'string' && entry !== '' && !/[\r\n]/.test(entry));

const kindAndTextOf = (value: unknown): Pick<FieldRow, 'kind' | 'text'> => {
  if (typeof value === 'string') return { kind: isCalendarDay(value) ? 'date' : 'text', text: value };
  if (isLines(value)) return { kind: 'list', text: value.join('\n') };
  const text = JSON.stringify(value);
  if (typeof value === 'number' || value instanceof ExactNumber) return { kind: 'number', text };
  return { kind: typeof value === 'boolean' ? 'yes_no' : 'json', text };
};

export const rowsOf = (fields: FreeForm): FieldRow[] =>
  Object.entries(fields).map(([key, value]) => rowOf({ key, ...kindAndTextOf(value) }));

export type RowError = 'no_key' | 'same_key' | 'no_number' | 'no_date' | 'no_json';

const refuseTooLarge = (_key: string, value: unknown): unknown => {
  if (value === Infinity || value === -Infinity) throw new RangeError('the number is too large');
  return value;
};

/** The value of a JSON text; undefined if it is not JSON, or has a number that is too large. */
export const parsed = (text: string): { value: unknown } | undefined => {
  try {
    JSON.parse(text, refuseTooLarge);
    return { value: parseExactly(text) };
  } catch {
    return undefined;
  }
};

const valueOf = ({ kind, text }: FieldRow): { value: unknown } | RowError => {
  if (kind === 'text') return { value: text };
  if (kind === 'yes_no') return { value: text === 'true' };
  if (kind === 'date') return isCalendarDay(text) ? { value: text } : 'no_date';
  if (kind === 'list') return { value: text.split(/\r?\n/).filter((line) => line !== '') };
  if (kind === 'json') return parsed(text) ?? 'no_json';
  const plain = text.trim().replace(',', '.');
  const value = Number(plain);
  // Numbers that JSON writes in another way, such as 1. and 0x10, are accepted too.
  return plain !== '' && Number.isFinite(value) ? (parsed(plain) ?? { value }) : 'no_number';
};

const isBlank = ({ key, text, kind }: FieldRow): boolean =>
  key.trim() === '' && (text.trim() === '' || kind === 'yes_no');

/**
 * A row after a change of its kind. Its text stays, unless a field of the new kind can't show it. A JSON list of texts
 * becomes lines.
 */
export const asKind = (row: FieldRow, kind: FieldKind): FieldRow => {
  if (kind === 'yes_no') return { ...row, kind, text: row.text === 'false' ? 'false' : 'true' };
  // A browser's field for a date can show only a calendar day.
  if (kind === 'date' && !isCalendarDay(row.text)) return { ...row, kind, text: '' };
  const read = row.kind === 'json' ? parsed(row.text)?.value : undefined;
  return kind === 'list' && isLines(read) ? { ...row, kind, text: read.join('\n') } : { ...row, kind };
};

/** The rows as JSON text, in their order. An object would put keys that are numbers first. */
export const jsonOf = (rows: readonly FieldRow[]): string => {
  const entries = rows
    .filter((row) => !isBlank(row))
    .map((row) => {
      const read = valueOf(row);
      const value = typeof read === 'string' ? null : read.value;
      return `  ${JSON.stringify(row.key.trim())}: ${JSON.stringify(value, null, 2).replaceAll('\n', '\n  ')}`;
    });
  return entries.length === 0 ? '{}' : `{\n${entries.join(',\n')}\n}`;
};

/** The rows as an object, or the errors by row. Blank rows are left out. */
export const readRows = (
  rows: readonly FieldRow[],
): { fields: FreeForm; errors?: undefined } | { errors: ReadonlyMap<string, RowError> } => {
  const errors = new Map<string, RowError>();
  const entries = new Map<string, unknown>();
  for (const row of rows.filter((row) => !isBlank(row))) {
    const key = row.key.trim();
    const read = valueOf(row);
    if (key === '') errors.set(row.id, 'no_key');
    else if (entries.has(key)) errors.set(row.id, 'same_key');
    else if (typeof read === 'string') errors.set(row.id, read);
    else entries.set(key, read.value);
  }
  return errors.size > 0 ? { errors } : { fields: Object.fromEntries(entries) };
};
