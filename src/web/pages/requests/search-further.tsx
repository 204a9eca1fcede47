import { Button, Group, Loader, Stack, Text } from '@mantine/core';
import { useEffect, useState } from 'react';
import { useText } from '../../language/language.ts';

interface SearchFurtherProps {
  found: number;
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  fetchNextPage: () => unknown;
  failed: boolean;
}

/**
 * Goes on with a search that looked only so far: a page may be short, or empty, though older requests may pass the filter. It
 * looks on until something is found, the log ends or somebody stops it.
 */
export const SearchFurther = ({
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
        {found === 0
          ? t('In den neuesten Anfragen passt keine', 'None of the newest requests matches')
          : t('Weiter zurück wurde noch nicht gesucht', 'Older requests have not been searched yet')}
      </Text>
      <Text size="sm" c="dimmed" ta="center" maw={460}>
        {t(
          'Ältere können passen. Schneller geht es mit einem Zeitraum im Filter.',
          'Older ones may. A period in the filter makes it quicker.',
        )}
      </Text>
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
