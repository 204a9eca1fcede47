import { locale, t } from '../language/texts.ts';
import { problemOf } from '../server/problem.ts';

// The age of the data on a page, while the server can't be reached or loading again fails.

/** The state of a query. */
interface Answer {
  readonly status: string;
  readonly data: unknown;
  readonly error: unknown;
  readonly dataUpdatedAt: number;
}

/**
 * Whether a query shows an old answer because loading it again failed. A refusal counts only with status 429 or from
 * 500 on: with another status, the data itself has changed.
 */
const isOld = ({ status, data, error }: Answer): boolean => {
  const { status: code } = problemOf(error) ?? {};
  return status === 'error' && data !== undefined && (code === undefined || code === 429 || code >= 500);
};

/**
 * The time of the oldest answer that could not be loaded again; undefined if all answers are up to date. While the
 * server does not answer, no answer is up to date.
 */
export const oldestOf = (answers: readonly Answer[], isLost: boolean): number | undefined => {
  const times = answers
    .filter((answer) => (isLost ? answer.data !== undefined : isOld(answer)))
    .map(({ dataUpdatedAt }) => dataUpdatedAt);
  return times.length === 0 ? undefined : Math.min(...times);
};

/** The time of day of an old answer, with its age from a minute on: `12:04 (vor 3 Minuten)`. */
export const ageText = (at: number, now = Date.now()): string => {
  const time = new Date(at).toLocaleTimeString(locale(), { timeStyle: 'short' });
  const minutes = Math.round((now - at) / 60_000);
  return minutes === 0 ? time : `${time} (${new Intl.RelativeTimeFormat(locale()).format(-minutes, 'minute')})`;
};

/** Says whether the app reconnects, or could not load its data again. */
export const whatNext = (isLost: boolean): string =>
  isLost
    ? t('Die Verbindung wird automatisch wiederhergestellt.', 'Reconnecting automatically.')
    : t('Die Daten konnten nicht neu geladen werden.', 'The data could not be reloaded.');
