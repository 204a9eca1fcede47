/**
 * What the operator is told of the entrance: counted, each of them, and logged. An attack that repeats itself is counted on and
 * logged once for each address or account and window.
 */
export const signInEvents = [
  'signed_in',
  'password_wrong',
  'code_wrong',
  'sign_in_locked',
  'second_factor_locked',
  'reset_asked',
  'reset_done',
  'origin_refused',
  'limited',
  'busy',
] as const;
export type SignInEvent = (typeof signInEvents)[number];

export interface SignInDetails {
  personId?: string | undefined;
  /** Where the person is not known: kept as a code from which the address can't be read. */
  email?: string | undefined;
  /** The same as a moment ago: not worth another line. */
  again?: boolean;
}
