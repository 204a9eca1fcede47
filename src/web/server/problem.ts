import { TRPCClientError } from '@trpc/client';
import type { AppProblem } from '../../trpc/app-problem.ts';

export type { AppProblem };

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

const isProblem = (value: unknown): value is AppProblem =>
  isObject(value) && typeof value['code'] === 'string' && typeof value['request_id'] === 'string';

/** What the server said of a failure; undefined where it could not be reached at all. */
export const problemOf = (error: unknown): AppProblem | undefined => {
  const data: unknown = error instanceof TRPCClientError ? error.data : undefined;
  const problem = isObject(data) ? data['problem'] : undefined;
  return isProblem(problem) ? problem : undefined;
};

/** By field, what is wrong with what was filled in. */
export const flawsByField = (problem: AppProblem | undefined): Record<string, string> => {
  if (problem?.code !== 'validation_error') return {};
  const flaws = (problem.errors ?? []).map(({ path, message }) => [String(path[0] ?? ''), message] as const);
  const field = problem.field === undefined ? [] : [[problem.field, problem.detail ?? problem.title] as const];
  return Object.fromEntries([...flaws, ...field]);
};
