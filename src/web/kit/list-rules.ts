import { ExactNumber } from '../server/exact-json.ts';
import type { Value } from './csv.ts';

// The rules of lists, without React: their order, which columns fit, and which rows are selected.

const isEmpty = (value: Value): value is null | undefined | '' => value === null || value === undefined || value === '';

/** Sorts rows by a value. Rows without one are last in both directions; equal ones keep their order. */
export const sorted = <Row>(
  rows: readonly Row[],
  valueOf: (row: Row) => Value,
  { desc, locale }: { desc: boolean; locale: string },
): Row[] => {
  const collator = new Intl.Collator(locale, { numeric: true });
  const direction = desc ? -1 : 1;
  return rows
    .map((row) => {
      const value = valueOf(row);
      return { row, value: value instanceof ExactNumber ? Number(value.text) : value };
    })
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
  label: string;
  align?: 'end';
  cell?: unknown;
  fold?: number;
  keep?: boolean;
  least?: number;
}

/** The least width of a column in pixels: buttons, the first column, which says what a row is, numbers, and others. */
export const leastWidth = ({ label, align, cell, least }: Foldable, isFirst: boolean): number => {
  if (least !== undefined) return least;
  if (label === '') return 68;
  if (isFirst) return 200;
  return align === 'end' || cell === 'number' ? 90 : 120;
};

interface Fit<Column> {
  shown: readonly Column[];
  folded: readonly Column[];
  /** Columns to keep, but without room of their own: they are below the content of the first one. */
  stacked: readonly Column[];
  /** Whether the contents need more room although every column is folded that can be. */
  isTight: boolean;
}

/**
 * The columns that fit next to each other, in their order, and those that do not. Those with the highest `fold` are folded first, then
 * others from the end, but neither the first column nor buttons without `fold`. Those to keep are stacked after all others are folded, if
 * the first column would have less than its least width beside them. `further` more columns are folded than their least widths demand,
 * because the contents need more room.
 */
export const fit = <Column extends Foldable>(columns: readonly Column[], room: number, further = 0): Fit<Column> => {
  // Before the first layout.
  if (room <= 0) return { shown: columns, folded: [], stacked: [], isTight: false };
  const leastOf = (column: Column): number => leastWidth(column, column === columns[0]);
  const widthOf = (column: Column): number => Math.min(leastOf(column), room / 2);
  const others = columns.slice(1);
  const inOrder = [
    ...columns.filter(({ fold }) => fold !== undefined).toSorted((one, other) => (other.fold ?? 0) - (one.fold ?? 0)),
    ...others.filter(({ fold, keep, label }) => fold === undefined && keep !== true && label !== '').toReversed(),
    ...others.filter(({ keep }) => keep === true).toReversed(),
  ];
  let wanted = columns.reduce((sum, column) => sum + widthOf(column), 0);
  let least = columns.reduce((sum, column) => sum + leastOf(column), 0);
  let count = further;
  for (const column of inOrder) {
    if ((column.keep === true ? least : wanted) <= room) break;
    wanted -= widthOf(column);
    least -= leastOf(column);
    count += 1;
  }
  const moved = new Set(inOrder.slice(0, count));
  return {
    shown: columns.filter((column) => !moved.has(column)),
    folded: columns.filter((column) => moved.has(column) && column.keep !== true),
    stacked: columns.filter((column) => moved.has(column) && column.keep === true),
    isTight: count > inOrder.length,
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
