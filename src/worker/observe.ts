import type { Task, TaskList } from 'graphile-worker';
import type { Attributes, Telemetry } from '../platform/telemetry/telemetry.ts';

/** Runs the work of a job, with metrics and a span. */
export const observe = async <T>(
  { meter, traces }: Telemetry,
  task: string,
  attributes: Attributes,
  work: () => Promise<T>,
): Promise<T> => {
  const begin = performance.now();
  let result: 'ok' | 'failed' = 'failed';
  try {
    const answer = await traces.traced(`job ${task}`, { 'team_api.job.task': task, ...attributes }, work);
    result = 'ok';
    return answer;
  } finally {
    meter.job({ task, result, seconds: (performance.now() - begin) / 1000 });
  }
};

/** The same tasks, with metrics and a span for each job. */
export const observed = (taskList: TaskList, telemetry: Telemetry): TaskList => {
  const observedTask =
    (task: string, work: Task): Task =>
    (payload, helpers) => {
      const { id, attempts } = helpers.job;
      const attributes = { 'team_api.job.id': id, 'team_api.job.try': attempts };
      return observe(telemetry, task, attributes, async () => work(payload, helpers));
    };
  return Object.fromEntries(Object.entries(taskList).map(([task, work]) => [task, work && observedTask(task, work)]));
};
