import type { AnswerProgress, Received } from '../../support/receiver.ts';

// A fake of Pipedrive for the routes that read deals, as documented: version 2 with cursors, version 1 with offsets for
// users and notes, the forms of errors, and the sizes of pages.

interface FakeDeal {
  readonly id: number;
  updatedAt: Date;
  archived: boolean;
  fields: Record<string, unknown>;
}

export interface FakeNote {
  readonly id: number;
  deal_id: number | null;
  content: string;
  active_flag: boolean;
  updatedAt: Date;
}

type Reply = Exclude<Awaited<ReturnType<AnswerProgress>>, string>;

/** `body` is already JSON if its numbers have digits that JavaScript would not write. */
const answer = (status: number, body: unknown): Reply => ({
  status,
  headers: {
    'content-type': 'application/json; charset=utf-8',
    'x-ratelimit-limit': '20',
    'x-ratelimit-remaining': '19',
    'x-ratelimit-reset': '2',
  },
  body: JSON.stringify(body),
});

const unauthorized = answer(401, {
  success: false,
  error: 'unauthorized access',
  errorCode: 401,
  error_info: 'Please check developers.pipedrive.com',
});

const badRequest = (error: string): Reply =>
  answer(400, { success: false, error, code: 'ERR_SCHEMA_VALIDATION_FAILED' });

export const industryKey = 'a'.repeat(40);
export const objectionKey = 'b'.repeat(40);

export class FakePipedrive {
  readonly token = '0123456789abcdef0123456789abcdef01234567';
  readonly deals = new Map<number, FakeDeal>();
  readonly notes = new Map<number, FakeNote>();
  readonly users: unknown[] = [];
  readonly activities: { id: number; [name: string]: unknown }[] = [];
  pipelines = [
    { id: 1, name: 'Sales', is_deal_probability_enabled: true },
    { id: 2, name: 'Service', is_deal_probability_enabled: false },
  ];
  stages = [
    { id: 10, pipeline_id: 1, deal_probability: 35 },
    { id: 20, pipeline_id: 2, deal_probability: 100 },
  ];
  fields: Record<string, unknown>[] = [
    { field_name: 'Title', field_code: 'title', field_type: 'varchar', is_custom_field: false, options: null },
    {
      field_name: 'Lost reason',
      field_code: 'lost_reason',
      field_type: 'varchar_options',
      is_custom_field: false,
      options: [{ id: 41, label: 'Zu teuer' }],
    },
    {
      field_name: 'Branche',
      field_code: industryKey,
      field_type: 'enum',
      is_custom_field: true,
      options: [{ id: 51, label: 'energy' }],
    },
    {
      field_name: 'Einwand',
      field_code: objectionKey,
      field_type: 'set',
      is_custom_field: true,
      options: [
        { id: 61, label: 'Kein Budget' },
        { id: 62, label: 'Keine Zeit' },
      ],
    },
  ];
  /** Replaces the fake's answer if it returns one. */
  instead: (request: Received) => Awaited<ReturnType<AnswerProgress>> | undefined = () => undefined;

  addDeal(id: number, fields: Record<string, unknown> = {}, updatedAt = new Date('2026-11-20T09:00:00Z')): FakeDeal {
    const deal = { id, updatedAt, archived: false, fields };
    this.deals.set(id, deal);
    return deal;
  }

  addNote(id: number, dealId: number | null, content: string, updatedAt = new Date('2026-11-20T09:00:00Z')): FakeNote {
    const note = { id, deal_id: dealId, content, active_flag: true, updatedAt };
    this.notes.set(id, note);
    return note;
  }

  readonly answer: AnswerProgress = (request) => {
    const replaced = this.instead(request);
    if (replaced !== undefined) return replaced;
    if (request.headers['x-api-token'] !== this.token) return unauthorized;
    const { pathname, searchParams: query } = new URL(request.path, 'https://pipedrive.example');
    switch (pathname) {
      case '/api/v2/deals':
        return this.#dealsOf(query, false);
      case '/api/v2/deals/archived':
        return this.#dealsOf(query, true);
      case '/api/v2/dealFields':
        return paged(this.fields, query, 500);
      case '/api/v2/stages':
        return paged(this.stages, query, 500);
      case '/api/v2/pipelines':
        return paged(this.pipelines, query, 500);
      case '/api/v2/activities':
        return paged(
          this.activities.filter(({ id }) => idsOf(query)?.has(id) !== false),
          query,
          500,
        );
      case '/api/v1/users':
        return answer(200, { success: true, data: this.users });
      case '/api/v1/notes':
        return this.#notesOf(query);
      default:
        return answer(404, { success: false, error: 'Not found', errorCode: 404 });
    }
  };

  #dealsOf(query: URLSearchParams, archived: boolean): Reply {
    const since = query.get('updated_since');
    if (since !== null && !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(since)) return badRequest('updated_since');
    const ids = idsOf(query);
    if (ids && ids.size > 100) return badRequest('ids');
    const wanted = query.get('status');
    const found = [...this.deals.values()].filter((deal) => {
      const status = deal.fields['status'] ?? 'open';
      return (
        deal.archived === archived &&
        (wanted === null ? status !== 'deleted' : status === wanted) &&
        (since === null || deal.updatedAt >= new Date(since)) &&
        ids?.has(deal.id) !== false
      );
    });
    found.sort((a, b) => a.id - b.id);
    const custom = query.get('custom_fields')?.split(',');
    const included = query.get('include_fields')?.split(',') ?? [];
    const shown = found.map((deal) => this.#shown(deal, custom, included));
    return paged(shown, query, 500);
  }

  #shown(
    { id, updatedAt, archived, fields }: FakeDeal,
    custom: readonly string[] | undefined,
    included: readonly string[],
  ) {
    const { custom_fields: customFields = {}, last_activity_id: lastActivityId = null, ...rest } = fields;
    const values = Object.entries(customFields ?? {}).filter(([key]) => custom === undefined || custom.includes(key));
    return {
      id,
      title: `Deal ${id}`,
      status: 'open',
      is_deleted: fields['status'] === 'deleted',
      is_archived: archived,
      update_time: updatedAt.toISOString(),
      ...rest,
      ...(included.includes('last_activity_id') && { last_activity_id: lastActivityId }),
      ...(included.includes('notes_count') && {
        notes_count: [...this.notes.values()].filter((note) => note.deal_id === id && note.active_flag).length,
      }),
      custom_fields: Object.fromEntries(values),
    };
  }

  #notesOf(query: URLSearchParams): Reply {
    const since = query.get('updated_since');
    const dealId = query.get('deal_id');
    const found = [...this.notes.values()].filter(
      (note) =>
        (since === null || note.updatedAt >= new Date(since)) && (dealId === null || note.deal_id === Number(dealId)),
    );
    const start = Number(query.get('start') ?? '0');
    const limit = Math.min(Number(query.get('limit') ?? '100'), 500);
    const more = start + limit < found.length;
    return answer(200, {
      success: true,
      data: found.slice(start, start + limit).map(({ updatedAt, ...note }) => ({
        ...note,
        add_time: '2026-11-19 14:00:00',
        update_time: updatedAt.toISOString().slice(0, 19).replace('T', ' '),
      })),
      additional_data: {
        pagination: { start, limit, more_items_in_collection: more, ...(more && { next_start: start + limit }) },
      },
    });
  }
}

const idsOf = (query: URLSearchParams): ReadonlySet<number> | undefined => {
  const ids = query.get('ids');
  return ids === null ? undefined : new Set(ids.split(',').map(Number));
};

/** Numbers with exact digits are texts with this prefix. */
const exactly = 'exactly:';
export const exact = (digits: string): string => exactly + digits;

const paged = (rows: readonly unknown[], query: URLSearchParams, max: number): Reply => {
  const limit = Number(query.get('limit') ?? '100');
  if (limit < 1 || limit > max) return badRequest('limit');
  const start = Number(Buffer.from(query.get('cursor') ?? '', 'base64').toString() || '0');
  const end = start + limit;
  const nextCursor = end < rows.length ? Buffer.from(String(end)).toString('base64') : null;
  const { body, ...reply } = answer(200, {
    success: true,
    data: rows.slice(start, end),
    additional_data: { next_cursor: nextCursor },
  });
  return { ...reply, body: String(body).replaceAll(/"exactly:([^"]*)"/g, '$1') };
};
