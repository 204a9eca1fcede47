type FailureKind = 'credentials_refused' | 'malformed' | 'unavailable' | 'limit';

/** Why a run failed. The message is the reason, for a person who can fix it. */
export class SyncFailure extends Error {
  override readonly name = 'SyncFailure';
  readonly kind: FailureKind;
  /** The status with which the CRM refused a request. */
  readonly status: number | undefined;

  constructor(kind: FailureKind, reason: string, status?: number) {
    super(reason);
    this.kind = kind;
    this.status = status;
  }
}
