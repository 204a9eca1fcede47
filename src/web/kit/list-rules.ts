// The rules of lists, without React: their order, which columns fit, and which rows are selected or rendered.

/** The value by which the app sorts a column of a list that is loaded whole. */
export type SortValue = string | number | boolean | null | undefined;

const isEmpty = (value: SortValue): value is null | undefined | '' =>
  value === null || value === undefined || value === '';

/** Sorts rows by a value. Rows without one are last in both directions; equal ones keep their order. */
export const sorted = <Row>(
  rows: readonly Row[],
  valueOf: (row: Row) => SortValue,
  { desc, locale }: { desc: boolean; locale: string },
): Row[] => {
  const collator = new Intl.Collator(locale, { numeric: true });
  const direction = desc ? -1 : 1;
  return rows
    .map((row) => ({ row, value: valueOf(row) }))
    .toSorted(({ value: one }, { value: other }) => {
      if (isEmpty(one) || isEmpty(other)) return Number(isEmpty(one)) - Number(isEmpty(other));
      if (typeof one === 'number' && typeof other === 'number') return direction * (one - other);
      return direction * collator.compare(String(one), String(other));
    })
    .map(({ row }) => row);
};

/** A sort order in the form of the URL: a column's name, with `-` before it for the descending order. */
export interface Order {
  by: string;
  desc: boolean;
}

export const readOrder = (text: string): Order | undefined =>
  text === '' || text === '-' ? undefined : { by: text.replace(/^-/, ''), desc: text.startsWith('-') };

export const writeOrder = ({ by, desc }: Order): string => (desc ? `-${by}` : by);

/** The effect of a click on a heading: ascending, descending, then the list's own order again. */
export const nextOrder = (current: Order | undefined, by: string): Order | undefined => {
  if (current?.by !== by) return { by, desc: false };
  return current.desc ? undefined : { by, desc: true };
};

interface Foldable {
  label?: string;
  /** If there is no room, columns with a number move into the row's details, the highest number first. */
  fold?: number;
  /** The least width in pixels. */
  width?: number;
}

const usualWidth = 120;

interface Fit<Column> {
  shown: readonly Column[];
  folded: readonly Column[];
  /** Whether `further` is larger than the number of columns that can be folded. */
  isTight: boolean;
}

/** At least this many columns stay, however wide their contents are. */
const leastShown = 3;

/**
 * The columns that fit next to each other, in their order, and those that do not. `further` more columns are folded if the contents need
 * more room than the minimum widths: those with `fold` first, then others from the end, but neither the first column nor buttons.
 */
export const fit = <Column extends Foldable>(columns: readonly Column[], room: number, further = 0): Fit<Column> => {
  let wanted = columns.reduce((sum, { width = usualWidth }) => sum + width, 0);
  // Before the first layout.
  if (room <= 0) return { shown: columns, folded: [], isTight: false };
  const folded = new Set<Column>();
  const candidates = columns
    .filter((column) => column.fold !== undefined)
    .toSorted((one, other) => (other.fold ?? 0) - (one.fold ?? 0));
  for (const column of candidates) {
    if (wanted <= room) break;
    folded.add(column);
    wanted -= column.width ?? usualWidth;
  }
  const others = columns.slice(leastShown).filter(({ fold, label }) => fold === undefined && label !== '');
  const left = [...candidates, ...others.toReversed()].filter((column) => !folded.has(column));
  for (const column of left.slice(0, further)) folded.add(column);
  return {
    shown: columns.filter((column) => !folded.has(column)),
    folded: columns.filter((column) => folded.has(column)),
    isTight: further > left.length,
  };
};

/** The selected rows by key, and the row that was changed last, where a range begins. */
export interface Selected {
  keys: ReadonlySet<string>;
  last: string | undefined;
}

export const nothingSelected: Selected = { keys: new Set(), last: undefined };

/** Toggles a row. With `range`, all rows from the last one to it get the same state. */
export const toggle = (
  { keys, last }: Selected,
  key: string,
  { among, range }: { among: readonly string[]; range: boolean },
): Selected => {
  const on = !keys.has(key);
  const [from, to] = [last === undefined ? -1 : among.indexOf(last), among.indexOf(key)];
  const part = range && from >= 0 && to >= 0 ? among.slice(Math.min(from, to), Math.max(from, to) + 1) : [key];
  const next = new Set(keys);
  for (const one of part) {
    if (on) next.add(one);
    else next.delete(one);
  }
  return { keys: next, last: key };
};

/** Selects all rows, or none if all are selected. */
export const toggleAll = ({ keys }: Selected, among: readonly string[]): Selected =>
  among.every((key) => keys.has(key)) ? nothingSelected : { keys: new Set(among), last: undefined };

/** The selection without rows that are not in the list any more. */
export const among = (selected: Selected, keys: readonly string[]): Selected => {
  const present = keys.filter((key) => selected.keys.has(key));
  return present.length === selected.keys.size ? selected : { ...selected, keys: new Set(present) };
};

/** The parts of a long list between two heights, given the height of each part. Never empty: beyond an end, it is the part at this end. */
export const partsBetween = (
  heights: readonly number[],
  top: number,
  bottom: number,
): { first: number; last: number } => {
  let [first, last, end] = [heights.length - 1, 0, 0];
  for (const [part, height] of heights.entries()) {
    const begin = end;
    end += height;
    if (end > top) first = Math.min(first, part);
    if (begin < bottom) last = part;
  }
  return { first, last: Math.max(first, last) };
};

/** A part of a long list that is rendered, or the height of consecutive ones that are not. */
type Piece = { part: number } | { gap: number };

/** A long list from top to bottom, given the height of each part and the parts to render. */
export const pieces = (heights: readonly number[], isRendered: (part: number) => boolean): Piece[] => {
  const all: Piece[] = [];
  for (const [part, height] of heights.entries()) {
    const former = all.at(-1);
    if (isRendered(part)) all.push({ part });
    else if (former && 'gap' in former) former.gap += height;
    else all.push({ gap: height });
  }
  return all;
};
