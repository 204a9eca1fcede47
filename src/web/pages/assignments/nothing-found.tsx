import { Button } from '@mantine/core';
import { Empty } from '../../kit/messages.tsx';
import { Panel } from '../../kit/page.tsx';
import { useText } from '../../language/language.tsx';

interface NotFoundYetProps {
  isFetchingNextPage: boolean;
  fetchNextPage: () => unknown;
}

/** A search that came so far and found nothing yet. */
export const NotFoundYet = ({ isFetchingNextPage, fetchNextPage }: NotFoundYetProps) => {
  const t = useText();
  return (
    <Panel>
      <Empty
        title={t('Bis hierher nichts gefunden', 'Nothing found so far')}
        action={
          <Button variant="default" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            {t('Weiter suchen', 'Search further')}
          </Button>
        }
      >
        {t(
          'Die neuesten Aufgaben sind durchsucht. Ältere gibt es noch.',
          'The newest assignments have been searched. There are older ones.',
        )}
      </Empty>
    </Panel>
  );
};

/** Nothing goes with the filters. */
export const NothingMatches = ({ onClear }: { onClear: () => void }) => {
  const t = useText();
  return (
    <Empty
      title={t('Keine Aufgabe passt zu diesen Filtern', 'No assignment matches these filters')}
      action={
        <Button variant="default" onClick={onClear}>
          {t('Filter zurücksetzen', 'Clear filters')}
        </Button>
      }
    />
  );
};
