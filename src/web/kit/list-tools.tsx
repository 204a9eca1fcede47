import { ActionIcon, Button, Group, NativeSelect, Tooltip } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import { IconBaselineDensityMedium, IconBaselineDensitySmall, IconDownload } from '@tabler/icons-react';
import { useText } from '../language/language.tsx';
import { downloadCsv } from '../server/csv.ts';
import type { CsvWanted } from '../server/csv.ts';
import { readOrder, writeOrder } from './list-rules.ts';
import type { Order } from './list-rules.ts';
import { notifyProblem } from './messages.tsx';

export type { CsvWanted };

/** The row height of all lists. The choice is stored in this browser. */
export type Density = 'comfortable' | 'compact';

const isDensity = (text: string | undefined): text is Density => text === 'comfortable' || text === 'compact';

export const useDensity = () => {
  const [density, setDensity] = useLocalStorage<Density>({
    key: 'density',
    defaultValue: 'comfortable',
    getInitialValueInEffect: false,
    serialize: (value) => value,
    deserialize: (text) => (isDensity(text) ? text : 'comfortable'),
  });
  return { density, setDensity };
};

/** Downloads a list as CSV, with its current filters and order. */
export const CsvButton = ({ csv }: { csv: CsvWanted }) => {
  const t = useText();
  // A download changes nothing, so it has an `onSuccess` that does not load the page's data again.
  const download = useMutation({ mutationFn: downloadCsv, onSuccess: () => undefined, onError: notifyProblem });
  return (
    <Tooltip label={t('Alle Zeilen mit diesen Filtern, für Excel', 'All rows with these filters, for Excel')}>
      <Button
        variant="subtle"
        color="gray"
        size="compact-sm"
        leftSection={<IconDownload size={14} aria-hidden />}
        loading={download.isPending}
        onClick={() => download.mutate(csv)}
      >
        CSV
      </Button>
    </Tooltip>
  );
};

/** Switches between higher and lower rows. */
const DensitySwitch = () => {
  const t = useText();
  const { density, setDensity } = useDensity();
  const isCompact = density === 'compact';
  const label = t('Kompakte Zeilen', 'Compact rows');
  return (
    <Tooltip label={label}>
      <ActionIcon
        variant={isCompact ? 'light' : 'subtle'}
        color="gray"
        aria-label={label}
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

interface SortChoice {
  options: readonly { value: string; label: string }[];
  order: Order | undefined;
  set: (order: Order | undefined) => void;
}

/** Chooses the order if the list has no headings, on narrow screens. */
const SortOnPhone = ({ options, order, set }: SortChoice) => {
  const t = useText();
  return (
    <NativeSelect
      size="xs"
      aria-label={t('Sortieren', 'Sort')}
      value={order ? writeOrder(order) : ''}
      onChange={(event) => set(readOrder(event.currentTarget.value))}
      data={[
        { value: '', label: t('Übliche Reihenfolge', 'Usual order') },
        ...options.flatMap(({ value, label }) => [
          { value, label: t(`${label}, aufsteigend`, `${label}, ascending`) },
          { value: `-${value}`, label: t(`${label}, absteigend`, `${label}, descending`) },
        ]),
      ]}
    />
  );
};

/** The tools above a list. */
export const ListTools = ({ csv, sort }: { csv: CsvWanted; sort?: SortChoice }) => (
  <Group gap={4} justify="flex-end" mb={-8}>
    {sort && sort.options.length > 0 && <SortOnPhone {...sort} />}
    <CsvButton csv={csv} />
    <DensitySwitch />
  </Group>
);
