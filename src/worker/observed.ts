import type { Task, TaskList } from 'graphile-worker';
import type { Telemetry } from '../telemetry/telemetry.ts';

/** The same tasks, each job of which is counted and lies in a span of its own. */
export const observed = (taskList: TaskList, { meter, traces }: Telemetry): TaskList =>
  Object.fromEntries(
    Object.entries(taskList).map(([task, work]) => [task, work && observedTask(task, work, { meter, traces })]),
  );

const observedTask =
  (task: string, work: Task, { meter, traces }: Telemetry): Task =>
  async (payload, helpers) => {
    const begin = performance.now();
    const ended = (result: 'ok' | 'failed') => meter.job({ task, result, seconds: (performance.now() - begin) / 1000 });
    const { id, attempts } = helpers.job;
    try {
      const answer = await traces.traced(
        `job ${task}`,
        { 'team_api.job.task': task, 'team_api.job.id': id, 'team_api.job.try': attempts },
        async () => work(payload, helpers),
      );
      ended('ok');
      return answer;
    } catch (error) {
      ended('failed');
      throw error;
    }
  };
