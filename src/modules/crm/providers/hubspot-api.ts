import { syncMessages, wrong } from '../../../core/messages/crm.ts';
import { z } from 'zod';
import {
  id,
  optionalCurrency,
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

// Version 2026-03 of HubSpot's API: the routes from which deals are read, the forms of their answers, and their limits.

const publicAddress = new URL('https://api.hubapi.com');

/** HubSpot supports a version for at least 18 months: this one until September 2027. */
const version = '2026-03';

export const paths = {
  account: `/account-info/${version}/details`,
  deals: `/crm/objects/${version}/deals`,
  dealNotes: `/crm/associations/${version}/deals/notes/batch/read`,
  dealSearch: `/crm/objects/${version}/deals/search`,
  dealsById: `/crm/objects/${version}/deals/batch/read`,
  noteDeals: `/crm/associations/${version}/notes/deals/batch/read`,
  noteSearch: `/crm/objects/${version}/notes/search`,
  notesById: `/crm/objects/${version}/notes/batch/read`,
  owners: `/crm/owners/${version}`,
  pipelines: `/crm/pipelines/${version}/deals`,
  property: (name: string) => `/crm/properties/${version}/deals/${encodeURIComponent(name)}`,
};

/** The scopes that a token needs, by the beginning of the path. */
const scopes = [
  ['/crm/owners/', 'crm.objects.owners.read'],
  [`/crm/objects/${version}/notes/`, 'crm.objects.contacts.read'],
  ['/crm/', 'crm.objects.deals.read'],
] as const;

/** HubSpot's limits for the rows of an answer. */
export const pageSize = { list: 100, search: 200, batch: 100 };

/**
 * HubSpot allows five searches a second for each account, in which other apps may search, too, and 100 other requests
 * in ten seconds.
 */
const gapMs = { search: 250, other: 110 };

// Answers

const paging = z.object({ next: z.object({ after: z.string().min(1) }).nullish() }).nullish();

/** Ids of deals and notes are numbers of up to 19 digits; searches are ordered by them. */
export const recordId = id.refine((text) => /^\d{1,19}$/.test(text), { error: wrong('number') });

export const DealProperties = z.looseObject({
  dealname: optionalText,
  amount: optionalDecimal,
  deal_currency_code: optionalCurrency,
  closedate: optionalTime,
  pipeline: optionalId,
  dealstage: optionalId,
  hubspot_owner_id: optionalId,
  closed_lost_reason: optionalText,
  industry: optionalText,
  hs_is_closed: optionalFlag,
  hs_is_closed_won: optionalFlag,
  hs_deal_stage_probability: optionalNumber,
  notes_last_updated: optionalTime,
});

export const Deal = z.object({ id: recordId, properties: DealProperties });
export type Deal = z.output<typeof Deal>;

export const DealList = z.object({ results: z.array(Deal), paging });

export const ArchivedDeals = z.object({
  results: z.array(z.object({ id: recordId, archivedAt: optionalTime })),
  paging,
});

export const Note = z.object({
  id: recordId,
  properties: z.object({ hs_note_body: optionalText, hs_timestamp: optionalTime }),
});

const Associations = z.object({
  results: z.array(z.object({ from: z.object({ id }), to: z.array(z.object({ toObjectId: id })), paging })),
});

export const Owners = z.object({ results: z.array(z.object({ id, email: optionalText })), paging });

export const Pipelines = z.object({
  results: z.array(
    z.object({
      stages: z.array(
        z.object({ id, metadata: z.object({ isClosed: optionalFlag, probability: optionalNumber }).nullish() }),
      ),
    }),
  ),
});

export const Property = z.object({
  type: optionalText,
  options: z.array(z.object({ value: z.string(), label: z.string() })).nullish(),
});

export const Account = z.object({ timeZone: optionalText, companyCurrency: optionalCurrency });

/** Sends the requests with the token, keeps the rate limit, and names the missing scope if HubSpot answers 403. */
export class HubSpotApi {
  readonly #send: ReturnType<typeof makeJsonApi>;

  /** `address` replaces HubSpot's public one. */
  constructor(address: URL = publicAddress, token: string, http: CrmHttp) {
    this.#send = makeJsonApi({ name: 'HubSpot', address, headers: { Authorization: `Bearer ${token}` }, http });
  }

  get<Form extends z.ZodType>(path: string, form: Form, query: QueryParameters = {}): Promise<z.output<Form>> {
    return this.#ask(path, form, { query });
  }

  post<Form extends z.ZodType>(path: string, form: Form, body: unknown): Promise<z.output<Form>> {
    return this.#ask(path, form, { body });
  }

  async #ask<Form extends z.ZodType>(
    path: string,
    form: Form,
    sent: { query?: QueryParameters; body?: unknown },
  ): Promise<z.output<Form>> {
    try {
      return await this.#send(path, form, { ...sent, gapMs: path.endsWith('/search') ? gapMs.search : gapMs.other });
    } catch (error) {
      if (!(error instanceof SyncFailure) || error.status !== 403) throw error;
      const scope = scopes.find(([start]) => path.startsWith(start))?.[1];
      if (scope === undefined) throw error;
      throw new SyncFailure('credentials_refused', syncMessages.scopeMissing(path, scope), 403);
    }
  }

  /**
   * A search returns at most 10,000 rows, on all pages together. So each request is a new search, of which only the
   * first page is read: changes since a time with an id above the last one, ordered by id. Ids never repeat, so no row
   * is skipped and the loop ends even if everything changed in the same millisecond. `lastId` is undefined after the
   * last page.
   */
  async search<Row extends z.ZodType<{ id: string }>>(
    path: string,
    row: Row,
    { since, afterId, properties, limit }: Search,
  ): Promise<{ rows: z.output<Row>[]; lastId: string | undefined }> {
    const { results, paging: pages } = await this.post(path, z.object({ results: z.array(row), paging }), {
      filterGroups: [
        {
          filters: [
            { propertyName: 'hs_lastmodifieddate', operator: 'GTE', value: String(since.getTime()) },
            { propertyName: 'hs_object_id', operator: 'GT', value: afterId },
          ],
        },
      ],
      sorts: [{ propertyName: 'hs_object_id', direction: 'ASCENDING' }],
      properties,
      limit,
    });
    let lastId = afterId;
    for (const [index, { id: found }] of results.entries()) {
      // A search that ignores the order would be repeated forever.
      if (BigInt(found) <= BigInt(lastId)) {
        const place = `HubSpot, ${path}: results[${index}].id`;
        throw new SyncFailure('malformed', syncMessages.idNotAbove(place, lastId));
      }
      lastId = found;
    }
    const isLast = results.length === 0 || (results.length < limit && !pages?.next);
    return { rows: results, lastId: isLast ? undefined : lastId };
  }

  /** For each record, the ids of the records that are linked with it. */
  async linked(path: string, ids: readonly string[]): Promise<Map<string, string[]>> {
    const links = new Map<string, string[]>();
    let inputs = ids.map((from): { id: string; after?: string } => ({ id: from }));
    while (inputs.length > 0) {
      const batch = inputs.splice(0, pageSize.batch);
      const { results } = await this.post(path, Associations, { inputs: batch });
      const further: typeof inputs = [];
      for (const { from, to, paging: pages } of results) {
        const known = new Set(links.get(from.id));
        const before = known.size;
        for (const { toObjectId } of to) known.add(toObjectId);
        links.set(from.id, [...known]);
        // After a page without new rows the loop would request the same page forever.
        if (pages?.next && known.size > before) further.push({ id: from.id, after: pages.next.after });
      }
      inputs = [...further, ...inputs];
    }
    return links;
  }

  async byId<Form extends z.ZodType>(path: string, form: Form, ids: readonly string[], properties: readonly string[]) {
    const found: z.output<Form>[] = [];
    for (let start = 0; start < ids.length; start += pageSize.batch) {
      const inputs = ids.slice(start, start + pageSize.batch).map((wanted) => ({ id: wanted }));
      const { results } = await this.post(path, z.object({ results: z.array(form) }), { inputs, properties });
      found.push(...results);
    }
    return found;
  }
}

interface Search {
  readonly since: Date;
  readonly afterId: string;
  readonly properties: readonly string[];
  readonly limit: number;
}
