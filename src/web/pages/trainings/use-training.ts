import { useEffect } from 'react';
import { problemOf } from '../../server/problem.ts';
import { api, app } from '../../server/server.ts';
import { useHere } from '../../session/me.ts';
import type { Evaluation, Training } from '../../kit/training.tsx';

interface Found<T> {
  data: T | undefined;
  error: Error | null;
  retry: () => void;
}

interface FoundTraining extends Found<Training> {
  isMissing: boolean;
}

/** One’s own sessions come as a list alone: it is gone through, newest first, until the one is there. */
const useOwnTraining = (id: string, enabled: boolean): FoundTraining => {
  const { rows, error, hasNextPage, isFetching, fetchNextPage, refetch } = app.usePages(
    'myTrainings.list',
    {},
    { enabled },
  );
  const data = rows?.find((row) => row.id === id);
  const goesOn = enabled && !data && hasNextPage && !isFetching && !error;
  useEffect(() => {
    if (goesOn) void fetchNextPage();
  }, [goesOn, fetchNextPage]);
  return { data, error, retry: () => void refetch(), isMissing: rows !== undefined && !data && !hasNextPage };
};

const useTeamTraining = (id: string, enabled: boolean): FoundTraining => {
  const { data, error, refetch } = api.useAnswer('trainings.get', { training_id: id }, { enabled });
  return { data, error, retry: () => void refetch(), isMissing: problemOf(error)?.code === 'not_found' };
};

/** Whether somebody is told what others practised; what they practised themselves they always are. */
export const useSeesOthers = (): boolean => {
  const { team, may } = useHere();
  return may('admin') && team.privacy.member_detail;
};

/** A session that one may see. */
export const useTraining = (id: string): FoundTraining => {
  const seesOthers = useSeesOthers();
  const own = useOwnTraining(id, !seesOthers);
  const any = useTeamTraining(id, seesOthers);
  return seesOthers ? any : own;
};

/** How a session was scored. */
export const useEvaluation = (training_id: string): Found<Evaluation> => {
  const seesOthers = useSeesOthers();
  const own = app.useAnswer('myTrainings.evaluation', { training_id }, { enabled: !seesOthers });
  const any = api.useAnswer('trainings.evaluation', { training_id }, { enabled: seesOthers });
  const { data, error, refetch } = seesOthers ? any : own;
  return { data, error, retry: () => void refetch() };
};
