import { isAPIError } from 'better-auth/api';
import { fail } from '../../core/problem.ts';
import type { Visitor } from './visitor.ts';

/** What the library calls a wrong password or code, each in its own words. */
const wrong = new Set([
  'INVALID_EMAIL_OR_PASSWORD',
  'INVALID_PASSWORD',
  'INVALID_CODE',
  'INVALID_BACKUP_CODE',
  'CREDENTIAL_ACCOUNT_NOT_FOUND',
]);

const codeOf = (error: unknown): string | undefined => {
  if (!isAPIError(error)) return undefined;
  return error.body?.code ?? String(error.status);
};

/** Asks the library and hands its cookies on. What it refuses becomes a problem at the field that was wrong. */
export const ask = async <T>(
  visitor: Visitor,
  field: 'password' | 'code',
  call: () => Promise<{ headers: Headers; response: T }>,
): Promise<T> => {
  try {
    const { headers, response } = await call();
    visitor.give(headers);
    return response;
  } catch (error) {
    const code = codeOf(error);
    if (code === undefined) throw error;
    if (wrong.has(code)) return fail('validation_error', { field, detail: `The ${field} is wrong.` });
    if (code.startsWith('TOO_MANY') || code.includes('LOCKED')) return fail('rate_limited', { retry_after: 60 });
    if (code === 'INVALID_TWO_FACTOR_COOKIE' || code === 'UNAUTHORIZED') return fail('unauthorized');
    return fail('conflict', { detail: `It can not be done now: ${code.toLowerCase().replaceAll('_', ' ')}.` });
  }
};
