import { syncMessages, wrong } from '../../../core/messages/crm.ts';
import { z } from 'zod';
import {
  id,
  optionalCurrency,
  optionalDay,
  optionalDecimal,
  optionalFlag,
  optionalId,
  optionalNumber,
  optionalText,
  optionalTime,
  makeJsonApi,
  type QueryParameters,
} from './answer.ts';
import { SyncFailure } from './failure.ts';
import type { CrmHttp } from './provider.ts';

// Pipedrive's API: the routes from which deals are read, the forms of their answers, and their limits.
//
// Deals, stages, pipelines, fields and activities are read from version 2. Users and notes exist only in version 1,
// which is still supported for them. The deals of version 1 have been out of support since August 2026.

const publicAddress = new URL('https://api.pipedrive.com');

export const paths = {
  activities: '/api/v2/activities',
  archived: '/api/v2/deals/archived',
  deals: '/api/v2/deals',
  fields: '/api/v2/dealFields',
  notes: '/api/v1/notes',
  pipelines: '/api/v2/pipelines',
  stages: '/api/v2/stages',
  users: '/api/v1/users',
};

/** Pipedrive's limits for the rows of an answer and the ids in a request. */
export const pageSize = 500;
export const idsPerRequest = 100;

/** The smallest plan allows a token 20 requests in two seconds. */
const gapMs = 110;

/** A list of fields or stages never needs more pages than this: one with more does not end. */
const maxPages = 10_000;

// Answers

const Pagination = z.object({ more_items_in_collection: z.boolean(), next_start: z.int().nullish() });
type Pagination = z.output<typeof Pagination>;

const list = <Row extends z.ZodType>(row: Row) =>
  z.object({
    data: z.array(row).nullish(),
    additional_data: z
      .object({
        next_cursor: z.string().nullish(),
        pagination: Pagination.nullish(),
      })
      .nullish(),
  });

export const Deal = z.looseObject({
  id,
  title: optionalText,
  owner_id: optionalId,
  pipeline_id: optionalId,
  stage_id: optionalId,
  value: optionalDecimal,
  currency: optionalCurrency,
  status: z.enum(['open', 'won', 'lost', 'deleted'], { error: wrong('outcomeOrDeleted') }),
  is_deleted: optionalFlag,
  probability: optionalNumber,
  lost_reason: optionalText,
  lost_time: optionalTime,
  close_time: optionalTime,
  expected_close_date: optionalDay,
  last_activity_id: optionalId,
  custom_fields: z.record(z.string(), z.unknown()).nullish(),
});
export type Deal = z.output<typeof Deal>;

export const Field = z.object({
  field_code: z.string().min(1),
  field_name: z.string(),
  field_type: optionalText,
  is_custom_field: optionalFlag,
  options: z.array(z.object({ id: optionalId, label: optionalText })).nullish(),
});
export type Field = z.output<typeof Field>;

export const Stage = z.object({ id, pipeline_id: optionalId, deal_probability: optionalNumber });

export const Pipeline = z.object({ id, is_deal_probability_enabled: optionalFlag });

export const User = z.object({ id, email: optionalText, timezone_name: optionalText });

export const Activity = z.object({
  id,
  due_date: optionalDay,
  due_time: optionalText,
  marked_as_done_time: z.unknown(),
});

export const Note = z.object({
  id,
  deal_id: optionalId,
  content: optionalText,
  add_time: z.unknown(),
  active_flag: optionalFlag,
});
export type Note = z.output<typeof Note>;

/** Sends the requests with the token, and keeps the rate limit. */
export class PipedriveApi {
  readonly #send: ReturnType<typeof makeJsonApi>;

  /** `address` replaces Pipedrive's public one. */
  constructor(address: URL = publicAddress, token: string, http: CrmHttp) {
    this.#send = makeJsonApi({ name: 'Pipedrive', address, headers: { 'x-api-token': token }, http });
  }

  /**
   * A page of a list. Lists of version 2 continue at `nextCursor`, those of version 1 at `nextStart`; both are
   * undefined after the last page.
   */
  async get<Row extends z.ZodType>(path: string, row: Row, query: QueryParameters) {
    const { data, additional_data: more } = await this.#send(path, list(row), { query, gapMs });
    const rows = data ?? [];
    const start = Number(query['start'] ?? 0);
    return {
      rows,
      nextCursor: more?.next_cursor ?? undefined,
      nextStart: nextStart(start, rows.length, more?.pagination),
    };
  }

  /** All rows of a list of version 2. */
  async all<Row extends z.ZodType>(path: string, row: Row): Promise<z.output<Row>[]> {
    const found: z.output<Row>[] = [];
    let cursor: string | undefined;
    for (let pages = 0; pages < maxPages; pages += 1) {
      const { rows, nextCursor } = await this.get(path, row, { limit: String(pageSize), cursor });
      found.push(...rows);
      if (nextCursor === undefined) return found;
      cursor = nextCursor;
    }
    throw new SyncFailure('malformed', syncMessages.listDoesNotEnd(`Pipedrive, ${path}`));
  }
}

/** The start of the next page of a list of version 1; undefined after the last page. */
const nextStart = (start: number, rows: number, pagination: Pagination | null | undefined): number | undefined =>
  pagination?.more_items_in_collection === true && rows > 0 ? (pagination.next_start ?? start + rows) : undefined;

/** Version 1 writes UTC times as `2026-11-20 09:30:00`, version 2 as RFC 3339. Other values are unknown. */
export const timeOfVersion1 = (value: unknown): Date | null => {
  if (typeof value !== 'string') return null;
  return (
    optionalTime.safeParse(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/.test(value) ? `${value.replace(' ', 'T')}Z` : value)
      .data ?? null
  );
};
