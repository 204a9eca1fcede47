import { number, sumOf } from '../text/figures.ts';
import { locale, t } from '../../language/language.tsx';
import { BarChart } from './bar-chart.tsx';
import { Legend, type Series } from './parts.tsx';

/** How requests end, in the order in which bars are stacked. */
export const requestOutcomes = () =>
  [
    { key: 'answered', name: t('Erfolgreich', 'Successful'), color: '--chart-answered' },
    { key: 'refused', name: t('Abgelehnt (4xx)', 'Rejected (4xx)'), color: '--chart-refused' },
    { key: 'limited', name: t('Rate-Limit (429)', 'Rate limited (429)'), color: '--chart-limited' },
    { key: 'failed', name: t('Fehlgeschlagen (5xx)', 'Failed (5xx)'), color: '--chart-failed' },
  ] as const satisfies readonly Series[];

type OutcomeCounts = Readonly<Record<ReturnType<typeof requestOutcomes>[number]['key'], number>>;

/** The outcomes with their colours and, with `counts`, their sums. */
export const OutcomeLegend = ({ counts }: { counts?: readonly OutcomeCounts[] }) => {
  const series = requestOutcomes();
  const values = Object.fromEntries(series.map(({ key }) => [key, number(sumOf(counts ?? [], key))]));
  return <Legend series={series} {...(counts && { values })} />;
};

interface DayOfRequests extends Omit<OutcomeCounts, 'answered'> {
  day: string;
  requests: number;
}

const outcomesOf = ({ requests, refused, limited, failed }: DayOfRequests): OutcomeCounts & Record<string, number> => ({
  answered: requests - refused - limited - failed,
  refused,
  limited,
  failed,
});

interface DaysChartProps {
  label: string;
  days: readonly DayOfRequests[];
  /** The distances (in days) that are allowed between labels. */
  steps: readonly number[];
  asTable?: boolean;
}

export const DaysChart = ({ label, days, steps, ...chart }: DaysChartProps) => {
  const format = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(locale(), { ...options, timeZone: 'UTC' });
  const [short, long] = [format({ day: 'numeric', month: 'short' }), format({ dateStyle: 'medium' })];
  return (
    <BarChart
      {...chart}
      label={label}
      heading={t('Tag (UTC)', 'Day (UTC)')}
      series={requestOutcomes()}
      points={days.map(({ day }) => ({
        key: day,
        short: short.format(new Date(day)),
        long: long.format(new Date(day)),
      }))}
      values={days.map(outcomesOf)}
      // Labels are counted back from today, so that today has one.
      labels={{ steps, anchor: days.length - 1 }}
    />
  );
};
