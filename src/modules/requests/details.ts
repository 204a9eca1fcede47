import { requestLogLimits } from './limits.ts';
import type { Flaw, ProblemMembers } from '../../core/problem.ts';

// The details of a request in the request log besides its outcome: path, query, caller and problem. Callers choose these texts, so they are
// shortened, and texts that look like secrets are replaced. Bodies are never stored.

/** Replaces a secret. */
const redactedMark = '[redacted]';

const { pathCharacters, queryCharacters, agentCharacters, detailCharacters, flaws: flawsKept } = requestLogLimits;

/** Keys of this service and of others, signed tokens, and credentials of an `Authorization` header. */
const secrets =
  /\b(?:svck_\w+|whsec_[\w+/=-]+|[a-z]{2,8}_(?:live|test)_\w+|gh[pousr]_\w{16,}|xox[abeprs]-[\w-]+|eyJ[\w-]{8,}\.[\w.-]+)|\b(?:bearer|basic)[\s+]+[\w~+/.=-]{8,}/gi;

const secretNames = /key|token|secret|passw|pwd|auth|signature|credential|session|cookie/i;

/** An opaque text such as a token: long, of letters and digits, and neither an id nor a word. */
const isOpaque = (text: string): boolean =>
  /^[\w~+/.=-]{24,}$/.test(text) &&
  /\d/.test(text) &&
  /[a-z]/i.test(text) &&
  !/^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text);

/** A text for a column: without control characters and cut. PostgreSQL refuses a NUL, and with it the whole batch of requests. */
const kept = (text: string, characters: number): string => {
  const plain = text.replace(/\p{Cc}/gu, ' ').toWellFormed();
  return plain.length <= characters ? plain : `${plain.slice(0, characters - 1).toWellFormed()}…`;
};

const withoutSecrets = (text: string): string => text.replace(secrets, redactedMark);

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
};

/** A parameter of a query as sent, or with a mark instead of its value. A cursor is opaque but no secret. */
const parameterWithoutSecrets = (parameter: string): string => {
  const at = parameter.indexOf('=');
  const name = decoded(at < 0 ? parameter : parameter.slice(0, at));
  const value = at < 0 ? '' : decoded(parameter.slice(at + 1));
  if (withoutSecrets(name) !== name) return redactedMark;
  const isSecret =
    value !== '' && name !== 'cursor' && (secretNames.test(name) || isOpaque(value) || withoutSecrets(value) !== value);
  return isSecret ? `${parameter.slice(0, at)}=${redactedMark}` : parameter;
};

/** Longer queries are cut before they are examined. */
const queryExamined = 4 * queryCharacters;

const queryOf = (query: string): string =>
  kept(query.slice(0, queryExamined).split('&').map(parameterWithoutSecrets).join('&'), queryCharacters);

const pathOf = (path: string): string => kept(withoutSecrets(path.slice(0, 4 * pathCharacters)), pathCharacters);

const sentence = (text: string): string => kept(withoutSecrets(text), detailCharacters);

const flawOf = ({ path, message, ...rest }: Flaw): Flaw => ({
  ...rest,
  path: path.slice(0, 10).map((part) => (typeof part === 'string' ? kept(withoutSecrets(part), 100) : part)),
  message: sentence(message),
});

/** A problem's members as JSON, without empty ones; undefined if there are none. */
const problemOf = ({ detail, errors, ...rest }: ProblemMembers): string | undefined => {
  const members = {
    ...rest,
    ...(rest.field !== undefined && { field: kept(rest.field, 100) }),
    ...(rest.id !== undefined && { id: kept(withoutSecrets(rest.id), 100) }),
    ...(detail !== undefined && { detail: sentence(detail) }),
    ...(errors && { errors: errors.slice(0, flawsKept).map(flawOf) }),
    ...(errors && errors.length > flawsKept && { errors_total: errors.length }),
  };
  return Object.keys(members).length === 0 ? undefined : JSON.stringify(members);
};

/** Path and query of a request, its caller, and the problem that was answered. */
export interface RequestDetails {
  readonly path: string;
  readonly query: string | undefined;
  readonly address: string | undefined;
  readonly userAgent: string | undefined;
  /** JSON. */
  readonly problem: string | undefined;
}

interface Given {
  /** The request's target: path and query. */
  target: string;
  address: string | undefined;
  userAgent: string | undefined;
  problem: ProblemMembers | undefined;
}

/** The details of a request as the log keeps them. */
export const requestDetails = ({ target, address, userAgent, problem }: Given): RequestDetails => {
  const at = target.indexOf('?');
  return {
    path: pathOf(at < 0 ? target : target.slice(0, at)),
    query: at < 0 || at === target.length - 1 ? undefined : queryOf(target.slice(at + 1)),
    address,
    userAgent: userAgent === undefined ? undefined : kept(withoutSecrets(userAgent.slice(0, 1_000)), agentCharacters),
    problem: problem && problemOf(problem),
  };
};
