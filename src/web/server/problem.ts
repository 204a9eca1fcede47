import { TRPCClientError } from '@trpc/client';
import type { AppProblem } from '../../platform/trpc/app-problem.ts';

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

/** Whether a call failed because its object does not exist. */
export const isNotFound = (error: unknown): boolean => problemOf(error)?.code === 'not_found';
