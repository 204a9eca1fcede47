import { Skeleton, Stack } from '@mantine/core';
import { number } from '../../kit/formats.tsx';
import { Hint } from '../../kit/text.tsx';
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
          `Zustellversuche der letzten 30 Tage: ${number(delivered)} zugestellt, ${number(failed)} fehlgeschlagen`,
          `Attempts of the last 30 days: ${number(delivered)} delivered, ${number(failed)} failed`,
        )}
      />
      <Hint size="xs" aria-hidden style={{ whiteSpace: 'nowrap' }}>
        {share}
      </Hint>
    </Stack>
  );
};
