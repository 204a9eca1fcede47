import type { inferRouterOutputs } from '@trpc/server';
import type { publicRouter } from '../../modules/public-router.ts';
import { useText } from '../language/language.ts';
import { Status } from './status.tsx';
import type { Tone } from './status.tsx';

type Answers = inferRouterOutputs<typeof publicRouter>;
export type Training = Answers['trainings']['get'];
export type Evaluation = Answers['trainings']['evaluation'];
export type TrainingState = Training['status'];

const tones: Readonly<Record<TrainingState, Tone>> = {
  running: 'info',
  ended: 'plain',
  scored: 'good',
  aborted: 'warn',
};

/** What each state of a training is called. */
export const useTrainingStates = (): Readonly<Record<TrainingState, string>> => {
  const t = useText();
  return {
    running: t('Läuft', 'Running'),
    ended: t('Beendet', 'Ended'),
    scored: t('Ausgewertet', 'Scored'),
    aborted: t('Abgebrochen', 'Aborted'),
  };
};

export const TrainingStatus = ({ of }: { of: TrainingState }) => (
  <Status tone={tones[of]}>{useTrainingStates()[of]}</Status>
);

const two = (count: number): string => String(count).padStart(2, '0');

/** How long something took: `8:12 min`, or `1:02:03 h`, on one line. */
export const lengthOf = (seconds: number): string => {
  const [hours, minutes, rest] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, two(seconds % 60)];
  return hours > 0 ? `${hours}:${two(minutes)}:${rest}\u00a0h` : `${minutes}:${rest}\u00a0min`;
};
