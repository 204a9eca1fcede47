import type { TRPCError } from '@trpc/server';
import { z } from 'zod';
import { flawsOf, Problem, problemDetails, problems } from '../core/problem.ts';
import type { Language, Texts } from '../core/language.ts';
import type { ProblemMembers, ProblemCode } from '../core/problem.ts';
import { problemOf } from '../db/unavailable.ts';

/** A problem in the app: one of the API, or `forbidden` if the person lacks the right. */
export interface AppProblem extends ProblemMembers {
  code: ProblemCode | 'forbidden';
  status: number;
  title: string;
  request_id: string;
  /** Only with `unavailable`: the service comes back by itself after maintenance. */
  maintenance?: true;
}

const forbidden: Texts = { de: 'Dafür fehlt Ihnen das Recht', en: 'You lack the right to do this' };

/** Titles for people in the app, who have no key. */
const personal: Partial<Record<ProblemCode, Texts>> = {
  unauthorized: { de: 'Bitte melden Sie sich an', en: 'Please sign in' },
  insufficient_scope: forbidden,
  api_disabled: { de: 'Für dieses Team gesperrt', en: 'Blocked for this team' },
};

/** More exact titles for people, by the problem's detail. */
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

/** The title of a problem for a person, who has no key. */
export const titleForPerson = (code: ProblemCode, detail: string | undefined, language: Language): string =>
  (byDetail[detail ?? ''] ?? personal[code] ?? problems[code].title)[language];

/** Refusals of tRPC itself, before our rules run. */
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
 * Keeps the caller of a failed request. tRPC refuses some requests (a batch, an unreadable path or parameters) before it creates a context,
 * and then the procedures' `errorFormatter` needs the caller's language and request id from here.
 */
export const noteCaller = (error: TRPCError, caller: Caller): void => {
  callers.set(error, caller);
};

/** The problem of an error, in the language and with the request id of its noted caller, or else with the given ones. */
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
  const title = titleForPerson(code, members.detail, language);
  const isMaintenance = members.detail === problemDetails.maintenance;
  return { code, status, title, request_id: requestId, ...members, ...(isMaintenance && { maintenance: true }) };
};

/** The error that the app gets: only the problem, because the thrown message may contain anything. */
export const errorShapeOf = <Shape extends { message: string }>(shape: Shape, problem: AppProblem) => ({
  ...shape,
  message: problem.title,
  data: { problem },
});
