import { Box, Button, Group, Skeleton, Stack, UnstyledButton, VisuallyHidden } from '@mantine/core';
import {
  IconArrowDown,
  IconArrowUp,
  IconChevronDown,
  IconChevronRight,
  IconChevronUp,
  IconSelector,
} from '@tabler/icons-react';
import { useCallback, useId, useState, type ComponentProps, type MouseEvent, type ReactNode } from 'react';
import { TextLink } from '../text/text.tsx';
import { locale, t } from '../../language/language.tsx';
import { ExactNumber } from '../../../core/exact-json.ts';
import type { ListCount } from '../../../platform/paging.ts';
import type { CsvValue } from './csv.ts';
import type { CsvSource, FileColumn } from './csv-download.ts';
import { TextInCell } from '../text/cut.tsx';
import { Facts, type Fact } from '../page/facts.tsx';
import { useOrder, type Sorting } from './filters.tsx';
import { number } from '../text/figures.ts';
import { Day, ExactTime, Time } from '../text/formats.tsx';
import { leastFlexible, sampleRows, useColumnWidths } from './column-widths.ts';
import { nextOrder, placeColumns, sorted, toggle, toggleAll, type ColumnChoice, type Order } from './list-rules.ts';
import { ListTools, useColumnChoice, useDensity } from './list-tools.tsx';
import { Empty, NoMatches, ProblemAlert } from '../page/messages.tsx';
import { isOnEmptyPart, PeekPanel, usePeek, type Peek, type Peeking } from './peek.tsx';
import { SelectBox, SelectionBar, type Selection } from './selection.tsx';
import classes from './table.module.css';

/** A list in the form in which `usePages` or a query loads it. */
export interface List<Row> {
  /** The rows; undefined while they load. */
  rows: readonly Row[] | undefined;
  error?: unknown;
  refetch?: () => unknown;
  hasNextPage?: boolean;
  isFetchingNextPage?: boolean;
  fetchNextPage?: () => unknown;
}

/** A column of the table, of the CSV file, or of both. */
export interface Column<Row> extends FileColumn<Row> {
  /** Empty for a column of buttons. */
  label: string;
  /** The content of a cell, or how the cell shows the column's value. A column without it is only in the file. */
  cell?: ((row: Row) => ReactNode) | ShownAs;
  /** The page to which a cell links. */
  to?: (row: Row) => string;
  /** Aligns the cells at their end. Cells shown as `number` are always aligned like this. */
  align?: 'end';
  /** The column's name in the address when the list is sorted by it. Without a name, the column can't be sorted. */
  name?: string;
  /** The value by which the app sorts a list that it has loaded completely. By default the value in the file. */
  sortBy?: (row: Row) => CsvValue;
  /**
   * If there is not enough room, the columns with the highest number move into the row's details first, then those
   * without a number.
   */
  priority?: number;
  /** For a column such as a state. On a phone it moves below the first column instead of into the details. */
  alwaysShown?: boolean;
  /** Takes the rest of the width, in place of the first column. */
  flexible?: boolean;
}

type ShownAs = 'text' | 'number' | 'time' | 'exact time' | 'day';

/** Shown in a cell that has no value. */
const nothing = '–';

/** A value in the form that a column shows; a dash if there is none. */
const Shown = ({ value, as }: { value: CsvValue; as: ShownAs }) => {
  if (value === null || value === undefined || value === '') return nothing;
  if (typeof value === 'number') return number(value);
  if (value instanceof ExactNumber) return value.source;
  if (as === 'time') return <Time at={String(value)} />;
  if (as === 'text' || as === 'number') return <TextInCell text={String(value)} />;
  return as === 'day' ? <Day on={String(value)} /> : <ExactTime at={String(value)} />;
};

function contentOf<Row>({ cell, value, to }: Column<Row>, row: Row): ReactNode {
  const given = typeof cell === 'string' ? <Shown value={value?.(row)} as={cell} /> : cell?.(row);
  const content = typeof given === 'string' && given !== nothing ? <TextInCell text={given} /> : given;
  if (!to) return content;
  return (
    <TextLink to={to(row)} inherit fw={600}>
      {content}
    </TextLink>
  );
}

const alignOf = <Row,>({ align, cell }: Column<Row>): string | undefined =>
  align === 'end' || cell === 'number' ? classes['end'] : undefined;

/** The values of columns as facts about a row. */
export const factsOf = <Row,>(columns: readonly Column<Row>[], row: Row): Fact[] =>
  columns.map((column) => ({ name: column.label || t('Aktionen', 'Actions'), value: contentOf(column, row) }));

export interface DataTableProps<Row> {
  /** The table's name for screen readers, and the name of its file. */
  label: string;
  columns: readonly Column<Row>[];
  list: List<Row>;
  keyOf: (row: Row) => string;
  /** Shown instead of a table without rows: what is missing, a second sentence, and a next step. */
  none?: string;
  hint?: ReactNode;
  action?: ReactNode;
  /**
   * The filters of the list. If no row matches them, the table shows a text that says so. `what` is a noun for its
   * rows.
   */
  filters?: { isSet: boolean; clear: () => void; what: string; advice?: string };
  /** The panel in which a row opens. Without one, a row unfolds the columns for which there is no room. */
  peek?: Peek<Row>;
  /** The buttons at the end of a row. */
  actions?: (row: Row) => ReactNode;
  /** If it is set, the list has its tools above it, including the download of its file. */
  csv?: CsvSource<Row>;
  /**
   * The columns by which the server sorts, because an index has their order. The app sorts by the other columns once
   * all rows are loaded.
   */
  serverSorts?: readonly string[];
  selection?: Selection<Row>;
  /** The number of rows of the whole list. */
  count?: ListCount | undefined;
  /**
   * For a long list that is loaded at once: shows the first `rows`, and more of them on demand. Rows that are `always`
   * shown are added to them.
   */
  brief?: { rows: number; always: (row: Row) => boolean };
}

/**
 * A table. Each column is as wide as its content, and the flexible one takes the rest. Columns for which there is no
 * room are in the details of each row, or in the panel or page that the row opens.
 */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const { peek, list, keyOf } = props;
  const peeking = usePeek(peek);
  const { opened } = peeking;
  return (
    <>
      <Rows {...props} peeking={peeking} />
      {peek && opened !== '' && (
        <PeekPanel peek={peek} peeking={peeking} row={list.rows?.find((row) => keyOf(row) === opened)} />
      )}
    </>
  );
}

interface Room<Row> {
  inTable: readonly Column<Row>[];
  flexible: string;
  widths: Readonly<Record<string, number>> | undefined;
  /** The width for the columns, without the boxes that select rows and the buttons that open a panel. */
  width: number;
  isNarrow: boolean;
  choice: ColumnChoice;
  /** Whether a row may unfold the columns for which there is no room. */
  mayUnfold: boolean;
}

/** Places the columns. If there is no room for some, each row needs room for the button that unfolds them. */
function arrange<Row>({ inTable, flexible, widths, width, isNarrow, choice, mayUnfold }: Room<Row>) {
  const widthOf = (column: Column<Row>): number =>
    column.label === flexible ? Math.max(leastFlexible, widths?.[flexible] ?? 0) : (widths?.[column.label] ?? 0);
  // Only on a phone may a row have more than two lines.
  const placeIn = (room: number) => {
    const placed = placeColumns(inTable, room, { widthOf, choice });
    if (isNarrow) return placed;
    return { ...placed, belowFirst: [], inDetails: inTable.filter((column) => !placed.inRow.includes(column)) };
  };
  const unfolds = mayUnfold && placeIn(width).inDetails.length > 0;
  return { ...placeIn(unfolds ? width - edge : width), unfolds };
}

/** Whether a column can be sorted: by the server, or here once all rows are loaded. */
const isSortableWith =
  (serverSorts: readonly string[], hasNextPage: boolean) =>
  <Row,>({ name, value, sortBy = value }: Column<Row>): boolean =>
    name !== undefined && (serverSorts.includes(name) || (!hasNextPage && sortBy !== undefined));

/** The column by which the rows are sorted here; undefined if the server has sorted them. */
const sortedHere = <Row,>(
  { columns, serverSorts = [] }: Pick<DataTableProps<Row>, 'columns' | 'serverSorts'>,
  order: Order | undefined,
  isSortable: (column: Column<Row>) => boolean,
): ((row: Row) => CsvValue) | undefined => {
  if (!order || serverSorts.includes(order.by)) return undefined;
  const column = columns.find((one) => one.name === order.by && isSortable(one));
  return column?.sortBy ?? column?.value;
};

const NoRows = ({
  filters,
  none,
  action,
  hint,
}: Pick<DataTableProps<never>, 'filters' | 'none' | 'action' | 'hint'>) => (
  <div className={classes['empty']}>
    {filters?.isSet ? (
      <NoMatches {...filters} />
    ) : (
      none !== undefined && (
        <Empty title={none} action={action}>
          {hint}
        </Empty>
      )
    )}
  </div>
);

interface HeadProps<Row> {
  columns: readonly Column<Row>[];
  flexible: string;
  sorting: Sorting;
  isSortable: (column: Column<Row>) => boolean;
  selection: Selection<Row> | undefined;
  /** The keys of the rows that can be selected. */
  keys: readonly string[];
  /** Whether rows open or unfold. */
  opens: boolean;
}

function TableHead<Row>({ columns, flexible, sorting, isSortable, selection, keys, opens }: HeadProps<Row>) {
  const areAllSelected = keys.every((key) => selection?.selected.keys.has(key));
  return (
    <thead>
      <tr>
        {selection && (
          <th scope="col" className={classes['select']}>
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
            isFlexible={column.label === flexible}
            sorting={isSortable(column) ? sorting : undefined}
          />
        ))}
        {opens && (
          <th scope="col" className={classes['opener']}>
            <VisuallyHidden>{t('Details', 'Details')}</VisuallyHidden>
          </th>
        )}
      </tr>
    </thead>
  );
}

/** The keys of the rows that are unfolded, and a function that folds or unfolds a row. */
const useUnfolded = () => {
  const [unfolded, setUnfolded] = useState<ReadonlySet<string>>(new Set());
  const toggleFold = (key: string): void => {
    const next = new Set(unfolded);
    if (!next.delete(key)) next.add(key);
    setUnfolded(next);
  };
  return { unfolded, toggleFold };
};

function Rows<Row>(props: DataTableProps<Row> & { peeking: Peeking }) {
  const {
    label,
    columns: declared,
    list,
    keyOf,
    filters,
    peek,
    peeking,
    actions,
    csv,
    serverSorts = [],
    count,
    brief,
  } = props;
  const { rows: given, error, refetch, hasNextPage = false, isFetchingNextPage = false, fetchNextPage } = list;
  const { density } = useDensity();
  const { choice, ...choosing } = useColumnChoice(label);
  const sorting = useOrder();
  const { ref: frame, width } = useWidth();
  const { unfolded, toggleFold } = useUnfolded();
  const [parts, setParts] = useState(1);
  const isNarrow = width < narrow;
  const isCompact = density === 'compact' && !isNarrow;
  const shown = declared.filter(({ cell }) => cell !== undefined);
  const flexible = (shown.find((column) => column.flexible) ?? shown[0])?.label ?? '';
  const { table, widths } = useColumnWidths([label, isNarrow, isCompact].join(), flexible);
  if (error !== undefined && error !== null && !given) {
    return <ProblemAlert error={error} {...(refetch && { retry: () => void refetch() })} />;
  }
  if (!given) return <TableSkeleton columns={shown.length} />;
  if (given.length === 0 && !hasNextPage) {
    const { none, action, hint } = props;
    return <NoRows {...(filters && { filters })} {...(none !== undefined && { none })} action={action} hint={hint} />;
  }

  // If no row can be selected, no room is kept for the boxes.
  const selection = props.selection?.can && !given.some(props.selection.can) ? undefined : props.selection;
  const buttons: Column<Row>[] = actions ? [{ label: '', align: 'end', cell: actions }] : [];
  const inTable = [...shown, ...buttons];
  const opensPanel = peek !== undefined && peeking.in === 'panel';
  const { inRow, belowFirst, inDetails, unfolds } = arrange({
    inTable,
    flexible,
    widths,
    width: width - (selection ? edge : 0) - (opensPanel ? edge : 0),
    isNarrow,
    choice: csv && !isNarrow ? choice : {},
    mayUnfold: !peek,
  });
  const isSortable = isSortableWith(serverSorts, hasNextPage);
  const { order } = sorting;
  const sortedBy = sortedHere(props, order, isSortable);
  const rows = order && sortedBy ? sorted(given, sortedBy, { desc: order.desc, locale: locale() }) : given;
  const visible = brief ? rows.filter((row, at) => at < parts * brief.rows || brief.always(row)) : rows;
  const keys = rows.filter((row) => selection?.can?.(row) ?? true).map(keyOf);
  return (
    // On a phone no rows are compact.
    <Stack gap="sm" data-density={isCompact ? 'compact' : 'comfortable'}>
      {csv && (
        <ListTools
          {...(count && { count: { ...count, isFiltered: filters?.isSet ?? false } })}
          download={{ ...csv, label, columns: declared, rows: sortedBy || !csv.read ? rows : undefined }}
          {...([...inDetails, ...belowFirst].some(isSortable) && {
            sort: { columns: inTable.filter(isSortable), ...sorting },
          })}
          choice={{
            columns: (isNarrow ? [] : inTable.slice(1))
              .filter(({ label: heading }) => heading !== '')
              .map((column) => ({ label: column.label, isShown: !inDetails.includes(column) })),
            ...choosing,
          }}
        />
      )}
      <div className={classes['area']}>
        {selection && <SelectionBar selection={selection} keys={keys} />}
        <div className={classes['frame']} ref={frame}>
          <table
            className={classes['table']}
            ref={table}
            data-narrow={isNarrow}
            onMouseOver={showWhole}
            aria-label={label}
          >
            <TableHead
              columns={inRow}
              flexible={flexible}
              sorting={sorting}
              isSortable={isSortable}
              selection={selection}
              keys={keys}
              opens={opensPanel || unfolds}
            />
            <tbody>
              {/* Few rows are drawn until the columns' widths are known, and none before the table's width is. */}
              {(width === 0 ? [] : visible.slice(0, widths ? undefined : sampleRows)).map((row) => (
                <DataTableRow
                  key={keyOf(row)}
                  row={row}
                  rowKey={keyOf(row)}
                  columns={inRow}
                  flexible={flexible}
                  belowFirst={belowFirst}
                  inDetails={unfolds ? inDetails : []}
                  opened={unfolded.has(keyOf(row))}
                  onToggle={toggleFold}
                  peek={peek}
                  peeking={peeking}
                  selection={selection}
                  among={keys}
                />
              ))}
            </tbody>
          </table>
        </div>
      </div>
      {hasNextPage && fetchNextPage && (
        <Group justify="center">
          <Button loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            {t('Weitere laden', 'Load more')}
          </Button>
        </Group>
      )}
      {visible.length < rows.length && (
        <Group justify="center">
          <Button onClick={() => setParts(parts + 1)}>{t('Weitere anzeigen', 'Show more')}</Button>
        </Group>
      )}
    </Stack>
  );
}

const skeletonRows = Array.from({ length: 8 }, (_, row) => row);
/** The widths of the placeholders for texts in a cell that loads. */
const skeletonWidths = ['70%', '45%', '60%', '50%'];

/** Shown while a list loads: a table of the same shape, so that nothing moves when the rows come. */
const TableSkeleton = ({ columns }: { columns: number }) => (
  <div className={classes['frame']} role="status" aria-label={t('Wird geladen', 'Loading')}>
    {skeletonRows.map((row) => (
      <Group key={row} wrap="nowrap" h={row === 0 ? 36 : 44} gap="xl" className={classes['waiting'] ?? ''}>
        {Array.from({ length: Math.min(columns, 6) }, (_, column) => (
          <Box key={column} flex={column === 0 ? 2 : 1} {...(column > 1 && { visibleFrom: 'sm' })}>
            <Skeleton height={12} width={skeletonWidths[(row + column) % skeletonWidths.length]} />
          </Box>
        ))}
      </Group>
    ))}
  </div>
);

/** The width of an element before it is painted. Mantine's `useElementSize` returns it one frame later. */
const useWidth = () => {
  const [width, setWidth] = useState(0);
  const ref = useCallback((element: HTMLDivElement) => {
    // While the element is hidden, its last width is kept.
    const measure = (): void => setWidth((last) => element.clientWidth || last);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return { ref, width };
};

/** Sets the whole text as the title of a cell if a part of it is cut or not shown. */
const showWhole = ({ target }: MouseEvent<HTMLTableElement>): void => {
  const cell = target instanceof Element ? target.closest('td') : null;
  if (!cell) return;
  const isCut = [cell, ...cell.querySelectorAll('div, p, a')].some(
    (part) => part.scrollWidth > part.clientWidth + 1 || part.scrollHeight > part.clientHeight + 4,
  );
  if (isCut && !cell.querySelector('[data-cut]')) cell.title = cell.innerText;
  else cell.removeAttribute('title');
};

/** A heading. It is a button if the list can be sorted by its column. */
function Heading<Row>({
  column,
  isFlexible,
  sorting,
}: {
  column: Column<Row>;
  isFlexible: boolean;
  sorting: Sorting | undefined;
}) {
  const { label, name = '' } = column;
  const order = sorting?.order?.by === name ? sorting.order : undefined;
  const Icon = order === undefined ? IconSelector : order.desc ? IconArrowDown : IconArrowUp;
  return (
    <th
      scope="col"
      className={alignOf(column)}
      data-heading={label}
      data-flexible={isFlexible || undefined}
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
          {'\u00a0'}
          <Icon size={14} aria-hidden />
        </UnstyledButton>
      ) : (
        label
      )}
    </th>
  );
}

/** Below this width in pixels, a table is shown as on a phone, which has no room to spare. */
const narrow = 480;

/** The width of the columns that select and open a row, in pixels. */
const edge = 40;

interface DataTableRowProps<Row> {
  row: Row;
  rowKey: string;
  columns: readonly Column<Row>[];
  flexible: string;
  belowFirst: readonly Column<Row>[];
  inDetails: readonly Column<Row>[];
  opened: boolean;
  onToggle: (key: string) => void;
  peek: Peek<Row> | undefined;
  peeking: Peeking;
  selection: Selection<Row> | undefined;
  /** The keys of the rows that can be selected, in their order. */
  among: readonly string[];
}

/** A row, and its details once it is opened. */
function DataTableRow<Row>({
  row,
  rowKey,
  columns,
  flexible,
  belowFirst,
  inDetails,
  opened,
  onToggle,
  peek,
  peeking,
  selection,
  among,
}: DataTableRowProps<Row>) {
  const id = useId();
  const isSelected = selection?.selected.keys.has(rowKey) ?? false;
  const unfolds = inDetails.length > 0;
  const isShown = peeking.opened === rowKey;
  const className = [
    opened && classes['opened'],
    isSelected && classes['selected'],
    peek && classes['opens'],
    isShown && classes['shown'],
  ];
  const open = (event: MouseEvent): void => {
    if (isOnEmptyPart(event)) peeking.open(rowKey);
  };
  return (
    <>
      <tr
        className={className.filter(Boolean).join(' ')}
        {...(selection && { 'aria-selected': isSelected })}
        onClick={peek && open}
      >
        {selection && (
          <td className={classes['select']}>
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
            className={alignOf(column)}
            data-flexible={column.label === flexible || undefined}
          >
            {contentOf(column, row)}
            {index === 0 && belowFirst.length > 0 && (
              <div className={classes['below']}>
                {belowFirst.map((one) => {
                  const content = contentOf(one, row);
                  return (
                    // A dash has no meaning without a heading, so it is hidden.
                    <div key={one.label} data-column={one.label} hidden={content === nothing}>
                      <VisuallyHidden>{one.label}: </VisuallyHidden>
                      {content}
                    </div>
                  );
                })}
              </div>
            )}
          </td>
        ))}
        {peek && peeking.in === 'panel' && (
          <Opener
            aria-label={t(`Details: ${peek.title(row)}`, `Details: ${peek.title(row)}`)}
            aria-expanded={isShown}
            data-peek={rowKey}
            icon={IconChevronRight}
            onClick={() => peeking.open(rowKey)}
          />
        )}
        {unfolds && (
          <Opener
            aria-label={t('Weitere Angaben', 'More details')}
            aria-expanded={opened}
            {...(opened && { 'aria-controls': id })}
            icon={opened ? IconChevronUp : IconChevronDown}
            onClick={() => onToggle(rowKey)}
          />
        )}
      </tr>
      {opened && unfolds && (
        <tr id={id}>
          <td colSpan={columns.length + (selection ? 2 : 1)} className={classes['more']}>
            <Facts facts={factsOf(inDetails, row)} />
          </td>
        </tr>
      )}
    </>
  );
}

/** The button at the end of a row that opens it. Mantine's button for icons is too slow to be in every row. */
const Opener = ({ icon: Icon, ...button }: ComponentProps<'button'> & { icon: typeof IconChevronUp }) => (
  <td className={classes['opener']}>
    <button type="button" {...button} className={`mantine-focus-auto mantine-active ${classes['open']}`}>
      <Icon size={16} aria-hidden />
    </button>
  </td>
);
