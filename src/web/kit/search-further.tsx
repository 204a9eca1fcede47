import { Button, Group, Loader, Stack, Text } from '@mantine/core';
import { useEffect, useState } from 'react';
import { useText } from '../language/language.ts';

interface SearchFurtherProps {
  /** What is said where nothing was found, and where something was. */
  none: string;
  some: string;
  /** What makes it quicker. */
  hint?: string;
  found: number;
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  fetchNextPage: () => unknown;
  failed: boolean;
}

/**
 * Goes on with a search that looked only so far: a page may be short, or empty, though something older may pass the filter.
 * It looks on until something is found, the list ends or somebody stops it.
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
  /** How many were found when it set out. */
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
