import type { TRPCError } from '@trpc/server';
import { z } from 'zod';
import { flawsOf, Problem, problemDetails, problems } from '../core/problem.ts';
import type { Language, Texts } from '../core/language.ts';
import type { ProblemMembers, ProblemCode } from '../core/problem.ts';
import { problemOf } from '../db/unavailable.ts';

/** A problem as the app is told of it: the API's own, or that a person lacks the right. */
export interface AppProblem extends ProblemMembers {
  code: ProblemCode | 'forbidden';
  status: number;
  title: string;
  request_id: string;
  /** Only with `unavailable`: the service comes back by itself after maintenance. */
  maintenance?: true;
}

const forbidden: Texts = { de: 'Dafür fehlt Ihnen das Recht', en: 'You lack the right to do this' };

/** What reads differently to a person: they have no key, and the app is not the API. */
const personal: Partial<Record<ProblemCode, Texts>> = {
  unauthorized: { de: 'Bitte melden Sie sich an', en: 'Please sign in' },
  insufficient_scope: forbidden,
  api_disabled: { de: 'Für dieses Team gesperrt', en: 'Blocked for this team' },
};

/** Titles of problems that say more to a person than their code does, by their detail. */
const byDetail: Readonly<Record<string, Texts>> = {
  [problemDetails.teamChanges]: {
    de: 'Ihr Team hat in der letzten Minute zu viele Änderungen gemacht',
    en: 'Your team has made too many changes in the last minute',
  },
  [problemDetails.apiIsOff]: {
    de: 'Der Tarif Ihres Teams enthält die API nicht',
    en: 'Your team’s plan does not include the API',
  },
  [problemDetails.maintenance]: {
    de: 'Wir führen gerade Wartungsarbeiten durch',
    en: 'We are carrying out maintenance',
  },
};

/** What tRPC itself refuses, before any rule of ours is asked. */
const refusalOf = ({ code, cause }: TRPCError): Problem | undefined => {
  if (code === 'NOT_FOUND' || code === 'METHOD_NOT_SUPPORTED') return new Problem('not_found');
  if (code === 'PAYLOAD_TOO_LARGE') return new Problem('bad_request', { status: 413 });
  if (code === 'UNSUPPORTED_MEDIA_TYPE') return new Problem('bad_request', { status: 415 });
  if (code !== 'BAD_REQUEST' && code !== 'PARSE_ERROR') return undefined;
  return new Problem('validation_error', cause instanceof z.ZodError ? { errors: flawsOf(cause) } : {});
};

interface Caller {
  readonly language: Language;
  readonly requestId: string;
}

const callers = new WeakMap<TRPCError, Caller>();

/**
 * Notes whose request failed. tRPC refuses some requests (a batch, a path or parameters that it can't read) before it makes a
 * context: the procedures' `errorFormatter` has no other way to the caller's language and request id then.
 */
export const noteCaller = (error: TRPCError, caller: Caller): void => {
  callers.set(error, caller);
};

/** The problem behind an error, for the caller who was noted for it; without one, in the language and under the id given. */
export const appProblem = (error: TRPCError, language: Language, requestId: string): AppProblem => {
  const caller = callers.get(error) ?? { language, requestId };
  return problemFor(error, caller);
};

const problemFor = (error: TRPCError, { language, requestId }: Caller): AppProblem => {
  const { cause } = error;
  if (error.code === 'FORBIDDEN' && !(cause instanceof Problem)) {
    return { code: 'forbidden', status: 403, title: forbidden[language], detail: error.message, request_id: requestId };
  }
  const refusal = cause instanceof Problem ? cause : refusalOf(error);
  const { code, status, members } = refusal ?? problemOf(cause ?? error);
  const title = (byDetail[members.detail ?? ''] ?? personal[code] ?? problems[code].title)[language];
  const isMaintenance = members.detail === problemDetails.maintenance;
  return { code, status, title, request_id: requestId, ...members, ...(isMaintenance && { maintenance: true }) };
};

/** An error as it goes to the app: its problem and nothing else, for a message that was thrown may say anything. */
export const toldAs = <Shape extends { message: string }>(shape: Shape, problem: AppProblem) => ({
  ...shape,
  message: problem.title,
  data: { problem },
});
