import type { z } from 'zod';

// The interface of a CRM's adapter. Each CRM has an adapter in this folder; `credentials.ts` opens them.

/** The current state of a deal in the CRM. Null or absent: unknown. */
export interface SourceDeal {
  /** The CRM's id, by which the next sync finds the deal. */
  readonly id: string;
  readonly outcome: 'open' | 'won' | 'lost';
  readonly title?: string | null;
  /** Decimal text with the CRM's digits. */
  readonly amount?: string | null;
  /** ISO 4217, upper case. */
  readonly currency?: string | null;
  /** `YYYY-MM-DD`. */
  readonly closeDate?: string | null;
  /** Percent, a whole number from 0 to 100. */
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
 * A page of changes. Of several entries with the same id the last one counts. An objection that no longer exists is deleted by the next
 * full run, or with its deal.
 */
export interface ChangesPage {
  readonly deals: readonly (SourceDeal | DeletedDeal)[];
  readonly objections: readonly SourceObjection[];
  /** Opaque to the sync, which stores it between pages; undefined after the last page. */
  readonly nextCursor: string | undefined;
}

export interface CrmProvider {
  /** One page of the changes since `since` (of everything, if undefined), starting at `cursor`. Throws `SyncFailure`. */
  fetchChanges(since: Date | undefined, cursor: string | undefined): Promise<ChangesPage>;
  /** A cheap request that proves the credentials before they are saved. Throws `SyncFailure`. */
  tryCredentials(): Promise<void>;
}

/** Where objections come from in addition to the lost reason, and what the CRM does not say about them. */
export interface ProviderSettings {
  /** The internal name or key of a deal's property whose text is an objection. At most one of the two sources is set. */
  readonly objectionProperty: string | null;
  /** A note of a deal that begins with this text is an objection: its text after the prefix. */
  readonly notePrefix: string | null;
  /** The category of objections that have none in the CRM. */
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

export interface CrmRequest {
  readonly method: 'GET' | 'POST';
  readonly url: URL;
  /** In addition to `Accept` and, with a body, `Content-Type`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** The CRM's rate limit: the milliseconds since the run's last request. */
  readonly gapMs?: number;
}

/**
 * HTTPS to a CRM, with address checks, time limits, waits after 429 and 503, retries, and size limits. A final answer other than 2xx is a
 * `SyncFailure` with its status: 401 and 403 of kind `credentials_refused`, all others of kind `unavailable`.
 */
export interface CrmHttp {
  /** The answer's JSON. A number whose digits JavaScript would change is an `ExactNumber`; `decimalText` reads both kinds. */
  json(request: CrmRequest): Promise<unknown>;
}

export type OpenProvider = (
  connection: {
    /** The feed's address; for the others, an address instead of their public one. */
    readonly url: URL | undefined;
    readonly token: string;
    readonly settings: ProviderSettings;
  },
  http: CrmHttp,
) => CrmProvider;

/** The CRMs that a team can connect to. */
export const providerNames = ['feed', 'hubspot', 'pipedrive'] as const;
export type ProviderName = (typeof providerNames)[number];

export const isProviderName = (text: string): text is ProviderName => providerNames.some((name) => name === text);

/** Converts the positions of a sync to texts and back. */
interface PositionText<Position> {
  write(position: Position): string;
  /** Throws `SyncFailure` for a text that is no position. */
  read(text: string): Position;
}

/** The failure of a position that does not belong to this run, or has the form of another version of the service. */
export const unreadable = (): SyncFailure =>
  new SyncFailure('malformed', 'The place where the last run stopped can’t be read. The next run begins anew.');

/** A position is stored between two pages, perhaps while the service gets a new version. */
export const positionText = <Form extends z.ZodType>(form: Form): PositionText<z.output<Form>> => ({
  write: (position) => JSON.stringify(position),
  read: (text) => {
    try {
      return form.parse(JSON.parse(text));
    } catch {
      throw unreadable();
    }
  },
});

/** Returns the function that gives the day of a time in a time zone, as `YYYY-MM-DD`. An unknown zone counts as UTC. */
export const dayIn = (timeZone: string | null): ((time: Date) => string) => {
  const format = formatFor(timeZone ?? 'UTC');
  return (time) => format.format(time).padStart('YYYY-MM-DD'.length, '0');
};

/** Swedish days are written as in ISO 8601. */
const formatFor = (timeZone: string): Intl.DateTimeFormat => {
  try {
    return new Intl.DateTimeFormat('sv-SE', { timeZone });
  } catch {
    return formatFor('UTC');
  }
};

/** Runs a function at its first use and keeps the result. */
export const once = <Value>(make: () => Promise<Value>): (() => Promise<Value>) => {
  let made: Promise<Value> | undefined;
  return () => (made ??= make());
};
