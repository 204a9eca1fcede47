import { connectionMessages, syncMessages } from '../../../core/messages/crm.ts';
import { saying } from '../../../core/language.ts';
import { toCamel, type Camel } from '../../../core/spelling.ts';
import { z } from 'zod';
import { lineOf } from '../../../platform/values.ts';
import { SyncFailure } from './failure.ts';
import type { DeletedDeal, SourceDeal, SourceObjection } from './rows.ts';

// The interface of a CRM's adapter. Each CRM has an adapter in this folder; `credentials.ts` makes them.

/**
 * A page of changes. If several entries have the same id, the last one counts. An objection that no longer exists is
 * deleted by the next full run, or with its deal.
 */
export interface ChangesPage {
  readonly deals: readonly (SourceDeal | DeletedDeal)[];
  readonly objections: readonly SourceObjection[];
  /** Opaque to the sync, which stores it between pages; undefined after the last page. */
  readonly nextCursor: string | undefined;
}

export interface CrmProvider {
  /**
   * One page of the changes since `since` (of everything, if undefined), starting at `cursor`. Throws `SyncFailure`.
   */
  fetchChanges(since: Date | undefined, cursor: string | undefined): Promise<ChangesPage>;
  /** A cheap request that proves the credentials before they are saved. Throws `SyncFailure`. */
  tryCredentials(): Promise<void>;
}

/**
 * Where objections come from in addition to the lost reason, and which category and language they get, because the CRM
 * has none for them. The fields are in snake_case, as the app and the database have them.
 */
export const ProviderSettings = z
  .strictObject({
    /**
     * The internal name or key of a deal's property whose text is an objection. At most one of this property and
     * `note_prefix` is set.
     */
    objection_property: lineOf(100).nullable().default(null),
    /** A note of a deal that begins with this text is an objection: its text after the prefix. */
    note_prefix: lineOf(100).nullable().default(null),
    /** The category of objections that have none in the CRM. */
    objection_category: lineOf(100).default('other'),
    /** The language of objections, for instance `de`. */
    objection_lang: lineOf(35).default('de'),
  })
  .refine(
    ({ objection_property, note_prefix }) => objection_property === null || note_prefix === null,
    saying(connectionMessages.oneSourceOfObjections),
  );
/** The same settings in camelCase. */
export type ProviderSettings = Camel<z.output<typeof ProviderSettings>>;

export const defaultSettings: ProviderSettings = toCamel(ProviderSettings.parse({}));

export interface CrmRequest {
  readonly method: 'GET' | 'POST';
  readonly url: URL;
  /** In addition to `Accept`, `User-Agent` and, with a body, `Content-Type`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** The shortest time between two requests of a run, in milliseconds, because of the CRM's rate limit. */
  readonly gapMs?: number;
}

/**
 * HTTPS to a CRM, with address checks, time limits, waits after 429 and after 503 with `Retry-After`, retries, and size
 * limits. A final answer other than 2xx is a `SyncFailure` with its status: 401 and 403 of kind `credentials_refused`,
 * all others of kind `unavailable`.
 */
export interface CrmHttp {
  /**
   * The answer's JSON. A number whose digits JavaScript would change is an `ExactNumber`; `decimalText` reads both
   * kinds.
   */
  json(request: CrmRequest): Promise<unknown>;
}

export type MakeProvider = (
  connection: {
    /** The address of the feed. For HubSpot and Pipedrive, an address that replaces their public one. */
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
export const unreadable = (): SyncFailure => new SyncFailure('malformed', syncMessages.positionUnreadable);

/** A position is stored between two pages. A new version of the service may read it. */
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

/** The Swedish format of days is that of ISO 8601. */
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
