import type { Problem, KnownProblemCode } from './generated/types.ts';

export type { UnknownCode };

/** Further members that the problems with these codes have. */
export interface ProblemMembers {
  insufficient_scope: Required<Pick<Problem, 'required_scope'>>;
  rate_limited: Required<Pick<Problem, 'retry_after'>>;
  /** `errors` if the request could not be read, `field` if a rule refused a value. */
  validation_error: Pick<Problem, 'errors' | 'field'>;
  kombination_ungueltig: Required<Pick<Problem, 'dimension'>> & Pick<Problem, 'id'>;
  /** The answer does not come from the API, but for instance from a proxy. */
  unexpected_answer: {
    /** The first 1000 characters of the body. */
    readonly excerpt: string;
  };
}

/**
 * A code that was added after this version of the client, which may be any text. With the type `string`, it would
 * prevent `code` from narrowing.
 */
declare enum UnknownCode {
  any = 'a code that this version of the client does not know',
}

interface ErrorBase<C extends string> extends Error {
  readonly name: 'ApiError';
  /** The code of the problem. It never changes, so compare this. */
  readonly code: C;
  /** The status of the HTTP answer. */
  readonly status: number;
  /** A title for people, in German or English. */
  readonly title: string;
  /** A diagnostic in English, which some problems have. */
  readonly detail?: string;
  /** The id of the request. Include it when you contact support. */
  readonly requestId: string | undefined;
  readonly headers: Headers;
  /** Whether this is the stored answer of an earlier POST with the same idempotency key. */
  readonly replayed: boolean;
  /** The number of attempts. */
  readonly attempts: number;
}

/** The error with this code, and its members. */
export type ApiErrorOf<C extends string> = C extends unknown
  ? ErrorBase<C> & (C extends keyof ProblemMembers ? Readonly<ProblemMembers[C]> : unknown)
  : never;

/** An answer other than 2xx. Comparing `code` narrows the type: with `kombination_ungueltig` it has a `dimension`. */
export type ApiError = ApiErrorOf<KnownProblemCode | 'unexpected_answer' | UnknownCode>;

const mark = Symbol.for('team-customer-api-client.ApiError');

interface ErrorFields extends Pick<ErrorBase<string>, 'status' | 'headers' | 'replayed' | 'attempts'> {
  problem: Partial<Problem>;
  excerpt?: string;
}

class ProblemError extends Error {
  // Programs and debuggers show this name. The package exports the class as `ApiError`.
  static override readonly name = 'ApiError';
  override readonly name = 'ApiError';
  constructor({ problem, ...answer }: ErrorFields) {
    const { type: _type, request_id, ...members } = problem;
    const code = members.code ?? 'unexpected_answer';
    const title = members.title ?? `HTTP ${answer.status}`;
    super(`${code}: ${members.detail ?? title} (${answer.status}${request_id ? `, request ${request_id}` : ''})`);
    Object.assign(this, members, { code, title }, answer, {
      requestId: request_id ?? answer.headers.get('x-request-id') ?? undefined,
    });
    Object.defineProperty(this, mark, { value: true });
  }

  /** Errors of another copy of this package count too: an application may have loaded it both as ESM and as CJS. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return typeof value === 'object' && value !== null && mark in value;
  }
}

interface ApiErrorClass {
  new (fields: ErrorFields): ApiError;
  readonly prototype: ApiError;
  [Symbol.hasInstance](value: unknown): value is ApiError;
}

// oxlint-disable-next-line typescript/consistent-type-assertions, typescript/no-unsafe-type-assertion -- `error.code === '…'` narrows only a union of types, and TypeScript has no class that is one
export const ApiError = /* @__PURE__ */ (() => ProblemError as unknown as ApiErrorClass)();

/** Whether an error is the API's answer with one of these codes. Codes that this version does not know are allowed. */
export const isProblem = <const C extends KnownProblemCode | 'unexpected_answer' | (string & {})>(
  error: unknown,
  ...codes: readonly C[]
): error is ApiErrorOf<C> => error instanceof ApiError && codes.some((code) => code === error.code);

/** There was no complete answer, even at the last attempt. The request may have had its effect. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';
  /** `timeout`: no whole answer within `timeoutMs`; `network`: everything else, see `cause`. */
  readonly reason: 'network' | 'timeout';
  readonly attempts: number;

  constructor(
    reason: 'network' | 'timeout',
    message: string,
    { cause, attempts }: { cause: unknown; attempts: number },
  ) {
    super(message, { cause });
    this.reason = reason;
    this.attempts = attempts;
  }
}
