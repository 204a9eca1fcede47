import { TRPCClientError } from '@trpc/client';
import type { AppProblem } from '../../trpc/app-problem.ts';

export type { AppProblem };

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

const isProblem = (value: unknown): value is AppProblem =>
  isObject(value) && typeof value['code'] === 'string' && typeof value['request_id'] === 'string';

/** The server's problem object of a failed call; undefined if the server could not be reached. */
export const problemOf = (error: unknown): AppProblem | undefined => {
  const data: unknown = error instanceof TRPCClientError ? error.data : undefined;
  const problem = isObject(data) ? data['problem'] : undefined;
  return isProblem(problem) ? problem : undefined;
};

/** The messages of a validation error, by input field. */
export const errorsByField = (problem: AppProblem | undefined): Record<string, string> => {
  if (problem?.code !== 'validation_error') return {};
  const errors = (problem.errors ?? []).map(({ path, message }) => [String(path[0] ?? ''), message] as const);
  const field = problem.field === undefined ? [] : [[problem.field, problem.detail ?? problem.title] as const];
  return Object.fromEntries([...errors, ...field]);
};
