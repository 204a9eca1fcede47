import { isAPIError } from 'better-auth/api';
import { fail } from '../../core/problem.ts';
import type { SignInDetails } from './events.ts';
import type { Visitor } from './visitor.ts';

/** What the library calls a wrong password or code, each in its own words. */
const wrong = new Set([
  'INVALID_EMAIL',
  'INVALID_EMAIL_OR_PASSWORD',
  'INVALID_PASSWORD',
  'INVALID_CODE',
  'INVALID_BACKUP_CODE',
  'CREDENTIAL_ACCOUNT_NOT_FOUND',
]);

/** The first step has to be made again: it is too long ago, or too many codes were wrong. */
const over = new Set(['UNAUTHORIZED', 'INVALID_TWO_FACTOR_COOKIE', 'TOO_MANY_ATTEMPTS_REQUEST_NEW_CODE']);

interface Answered<T> {
  headers: Headers;
  response: T;
}

/** What is proven, and whose it is where that is known. */
export interface Proven extends SignInDetails {
  field: 'password' | 'code';
}

/** Asks the library; its cookies are not handed on yet. What it refuses becomes a problem at the field that was wrong. */
export const asked = async <T>(
  visitor: Visitor,
  { field, ...whose }: Proven,
  call: () => Promise<Answered<T>>,
): Promise<Answered<T>> => {
  try {
    return await call();
  } catch (error) {
    if (!isAPIError(error) || error.statusCode >= 500) throw error;
    const code = error.body?.code ?? String(error.status);
    if (wrong.has(code)) {
      visitor.report(`${field}_wrong`, whose);
      return fail('validation_error', { field, detail: `The ${field} is wrong.` });
    }
    if (over.has(code)) return fail('unauthorized');
    return fail('conflict', { detail: `It can not be done now: ${code.toLowerCase().replaceAll('_', ' ')}.` });
  }
};

/** Asks the library and hands its cookies on. */
export const ask = async <T>(visitor: Visitor, proven: Proven, call: () => Promise<Answered<T>>): Promise<T> => {
  const { headers, response } = await asked(visitor, proven, call);
  visitor.give(headers);
  return response;
};
