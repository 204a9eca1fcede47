import type { Message } from '../../../core/language.ts';

type FailureKind = 'credentials_refused' | 'malformed' | 'unavailable' | 'limit';

/** Why a run failed, for a person who can fix it. */
export class SyncFailure extends Error {
  override readonly name = 'SyncFailure';
  readonly kind: FailureKind;
  readonly reason: Message;
  /** The status with which the CRM refused a request. */
  readonly status: number | undefined;

  constructor(kind: FailureKind, reason: Message, status?: number) {
    super(reason.en);
    this.kind = kind;
    this.reason = reason;
    this.status = status;
  }
}
