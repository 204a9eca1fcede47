import type { TRPCError } from '@trpc/server';
import { z } from 'zod';
import { accessMessages } from '../../core/messages/people.ts';
import { flawsOf } from '../../core/flaws.ts';
import { Problem, problems, type ProblemMembers, type ProblemCode } from '../../core/problem.ts';
import type { Language, Texts, Message } from '../../core/language.ts';
import { problemOf } from '../../db/unavailable.ts';

/**
 * A problem in the app: one of the API's problems, `forbidden` if the person lacks the right, or `proof_required` if
 * they must first show their password or a passkey once more.
 */
export interface AppProblem extends ProblemMembers {
  code: ProblemCode | 'forbidden' | 'proof_required';
  status: number;
  title: string;
  request_id: string;
  /** Only with `unavailable`: whether this is maintenance, after which the service comes back by itself. */
  maintenance?: true;
}

/** Why a person may not call a procedure: the cause of tRPC's error. */
export class NotAllowed extends Error {
  readonly code: 'forbidden' | 'proof_required';
  readonly detail: Message;

  constructor(code: NotAllowed['code'], detail: Message) {
    super(detail.en);
    this.code = code;
    this.detail = detail;
  }
}

const forbidden: Texts = {
  de: 'Ihnen fehlt die Berechtigung für diese Aktion',
  en: 'You don’t have permission for this action',
};

const proofRequired: Texts = {
  de: 'Bitte bestätigen Sie, dass Sie es sind',
  en: 'Confirm it’s you',
};

/** Titles for people in the app, who have no key. */
const personal: Partial<Record<ProblemCode, Texts>> = {
  unauthorized: { de: 'Bitte melden Sie sich an', en: 'Please sign in' },
  insufficient_scope: forbidden,
  api_disabled: { de: 'Für dieses Team nicht verfügbar', en: 'Not available for this team' },
};

/** The title of a problem for a person, who has no key. */
export const titleForPerson = ({ code, spoken: { detail } }: Problem, language: Language): string =>
  (detail?.title ?? personal[code] ?? problems[code].title)[language];

/** Refusals of tRPC itself, before our rules run. */
const refusalOf = ({ code, cause }: TRPCError): Problem | undefined => {
  if (code === 'NOT_FOUND' || code === 'METHOD_NOT_SUPPORTED') return new Problem('not_found');
  if (code === 'PAYLOAD_TOO_LARGE') return new Problem('bad_request', { status: 413 });
  if (code === 'UNSUPPORTED_MEDIA_TYPE') return new Problem('bad_request', { status: 415 });
  if (code !== 'BAD_REQUEST' && code !== 'PARSE_ERROR') return undefined;
  return new Problem('validation_error', cause instanceof z.ZodError ? { errors: flawsOf(cause) } : {});
};

interface AppCaller {
  readonly language: Language;
  readonly requestId: string;
}

const callers = new WeakMap<TRPCError, AppCaller>();

/**
 * Keeps the caller of a failed request. tRPC refuses some requests (a batch, an unreadable path or parameters) before
 * it creates a context, and then the procedures' `errorFormatter` needs the caller's language and request id from here.
 */
export const noteCaller = (error: TRPCError, caller: AppCaller): void => {
  callers.set(error, caller);
};

/**
 * The problem of an error, in the language and with the request id of its noted caller. Without a noted caller, those
 * that were passed are used.
 */
export const appProblem = (error: TRPCError, given: AppCaller = { language: 'de', requestId: '' }): AppProblem => {
  const { language, requestId } = callers.get(error) ?? given;
  const { cause } = error;
  if (cause instanceof NotAllowed) {
    const title = cause.code === 'forbidden' ? forbidden : proofRequired;
    const detail = cause.detail[language];
    return { code: cause.code, status: 403, title: title[language], detail, request_id: requestId };
  }
  const problem = (cause instanceof Problem ? cause : refusalOf(error)) ?? problemOf(cause ?? error);
  return {
    code: problem.code,
    status: problem.status,
    title: titleForPerson(problem, language),
    request_id: requestId,
    ...problem.membersIn(language),
    ...(problem.spoken.detail === accessMessages.maintenance && { maintenance: true }),
  };
};

/** The error that the app gets: only the problem, because the thrown message may contain anything. */
export const errorShapeOf = <Shape extends { message: string }>(shape: Shape, problem: AppProblem) => ({
  ...shape,
  message: problem.title,
  data: { problem },
});
