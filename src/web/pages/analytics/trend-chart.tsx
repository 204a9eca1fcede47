import { LineChart } from '@mantine/charts';
import '@mantine/charts/styles.css';
import { Center, Text, VisuallyHidden } from '@mantine/core';
import { Day } from '../../kit/formats.tsx';
import { useLocale, useText } from '../../language/language.tsx';

/** The average score of each week; a week without scores is a gap. Screen readers get a table. */
export default function TrendChart({ scores }: { scores: readonly (number | null)[] }) {
  const t = useText();
  const locale = useLocale();
  const mondays = lastMondays(scores.length);
  const points = t('Punkte', 'Points');
  const weeks = mondays.map((monday, index) => ({ monday, score: scores[index] ?? null }));
  const short = (monday: string) =>
    new Date(monday).toLocaleDateString(locale, { day: 'numeric', month: 'short', timeZone: 'UTC' });
  if (scores.every((score) => score === null)) {
    return (
      <Center h={260}>
        <Text c="dimmed" size="sm">
          {t('In diesen Wochen wurde nichts ausgewertet.', 'Nothing was scored in these weeks.')}
        </Text>
      </Center>
    );
  }
  return (
    <>
      <div aria-hidden>
        <LineChart
          h={260}
          data={weeks.map(({ monday, score }) => ({ week: short(monday), score }))}
          dataKey="week"
          series={[{ name: 'score', label: points, color: 'var(--mantine-color-anchor)' }]}
          curveType="linear"
          connectNulls={false}
          yAxisProps={{ domain: [0, 100], ticks: [0, 25, 50, 75, 100], width: 36 }}
          xAxisProps={{ interval: 'preserveStartEnd' }}
          gridColor="var(--line)"
          textColor="var(--mantine-color-dimmed)"
          tooltipAnimationDuration={0}
          lineProps={{ isAnimationActive: false }}
          lineChartProps={{ accessibilityLayer: false }}
        />
      </div>
      <VisuallyHidden>
        <table>
          <caption>{t('Mittlere Punktzahl je Woche', 'Mean score of each week')}</caption>
          <thead>
            <tr>
              <th scope="col">{t('Woche ab', 'Week from')}</th>
              <th scope="col">{points}</th>
            </tr>
          </thead>
          <tbody>
            {weeks.map(({ monday, score }) => (
              <tr key={monday}>
                <th scope="row">
                  <Day on={monday} />
                </th>
                <td>{score === null ? t('keine', 'none') : score.toLocaleString(locale)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </VisuallyHidden>
    </>
  );
}

const dayMs = 86_400_000;

/** The Mondays (UTC, `2026-11-16`) of the last `count` weeks. The last one is this week's. */
const lastMondays = (count: number, now = new Date()): string[] => {
  const today = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate());
  const monday = today - ((now.getUTCDay() + 6) % 7) * dayMs;
  return Array.from({ length: count }, (_, index) =>
    new Date(monday - (count - 1 - index) * 7 * dayMs).toISOString().slice(0, 10),
  );
};
