import type { TRPCError } from '@trpc/server';
import { z } from 'zod';
import { flawsOf } from '../core/flaws.ts';
import type { Language, Texts } from '../core/language.ts';
import { Problem } from '../core/problem.ts';
import type { ProblemMembers } from '../core/problem.ts';
import type { ProblemCode } from '../core/problem-catalogue.ts';
import { problems } from '../core/problem-catalogue.ts';
import { problemOf } from '../platform/problem-of.ts';

/** A problem as the app is told of it: the API's own, or that a person lacks the right. */
export interface AppProblem extends ProblemMembers {
  code: ProblemCode | 'forbidden';
  status: number;
  title: string;
  request_id: string;
}

const forbidden: Texts = { de: 'Dafür fehlt Ihnen das Recht', en: 'You lack the right to do this' };

/** What tRPC itself refuses, before any rule of ours is asked. */
const codeOf = (error: TRPCError): ProblemCode | 'forbidden' | undefined => {
  if (error.code === 'FORBIDDEN') return 'forbidden';
  if (error.code === 'NOT_FOUND' || error.code === 'METHOD_NOT_SUPPORTED') return 'not_found';
  if (error.code === 'BAD_REQUEST' || error.code === 'PARSE_ERROR') return 'validation_error';
  return error.code === 'PAYLOAD_TOO_LARGE' || error.code === 'UNSUPPORTED_MEDIA_TYPE' ? 'bad_request' : undefined;
};

/** The problem behind what a procedure threw, in the reader's language. */
export const appProblem = (error: TRPCError, language: Language, requestId: string): AppProblem => {
  const { cause } = error;
  const refused = cause instanceof Problem ? undefined : codeOf(error);
  if (refused === 'forbidden') {
    return { code: refused, status: 403, title: forbidden[language], detail: error.message, request_id: requestId };
  }
  const problem = refused === undefined ? problemOf(cause ?? error) : new Problem(refused);
  return {
    code: problem.code,
    status: problem.status,
    title: problems[problem.code].title[language],
    request_id: requestId,
    ...problem.members,
    ...(refused === 'validation_error' && cause instanceof z.ZodError && { errors: flawsOf(cause) }),
  };
};
