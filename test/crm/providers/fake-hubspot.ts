import { z } from 'zod';
import type { AnswerProgress, Received } from '../../support/receiver.ts';

// A fake of HubSpot for the routes that read deals, as documented in version 2026-03: the forms of answers and errors,
// the sizes of pages, and the limit of 10,000 rows of a search. Its search finds changes without delay.

export interface FakeRecord {
  readonly id: string;
  properties: Record<string, string | null>;
  modifiedAt: Date;
  archivedAt?: Date;
}

export interface FakeOwner {
  readonly id: string;
  readonly email: string | null;
  readonly archived?: boolean;
}

type Reply = Exclude<Awaited<ReturnType<AnswerProgress>>, string>;

const answer = (status: number, body: unknown): Reply => ({
  status,
  headers: { 'content-type': 'application/json;charset=utf-8' },
  body: JSON.stringify(body),
});

const correlationId = 'aeb5f871-7f07-4993-9211-075dc63e7cbf';

export const hubSpotErrors = {
  unauthenticated: answer(401, {
    status: 'error',
    message: 'Authentication credentials not found. This API supports OAuth 2.0 authentication.',
    correlationId,
    category: 'INVALID_AUTHENTICATION',
  }),
  missingScope: (scope: string) =>
    answer(403, {
      status: 'error',
      message: 'This app hasn’t been granted all required scopes to make this call.',
      correlationId,
      errors: [{ message: 'One or more of the following scopes are required.', context: { requiredScopes: [scope] } }],
      category: 'MISSING_SCOPES',
    }),
} as const;

const invalid = (message: string): Reply =>
  answer(400, { status: 'error', message, correlationId, category: 'VALIDATION_ERROR' });

const notFound = (message: string): Reply =>
  answer(404, { status: 'error', message, correlationId, category: 'OBJECT_NOT_FOUND' });

const Search = z.strictObject({
  filterGroups: z.array(
    z.strictObject({
      filters: z.array(
        z.strictObject({ propertyName: z.string(), operator: z.enum(['GTE', 'GT']), value: z.string() }),
      ),
    }),
  ),
  sorts: z.array(z.strictObject({ propertyName: z.string(), direction: z.enum(['ASCENDING', 'DESCENDING']) })).max(1),
  properties: z.array(z.string()),
  limit: z.int().min(1).max(200),
  after: z.string().optional(),
});

const Batch = z.strictObject({
  inputs: z.array(z.strictObject({ id: z.string(), after: z.string().optional() })),
  properties: z.array(z.string()).optional(),
});

const searchEnd = 10_000;
/** Links of one record in an answer. */
const linksPerPage = 500;

export class FakeHubSpot {
  readonly token = 'pat-eu1-a-token-of-the-tests';
  readonly deals = new Map<string, FakeRecord>();
  readonly notes = new Map<string, FakeRecord>();
  /** The ids of a note's deals. */
  readonly noteDeals = new Map<string, string[]>();
  readonly owners: FakeOwner[] = [];
  readonly propertyDefinitions = new Map<string, unknown>([
    [
      'closed_lost_reason',
      { name: 'closed_lost_reason', label: 'Closed Lost Reason', type: 'string', fieldType: 'textarea', options: [] },
    ],
  ]);
  account: unknown = { portalId: 1, timeZone: 'Europe/Berlin', companyCurrency: 'EUR', utcOffset: '+01:00' };
  stages: readonly { id: string; metadata?: unknown }[] = [
    { id: 'appointmentscheduled', metadata: { isClosed: 'false', probability: '0.2' } },
    { id: 'contractsent', metadata: { isClosed: 'false', probability: '0.9' } },
    { id: 'closedwon', metadata: { isClosed: 'true', probability: '1.0' } },
    { id: 'closedlost', metadata: { isClosed: 'true', probability: '0.0' } },
  ];
  /** Replaces the fake's answer if it returns one. */
  instead: (request: Received) => Awaited<ReturnType<AnswerProgress>> | undefined = () => undefined;

  addDeal(
    id: string,
    properties: Record<string, string | null> = {},
    modifiedAt = new Date('2026-11-20T09:00:00Z'),
  ): FakeRecord {
    const deal: FakeRecord = { id, properties: { dealname: `Deal ${id}`, ...properties }, modifiedAt };
    this.deals.set(id, deal);
    return deal;
  }

  addNote(id: string, body: string, dealIds: string[], modifiedAt = new Date('2026-11-20T09:00:00Z')): void {
    const properties = { hs_note_body: body, hs_timestamp: modifiedAt.toISOString() };
    this.notes.set(id, { id, properties, modifiedAt });
    this.noteDeals.set(id, dealIds);
  }

  readonly answer: AnswerProgress = (request) => {
    const replaced = this.instead(request);
    if (replaced !== undefined) return replaced;
    if (request.headers.authorization !== `Bearer ${this.token}`) return hubSpotErrors.unauthenticated;
    const url = new URL(request.path, 'https://hubspot.example');
    return request.method === 'GET' ? this.#get(url) : this.#post(url.pathname, request.body);
  };

  #get({ pathname, searchParams: query }: URL): Reply {
    const definition = /^\/crm\/properties\/2026-03\/deals\/(.+)$/.exec(pathname)?.[1];
    if (definition !== undefined) {
      const found = this.propertyDefinitions.get(decodeURIComponent(definition));
      return found === undefined ? notFound(`Property ${definition} does not exist`) : answer(200, found);
    }
    if (pathname === '/account-info/2026-03/details') return answer(200, this.account);
    if (pathname === '/crm/pipelines/2026-03/deals') {
      const stages = this.stages.map((stage) => ({ label: stage.id, displayOrder: 0, archived: false, ...stage }));
      return answer(200, { results: [{ id: 'default', label: 'Sales', displayOrder: 0, stages, archived: false }] });
    }
    if (pathname === '/crm/owners/2026-03') {
      const owners = this.owners.filter(
        ({ archived = false }) => String(archived) === (query.get('archived') ?? 'false'),
      );
      return this.#listed(owners, query, 500, (owner) => ({ type: 'PERSON', archived: false, ...owner }));
    }
    if (pathname === '/crm/objects/2026-03/deals') {
      const isArchived = query.get('archived') === 'true';
      const found = [...this.deals.values()]
        .filter((deal) => (deal.archivedAt !== undefined) === isArchived)
        .toSorted((a, b) => Number(a.id) - Number(b.id));
      return this.#listed(found, query, 100, (deal) => recordOf(deal, query.get('properties')?.split(',') ?? []));
    }
    return notFound('No such route');
  }

  #listed<Item>(items: readonly Item[], query: URLSearchParams, max: number, shown: (item: Item) => unknown): Reply {
    const limit = Number(query.get('limit') ?? '10');
    if (limit > max) return invalid(`limit must be at most ${max}`);
    const start = Number(query.get('after') ?? '0');
    const end = start + limit;
    return answer(200, {
      results: items.slice(start, end).map(shown),
      ...(end < items.length && { paging: { next: { after: String(end), link: 'https://api.hubapi.com/…' } } }),
    });
  }

  #post(path: string, body: string): Reply {
    if (path === '/crm/objects/2026-03/deals/search') return this.#search(this.deals, body);
    if (path === '/crm/objects/2026-03/notes/search') return this.#search(this.notes, body);
    if (path === '/crm/objects/2026-03/deals/batch/read') return this.#byId(this.deals, body);
    if (path === '/crm/objects/2026-03/notes/batch/read') return this.#byId(this.notes, body);
    if (path === '/crm/associations/2026-03/notes/deals/batch/read') return this.#links(this.noteDeals, body);
    if (path === '/crm/associations/2026-03/deals/notes/batch/read') {
      const ofDeals = Map.groupBy(
        [...this.noteDeals].flatMap(([note, deals]) => deals.map((deal) => ({ note, deal }))),
        ({ deal }) => deal,
      );
      return this.#links(new Map([...ofDeals].map(([deal, found]) => [deal, found.map(({ note }) => note)])), body);
    }
    return notFound('No such route');
  }

  #search(records: ReadonlyMap<string, FakeRecord>, body: string): Reply {
    const search = Search.safeParse(JSON.parse(body));
    if (!search.success) return invalid(search.error.message);
    const { filterGroups, sorts, properties, limit, after = '0' } = search.data;
    const start = Number(after);
    if (start + limit > searchEnd) return invalid('The request is not valid: paging ends at 10,000 results.');
    const filters = filterGroups
      .flatMap((group) => group.filters)
      .map(({ value, ...filter }) => ({ ...filter, bound: BigInt(value) }));
    const all = [...records.values()].filter(
      (record) =>
        record.archivedAt === undefined &&
        filters.every(({ propertyName, operator, bound }) => {
          const has = numberOf(record, propertyName);
          return operator === 'GT' ? has > bound : has >= bound;
        }),
    );
    const [order] = sorts;
    const found = order ? sortedBy(all, order) : all;
    const end = start + limit;
    return answer(200, {
      total: found.length,
      results: found.slice(start, end).map((record) => recordOf(record, properties)),
      ...(end < found.length && { paging: { next: { after: String(end) } } }),
    });
  }

  #byId(records: ReadonlyMap<string, FakeRecord>, body: string): Reply {
    const { inputs, properties = [] } = Batch.parse(JSON.parse(body));
    if (inputs.length > 100) return invalid('At most 100 inputs');
    const found = inputs.flatMap(({ id }) => records.get(id) ?? []).filter((record) => record.archivedAt === undefined);
    const status = found.length < inputs.length ? 207 : 200;
    return answer(status, { status: 'COMPLETE', results: found.map((record) => recordOf(record, properties)) });
  }

  #links(links: ReadonlyMap<string, string[]>, body: string): Reply {
    const { inputs } = Batch.parse(JSON.parse(body));
    if (inputs.length > 1_000) return invalid('At most 1000 inputs');
    const results = inputs.flatMap(({ id, after = '0' }) => {
      const to = links.get(id);
      if (!to) return [];
      const end = Number(after) + linksPerPage;
      return {
        from: { id },
        to: to.slice(Number(after), end).map((toObjectId) => ({
          toObjectId,
          associationTypes: [{ category: 'HUBSPOT_DEFINED', typeId: 213, label: null }],
        })),
        ...(end < to.length && { paging: { next: { after: String(end) } } }),
      };
    });
    return answer(results.length < inputs.length ? 207 : 200, { status: 'COMPLETE', results });
  }
}

const numberOf = (record: FakeRecord, property: string): bigint => {
  if (property === 'hs_object_id') return BigInt(record.id);
  if (property === 'hs_lastmodifieddate') return BigInt(record.modifiedAt.getTime());
  throw new Error(`The fake can't compare by ${property}`);
};

const sortedBy = (
  records: readonly FakeRecord[],
  { propertyName, direction }: z.output<typeof Search>['sorts'][number],
): FakeRecord[] => {
  const sign = direction === 'ASCENDING' ? 1 : -1;
  return records
    .map((record) => ({ record, number: numberOf(record, propertyName) }))
    .sort((a, b) => (a.number < b.number ? -sign : sign))
    .map(({ record }) => record);
};

const recordOf = (record: FakeRecord, properties: readonly string[]) => ({
  id: record.id,
  properties: {
    ...Object.fromEntries(properties.map((name) => [name, record.properties[name] ?? null])),
    createdate: '2026-01-01T00:00:00.000Z',
    hs_lastmodifieddate: record.modifiedAt.toISOString(),
    hs_object_id: record.id,
  },
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: record.modifiedAt.toISOString(),
  archived: record.archivedAt !== undefined,
  ...(record.archivedAt && { archivedAt: record.archivedAt.toISOString() }),
});
