import { ActionIcon } from '@mantine/core';
import { IconChevronDown, IconChevronUp } from '@tabler/icons-react';
import { useId, useState } from 'react';
import type { Column, Details } from './data-table.tsx';
import classes from './data-table.module.css';

interface DataTableRowProps<Row> {
  row: Row;
  columns: readonly Column<Row>[];
  details: Details<Row> | undefined;
}

/** A row of a table, and below it what else there is to know, once it is opened. */
export function DataTableRow<Row>({ row, columns, details }: DataTableRowProps<Row>) {
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
