import { Group, Skeleton, Stack, Text } from '@mantine/core';
import { useCount } from '../../kit/formats.tsx';
import { Empty, ProblemAlert } from '../../kit/messages.tsx';
import { Panel } from '../../kit/page.tsx';
import { Delta, DimensionBars, Sparkline } from '../../kit/scores.tsx';
import { useLocale, useText } from '../../language/language.tsx';
import { app } from '../../server/server.ts';

/** How somebody is doing themselves. */
export const OwnProgress = () => {
  const t = useText();
  const locale = useLocale();
  const count = useCount();
  const { data, error, refetch } = app.useAnswer('progress.mine', {});
  const title = t('Ihr Fortschritt', 'Your progress');
  if (error && !data) {
    return (
      <Panel title={title}>
        <ProblemAlert error={error} retry={() => void refetch()} />
      </Panel>
    );
  }
  if (!data) {
    return (
      <Panel title={title}>
        <Stack gap="md" role="status" aria-label={t('Wird geladen', 'Loading')}>
          <Skeleton height={44} width={160} />
          <Skeleton height={48} />
          <Skeleton height={200} />
        </Stack>
      </Panel>
    );
  }
  const { avg_score, trend_delta, scored, dimensions, trend } = data;
  if (avg_score === null) {
    return (
      <Panel title={title}>
        <Empty title={t('Noch nichts ausgewertet', 'Nothing scored yet')}>
          {t(
            'Nach Ihrem ersten ausgewerteten Training sehen Sie hier, wo Sie stehen.',
            'After your first scored training you see here where you stand.',
          )}
        </Empty>
      </Panel>
    );
  }
  return (
    <Panel title={title}>
      <Stack gap="md">
        <Group justify="space-between" align="flex-end">
          <div>
            <Text fz={32} fw={650} lh={1.2}>
              {avg_score.toLocaleString(locale)}
            </Text>
            <Text size="sm" c="dimmed">
              {t('Punkte im Schnitt aus', 'points on average, from')}{' '}
              {count(scored ?? 0, t('Training', 'training'), t('Trainings', 'trainings'))}
            </Text>
          </div>
          {trend_delta !== null && (
            <Text size="sm" c="dimmed" component="div">
              <Delta value={trend_delta} /> {t('in 30 Tagen', 'in 30 days')}
            </Text>
          )}
        </Group>
        <Sparkline
          values={trend.map(({ score }) => score)}
          label={t(
            `Ihre mittlere Punktzahl in jeder der letzten ${trend.length} Wochen: ${trend.map(({ score }) => score ?? 'keine').join(', ')}`,
            `Your mean score in each of the last ${trend.length} weeks: ${trend.map(({ score }) => score ?? 'none').join(', ')}`,
          )}
        />
        <DimensionBars label={t('Ihre Punkte je Bereich', 'Your points by area')} values={dimensions} />
      </Stack>
    </Panel>
  );
};
