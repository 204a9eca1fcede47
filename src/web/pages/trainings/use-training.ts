import { problemOf } from '../../server/problem.ts';
import { api, app } from '../../server/server.ts';
import { useHere } from '../../session/signed-in.tsx';
import type { Evaluation, Training } from './training-words.tsx';

interface Found<T> {
  data: T | undefined;
  error: Error | null;
  retry: () => void;
}

interface FoundTraining extends Found<Training> {
  isMissing: boolean;
}

/** Whether somebody is told what others practised; what they practised themselves they always are. */
export const useSeesOthers = (): boolean => {
  const { team, may } = useHere();
  return may('admin') && team.privacy.member_detail;
};

/** A session that one may see. */
export const useTraining = (training_id: string): FoundTraining => {
  const seesOthers = useSeesOthers();
  const own = app.useAnswer('myTrainings.get', { training_id }, { enabled: !seesOthers });
  const any = api.useAnswer('trainings.get', { training_id }, { enabled: seesOthers });
  const { data, error, refetch } = seesOthers ? any : own;
  return { data, error, retry: () => void refetch(), isMissing: problemOf(error)?.code === 'not_found' };
};

/** How a session was scored. */
export const useEvaluation = (training_id: string): Found<Evaluation> => {
  const seesOthers = useSeesOthers();
  const own = app.useAnswer('myTrainings.evaluation', { training_id }, { enabled: !seesOthers });
  const any = api.useAnswer('trainings.evaluation', { training_id }, { enabled: seesOthers });
  const { data, error, refetch } = seesOthers ? any : own;
  return { data, error, retry: () => void refetch() };
};
