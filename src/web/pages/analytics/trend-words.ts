import type { Trend } from '../../../modules/analytics/schema.ts';
import { count } from '../../kit/text/figures.ts';
import { locale, t } from '../../language/texts.ts';

export type Range = '12_weeks' | '6_months' | '12_months';

export const rangeNames = (): Record<Range, string> => ({
  '12_weeks': t('12 Wochen', '12 weeks'),
  '6_months': t('6 Monate', '6 months'),
  '12_months': t('12 Monate', '12 months'),
});

/** The time before a range, with its article: `den 12 Wochen davor`. */
export const timeBefore = (range: Range): string =>
  ({
    '12_weeks': t('den 12 Wochen davor', 'the 12 weeks before'),
    '6_months': t('den 6 Monaten davor', 'the 6 months before'),
    '12_months': t('den 12 Monaten davor', 'the 12 months before'),
  })[range];

export const trainingsOf = (of: number): string => count(of, t('Training', 'training'), t('Trainings', 'trainings'));

export const decimal = (score: number): string => score.toLocaleString(locale(), { minimumFractionDigits: 1 });

export const noneScored = (): string =>
  t('Keine bewerteten Trainings in diesem Zeitraum.', 'No scored trainings in this period.');

const dayMs = 86_400_000;
const utcDay = (time: number): string => new Date(time).toISOString().slice(0, 10);

/** The last day of an interval (UTC). */
export const endOf = (start: string, unit: Trend['unit']): string => {
  const day = new Date(start);
  return unit === 'week'
    ? utcDay(day.getTime() + 6 * dayMs)
    : utcDay(Date.UTC(day.getUTCFullYear(), day.getUTCMonth() + 1, 0));
};
