import type { TRPCError } from '@trpc/server';
import { z } from 'zod';
import { flawsOf, Problem, problemDetails, problems } from '../../core/problem.ts';
import type { Language, Texts } from '../../core/language.ts';
import type { ProblemMembers, ProblemCode } from '../../core/problem.ts';
import { problemOf } from '../../db/unavailable.ts';

/**
 * A problem in the app: one of the API, `forbidden` if the person lacks the right, or `proof_required` if they must first show their
 * password or a passkey once more.
 */
export interface AppProblem extends ProblemMembers {
  code: ProblemCode | 'forbidden' | 'proof_required';
  status: number;
  title: string;
  request_id: string;
  /** Only with `unavailable`: the service comes back by itself after maintenance. */
  maintenance?: true;
}

const forbidden: Texts = {
  de: 'Ihnen fehlt die Berechtigung für diese Aktion',
  en: 'You don’t have permission for this action',
};

const proofRequired: Texts = {
  de: 'Bitte bestätigen Sie, dass Sie es sind',
  en: 'Please confirm that it is you',
};

/** Titles for people in the app, who have no key. */
const personal: Partial<Record<ProblemCode, Texts>> = {
  unauthorized: { de: 'Bitte melden Sie sich an', en: 'Please sign in' },
  insufficient_scope: forbidden,
  api_disabled: { de: 'Für dieses Team nicht verfügbar', en: 'Not available for this team' },
};

/** More exact titles for people, by the problem's detail. */
const byDetail: Readonly<Record<string, Texts>> = {
  [problemDetails.teamChanges]: {
    de: 'Ihr Team hat das Limit für Änderungen pro Minute erreicht',
    en: 'Your team has reached its limit of changes per minute',
  },
  [problemDetails.apiIsOff]: {
    de: 'Der Tarif Ihres Teams enthält keinen API-Zugang',
    en: 'Your team’s plan does not include API access',
  },
  [problemDetails.maintenance]: {
    de: 'Wartungsarbeiten',
    en: 'Maintenance in progress',
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
  const { cause, message: detail } = error;
  // Only `requireFreshProof` throws this.
  if (error.code === 'PRECONDITION_FAILED') {
    return { code: 'proof_required', status: 403, title: proofRequired[language], detail, request_id: requestId };
  }
  if (error.code === 'FORBIDDEN' && !(cause instanceof Problem)) {
    return { code: 'forbidden', status: 403, title: forbidden[language], detail, request_id: requestId };
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
