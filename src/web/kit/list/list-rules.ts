import { ExactNumber } from '../../../core/exact-json.ts';
import type { CsvValue } from './csv.ts';

// The rules of lists, without React: their order, which columns fit, and which rows are selected.

const isEmpty = (value: CsvValue): value is null | undefined | '' =>
  value === null || value === undefined || value === '';

/** Sorts rows by a value. Rows without a value are last in both directions. Equal rows keep their order. */
export const sorted = <Row>(
  rows: readonly Row[],
  valueOf: (row: Row) => CsvValue,
  { desc, locale }: { desc: boolean; locale: string },
): Row[] => {
  const collator = new Intl.Collator(locale, { numeric: true });
  const direction = desc ? -1 : 1;
  return rows
    .map((row) => {
      const value = valueOf(row);
      return { row, value: value instanceof ExactNumber ? Number(value.source) : value };
    })
    .toSorted(({ value: one }, { value: other }) => {
      if (isEmpty(one) || isEmpty(other)) return Number(isEmpty(one)) - Number(isEmpty(other));
      if (typeof one === 'number' && typeof other === 'number') return direction * (one - other);
      return direction * collator.compare(String(one), String(other));
    })
    .map(({ row }) => row);
};

/** A sort order. In the URL it is the column's name, with `-` before it for the descending order. */
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

interface PlacedColumns<Column> {
  /** The columns that are shown side by side, in their order. */
  inRow: readonly Column[];
  /** The columns that are shown below the content of the first column, so that they need no room of their own. */
  belowFirst: readonly Column[];
  inDetails: readonly Column[];
}

/** The columns that the reader has chosen to show or to hide, by their labels. */
export type ColumnChoice = Readonly<Record<string, boolean>>;

interface ColumnPlacing<Column> {
  /** The width that a column needs, in pixels: that of its widest cell. No cell is narrowed or cut. */
  widthOf: (column: Column) => number;
  choice?: ColumnChoice;
}

/**
 * Places columns in a table of this width. If there is not room for all, those with the highest `priority` move into
 * the row's details first, then others from the end. The first column, and buttons without a priority, never move.
 * Last, the columns that are always shown move below the first column. Columns that the reader has chosen to show stay
 * in the row, even if the table then scrolls. Hidden columns are in the details.
 */
export const placeColumns = <Column extends { label: string; priority?: number; alwaysShown?: boolean }>(
  columns: readonly Column[],
  room: number,
  { widthOf, choice = {} }: ColumnPlacing<Column>,
): PlacedColumns<Column> => {
  const others = columns.slice(1);
  const hidden = others.filter(({ label }) => choice[label] === false);
  const inOrder = [
    ...columns
      .filter(({ priority }) => priority !== undefined)
      .toSorted((one, other) => (other.priority ?? 0) - (one.priority ?? 0)),
    ...others
      .filter(({ priority, alwaysShown, label }) => priority === undefined && !alwaysShown && label !== '')
      .toReversed(),
    ...others.filter(({ alwaysShown }) => alwaysShown).toReversed(),
  ].filter(({ label }) => choice[label] === undefined);
  const moved = new Set(hidden);
  for (const column of inOrder) {
    const needed = columns.filter((one) => !moved.has(one)).reduce((sum, one) => sum + widthOf(one), 0);
    if (needed <= room) break;
    moved.add(column);
  }
  return {
    inRow: columns.filter((column) => !moved.has(column)),
    belowFirst: columns.filter((column) => moved.has(column) && column.alwaysShown && !hidden.includes(column)),
    inDetails: columns.filter((column) => moved.has(column) && (!column.alwaysShown || hidden.includes(column))),
  };
};

/** The selected rows by key, and the row that was changed last, where a range begins. */
export interface SelectedRows {
  keys: ReadonlySet<string>;
  last: string | undefined;
}

export const nothingSelected: SelectedRows = { keys: new Set(), last: undefined };

/** Toggles a row. With `range`, all rows from the last toggled row to this one get the same state. */
export const toggle = (
  { keys, last }: SelectedRows,
  key: string,
  { among, range }: { among: readonly string[]; range: boolean },
): SelectedRows => {
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
export const toggleAll = ({ keys }: SelectedRows, among: readonly string[]): SelectedRows =>
  among.every((key) => keys.has(key)) ? nothingSelected : { keys: new Set(among), last: undefined };

/** The selection without rows that are no longer in the list. */
export const among = (selected: SelectedRows, keys: readonly string[]): SelectedRows => {
  const present = keys.filter((key) => selected.keys.has(key));
  return present.length === selected.keys.size ? selected : { ...selected, keys: new Set(present) };
};

/** Where a row opens: in the panel beside its list, or on a phone on the row's page, if it has one. */
export const opensIn = ({ isPhone, hasPage }: { isPhone: boolean; hasPage: boolean }): 'page' | 'panel' =>
  isPhone && hasPage ? 'page' : 'panel';

interface RowClick {
  /** The click hit a link, a button or a field. */
  onControl: boolean;
  /** A key was held that gives a click another meaning. */
  withKey: boolean;
  /** The selected text, because the click may have ended a selection. */
  selected: string;
}

/** Whether a click on a row opens it. */
export const opensRow = ({ onControl, withKey, selected }: RowClick): boolean =>
  !onControl && !withKey && selected === '';

/** The index of the row after or before another one. If `from` is -1, the index of the first or the last row. */
export const nextPlace = (from: number, count: number, by: 1 | -1): number | undefined => {
  const next = from === -1 && by === -1 ? count - 1 : from + by;
  return next >= 0 && next < count ? next : undefined;
};

/** Whether a text has each word of a search, in any order. */
export const hasWords = (text: string, search: string): boolean => {
  const lower = text.toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => lower.includes(word));
};

type FilterValues = Readonly<Record<string, string>>;

/** Whether exactly the filters of a view are set, among the list's filters, which have these names. */
export const areSame = (names: readonly string[], values: FilterValues, view: FilterValues): boolean =>
  names.every((name) => (values[name] ?? '') === (view[name] ?? ''));

/** The parameters of the address, with the filters of a view in place of the list's own. Other parameters stay. */
export const withView = (params: URLSearchParams, names: readonly string[], view: FilterValues): URLSearchParams => {
  const next = new URLSearchParams(params);
  for (const name of names) next.delete(name);
  for (const [name, value] of Object.entries(view)) next.set(name, value);
  return next;
};

/** Whether a list has no rows although no filter is set, so that there is nothing to filter. */
export const isEmptyList = (rows: readonly unknown[] | undefined, { isSet }: { isSet: boolean }): boolean =>
  rows?.length === 0 && !isSet;

interface LoadedPages {
  data: { pages: readonly { data: readonly unknown[] }[] } | undefined;
  hasNextPage: boolean;
}

/**
 * Whether the server stopped searching before a page was full. Then the list continues, although its last page has
 * fewer rows than requested.
 */
export const isCutShort = ({ data, hasNextPage }: LoadedPages, pageSize: number): boolean =>
  hasNextPage && (data?.pages.at(-1)?.data.length ?? 0) < pageSize;
