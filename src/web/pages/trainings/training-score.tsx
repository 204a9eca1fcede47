import { Popover, Text, UnstyledButton } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { DimensionBars, marksOf } from '../../kit/scores.tsx';
import type { ScoreDimension } from '../../kit/scores.tsx';
import { useLocale, useText } from '../../language/language.tsx';
import { app, client } from '../../server/server.ts';
import classes from './trainings.module.css';

interface Score {
  total: number | null;
  dimensions: Readonly<Record<ScoreDimension, number>>;
}

/** The most trainings of one request. */
const maxIds = 200;

/** The scores of trainings, by training id: missing while they load, and null if the reader may not see them. */
export const useTrainingScores = (ids: readonly string[]): ReadonlyMap<string, Score | null> | undefined => {
  const parts = Array.from({ length: Math.ceil(ids.length / maxIds) }, (_, at) =>
    ids.slice(at * maxIds, (at + 1) * maxIds),
  );
  return useQuery({
    queryKey: [...app.trainingScores.of.pathKey(), ids],
    queryFn: async () => {
      const answers = await Promise.all(
        parts.map((part) => client.app.trainingScores.of.query({ training_ids: [...part] })),
      );
      const found = answers.flatMap(({ data }) =>
        data.map(({ training_id, ...score }) => [training_id, score] as const),
      );
      return new Map<string, Score | null>([...ids.map((id) => [id, null] as const), ...found]);
    },
    enabled: ids.length > 0,
    // When a list loads more rows, the scores of the former rows stay.
    placeholderData: keepPreviousData,
  }).data;
};

const bar = { step: 6, width: 4, height: 18 };

/** The score of a training in a list: the total, and the five areas as small bars with their names in a popover. */
export const TrainingScore = ({ score, of }: { score: Score; of: string }) => {
  const t = useText();
  const locale = useLocale();
  const [opened, { open, close }] = useDisclosure();
  const marks = marksOf(score.dimensions);
  const total = score.total === null ? '–' : score.total.toLocaleString(locale);
  return (
    <Popover
      opened={opened}
      onChange={close}
      position="left"
      withArrow
      shadow="md"
      width={260}
      portalProps={{ target: '#main' }}
    >
      <Popover.Target>
        <UnstyledButton
          className={classes['total']}
          aria-label={t(`Punktzahl ${total}: ${of}, nach Bereich`, `Score ${total}: ${of}, by area`)}
          aria-expanded={opened}
          onClick={open}
          onMouseEnter={open}
          onMouseLeave={close}
          onBlur={close}
        >
          <Text span inherit fw={650}>
            {total}
          </Text>
          <svg width={marks.length * bar.step - 2} height={bar.height} aria-hidden>
            {marks.map(({ dimension, value }, at) => (
              <g key={dimension}>
                <rect x={at * bar.step} y={0} width={bar.width} height={bar.height} rx={1} fill="var(--plain-back)" />
                <rect
                  x={at * bar.step}
                  y={bar.height - (value / 100) * bar.height}
                  width={bar.width}
                  height={(value / 100) * bar.height}
                  rx={1}
                  fill="var(--chart-line-1)"
                />
              </g>
            ))}
          </svg>
        </UnstyledButton>
      </Popover.Target>
      <Popover.Dropdown>
        <DimensionBars label={t('Punktzahl nach Bereich', 'Score by area')} values={marks} />
      </Popover.Dropdown>
    </Popover>
  );
};
