import { useForceUpdate, useInterval } from '@mantine/hooks';
import { useQueryClient } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { Notice } from '../kit/page/messages.tsx';
import { t } from '../language/language.tsx';
import { useAvailability, useServerBack } from '../server/availability.ts';
import { useNewVersion } from '../server/version.ts';
import { ageText, oldestOf, whatNext } from './old-answers.ts';

/** The time of the oldest answer on the page that could not be loaded again. */
const useOldestAnswer = (isLost: boolean): number | undefined => {
  const cache = useQueryClient().getQueryCache();
  const oldest = () =>
    oldestOf(
      cache.findAll({ type: 'active' }).map(({ state }) => state),
      isLost,
    );
  return useSyncExternalStore((listener) => cache.subscribe(listener), oldest);
};

/** Whether a part of the page has not been loaded yet. */
const useIsUnloaded = (): boolean => {
  const cache = useQueryClient().getQueryCache();
  const isUnloaded = () => cache.findAll({ type: 'active' }).some(({ state }) => state.data === undefined);
  return useSyncExternalStore((listener) => cache.subscribe(listener), isUnloaded);
};

/**
 * Shown while the server does not answer, or while data on the page could not be loaded again. During an outage, polls
 * the server until it is ready, and then loads everything on the page again.
 */
export const OutageNotice = () => {
  const queries = useQueryClient();
  const isLost = useAvailability().state === 'lost';
  const oldest = useOldestAnswer(isLost);
  // While a part of the page is not loaded, the age of the other parts is not shown.
  const isEmpty = useIsUnloaded();
  const reload = () => void queries.invalidateQueries();
  useServerBack(isLost, reload);
  useInterval(useForceUpdate(), 15_000, { autoInvoke: true });

  if (!isLost && oldest === undefined) return null;
  const shownFrom = ageText(oldest ?? 0);
  return (
    <Notice
      tone="warn"
      role="status"
      title={isLost ? whatHappened() : t('Daten nicht aktuell', 'Data not up to date')}
      action={{ label: t('Jetzt erneut versuchen', 'Try again now'), onClick: reload }}
    >
      {oldest !== undefined &&
        !isEmpty &&
        t(`Angezeigt wird der Stand von ${shownFrom}. `, `Showing data from ${shownFrom}. `)}
      {whatNext(isLost)}
    </Notice>
  );
};

const whatHappened = (): string =>
  navigator.onLine
    ? t('Der Server ist derzeit nicht erreichbar', 'The server can’t be reached at the moment')
    : t('Sie sind offline', 'You are offline');

/** Shows that there is a new version of the app. The next page is opened in it. */
export const NewVersionNotice = () => {
  if (!useNewVersion()) return null;
  return (
    <Notice
      tone="info"
      role="status"
      title={t('Neue Version verfügbar', 'New version available')}
      action={{ label: t('Jetzt laden', 'Load now'), onClick: () => location.reload() }}
    >
      {t(
        'Sie wird beim nächsten Seitenwechsel geladen. Ihre Eingaben bleiben erhalten.',
        'It loads when you open the next page. Your input is kept.',
      )}
    </Notice>
  );
};
