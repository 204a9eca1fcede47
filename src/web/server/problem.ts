import { TRPCClientError } from '@trpc/client';
import type { AppProblem } from '../../platform/trpc/app-problem.ts';
import { inWords } from '../language/reasons.ts';
import { flawsByField } from './field-errors.ts';
import type { FieldErrors } from './field-errors.ts';

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

/** The messages of a validation error by input field, in the reader's language. */
export const errorsByField = (problem: AppProblem | undefined): FieldErrors =>
  flawsByField(problem, (sentence) => inWords(sentence) ?? sentence);

/** The same in the server's own words, in English. */
export const sentencesByField = (problem: AppProblem | undefined): FieldErrors =>
  flawsByField(problem, (sentence) => sentence);
