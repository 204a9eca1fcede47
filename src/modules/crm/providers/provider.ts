// What a sync needs of a CRM. Each CRM has a file of its own in this folder; `table.ts` lists them.

/** A deal as a CRM has it now. Null or absent: unknown. */
export interface SourceDeal {
  /** The CRM's id: the deal is found again by it. */
  readonly id: string;
  readonly outcome: 'open' | 'won' | 'lost';
  readonly title?: string | null;
  /** Decimal text, digits as the CRM has them. */
  readonly amount?: string | null;
  /** ISO 4217, upper case. */
  readonly currency?: string | null;
  /** `YYYY-MM-DD`. */
  readonly closeDate?: string | null;
  /** Per cent, a whole number from 0 to 100. */
  readonly probability?: number | null;
  readonly pipelineId?: string | null;
  readonly stageId?: string | null;
  /** The key or id of an industry in the catalog. */
  readonly industry?: string | null;
  readonly lostReason?: string | null;
  readonly ownerEmail?: string | null;
  readonly lastActivityAt?: Date | null;
}

export interface DeletedDeal {
  readonly id: string;
  readonly deleted: true;
}

export interface SourceObjection {
  /** The CRM's id, unique within its deal. */
  readonly id: string;
  readonly dealId: string;
  readonly category: string;
  readonly text: string;
  readonly lang: string;
  readonly createdAt?: Date | null;
}

/**
 * A part of what changed. The last of several entries with the same id counts. An objection that is no longer there is deleted by
 * the next full run, or with its deal.
 */
export interface ChangesPage {
  readonly deals: readonly (SourceDeal | DeletedDeal)[];
  readonly objections: readonly SourceObjection[];
  /** Opaque to the sync, which stores it between pages; undefined: the last page. */
  readonly nextCursor: string | undefined;
}

export interface CrmProvider {
  /** One page of what changed since `since` (everything, if undefined), beginning at `cursor`. Throws `SyncFailure`. */
  fetchChanges(since: Date | undefined, cursor: string | undefined): Promise<ChangesPage>;
  /** A cheap request that proves the credentials, for the try before saving. Throws `SyncFailure`. */
  tryCredentials(): Promise<void>;
}

/** Where objections come from beside the lost reason, and what the service can't learn from the CRM about them. */
export interface ProviderSettings {
  /** The internal name (or key) of one property of a deal whose text is an objection. At most one of the two sources is given. */
  readonly objectionProperty: string | null;
  /** A note of a deal that begins with this text is an objection: what follows the prefix. */
  readonly notePrefix: string | null;
  /** The category of objections for which the CRM has none. */
  readonly objectionCategory: string;
  /** The language of objections, for instance `de`. */
  readonly objectionLang: string;
}

export const defaultSettings: ProviderSettings = {
  objectionProperty: null,
  notePrefix: null,
  objectionCategory: 'other',
  objectionLang: 'de',
};

export type FailureKind = 'credentials_refused' | 'malformed' | 'unavailable' | 'limit';

/** Why a run ended without success. The message is the reason, for a person who can act on it. */
export class SyncFailure extends Error {
  override readonly name = 'SyncFailure';
  readonly kind: FailureKind;
  /** The status of the answer that the CRM refused a request with. */
  readonly status: number | undefined;

  constructor(kind: FailureKind, reason: string, status?: number) {
    super(reason);
    this.kind = kind;
    this.status = status;
  }
}

export interface CrmRequest {
  readonly method: 'GET' | 'POST';
  readonly url: URL;
  /** Beside `Accept` and, with a body, `Content-Type`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Milliseconds that must have passed since the process's last request with these headers to the same host: the CRM's rate limit. */
  readonly gapMs?: number;
}

/**
 * HTTPS to a CRM: the guard of outgoing requests, time-outs, waits on 429 and 503, retries, sizes. Any answer but 2xx that is not worth
 * another try is a `SyncFailure`: 401 and 403 of kind `credentials_refused`, all others of kind `unavailable`, with their status.
 */
export interface CrmHttp {
  /** The answer's JSON. A number whose digits JavaScript would change is an `ExactNumber`; `decimalText` reads both. */
  json(request: CrmRequest): Promise<unknown>;
}

export type OpenProvider = (
  connection: {
    /** For the feed, its address; for the others it replaces their public address. */
    readonly url: URL | undefined;
    readonly token: string;
    readonly settings: ProviderSettings;
  },
  http: CrmHttp,
) => CrmProvider;
