import { ActionIcon, Button, Group, Menu, NativeSelect, Tooltip } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import { IconBaselineDensityMedium, IconBaselineDensitySmall, IconColumns3, IconDownload } from '@tabler/icons-react';
import { createContext, useContext, useRef, useState } from 'react';
import { createPortal } from 'react-dom';
import { Hint } from '../text/text.tsx';
import { t } from '../../language/language.tsx';
import { downloadCsv, type Download } from './csv-download.ts';
import { count } from '../text/figures.ts';
import { rowsText } from './counts.ts';
import { readOrder, writeOrder, type ColumnChoice, type Order } from './list-rules.ts';
import { notifyProblem } from '../page/messages.tsx';

/** The row height of all lists. The choice is stored in this browser. */
type Density = 'comfortable' | 'compact';

export const useDensity = () => {
  const [density, setDensity] = useLocalStorage<Density>({
    key: 'density',
    defaultValue: 'comfortable',
    getInitialValueInEffect: false,
  });
  return { density, setDensity };
};

const noChoices: Readonly<Record<string, ColumnChoice>> = {};

/** The columns that the reader has chosen in a list. The choice is stored in this browser, too. */
export const useColumnChoice = (list: string) => {
  const [choices, setChoices] = useLocalStorage({
    key: 'columns',
    defaultValue: noChoices,
    getInitialValueInEffect: false,
  });
  const { [list]: choice = {}, ...others } = choices;
  return {
    choice,
    choose: (column: string, isShown: boolean) => setChoices({ ...others, [list]: { ...choice, [column]: isShown } }),
    reset: () => setChoices(others),
  };
};

/**
 * Downloads a list as CSV, with its current filters and order. A long download shows its progress and can be canceled.
 */
export function CsvButton<Row>(wanted: Download<Row>) {
  const [rows, setRows] = useState(0);
  const running = useRef<AbortController>(undefined);
  const download = useMutation({
    mutationFn: ({ signal }: AbortController) => downloadCsv(wanted, { onProgress: setRows, signal }),
    // A download changes nothing, so it does not load the page's data again.
    onSuccess: () => undefined,
    onError: notifyProblem,
    onSettled: () => setRows(0),
  });
  const start = (): void => {
    running.current = new AbortController();
    download.mutate(running.current);
  };
  if (rows > 0) {
    return (
      <Group gap="xs" role="status" wrap="nowrap" flex="none">
        <Hint style={{ whiteSpace: 'nowrap' }}>{count(rows, t('Zeile', 'row'), t('Zeilen', 'rows'))}</Hint>
        <Button variant="subtle" color="gray" size="compact-sm" onClick={() => running.current?.abort()}>
          {t('Abbrechen', 'Cancel')}
        </Button>
      </Group>
    );
  }
  return (
    <Tooltip label={t('Alle Zeilen mit diesen Filtern, für Excel', 'All rows with these filters, for Excel')}>
      <Button
        variant="subtle"
        color="gray"
        size="compact-sm"
        flex="none"
        leftSection={<IconDownload size={14} aria-hidden />}
        loading={download.isPending}
        onClick={start}
      >
        CSV
      </Button>
    </Tooltip>
  );
}

const DensitySwitch = () => {
  const { density, setDensity } = useDensity();
  const isCompact = density === 'compact';
  const label = t('Kompakte Zeilen', 'Compact rows');
  return (
    <Tooltip label={label}>
      <ActionIcon
        variant={isCompact ? 'light' : 'subtle'}
        color="gray"
        aria-label={label}
        visibleFrom="sm"
        aria-pressed={isCompact}
        onClick={() => setDensity(isCompact ? 'comfortable' : 'compact')}
      >
        {isCompact ? (
          <IconBaselineDensitySmall size={16} aria-hidden />
        ) : (
          <IconBaselineDensityMedium size={16} aria-hidden />
        )}
      </ActionIcon>
    </Tooltip>
  );
};

interface ColumnMenuProps extends Pick<ReturnType<typeof useColumnChoice>, 'choose' | 'reset'> {
  columns: readonly { label: string; isShown: boolean }[];
}

/** Shows and hides columns. A narrow table has room for few columns, so it offers no choice. */
const ColumnMenu = ({ columns, choose, reset }: ColumnMenuProps) => {
  const label = t('Spalten', 'Columns');
  return (
    <Menu position="bottom-end" portalProps={{ target: '#main' }} withInitialFocusPlaceholder={false}>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" title={label} aria-label={label}>
          <IconColumns3 size={16} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {columns.map((column) => (
          <Menu.CheckboxItem
            key={column.label}
            checked={column.isShown}
            onChange={(isShown) => choose(column.label, isShown)}
          >
            {column.label}
          </Menu.CheckboxItem>
        ))}
        <Menu.Divider />
        <Menu.Item onClick={reset}>{t('Standardspalten', 'Default columns')}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
};

interface SortChoiceProps {
  columns: readonly { label: string; name?: string }[];
  order: Order | undefined;
  set: (order: Order | undefined) => void;
}

/** Sorts by a column, including columns whose heading is not shown because there is no room for it. */
const SortChoice = ({ columns, order, set }: SortChoiceProps) => (
  <NativeSelect
    size="xs"
    flex="0 1 150px"
    miw={0}
    aria-label={t('Sortieren', 'Sort')}
    value={order ? writeOrder(order) : ''}
    onChange={(event) => set(readOrder(event.currentTarget.value))}
    data={[
      { value: '', label: t('Standardsortierung', 'Default order') },
      ...columns.flatMap(({ name = '', label }) => [
        { value: name, label: t(`${label}, aufsteigend`, `${label}, ascending`) },
        { value: `-${name}`, label: t(`${label}, absteigend`, `${label}, descending`) },
      ]),
    ]}
  />
);

interface RowCountProps {
  count: number;
  /** Whether there are more than `count` rows. */
  more: boolean;
  isFiltered: boolean;
}

/** How many rows the whole list has, or how many match its filters. */
const RowCount = ({ count: rows, more, isFiltered }: RowCountProps) => {
  // Only the newest rows were searched, and none of them matches.
  if (more && rows === 0) return null;
  return (
    <Hint mr="auto" role="status" style={{ whiteSpace: 'nowrap' }}>
      {rowsText({ rows, more, isFiltered })}
    </Hint>
  );
};

interface ListToolsProps<Row> {
  download: Download<Row>;
  sort?: SortChoiceProps;
  count?: RowCountProps;
  choice: ColumnMenuProps;
}

/**
 * The place of the tools in the line of the filters; null until that line is drawn. Without such a line the tools are
 * above the list.
 */
export const ToolsPlace = createContext<HTMLElement | null | undefined>(undefined);

export function ListTools<Row>({ download, sort, count, choice }: ListToolsProps<Row>) {
  const place = useContext(ToolsPlace);
  const tools = (
    <Group gap={8} justify="flex-end" wrap="nowrap">
      {count && <RowCount {...count} />}
      {sort && <SortChoice {...sort} />}
      <CsvButton {...download} />
      {choice.columns.length > 0 && <ColumnMenu {...choice} />}
      <DensitySwitch />
    </Group>
  );
  return place === undefined ? tools : place && createPortal(tools, place);
}
