import { Popover, Text, UnstyledButton } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useEffect, useRef, useState, type ComponentProps } from 'react';
import { number } from '../../kit/text/figures.ts';
import { TextLink } from '../../kit/text/text.tsx';
import { Lines, TextInCell } from '../../kit/text/cut.tsx';
import { PersonName } from '../../kit/names/members.tsx';
import { State } from '../../kit/page/facts.tsx';
import type { StateWords } from '../../kit/page/tones.ts';
import { DimensionBars, marksOf } from '../../kit/charts/scores.tsx';
import type { Column } from '../../kit/list/table.tsx';
import { t } from '../../language/language.tsx';
import type { ApiOutputs, AppOutputs } from '../../server/server.ts';
import { seesOthers } from '../../session/may.ts';
import { useSignedIn } from '../../session/signed-in.tsx';
import { lengthOf } from './figures.ts';
import classes from './trainings.module.css';

export type Training = ApiOutputs['trainings']['get'];
export type Evaluation = ApiOutputs['trainings']['evaluation'];

export const trainingStates = (): Readonly<Record<Training['status'], StateWords>> => ({
  running: ['info', t('Läuft', 'Running')],
  ended: ['plain', t('Abgeschlossen', 'Completed')],
  scored: ['good', t('Bewertet', 'Scored')],
  aborted: ['plain', t('Abgebrochen', 'Canceled')],
});

export const TrainingStatus = ({ status }: Pick<Training, 'status'>) => <State words={trainingStates()[status]} />;

export type ListedTraining = AppOutputs['sessions']['list']['data'][number];

export const titleOf = ({ situation }: ListedTraining): string =>
  situation ?? t('Freies Training', 'Unscripted training');

/** The columns of a list of trainings, with a column for the person if `people` is set. */
export const trainingColumns = ({ people = false }: { people?: boolean } = {}): readonly Column<ListedTraining>[] => {
  const member: Column<ListedTraining> = {
    label: t('Mitglied', 'Member'),
    value: ({ person }) => person,
    alwaysShown: true,
    cell: ({ person }) => <PersonName name={person ?? t('Unbekannt', 'Unknown')} />,
  };
  return [
    { label: t('Training-ID', 'Training ID'), value: ({ id }) => id },
    {
      label: t('Training', 'Training'),
      cell: (row) => (
        <Lines below={[row.personality, row.industry].filter(Boolean).join(' · ')}>
          <TextLink to={`/trainings/${row.id}`} inherit fw={600}>
            <TextInCell text={titleOf(row)} />
          </TextLink>
        </Lines>
      ),
    },
    ...(people ? [member] : []),
    { label: t('Situation', 'Situation'), value: ({ situation }) => situation },
    { label: t('Branche', 'Industry'), value: ({ industry }) => industry },
    { label: t('Rolle', 'Role'), value: ({ role }) => role },
    { label: t('Persönlichkeit', 'Personality'), value: ({ personality }) => personality },
    {
      label: t('Status', 'Status'),
      alwaysShown: true,
      value: ({ status }) => status,
      cell: ({ status }) => <TrainingStatus status={status} />,
    },
    {
      label: t('Punktzahl', 'Score'),
      name: 'score',
      alwaysShown: true,
      value: ({ score }) => score?.total,
      cell: (row) => (row.score ? <TrainingScore score={row.score} of={titleOf(row)} /> : '–'),
    },
    {
      label: t('Begonnen', 'Started'),
      name: 'started',
      value: ({ created_at }) => created_at,
      alwaysShown: true,
      cell: 'time',
    },
    { label: t('Beendet', 'Ended'), value: ({ finished_at }) => finished_at },
    { label: t('Dauer in Sekunden', 'Length in seconds'), value: ({ duration_s }) => duration_s },
    { label: t('Quelle', 'Source'), value: ({ source }) => source },
    { label: t('Aufgaben-ID', 'Assignment ID'), value: ({ assignment_id }) => assignment_id },
    {
      label: t('Dauer', 'Duration'),
      priority: 3,
      cell: ({ duration_s }) => (duration_s === null ? '–' : lengthOf(duration_s)),
      align: 'end',
    },
  ];
};

/** Whether the reader may see other people's trainings. Everybody sees their own. */
export const useSeesOthers = (): boolean => {
  const { team, may } = useSignedIn();
  return seesOthers(may, team.privacy);
};

type Score = NonNullable<ListedTraining['score']>;

interface TrainingScoreProps {
  score: Score;
  of: string;
}

/**
 * The score of a training in a list: the total, and the five areas as small bars with their names in a popover. A
 * popover takes longer to draw than the rest of its row, so it is created when it is first opened.
 */
const TrainingScore = (props: TrainingScoreProps) => {
  const [hadFocus, setHadFocus] = useState<boolean>();
  if (hadFocus !== undefined) return <ScorePopover {...props} hadFocus={hadFocus} />;
  return (
    <ScoreButton
      {...props}
      aria-expanded={false}
      onClick={() => setHadFocus(true)}
      onMouseEnter={({ currentTarget }) => setHadFocus(currentTarget === document.activeElement)}
    />
  );
};

const ScorePopover = ({ hadFocus, ...props }: TrainingScoreProps & { hadFocus: boolean }) => {
  const button = useRef<HTMLButtonElement>(null);
  const [opened, { open, close }] = useDisclosure(true);
  // The button is a new element now, so it gets the focus again.
  useEffect(() => {
    if (hadFocus) button.current?.focus({ preventScroll: true });
  }, [hadFocus]);
  return (
    <Popover
      opened={opened}
      onChange={close}
      position="left"
      // On a phone there is no room to the left of the button.
      middlewares={{ flip: { fallbackPlacements: ['right', 'bottom', 'top'] }, shift: true }}
      withArrow
      shadow="md"
      width={260}
      portalProps={{ target: '#main' }}
    >
      <Popover.Target>
        <ScoreButton
          {...props}
          ref={button}
          aria-expanded={opened}
          onClick={open}
          onMouseEnter={open}
          onMouseLeave={close}
          onBlur={close}
        />
      </Popover.Target>
      <Popover.Dropdown>
        <DimensionBars label={t('Punktzahl nach Bereich', 'Score by area')} values={marksOf(props.score.dimensions)} />
      </Popover.Dropdown>
    </Popover>
  );
};

const bar = { step: 6, width: 4, height: 18 };

const ScoreButton = ({ score, of, ...props }: TrainingScoreProps & ComponentProps<'button'>) => {
  const marks = marksOf(score.dimensions);
  const total = score.total === null ? '–' : number(score.total);
  return (
    <UnstyledButton
      {...props}
      className={classes['total']}
      aria-label={t(`Punktzahl ${total}: ${of}, nach Bereich`, `Score ${total}: ${of}, by area`)}
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
  );
};
