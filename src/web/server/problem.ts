import { TRPCClientError } from '@trpc/client';
import type { AppProblem } from '../../platform/trpc/app-problem.ts';

export type { AppProblem };

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

const isProblem = (value: unknown): value is AppProblem =>
  isObject(value) && typeof value['code'] === 'string' && typeof value['request_id'] === 'string';

/** The server's problem object of a failed call; undefined without one, for example if the server can't be reached. */
export const problemOf = (error: unknown): AppProblem | undefined => {
  const data: unknown = error instanceof TRPCClientError ? error.data : undefined;
  const problem = isObject(data) ? data['problem'] : undefined;
  return isProblem(problem) ? problem : undefined;
};

/** Whether a call failed because its object does not exist. */
export const isNotFound = (error: unknown): boolean => problemOf(error)?.code === 'not_found';

/** Messages by input field. */
export type FieldErrors = Readonly<Record<string, string>>;

/**
 * The flaws of a validation error, in the reader's language: one message for each input field, which names each of its
 * flaws once.
 */
export const errorsByField = (
  problem: Pick<AppProblem, 'code' | 'errors' | 'field' | 'detail' | 'title'> | undefined,
): FieldErrors => {
  if (problem?.code !== 'validation_error') return {};
  const { errors = [], field, detail, title } = problem;
  const flaws = errors.map(({ path, message }) => ({ name: String(path[0] ?? ''), message }));
  const all = field === undefined ? flaws : [...flaws, { name: field, message: detail ?? title }];
  const messages = new Map<string, Set<string>>();
  for (const { name, message } of all) messages.set(name, (messages.get(name) ?? new Set()).add(message));
  return Object.fromEntries([...messages].map(([name, found]) => [name, [...found].join(' ')]));
};
