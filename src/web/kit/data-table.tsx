import { Button, Group, Skeleton, Stack, VisuallyHidden } from '@mantine/core';
import type { ReactNode } from 'react';
import { useText } from '../language/language.ts';
import classes from './data-table.module.css';
import { DataTableRow } from './data-table-row.tsx';
import { ProblemAlert } from './problem-alert.tsx';

export interface Column<Row> {
  /** The heading; empty for a column of buttons. */
  label: string;
  cell: (row: Row) => ReactNode;
  align?: 'end';
}

/** What a row shows more of when it is opened. */
export interface Details<Row> {
  /** What is opened, on the button that does it. */
  label: (row: Row) => string;
  of: (row: Row) => ReactNode;
}

interface DataTableProps<Row> {
  /** What the table lists, for those who can't see it. */
  label: string;
  columns: readonly Column<Row>[];
  /** Undefined while it loads. */
  rows: readonly Row[] | undefined;
  keyOf: (row: Row) => string;
  /** What stands here when there is nothing. */
  empty: ReactNode;
  error?: unknown;
  retry?: () => void;
  details?: Details<Row>;
  /** Where a list goes on. */
  more?: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => unknown };
}

/** Rows with headings; on a narrow screen each row is a card with its headings inside. */
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
