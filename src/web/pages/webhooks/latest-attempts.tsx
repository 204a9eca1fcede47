import { Skeleton, Stack, Text } from '@mantine/core';
import { SparkBars } from '../../kit/charts/spark-bars.tsx';
import { locale, t } from '../../language/language.tsx';

interface Attempts {
  delivered: number;
  failed: number;
}

/** The attempts of the last days, and the share that was delivered. */
export const LatestAttempts = ({ days }: { days: readonly Attempts[] | undefined }) => {
  if (!days) return <Skeleton height={28} width={119} />;
  const sum = (count: (day: Attempts) => number) => days.reduce((all, day) => all + count(day), 0);
  const [delivered, failed] = [sum((day) => day.delivered), sum((day) => day.failed)];
  const share =
    delivered + failed === 0
      ? t('Nichts gesendet', 'Nothing sent')
      : t(
          `${(delivered / (delivered + failed)).toLocaleString(locale(), { style: 'percent', maximumFractionDigits: 1 })} zugestellt`,
          `${(delivered / (delivered + failed)).toLocaleString(locale(), { style: 'percent', maximumFractionDigits: 1 })} delivered`,
        );
  return (
    <Stack gap={2} align="flex-start">
      <SparkBars
        days={days.map((day) => ({ all: day.delivered + day.failed, bad: day.failed }))}
        label={t(
          `Zustellversuche der letzten 30 Tage: ${delivered.toLocaleString(locale())} zugestellt, ${failed.toLocaleString(locale())} fehlgeschlagen`,
          `Attempts of the last 30 days: ${delivered.toLocaleString(locale())} delivered, ${failed.toLocaleString(locale())} failed`,
        )}
      />
      <Text size="xs" c="dimmed" aria-hidden style={{ whiteSpace: 'nowrap' }}>
        {share}
      </Text>
    </Stack>
  );
};
