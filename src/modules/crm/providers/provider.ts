import type { z } from 'zod';

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

type FailureKind = 'credentials_refused' | 'malformed' | 'unavailable' | 'limit';

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

/** The CRMs that a team can connect to. */
export const providerNames = ['feed', 'hubspot', 'pipedrive'] as const;
export type ProviderName = (typeof providerNames)[number];

export const isProviderName = (text: string): text is ProviderName => providerNames.some((name) => name === text);

/** Texts of the positions at which a sync goes on. */
interface PositionText<Position> {
  write(position: Position): string;
  /** Throws `SyncFailure` for a text that `write` did not make. */
  read(text: string): Position;
}

/**
 * A position is kept between two pages, perhaps while the service gets a new version: its text begins with the name and version of its
 * form, so that a position of an older form is recognised and not misread. The run that has it fails, and the next one begins anew.
 */
export const positionText = <Form extends z.ZodType>(version: string, form: Form): PositionText<z.output<Form>> => {
  const write = (position: z.output<Form>): string =>
    `${version}.${Buffer.from(JSON.stringify(form.parse(position))).toString('base64url')}`;

  return {
    write,
    read: (text) => {
      const [name, payload = '', ...rest] = text.split('.');
      if (name === version && rest.length === 0) {
        const position = form.safeParse(parsed(Buffer.from(payload, 'base64url').toString('utf8')));
        // One position has one text: whatever decodes to it in another way was not written here.
        if (position.success && write(position.data) === text) return position.data;
      }
      throw new SyncFailure(
        'malformed',
        'The place where the last run stopped can’t be read. The next run begins anew.',
      );
    },
  };
};

/** The text of a position does not belong to this run. */
export const unreadable = (): SyncFailure =>
  new SyncFailure('malformed', 'The place where the last run stopped can’t be read. The next run begins anew.');

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** Gives the day on which a time falls in a time zone, as `YYYY-MM-DD`. A zone that is unknown here counts as UTC. */
export const dayIn = (timeZone: string | null): ((time: Date) => string) => {
  const format = formatFor(timeZone ?? 'UTC');
  return (time) => {
    const parts = new Map(format.formatToParts(time).map(({ type, value }) => [type, value]));
    return `${parts.get('year')?.padStart(4, '0')}-${parts.get('month')}-${parts.get('day')}`;
  };
};

const formatFor = (timeZone: string): Intl.DateTimeFormat => {
  try {
    return formatIn(timeZone);
  } catch {
    return formatIn('UTC');
  }
};

const formatIn = (timeZone: string): Intl.DateTimeFormat =>
  new Intl.DateTimeFormat('en', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit', calendar: 'gregory' });

/** Does something when it is first wanted, and keeps the result. A failure is not kept: the next caller tries again. */
export const once = <Value>(make: () => Promise<Value>): (() => Promise<Value>) => {
  let made: Promise<Value> | undefined;
  return () => {
    made ??= make().catch((error: unknown) => {
      made = undefined;
      throw error;
    });
    return made;
  };
};
