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
  readAnswer,
} from './answer.ts';
import { objectionsOf } from './objections.ts';
import type { DealNote } from './objections.ts';
import { once } from './once.ts';
import { positionText } from './position.ts';
import { SyncFailure } from './provider.ts';
import type {
  ChangesPage,
  CrmHttp,
  CrmProvider,
  DeletedDeal,
  OpenProvider,
  ProviderSettings,
  SourceDeal,
} from './provider.ts';
import { dayIn } from './time-zone.ts';

// HubSpot's CRM, version 2026-03 of its API, with the token of a private app or a service key.
//
// A run that wants everything walks the list of deals. A run that wants changes has three parts, one after the other: the deals that
// changed, the deals of notes that changed (where notes are objections), and the archived deals, which is how HubSpot keeps deleted ones.

const publicAddress = new URL('https://api.hubapi.com');

/** HubSpot supports a version for at least 18 months: this one until September 2027. */
const version = '2026-03';

const paths = {
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

/** What a token must be allowed to do, by the beginning of the path. */
const scopes = [
  ['/crm/owners/', 'crm.objects.owners.read'],
  [`/crm/objects/${version}/notes/`, 'crm.objects.contacts.read'],
  ['/crm/', 'crm.objects.deals.read'],
] as const;

/** Most rows of an answer: HubSpot's own limits. */
const pageSize = { list: 100, search: 200, batch: 100, owners: 100 };

/** A search of notes is followed by reads of all their deals, so that its pages are shorter. */
const notesPerPage = 100;

/** HubSpot allows five searches a second and account, and 100 other requests in ten seconds. The account has other apps too. */
const gapMs = { search: 250, other: 110 };

const mostPagesOfOwners = 1_000;

// ── Answers ────────────────────────────────────────────────────────────────────────────────────────────────────────────

const paging = z.object({ next: z.object({ after: z.string().min(1) }).nullish() }).nullish();

/** Ids of deals and notes are numbers of up to 19 digits: searches go by their order. */
const recordId = id.refine((text) => /^\d{1,19}$/.test(text), { error: 'It must be a number.' });

const DealProperties = z.looseObject({
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

const Deal = z.object({ id: recordId, properties: DealProperties });
type Deal = z.output<typeof Deal>;

const DealList = z.object({ results: z.array(Deal), paging });

const ArchivedDeals = z.object({ results: z.array(z.object({ id: recordId, archivedAt: optionalTime })), paging });

const Note = z.object({
  id: recordId,
  properties: z.object({ hs_note_body: optionalText, hs_timestamp: optionalTime }),
});

const Associations = z.object({
  results: z.array(z.object({ from: z.object({ id }), to: z.array(z.object({ toObjectId: id })), paging })),
});

const Owners = z.object({ results: z.array(z.object({ id, email: optionalText })), paging });

const Pipelines = z.object({
  results: z.array(
    z.object({
      stages: z.array(
        z.object({ id, metadata: z.object({ isClosed: optionalFlag, probability: optionalNumber }).nullish() }),
      ),
    }),
  ),
});

const Property = z.object({
  type: optionalText,
  options: z.array(z.object({ value: z.string(), label: z.string() })).nullish(),
});

const Account = z.object({ timeZone: optionalText, companyCurrency: optionalCurrency });

// ── Where a run is ─────────────────────────────────────────────────────────────────────────────────────────────────────

const Position = z.discriminatedUnion('part', [
  z.strictObject({ part: z.literal('all'), after: z.string().min(1).optional() }),
  z.strictObject({ part: z.literal('changed'), afterId: recordId }),
  z.strictObject({ part: z.literal('notes'), afterId: recordId }),
  z.strictObject({ part: z.literal('archived'), after: z.string().min(1).optional() }),
]);
type Position = z.output<typeof Position>;

export const hubSpotPositions = positionText('hubspot-1', Position);

// ── The provider ───────────────────────────────────────────────────────────────────────────────────────────────────────

export const openHubSpot: OpenProvider = ({ url, token, settings }, http) =>
  new HubSpot(new HubSpotApi(url ?? publicAddress, token, http), settings);

/** The requests: the address, the token, the rate limit, and what a refusal means. */
class HubSpotApi {
  readonly #base: URL;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #http: CrmHttp;

  constructor(base: URL, token: string, http: CrmHttp) {
    this.#base = base;
    this.#headers = { Authorization: `Bearer ${token}` };
    this.#http = http;
  }

  async get<Form extends z.ZodType>(
    path: string,
    form: Form,
    query: Readonly<Record<string, string | undefined>> = {},
  ): Promise<z.output<Form>> {
    return this.#ask('GET', path, form, query, undefined);
  }

  async post<Form extends z.ZodType>(path: string, form: Form, body: unknown): Promise<z.output<Form>> {
    return this.#ask('POST', path, form, {}, body);
  }

  async #ask<Form extends z.ZodType>(
    method: 'GET' | 'POST',
    path: string,
    form: Form,
    query: Readonly<Record<string, string | undefined>>,
    body: unknown,
  ): Promise<z.output<Form>> {
    const url = new URL(this.#base);
    url.pathname = url.pathname.replace(/\/$/, '') + path;
    for (const [name, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(name, value);
    const gap = path.endsWith('/search') ? gapMs.search : gapMs.other;
    try {
      const answer = await this.#http.json({ method, url, headers: this.#headers, body, gapMs: gap });
      return readAnswer(`HubSpot, ${path}`, form, answer);
    } catch (error) {
      if (!(error instanceof SyncFailure) || error.status !== 403) throw error;
      const scope = scopes.find(([start]) => path.startsWith(start))?.[1];
      if (scope === undefined) throw error;
      throw new SyncFailure('credentials_refused', `HubSpot refused ${path}: the token needs the scope ${scope}.`, 403);
    }
  }
}

class HubSpot implements CrmProvider {
  readonly #api: HubSpotApi;
  readonly #settings: ProviderSettings;

  constructor(api: HubSpotApi, settings: ProviderSettings) {
    this.#api = api;
    this.#settings = settings;
  }

  async tryCredentials(): Promise<void> {
    await this.#api.get(paths.deals, DealList, { limit: '1' });
    await this.#api.get(paths.owners, Owners, { limit: '1' });
    await this.#labels();
    if (this.#settings.notePrefix !== null) await this.#searchNotes(new Date(), '0', 1);
  }

  async fetchChanges(since: Date | undefined, cursor: string | undefined): Promise<ChangesPage> {
    const first: Position = since ? { part: 'changed', afterId: '0' } : { part: 'all' };
    const position = cursor === undefined ? first : hubSpotPositions.read(cursor);
    if (position.part === 'all') return this.#everything(position.after);
    // A position of changes goes with the time that its run began with; without one the run would be told to read everything.
    if (!since) return this.#everything(undefined);
    if (position.part === 'changed') return this.#changedDeals(since, position.afterId);
    if (position.part === 'notes') return this.#dealsOfChangedNotes(since, position.afterId);
    return this.#archivedDeals(since, position.after);
  }

  async #everything(after: string | undefined): Promise<ChangesPage> {
    const { results, paging: pages } = await this.#api.get(paths.deals, DealList, {
      limit: String(pageSize.list),
      properties: this.#properties().join(','),
      after,
    });
    return this.#page(results, pages?.next ? { part: 'all', after: pages.next.after } : undefined);
  }

  /**
   * A search ends at 10,000 rows, however one pages. Each request is therefore a search of its own: the deals that changed since, whose
   * id is above the last one's, in the order of their ids. It needs no second page, and as ids never repeat it skips none and ends, also
   * if all deals changed in the same millisecond. A deal that changes while the run is past it changed after the run's start, so that
   * the next run finds it.
   */
  async #changedDeals(since: Date, afterId: string): Promise<ChangesPage> {
    const { results, paging: pages } = await this.#api.post(
      paths.dealSearch,
      DealList,
      searchOf(since, afterId, this.#properties(), pageSize.search),
    );
    const lastId = lastInOrder(paths.dealSearch, afterId, results);
    const next: Position = this.#settings.notePrefix === null ? { part: 'archived' } : { part: 'notes', afterId: '0' };
    return this.#page(
      results,
      lastId === undefined || isLast(results, pages, pageSize.search) ? next : { part: 'changed', afterId: lastId },
    );
  }

  /** A note that is written or changed does not always change its deal. */
  async #dealsOfChangedNotes(since: Date, afterId: string): Promise<ChangesPage> {
    const { results, paging: pages } = await this.#searchNotes(since, afterId, notesPerPage);
    const lastId = lastInOrder(paths.noteSearch, afterId, results);
    const links = await this.#associated(
      paths.noteDeals,
      results.map((note) => note.id),
    );
    const deals = await this.#byId(paths.dealsById, Deal, [...new Set([...links.values()].flat())], this.#properties());
    return this.#page(
      deals,
      lastId === undefined || isLast(results, pages, notesPerPage)
        ? { part: 'archived' }
        : { part: 'notes', afterId: lastId },
    );
  }

  #searchNotes(since: Date, afterId: string, limit: number) {
    return this.#api.post(
      paths.noteSearch,
      z.object({ results: z.array(Note), paging }),
      searchOf(since, afterId, noteProperties, limit),
    );
  }

  /** No search finds archived deals, and their list has no filter: it is read whole, and what was archived before is passed over. */
  async #archivedDeals(since: Date, after: string | undefined): Promise<ChangesPage> {
    const { results, paging: pages } = await this.#api.get(paths.deals, ArchivedDeals, {
      archived: 'true',
      limit: String(pageSize.list),
      properties: 'hs_object_id',
      after,
    });
    const deals = results
      .filter(({ archivedAt }) => archivedAt === null || archivedAt >= since)
      .map((deal): DeletedDeal => ({ id: deal.id, deleted: true }));
    const next: Position | undefined = pages?.next ? { part: 'archived', after: pages.next.after } : undefined;
    return { deals, objections: [], nextCursor: next && hubSpotPositions.write(next) };
  }

  #properties(): string[] {
    const { objectionProperty } = this.#settings;
    return [
      ...new Set([...Object.keys(DealProperties.shape), ...(objectionProperty === null ? [] : [objectionProperty])]),
    ];
  }

  // ── From HubSpot's deals to the service's ──

  async #page(found: readonly Deal[], next: Position | undefined): Promise<ChangesPage> {
    const nextCursor = next && hubSpotPositions.write(next);
    if (found.length === 0) return { deals: [], objections: [], nextCursor };
    const notes = await this.#notesOf(found.map((deal) => deal.id));
    const { lostReasons, property } = await this.#labels();
    const owners = await this.#owners();
    const stages = await this.#stages();
    const account = await this.#account();

    const deals: SourceDeal[] = [];
    const objections: ChangesPage['objections'][number][] = [];
    for (const { id: dealId, properties } of found) {
      const stage = properties.dealstage === null ? undefined : stages.get(properties.dealstage);
      const outcome = outcomeOf(properties, stage);
      const lostReason = properties.closed_lost_reason && labelOf(lostReasons, properties.closed_lost_reason);
      deals.push({
        id: dealId,
        outcome,
        title: properties.dealname,
        amount: properties.amount,
        currency: properties.deal_currency_code ?? account.currency,
        closeDate: properties.closedate && account.dayOf(properties.closedate),
        probability: perCent(properties.hs_deal_stage_probability ?? stage?.probability ?? null),
        pipelineId: properties.pipeline,
        stageId: properties.dealstage,
        industry: properties.industry,
        lostReason,
        ownerEmail: (properties.hubspot_owner_id && owners.get(properties.hubspot_owner_id)) || null,
        lastActivityAt: properties.notes_last_updated,
      });
      const sources = {
        lostReason,
        lostAt: outcome === 'lost' ? properties.closedate : null,
        property: this.#propertyTexts(properties, property),
        notes: notes.get(dealId) ?? [],
      };
      objections.push(...objectionsOf(dealId, sources, this.#settings));
    }
    return { deals, objections, nextCursor };
  }

  #propertyTexts(properties: Deal['properties'], definition: PropertyLabels | undefined) {
    const { objectionProperty } = this.#settings;
    const value = objectionProperty === null ? null : properties[objectionProperty];
    if (typeof value !== 'string' || value === '') return [];
    // Several options of a property are one text, with semicolons between them.
    if (!definition?.labels) return [{ key: 'text', text: value }];
    return value
      .split(';')
      .filter((option) => option !== '')
      .map((option) => ({ key: option, text: labelOf(definition, option) }));
  }

  async #notesOf(dealIds: readonly string[]): Promise<Map<string, DealNote[]>> {
    if (this.#settings.notePrefix === null) return new Map();
    const links = await this.#associated(paths.dealNotes, dealIds);
    const notes = new Map<string, DealNote>();
    for (const { id: noteId, properties } of await this.#byId(
      paths.notesById,
      Note,
      [...new Set([...links.values()].flat())],
      noteProperties,
    )) {
      notes.set(noteId, { id: noteId, content: properties.hs_note_body ?? '', createdAt: properties.hs_timestamp });
    }
    return new Map(
      [...links].map(([dealId, noteIds]) => [dealId, noteIds.flatMap((noteId) => notes.get(noteId) ?? [])] as const),
    );
  }

  /** The ids that records are linked to, by the records' ids. */
  async #associated(path: string, ids: readonly string[]): Promise<Map<string, string[]>> {
    const links = new Map<string, string[]>();
    let inputs = ids.map((from): { id: string; after?: string } => ({ id: from }));
    while (inputs.length > 0) {
      const batch = inputs.splice(0, pageSize.batch);
      const { results } = await this.#api.post(path, Associations, { inputs: batch });
      const further: typeof inputs = [];
      for (const { from, to, paging: pages } of results) {
        const known = new Set(links.get(from.id));
        const before = known.size;
        for (const { toObjectId } of to) known.add(toObjectId);
        links.set(from.id, [...known]);
        // A page without anything new would be followed by itself for ever.
        if (pages?.next && known.size > before) further.push({ id: from.id, after: pages.next.after });
      }
      inputs = [...further, ...inputs];
    }
    return links;
  }

  async #byId<Form extends z.ZodType>(path: string, form: Form, ids: readonly string[], properties: readonly string[]) {
    const found: z.output<Form>[] = [];
    for (let start = 0; start < ids.length; start += pageSize.batch) {
      const inputs = ids.slice(start, start + pageSize.batch).map((wanted) => ({ id: wanted }));
      const { results } = await this.#api.post(path, z.object({ results: z.array(form) }), { inputs, properties });
      found.push(...results);
    }
    return found;
  }

  // ── What deals refer to, read once in a run ──

  /** Addresses of owners by their ids, those of former owners too: their deals stay theirs. */
  readonly #owners = once(async () => {
    const emails = new Map<string, string>();
    for (const archived of ['true', 'false']) {
      let after: string | undefined;
      for (let pages = 0; pages < mostPagesOfOwners; pages += 1) {
        const answer = await this.#api.get(paths.owners, Owners, { archived, limit: String(pageSize.owners), after });
        for (const owner of answer.results) if (owner.email !== null) emails.set(owner.id, owner.email);
        after = answer.paging?.next?.after;
        if (after === undefined) break;
      }
    }
    return emails;
  });

  readonly #stages = once(async () => {
    const { results } = await this.#api.get(paths.pipelines, Pipelines);
    return new Map(
      results.flatMap(({ stages }) =>
        stages.map(({ id: stageId, metadata }): [string, Stage] => [
          stageId,
          { isClosed: metadata?.isClosed ?? null, probability: metadata?.probability ?? null },
        ]),
      ),
    );
  });

  /** The labels of options, where the lost reason or the configured property have options. */
  readonly #labels = once(async () => {
    const { objectionProperty } = this.#settings;
    // Without a definition of the lost reason its values are taken as they are.
    const lostReasons = await this.#api
      .get(paths.property('closed_lost_reason'), Property)
      .then(labelsOf, unlessMissing);
    if (objectionProperty === null) return { lostReasons, property: undefined };
    const property = await this.#api.get(paths.property(objectionProperty), Property).then(labelsOf, unlessMissing);
    if (property) return { lostReasons, property };
    throw new SyncFailure(
      'malformed',
      `HubSpot has no property of deals with the internal name ${objectionProperty}.`,
      404,
    );
  });

  /** What the account has for all deals: days are those of its time zone, and a deal without a currency has the company's. */
  readonly #account = once(async () => {
    const account = await this.#api.get(paths.account, Account).catch(unlessMissing);
    return { dayOf: dayIn(account?.timeZone ?? null), currency: account?.companyCurrency ?? null };
  });
}

const noteProperties = ['hs_note_body', 'hs_timestamp'];

const searchOf = (since: Date, afterId: string, properties: readonly string[], limit: number) => ({
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

/** The last id of a search, undefined if it found nothing. Ids must ascend: a search that does not would be repeated for ever. */
const lastInOrder = (
  path: string,
  afterId: string,
  results: readonly { readonly id: string }[],
): string | undefined => {
  let last = afterId;
  for (const [index, { id: found }] of results.entries()) {
    if (BigInt(found) <= BigInt(last)) {
      throw new SyncFailure('malformed', `HubSpot, ${path}: results[${index}].id: It must be above ${last}.`);
    }
    last = found;
  }
  return results.length === 0 ? undefined : last;
};

const isLast = (results: readonly unknown[], pages: z.output<typeof paging>, limit: number): boolean =>
  results.length < limit && !pages?.next;

interface Stage {
  readonly isClosed: boolean | null;
  /** 0 to 1. */
  readonly probability: number | null;
}

/** A stage that closes deals has won them at a probability of one. Deals of a deleted stage say themselves what became of them. */
const outcomeOf = (deal: Deal['properties'], stage: Stage | undefined): SourceDeal['outcome'] => {
  if (stage && stage.isClosed !== null) {
    if (!stage.isClosed) return 'open';
    return stage.probability === 1 ? 'won' : 'lost';
  }
  if (deal.hs_is_closed_won === true) return 'won';
  return deal.hs_is_closed === true ? 'lost' : 'open';
};

const perCent = (probability: number | null): number | null =>
  probability === null ? null : Math.min(100, Math.max(0, Math.round(probability * 100)));

interface PropertyLabels {
  /** By value; undefined for a property without options. */
  readonly labels: ReadonlyMap<string, string> | undefined;
}

const labelsOf = ({ type, options }: z.output<typeof Property>): PropertyLabels => ({
  labels: type === 'enumeration' ? new Map(options?.map(({ value, label }) => [value, label])) : undefined,
});

const labelOf = (property: PropertyLabels | undefined, value: string): string => property?.labels?.get(value) ?? value;

/** For an answer that a run can do without: undefined if HubSpot does not have it, or not for this token. */
const unlessMissing = (error: unknown): undefined => {
  if (error instanceof SyncFailure && (error.status === 403 || error.status === 404)) return undefined;
  throw error;
};
