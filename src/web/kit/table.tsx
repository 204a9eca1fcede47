import { ActionIcon, Button, Group, Skeleton, Stack, UnstyledButton, VisuallyHidden } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { IconArrowDown, IconArrowUp, IconChevronDown, IconChevronUp, IconSelector } from '@tabler/icons-react';
import { useCallback, useId, useLayoutEffect, useRef, useState } from 'react';
import type { MouseEvent, ReactNode } from 'react';
import { useLocale, useText } from '../language/language.tsx';
import { Facts } from './facts.tsx';
import { fit, nextOrder, sorted, toggle, toggleAll, writeOrder } from './list-rules.ts';
import type { SortValue } from './list-rules.ts';
import { ListTools, useDensity } from './list-tools.tsx';
import type { CsvWanted } from './list-tools.tsx';
import { ListRows, wholeUpTo } from './list-rows.tsx';
import { ProblemAlert } from './messages.tsx';
import { SelectBox, SelectionBar } from './selection.tsx';
import type { Selection } from './selection.tsx';
import type { Sorting } from './sorting.ts';
import classes from './table.module.css';

/** The next page of a list, as `usePages` returns it. */
export interface MorePages {
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  fetchNextPage: () => unknown;
}

export interface Column<Row> {
  /** The heading; empty for a column of buttons. */
  label: string;
  cell: (row: Row) => ReactNode;
  align?: 'end';
  /** The name by which the list can be sorted: the English heading of the column in the CSV file, in lower case with `_`. */
  name?: string;
  /** The value by which the app sorts the list, if it is loaded whole. */
  sortBy?: (row: Row) => SortValue;
  /** If there is no room, the columns with the highest number move into the row's details first; columns without one stay. */
  fold?: number;
  /** The least width in pixels, 120 unless given. */
  width?: number;
}

/** The content below an opened row. */
interface Details<Row> {
  /** The label of the button that opens the row. */
  label: (row: Row) => string;
  of: (row: Row) => ReactNode;
}

interface DataTableProps<Row> {
  /** The table's name for screen readers. */
  label: string;
  columns: readonly Column<Row>[];
  /** Undefined while they load. */
  rows: readonly Row[] | undefined;
  keyOf: (row: Row) => string;
  /** Shown instead of a table without rows. */
  empty: ReactNode;
  error?: unknown;
  retry?: () => void;
  details?: Details<Row>;
  /** Adds a button that loads the next page. */
  more?: MorePages;
  /** The CSV file of the list. With it, the list has its tools above it. */
  csv?: CsvWanted;
  sorting?: Sorting;
  selection?: Selection<Row>;
}

/** A table. On narrow screens each row becomes a card that repeats the headings. */
export function DataTable<Row>({
  label,
  columns: allColumns,
  rows: given,
  keyOf,
  empty,
  error,
  retry,
  details,
  more,
  csv,
  sorting,
  selection,
}: DataTableProps<Row>) {
  const t = useText();
  const locale = useLocale();
  const { density } = useDensity();
  const { frame, table, width, further, wantMore } = useRoom();
  const isCards = useMediaQuery('(max-width: 48em)', false, { getInitialValueInEffect: false }) ?? false;
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  if (error !== undefined && error !== null && !given) return <ProblemAlert error={error} {...(retry && { retry })} />;
  if (!given) {
    return (
      <Stack gap="xs" role="status" aria-label={t('Wird geladen', 'Loading')}>
        {[1, 2, 3, 4].map((line) => (
          <Skeleton key={line} height={44} radius="md" />
        ))}
      </Stack>
    );
  }
  if (given.length === 0 && more?.hasNextPage !== true) return <div className={classes['frame']}>{empty}</div>;

  const room = isCards ? 0 : width - (selection ? selectWidth : 0) - (details ? openerWidth : 0);
  const allShown = fit(allColumns, room, further);
  const isFolding = allShown.folded.length > 0 && !details;
  const { shown: columns, folded, isTight } = isFolding ? fit(allColumns, room - openerWidth, further) : allShown;
  wantMore.current = room > 0 && !isTight;
  const isSortable = ({ name, sortBy }: Column<Row>): boolean =>
    name !== undefined &&
    (sorting?.server.includes(name) === true || (sorting?.isWhole === true && sortBy !== undefined));
  const order = sorting?.order;
  // The server has sorted by its own columns already.
  const sortedHere =
    order && !sorting?.server.includes(order.by)
      ? allColumns.find((column) => column.name === order.by && isSortable(column))
      : undefined;
  const rows = order && sortedHere?.sortBy ? sorted(given, sortedHere.sortBy, { desc: order.desc, locale }) : given;
  const keys = rows.filter((row) => selection?.can?.(row) ?? true).map(keyOf);
  const areAllSelected = keys.length > 0 && keys.every((key) => selection?.selected.keys.has(key));
  const change = (key: string): void => {
    const next = new Set(opened);
    if (!next.delete(key)) next.add(key);
    setOpened(next);
  };
  const hasDetails = details !== undefined || folded.length > 0;
  const cells = columns.length + (hasDetails ? 1 : 0) + (selection ? 1 : 0);
  const isLong = rows.length > wholeUpTo;
  const renderRows = (first: number, end: number): ReactNode =>
    rows
      .slice(first, end)
      .map((row, index) => (
        <DataTableRow
          key={keyOf(row)}
          row={row}
          rowKey={keyOf(row)}
          columns={columns}
          folded={folded}
          cells={cells}
          details={details}
          opened={opened.has(keyOf(row))}
          onToggle={change}
          selection={selection}
          among={keys}
          {...(isLong && { rowIndex: first + index + 2 })}
        />
      ));
  return (
    <Stack gap="md" data-density={density} className={classes['list'] ?? ''}>
      {csv && (
        <ListTools
          csv={sortedHere && order ? { ...csv, order: writeOrder(order) } : csv}
          {...(sorting &&
            isCards && {
              sort: {
                options: allColumns
                  .filter(isSortable)
                  .map(({ name = '', label: text }) => ({ value: name, label: text })),
                order,
                set: sorting.set,
              },
            })}
        />
      )}
      {selection && <SelectionBar selection={selection} keys={keys} />}
      <div className={classes['frame']} ref={frame}>
        <table
          ref={table}
          className={classes['table']}
          data-fixed={isLong}
          data-tight={isTight}
          onMouseOver={showWhole}
          role="table"
          aria-label={label}
          {...(isLong && { 'aria-rowcount': rows.length + 1 })}
        >
          {isLong && !isCards && (
            <SteadyColumns of={[density, ...columns.map(({ label: heading }) => heading)].join('\n')} />
          )}
          <thead role="rowgroup">
            <tr role="row">
              {selection && (
                <th role="columnheader" scope="col" className={classes['select']}>
                  <SelectBox
                    label={t('Alle geladenen Zeilen auswählen', 'Select all loaded rows')}
                    checked={areAllSelected}
                    some={!areAllSelected && keys.some((key) => selection.selected.keys.has(key))}
                    onToggle={() => selection.set(toggleAll(selection.selected, keys))}
                  />
                </th>
              )}
              {columns.map((column, index) => (
                <Heading
                  key={column.label || index}
                  column={column}
                  hasLeastWidth={room > 0 && !isTight}
                  sorting={isSortable(column) ? sorting : undefined}
                />
              ))}
              {hasDetails && (
                <th role="columnheader" scope="col" className={classes['opener']}>
                  <VisuallyHidden>{t('Details', 'Details')}</VisuallyHidden>
                </th>
              )}
            </tr>
          </thead>
          <ListRows table={table} count={rows.length} cells={cells}>
            {renderRows}
          </ListRows>
        </table>
      </div>
      {more?.hasNextPage === true && (
        <Group justify="center">
          <Button variant="default" loading={more.isFetchingNextPage} onClick={() => void more.fetchNextPage()}>
            {t('Weitere laden', 'Load more')}
          </Button>
        </Group>
      )}
    </Stack>
  );
}

/** A scrollbar that comes or goes with the height of the table must not start the folding anew. */
const scrollbar = 24;

/**
 * The width of the table's frame, and how many columns more than their least widths say have to be folded, because the table is wider than
 * its frame. Both are measured together, before anything is painted.
 */
const useRoom = () => {
  const table = useRef<HTMLTableElement>(null);
  const wantMore = useRef(false);
  const [{ width, further }, setRoom] = useState({ width: 0, further: 0 });
  const [, renderAgain] = useState(0);
  // Only for another width: the height changes all the time while a long list scrolls.
  const frame = useCallback((element: HTMLDivElement) => {
    const observer = new ResizeObserver(() => renderAgain(element.clientWidth));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  // Without dependencies: every change of the rows may make a column wider.
  useLayoutEffect(() => {
    const { current } = table;
    const around = current?.parentElement;
    if (!current || !around) return;
    if (Math.abs(around.clientWidth - width) > scrollbar) setRoom({ width: around.clientWidth, further: 0 });
    else if (wantMore.current && current.offsetWidth > around.clientWidth + 1) setRoom({ width, further: further + 1 });
  });
  return { frame, table, width, further, wantMore };
};

/** Adds the whole text as the title of a cell whose text is cut. */
const showWhole = ({ target }: MouseEvent<HTMLTableElement>): void => {
  const cell = target instanceof Element ? target.closest('td') : null;
  if (!cell) return;
  const isCut = [cell, ...cell.querySelectorAll('*')].some((part) => part.scrollWidth > part.clientWidth + 1);
  if (isCut && getComputedStyle(cell).whiteSpace === 'nowrap') cell.title = cell.innerText;
  else cell.removeAttribute('title');
};

/** A heading, which is a button if the list can be sorted by its column. */
function Heading<Row>({
  column,
  hasLeastWidth,
  sorting,
}: {
  column: Column<Row>;
  hasLeastWidth: boolean;
  sorting: Sorting | undefined;
}) {
  const t = useText();
  const { label, align, name = '', width } = column;
  const order = sorting?.order?.by === name ? sorting.order : undefined;
  const Icon = order === undefined ? IconSelector : order.desc ? IconArrowDown : IconArrowUp;
  return (
    <th
      role="columnheader"
      scope="col"
      className={align === 'end' ? classes['end'] : undefined}
      {...(hasLeastWidth && width !== undefined && { style: { minWidth: width } })}
      {...(order && { 'aria-sort': order.desc ? 'descending' : 'ascending' })}
    >
      {label === '' && <VisuallyHidden>{t('Aktionen', 'Actions')}</VisuallyHidden>}
      {sorting ? (
        <UnstyledButton
          className={classes['sort'] ?? ''}
          data-sorted={order !== undefined}
          onClick={() => sorting.set(nextOrder(sorting.order, name))}
        >
          {label}
          <Icon size={14} aria-hidden />
        </UnstyledButton>
      ) : (
        label
      )}
    </th>
  );
}

/** The widths of the columns that select and open a row, in pixels. */
const selectWidth = 44;
const openerWidth = 64;

/**
 * The columns of a long list must not change while its parts are rendered and removed. They keep the shares of the width that the browser
 * gave them for the first rows, until the columns change.
 */
const SteadyColumns = ({ of }: { of: string }) => {
  const group = useRef<HTMLTableColElement>(null);
  const [steady, setSteady] = useState<{ of: string; shares: readonly number[] }>();
  useLayoutEffect(() => {
    const table = group.current?.closest('table');
    if (!table) return;
    table.dataset['fixed'] = 'false';
    const widths = [...table.querySelectorAll('thead th')].map((heading) => heading.getBoundingClientRect().width);
    table.dataset['fixed'] = 'true';
    const sum = widths.reduce((all, one) => all + one, 0);
    setSteady({ of, shares: widths.map((one) => (100 * one) / sum) });
  }, [of]);
  return (
    <colgroup ref={group}>
      {steady?.of === of &&
        steady.shares.map((share, index) => <col key={index} style={{ width: `${share.toFixed(2)}%` }} />)}
    </colgroup>
  );
};

interface DataTableRowProps<Row> {
  row: Row;
  rowKey: string;
  columns: readonly Column<Row>[];
  /** Columns for which there is no room. */
  folded: readonly Column<Row>[];
  cells: number;
  details: Details<Row> | undefined;
  opened: boolean;
  onToggle: (key: string) => void;
  selection: Selection<Row> | undefined;
  /** The keys of the rows that can be selected, in their order. */
  among: readonly string[];
  rowIndex?: number;
}

/** A row, and its details once it is opened. */
function DataTableRow<Row>({
  row,
  rowKey,
  columns,
  folded,
  cells,
  details,
  opened,
  onToggle,
  selection,
  among,
  rowIndex,
}: DataTableRowProps<Row>) {
  const t = useText();
  const id = useId();
  const isSelected = selection?.selected.keys.has(rowKey) ?? false;
  const className = [opened && classes['opened'], isSelected && classes['selected']].filter(Boolean).join(' ');
  return (
    <>
      <tr
        role="row"
        className={className}
        {...(rowIndex !== undefined && { 'aria-rowindex': rowIndex })}
        {...(selection && { 'aria-selected': isSelected })}
      >
        {selection && (
          <td role="cell" data-label="" className={classes['select']}>
            {(selection.can?.(row) ?? true) && (
              <SelectBox
                label={t(`${selection.label(row)} auswählen`, `Select ${selection.label(row)}`)}
                checked={isSelected}
                onToggle={(range) => selection.set(toggle(selection.selected, rowKey, { among, range }))}
              />
            )}
          </td>
        )}
        {columns.map((column, index) => (
          <td
            key={column.label || index}
            role="cell"
            data-label={column.label}
            className={column.align === 'end' ? classes['end'] : undefined}
          >
            {column.cell(row)}
          </td>
        ))}
        {(details !== undefined || folded.length > 0) && (
          <td role="cell" data-label="" className={classes['end']}>
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={details?.label(row) ?? t('Weitere Angaben', 'More details')}
              aria-expanded={opened}
              {...(opened && { 'aria-controls': id })}
              onClick={() => onToggle(rowKey)}
            >
              {opened ? <IconChevronUp size={16} aria-hidden /> : <IconChevronDown size={16} aria-hidden />}
            </ActionIcon>
          </td>
        )}
      </tr>
      {opened && (details !== undefined || folded.length > 0) && (
        <tr role="row" id={id}>
          <td role="cell" colSpan={cells} className={classes['more']}>
            {folded.length > 0 && (
              <Facts facts={folded.map(({ label, cell }) => ({ name: label, value: cell(row) }))} />
            )}
            {details?.of(row)}
          </td>
        </tr>
      )}
    </>
  );
}
