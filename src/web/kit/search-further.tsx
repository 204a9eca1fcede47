import { Button, Group, Loader, Stack, Text } from '@mantine/core';
import { useEffect, useState } from 'react';
import { useText } from '../language/language.tsx';
import type { MorePages } from './table.tsx';

interface SearchFurtherProps extends MorePages {
  /** The texts of a continued search, with and without results so far. */
  none: string;
  some: string;
  /** Advice on how to make the search faster. */
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
  /** The number of rows when the search was continued. Undefined while it is stopped. */
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
          <Text size="sm">{t('Ältere Einträge werden durchsucht …', 'Searching older entries …')}</Text>
          <Button size="compact-sm" variant="default" onClick={() => setFrom(undefined)}>
            {t('Anhalten', 'Stop')}
          </Button>
        </Group>
      ) : (
        <Button variant="default" loading={isFetchingNextPage} onClick={() => setFrom(found)}>
          {t('Ältere Einträge durchsuchen', 'Search older entries')}
        </Button>
      )}
    </Stack>
  );
};

interface Listed {
  data: { pages: readonly { data: readonly unknown[] }[] } | undefined;
  hasNextPage: boolean;
}

/** Whether the server stopped searching before a page was full: the list continues, but its last page has fewer rows than requested. */
export const isCutShort = ({ data, hasNextPage }: Listed, pageSize: number): boolean =>
  hasNextPage && (data?.pages.at(-1)?.data.length ?? 0) < pageSize;
