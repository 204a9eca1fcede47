import { t } from '../../language/texts.ts';
import { TZDate } from '@date-fns/tz';
import { isCalendarDay } from '../text/dates.ts';

// Ranges of days for the filters of lists. Days begin at midnight in the team's time zone, for every reader alike.

export const presets = ['today', '7d', '30d', 'month', 'last_month'] as const;
type Preset = (typeof presets)[number];

export const isPreset = (text: string): text is Preset => presets.some((preset) => preset === text);

/** A range in the form of the address: the name of a preset, or `own` with its first and last day. */
interface RangeText {
  range: string;
  from: string;
  to: string;
}

export interface TimeRange {
  /** The moment at which the range begins, inclusive. */
  since?: string;
  /** The moment at which the range ends, exclusive. */
  until?: string;
}

/** The moment at which a day begins; days beyond the end of a month belong to the next one. */
const startOf = (zone: string, year: number, month: number, day: number): string =>
  new Date(new TZDate(year, month, day, zone).getTime()).toISOString();

/** The beginning of a day that the reader has typed, or of the day after it. */
const startOfTyped = (zone: string, text: string, later: 0 | 1 = 0): string | undefined => {
  const [, year = '', month = '', day = ''] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text) ?? [];
  return Number(year) < 1900 ? undefined : startOf(zone, Number(year), Number(month) - 1, Number(day) + later);
};

/** The calendar day that the reader has typed, for a filter of days; undefined while the text is no day. */
export const typedDay = (text: string): string | undefined =>
  isCalendarDay(text) && Number(text.slice(0, 4)) >= 1900 ? text : undefined;

/** The times of a range, including its last day. An unknown range is no filter. */
export const timesOf = ({ range, from, to }: RangeText, now: Date, zone: string): TimeRange => {
  const today = new TZDate(now, zone);
  const [year, month, day] = [today.getFullYear(), today.getMonth(), today.getDate()];
  switch (range) {
    case 'today':
      return { since: startOf(zone, year, month, day) };
    case '7d':
      return { since: startOf(zone, year, month, day - 6) };
    case '30d':
      return { since: startOf(zone, year, month, day - 29) };
    case 'month':
      return { since: startOf(zone, year, month, 1) };
    case 'last_month':
      return { since: startOf(zone, year, month - 1, 1), until: startOf(zone, year, month, 1) };
    case 'own': {
      const [since, until] = [startOfTyped(zone, from), startOfTyped(zone, to, 1)];
      return { ...(since !== undefined && { since }), ...(until !== undefined && { until }) };
    }
    default:
      return {};
  }
};

/** The ranges to choose from. */
export const rangeOptions = () => [
  { value: '', label: t('Gesamter Zeitraum', 'All time') },
  { value: 'today', label: t('Heute', 'Today') },
  { value: '7d', label: t('Letzte 7 Tage', 'Last 7 days') },
  { value: '30d', label: t('Letzte 30 Tage', 'Last 30 days') },
  { value: 'month', label: t('Dieser Monat', 'This month') },
  { value: 'last_month', label: t('Letzter Monat', 'Last month') },
  { value: 'own', label: t('Benutzerdefiniert', 'Custom range') },
];
