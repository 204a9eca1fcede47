import { Button, Group, Loader, Stack, Text } from '@mantine/core';
import { useEffect, useState } from 'react';
import { Hint } from '../text/text.tsx';
import { t } from '../../language/language.tsx';
import { ProblemAlert } from '../page/messages.tsx';
import { DataTable, type DataTableProps } from './table.tsx';

/** A search that the server may stop early: a page can be short, or empty, although older rows match. */
export interface Search {
  isUnfinished: boolean;
  /** The filters of the search. If they change, another search begins. */
  filters: unknown;
}

/** A table whose rows the server searches. While the search is unfinished, the reader can continue it. */
export function SearchedTable<Row>({ search, list, ...table }: DataTableProps<Row> & { search?: Search | undefined }) {
  const { rows, error, refetch, fetchNextPage, isFetchingNextPage = false } = list;
  const isUnfinished = search?.isUnfinished === true && fetchNextPage !== undefined;
  // The table keeps its place in the tree, and so its opened rows, when the search ends.
  return (
    <>
      {isUnfinished && rows && <ProblemAlert error={error} {...(refetch && { retry: () => void refetch() })} />}
      {!(isUnfinished && rows?.length === 0) && (
        <DataTable {...table} list={isUnfinished ? { rows, error, ...(refetch && { refetch }) } : list} />
      )}
      {isUnfinished && (
        <SearchFurther
          key={JSON.stringify(search.filters)}
          fetchMore={fetchNextPage}
          found={rows?.length ?? 0}
          isFetching={isFetchingNextPage}
          failed={error !== null}
        />
      )}
    </>
  );
}

interface SearchFurtherProps {
  found: number;
  isFetching: boolean;
  fetchMore: () => unknown;
  failed: boolean;
}

/** Loads page after page until a row is found, a page fails to load, the list ends or the reader stops it. */
const SearchFurther = ({ found, isFetching, fetchMore, failed }: SearchFurtherProps) => {
  /** The number of rows at the time when the search was continued. Undefined while it is stopped. */
  const [from, setFrom] = useState<number>();
  const searches = found === from && !failed;
  useEffect(() => {
    if (searches && !isFetching) void fetchMore();
  }, [searches, isFetching, fetchMore]);
  return (
    <Stack align="center" gap="xs" py="md" role="status">
      <Text fw={600} ta="center">
        {found === 0
          ? t('Keine Treffer unter den neuesten Einträgen', 'No matches among the newest entries')
          : t('Ältere Einträge wurden noch nicht durchsucht', 'Older entries have not been searched yet')}
      </Text>
      <Hint ta="center" maw={460}>
        {t(
          'Durchsuchen Sie ältere Einträge oder grenzen Sie den Zeitraum ein.',
          'Search older entries or narrow the time range.',
        )}
      </Hint>
      {searches ? (
        <Group gap="sm">
          <Loader size="xs" />
          <Text size="sm">{t('Ältere Einträge werden durchsucht …', 'Searching older entries …')}</Text>
          <Button size="compact-sm" onClick={() => setFrom(undefined)}>
            {t('Anhalten', 'Stop')}
          </Button>
        </Group>
      ) : (
        <Button loading={isFetching} onClick={() => setFrom(found)}>
          {t('Ältere Einträge durchsuchen', 'Search older entries')}
        </Button>
      )}
    </Stack>
  );
};
