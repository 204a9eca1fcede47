// Free-form fields as somebody fills them in: a row for each key at the top, and JSON for whatever is nested.

export type Kind = 'text' | 'number' | 'yes_no' | 'json';

export interface FieldRow {
  /** For React alone. */
  id: string;
  key: string;
  kind: Kind;
  text: string;
}

export type FreeForm = Record<string, unknown>;

export const isFreeForm = (value: unknown): value is FreeForm =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

let made = 0;
export const rowOf = (row: Partial<FieldRow> = {}): FieldRow => ({
  id: String((made += 1)),
  key: '',
  kind: 'text',
  text: '',
  ...row,
});

const kindOf = (value: unknown): Kind => {
  if (typeof value === 'string') return 'text';
  if (typeof value === 'number') return 'number';
  return typeof value === 'boolean' ? 'yes_no' : 'json';
};

export const rowsOf = (fields: FreeForm): FieldRow[] =>
  Object.entries(fields).map(([key, value]) =>
    rowOf({ key, kind: kindOf(value), text: typeof value === 'string' ? value : JSON.stringify(value) }),
  );

export type Flaw = 'no_key' | 'same_key' | 'no_number' | 'no_json';

/** What a JSON text says; undefined where it says nothing, or a number that none can hold. */
export const parsed = (text: string): { value: unknown } | undefined => {
  try {
    const value: unknown = JSON.parse(text, (_key, part: unknown) => {
      if (part === Infinity || part === -Infinity) throw new RangeError('too large');
      return part;
    });
    return { value };
  } catch {
    return undefined;
  }
};

const valueOf = ({ kind, text }: FieldRow): { value: unknown } | Flaw => {
  if (kind === 'text') return { value: text };
  if (kind === 'yes_no') return { value: text === 'true' };
  if (kind === 'json') return parsed(text) ?? 'no_json';
  const value = Number(text.trim().replace(',', '.'));
  return text.trim() !== '' && Number.isFinite(value) ? { value } : 'no_number';
};

const isBlank = ({ key, text, kind }: FieldRow): boolean =>
  key.trim() === '' && (text.trim() === '' || kind === 'yes_no');

/** The rows as an object, or by row what is wrong with them. Rows that nobody filled in are not there. */
export const readRows = (
  rows: readonly FieldRow[],
): { fields: FreeForm; flaws?: undefined } | { flaws: ReadonlyMap<string, Flaw> } => {
  const flaws = new Map<string, Flaw>();
  const entries = new Map<string, unknown>();
  for (const row of rows.filter((row) => !isBlank(row))) {
    const key = row.key.trim();
    const read = valueOf(row);
    if (key === '') flaws.set(row.id, 'no_key');
    else if (entries.has(key)) flaws.set(row.id, 'same_key');
    else if (typeof read === 'string') flaws.set(row.id, read);
    else entries.set(key, read.value);
  }
  return flaws.size > 0 ? { flaws } : { fields: Object.fromEntries(entries) };
};
