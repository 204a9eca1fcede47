import { ActionIcon, Button, Group, Loader, Menu, Skeleton, Stack, Text, VisuallyHidden } from '@mantine/core';
import { IconChevronDown, IconChevronUp, IconDots } from '@tabler/icons-react';
import { useEffect, useId, useState } from 'react';
import type { ReactNode } from 'react';
import { useText } from '../language/language.tsx';
import { ProblemAlert } from './messages.tsx';
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
}

/** What an opened row shows below itself. */
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
}

/** A table. On narrow screens each row becomes a card that repeats the headings. */
export function DataTable<Row>({
  label,
  columns,
  rows,
  keyOf,
  empty,
  error,
  retry,
  details,
  more,
}: DataTableProps<Row>) {
  const t = useText();
  if (error !== undefined && error !== null && !rows) return <ProblemAlert error={error} {...(retry && { retry })} />;
  if (!rows) {
    return (
      <Stack gap="xs" role="status" aria-label={t('Wird geladen', 'Loading')}>
        {[1, 2, 3, 4].map((line) => (
          <Skeleton key={line} height={44} radius="md" />
        ))}
      </Stack>
    );
  }
  if (rows.length === 0 && more?.hasNextPage !== true) return <div className={classes['frame']}>{empty}</div>;
  return (
    <Stack gap="md">
      <div className={classes['frame']}>
        <table className={classes['table']} role="table" aria-label={label}>
          <thead role="rowgroup">
            <tr role="row">
              {columns.map((column, index) => (
                <th
                  key={column.label || index}
                  role="columnheader"
                  scope="col"
                  className={column.align === 'end' ? classes['end'] : undefined}
                >
                  {column.label === '' ? <VisuallyHidden>{t('Aktionen', 'Actions')}</VisuallyHidden> : column.label}
                </th>
              ))}
              {details && (
                <th role="columnheader" scope="col">
                  <VisuallyHidden>{t('Einzelheiten', 'Details')}</VisuallyHidden>
                </th>
              )}
            </tr>
          </thead>
          <tbody role="rowgroup">
            {rows.map((row) => (
              <DataTableRow key={keyOf(row)} row={row} columns={columns} details={details} />
            ))}
          </tbody>
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

interface DataTableRowProps<Row> {
  row: Row;
  columns: readonly Column<Row>[];
  details: Details<Row> | undefined;
}

/** A row, and its details once it is opened. */
function DataTableRow<Row>({ row, columns, details }: DataTableRowProps<Row>) {
  const [opened, setOpened] = useState(false);
  const id = useId();
  return (
    <>
      <tr role="row" className={opened ? classes['opened'] : undefined}>
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
        {details && (
          <td role="cell" data-label="" className={classes['end']}>
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={details.label(row)}
              aria-expanded={opened}
              {...(opened && { 'aria-controls': id })}
              onClick={() => setOpened(!opened)}
            >
              {opened ? <IconChevronUp size={16} aria-hidden /> : <IconChevronDown size={16} aria-hidden />}
            </ActionIcon>
          </td>
        )}
      </tr>
      {details && opened && (
        <tr role="row" id={id}>
          <td role="cell" colSpan={columns.length + 1} className={classes['more']}>
            {details.of(row)}
          </td>
        </tr>
      )}
    </>
  );
}

/** A menu with the actions of a row. */
export const RowActions = ({ name, children }: { name: string; children: ReactNode }) => {
  const t = useText();
  return (
    <Menu position="bottom-end" portalProps={{ target: '#main' }} withInitialFocusPlaceholder={false}>
      <Menu.Target>
        <ActionIcon
          variant="subtle"
          color="gray"
          size="lg"
          aria-label={t(`Aktionen für ${name}`, `Actions for ${name}`)}
        >
          <IconDots size={18} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>{children}</Menu.Dropdown>
    </Menu>
  );
};

interface SearchFurtherProps extends MorePages {
  /** The texts for a search that has found nothing, or something, so far. */
  none: string;
  some: string;
  /** How to make the search faster. */
  hint?: string;
  found: number;
  failed: boolean;
}

/**
 * Continues a search that the server stopped early: a page can be short, or empty, although older rows match. Loads page after page
 * until a row is found, the list ends or the reader stops it.
 */
export const SearchFurther = ({
  none,
  some,
  hint,
  found,
  hasNextPage,
  isFetchingNextPage,
  fetchNextPage,
  failed,
}: SearchFurtherProps) => {
  const t = useText();
  /** How many rows there were when the search was continued. Undefined while it is stopped. */
  const [from, setFrom] = useState<number>();
  const searches = from !== undefined && found === from && hasNextPage && !failed;
  useEffect(() => {
    if (searches && !isFetchingNextPage) void fetchNextPage();
  }, [searches, isFetchingNextPage, fetchNextPage]);
  if (!hasNextPage) return null;
  return (
    <Stack align="center" gap="xs" py="md" role="status">
      <Text fw={600} ta="center">
        {found === 0 ? none : some}
      </Text>
      {hint !== undefined && (
        <Text size="sm" c="dimmed" ta="center" maw={460}>
          {hint}
        </Text>
      )}
      {searches ? (
        <Group gap="sm">
          <Loader size="xs" />
          <Text size="sm">{t('Sucht weiter zurück …', 'Searching further back …')}</Text>
          <Button size="compact-sm" variant="default" onClick={() => setFrom(undefined)}>
            {t('Anhalten', 'Stop')}
          </Button>
        </Group>
      ) : (
        <Button variant="default" loading={isFetchingNextPage} onClick={() => setFrom(found)}>
          {t('Weiter zurück suchen', 'Search further back')}
        </Button>
      )}
    </Stack>
  );
};

interface Listed {
  data: { pages: readonly { data: readonly unknown[] }[] } | undefined;
  hasNextPage: boolean;
}

/** Whether the server stopped searching before a page was full: the list continues, but its last page has fewer rows than asked for. */
export const isCutShort = ({ data, hasNextPage }: Listed, pageSize: number): boolean =>
  hasNextPage && (data?.pages.at(-1)?.data.length ?? 0) < pageSize;
