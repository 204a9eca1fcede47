import { useForceUpdate, useInterval } from '@mantine/hooks';
import { useQueryClient, type Query } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { Notice } from '../kit/page/messages.tsx';
import { locale, t } from '../language/language.tsx';
import { useAvailability, useServerBack } from '../server/availability.ts';
import { problemOf } from '../server/problem.ts';
import { useNewVersion } from '../server/version.ts';

/**
 * Whether a query shows an old answer because loading it again failed. A refusal by the server does not count, because
 * then the data itself has changed.
 */
const isOld = ({ state }: Query): boolean => {
  const status = problemOf(state.error)?.status;
  return (
    state.status === 'error' && state.data !== undefined && (status === undefined || status === 429 || status >= 500)
  );
};

/**
 * The time of the oldest answer on the page that could not be loaded again; undefined if all answers are up to date.
 * While the server does not answer, no answer is up to date.
 */
const useOldestAnswer = (isLost: boolean): number | undefined => {
  const cache = useQueryClient().getQueryCache();
  const oldest = () => {
    const times = cache
      .findAll({ type: 'active', predicate: (query) => (isLost ? query.state.data !== undefined : isOld(query)) })
      .map(({ state: { dataUpdatedAt } }) => dataUpdatedAt);
    return times.length === 0 ? undefined : Math.min(...times);
  };
  return useSyncExternalStore((listener) => cache.subscribe(listener), oldest);
};

/** Whether a part of the page has not been loaded yet. */
const useIsUnloaded = (): boolean => {
  const cache = useQueryClient().getQueryCache();
  const isUnloaded = () => cache.findAll({ type: 'active' }).some(({ state }) => state.data === undefined);
  return useSyncExternalStore((listener) => cache.subscribe(listener), isUnloaded);
};

/**
 * Shown while the server does not answer. Polls the server until it answers, and then loads everything on the page
 * again.
 */
export const OutageNotice = () => {
  const queries = useQueryClient();
  const isLost = useAvailability().state === 'lost';
  const oldest = useOldestAnswer(isLost);
  // A page that has not loaded anything shows no old data.
  const isEmpty = useIsUnloaded();
  const reload = () => void queries.invalidateQueries();
  useServerBack(isLost, reload);
  useInterval(useForceUpdate(), 15_000, { autoInvoke: true });

  if (!isLost && oldest === undefined) return null;
  const minutes = oldest === undefined ? 0 : Math.round((Date.now() - oldest) / 60_000);
  const time = new Date(oldest ?? 0).toLocaleTimeString(locale(), { timeStyle: 'short' });
  const age = new Intl.RelativeTimeFormat(locale()).format(-minutes, 'minute');
  const shownFrom = minutes === 0 ? time : `${time} (${age})`;
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
      {isLost
        ? t('Die Verbindung wird automatisch wiederhergestellt.', 'Reconnecting automatically.')
        : t('Die Daten konnten nicht neu geladen werden.', 'The data could not be reloaded.')}
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
