import type { ProblemCode } from '../../../core/problem-catalogue.ts';

/** Every code that a logged answer can carry; a new one that is missing here does not compile. */
const codes: Readonly<Record<ProblemCode, true>> = {
  api_disabled: true,
  bad_request: true,
  conflict: true,
  idempotency_mismatch: true,
  insufficient_scope: true,
  internal: true,
  kombination_ungueltig: true,
  last_admin: true,
  not_found: true,
  owner: true,
  privacy_restricted: true,
  rate_limited: true,
  seat_limit_reached: true,
  unauthorized: true,
  unavailable: true,
  validation_error: true,
  vorgabe_gesperrt: true,
};

export const isProblemCode = (text: string): text is ProblemCode => Object.hasOwn(codes, text);

export const problemCodes: readonly ProblemCode[] = Object.keys(codes).filter(isProblemCode);
