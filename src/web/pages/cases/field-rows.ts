import { ExactNumber, parseExact } from '../../server/exact-json.ts';

// Free-form fields as the form edits them: a row for each key at the top level, and JSON for nested values.

export type Kind = 'text' | 'number' | 'yes_no' | 'json';

export interface FieldRow {
  /** The row's `key` in React. */
  id: string;
  key: string;
  kind: Kind;
  text: string;
}

export type FreeForm = Record<string, unknown>;

export const isFreeForm = (value: unknown): value is FreeForm =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber);

let lastId = 0;
export const rowOf = (row: Partial<FieldRow> = {}): FieldRow => ({
  id: String((lastId += 1)),
  key: '',
  kind: 'text',
  text: '',
  ...row,
});

const kindOf = (value: unknown): Kind => {
  if (typeof value === 'string') return 'text';
  if (typeof value === 'number' || value instanceof ExactNumber) return 'number';
  return typeof value === 'boolean' ? 'yes_no' : 'json';
};

export const rowsOf = (fields: FreeForm): FieldRow[] =>
  Object.entries(fields).map(([key, value]) =>
    rowOf({ key, kind: kindOf(value), text: typeof value === 'string' ? value : JSON.stringify(value) }),
  );

export type RowError = 'no_key' | 'same_key' | 'no_number' | 'no_json';

/** The value of a JSON text; undefined if it is not JSON, or has a number that is too large. */
export const parsed = (text: string): { value: unknown } | undefined => {
  try {
    return { value: parseExact(text) };
  } catch {
    return undefined;
  }
};

const valueOf = ({ kind, text }: FieldRow): { value: unknown } | RowError => {
  if (kind === 'text') return { value: text };
  if (kind === 'yes_no') return { value: text === 'true' };
  if (kind === 'json') return parsed(text) ?? 'no_json';
  const plain = text.trim().replace(',', '.');
  const value = Number(plain);
  // Numbers that JSON writes in another way, such as 1. and 0x10, are accepted too.
  return plain !== '' && Number.isFinite(value) ? (parsed(plain) ?? { value }) : 'no_number';
};

const isBlank = ({ key, text, kind }: FieldRow): boolean =>
  key.trim() === '' && (text.trim() === '' || kind === 'yes_no');

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
