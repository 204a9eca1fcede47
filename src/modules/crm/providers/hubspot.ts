import { syncMessages } from '../../../core/messages/crm.ts';
import { z } from 'zod';
import {
  Account,
  ArchivedDeals,
  Deal,
  DealList,
  DealProperties,
  HubSpotApi,
  Note,
  Owners,
  pageSize,
  paths,
  Pipelines,
  Property,
  recordId,
} from './hubspot-api.ts';
import { objectionsOf, type DealNote } from './objections.ts';
import { SyncFailure } from './failure.ts';
import {
  once,
  positionText,
  unreadable,
  dayIn,
  type ChangesPage,
  type CrmProvider,
  type MakeProvider,
  type ProviderSettings,
} from './provider.ts';
import type { DeletedDeal, SourceDeal, SourceObjection } from './rows.ts';

// HubSpot's CRM, with the token of a private app or a service key.
//
// A full run reads the list of deals. An incremental run has three parts: the changed deals, the deals of changed notes
// (if notes are objections), and the archived deals, because HubSpot archives deleted deals.

/**
 * Each page of notes is followed by reads of all deals of these notes, so it is shorter than a page of changed deals.
 */
const notesPerPage = 100;

const noteProperties = ['hs_note_body', 'hs_timestamp'];

const maxPagesOfOwners = 1_000;

// Where a run is

const Position = z.discriminatedUnion('part', [
  z.strictObject({ part: z.literal('all'), after: z.string().min(1).max(1_000).optional() }),
  z.strictObject({ part: z.literal('changed'), afterId: recordId }),
  z.strictObject({ part: z.literal('notes'), afterId: recordId }),
  z.strictObject({ part: z.literal('archived'), after: z.string().min(1).max(1_000).optional() }),
]);
type Position = z.output<typeof Position>;

export const hubSpotPositions = positionText(Position);

// The provider

export const makeHubSpot: MakeProvider = ({ url, token, settings }, http) =>
  new HubSpot(new HubSpotApi(url, token, http), settings);

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
    if (!since) throw unreadable();
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

  /** If a deal changes after the run has read it, the change is after the run's start, so the next run finds it. */
  async #changedDeals(since: Date, afterId: string): Promise<ChangesPage> {
    const { rows, lastId } = await this.#api.search(paths.dealSearch, Deal, {
      since,
      afterId,
      properties: this.#properties(),
      limit: pageSize.search,
    });
    if (lastId !== undefined) return this.#page(rows, { part: 'changed', afterId: lastId });
    return this.#page(
      rows,
      this.#settings.notePrefix === null ? { part: 'archived' } : { part: 'notes', afterId: '0' },
    );
  }

  /** A new or changed note does not always change its deal, so the deals of these notes are read, too. */
  async #dealsOfChangedNotes(since: Date, afterId: string): Promise<ChangesPage> {
    const { rows, lastId } = await this.#searchNotes(since, afterId, notesPerPage);
    const noteIds = rows.map((note) => note.id);
    const deals = await this.#dealsById(idsIn(await this.#api.linked(paths.noteDeals, noteIds)));
    return this.#page(deals, lastId === undefined ? { part: 'archived' } : { part: 'notes', afterId: lastId });
  }

  #searchNotes(since: Date, afterId: string, limit: number) {
    return this.#api.search(paths.noteSearch, Note, { since, afterId, properties: noteProperties, limit });
  }

  #dealsById(ids: readonly string[]): Promise<Deal[]> {
    return this.#api.byId(paths.dealsById, Deal, ids, this.#properties());
  }

  /**
   * No search finds archived deals, and their list has no filter. So the list is read completely, and deals that were
   * archived before `since` are skipped.
   */
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

  // From HubSpot's deals to the service's

  async #page(found: readonly Deal[], next: Position | undefined): Promise<ChangesPage> {
    const nextCursor = next && hubSpotPositions.write(next);
    if (found.length === 0) return { deals: [], objections: [], nextCursor };
    const notes = await this.#notesOf(found.map((deal) => deal.id));
    const { lostReasons, property } = await this.#labels();
    const owners = await this.#owners();
    const stages = await this.#stages();
    const account = await this.#account();

    const deals: SourceDeal[] = [];
    const objections: SourceObjection[] = [];
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
    // A property with several options has them in one text, separated by semicolons.
    if (!definition?.labels) return [{ key: 'text', text: value }];
    return value
      .split(';')
      .filter((option) => option !== '')
      .map((option) => ({ key: option, text: labelOf(definition, option) }));
  }

  async #notesOf(dealIds: readonly string[]): Promise<ReadonlyMap<string, readonly DealNote[]>> {
    if (this.#settings.notePrefix === null) return new Map();
    const links = await this.#api.linked(paths.dealNotes, dealIds);
    const found = await this.#api.byId(paths.notesById, Note, idsIn(links), noteProperties);
    const notes = new Map(
      found.map(({ id, properties: { hs_note_body: body, hs_timestamp: createdAt } }): [string, DealNote] => [
        id,
        { id, content: body ?? '', createdAt },
      ]),
    );
    return new Map(
      [...links].map(([dealId, noteIds]) => [dealId, noteIds.flatMap((noteId) => notes.get(noteId) ?? [])]),
    );
  }

  // Users, stages and the like, to which deals refer: each list is read once while a worker has the run

  /** Addresses of owners by their ids, including former owners, whose deals remain theirs. */
  readonly #owners = once(async () => {
    const emails = new Map<string, string>();
    for (const archived of ['true', 'false']) {
      let after: string | undefined;
      for (let pages = 0; pages < maxPagesOfOwners; pages += 1) {
        const answer = await this.#api.get(paths.owners, Owners, { archived, limit: String(pageSize.list), after });
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
        stages.map(({ id: stageId, metadata }): [string, DealStage] => [
          stageId,
          { isClosed: metadata?.isClosed ?? null, probability: metadata?.probability ?? null },
        ]),
      ),
    );
  });

  /** The labels of options, if the lost reason or the configured property has options. */
  readonly #labels = once(async () => {
    const { objectionProperty } = this.#settings;
    // Without a definition of the lost reason, its values are used as they are.
    const lostReasons = await this.#api
      .get(paths.property('closed_lost_reason'), Property)
      .then(labelsOf, unlessStatus(404));
    if (objectionProperty === null) return { lostReasons, property: undefined };
    const property = await this.#api.get(paths.property(objectionProperty), Property).then(labelsOf, unlessStatus(404));
    if (property) return { lostReasons, property };
    throw new SyncFailure('malformed', syncMessages.noHubSpotProperty(objectionProperty), 404);
  });

  /**
   * The account's settings for all deals: its time zone defines days, and a deal without a currency has the company's.
   */
  readonly #account = once(async () => {
    const account = await this.#api.get(paths.account, Account).catch(unlessStatus(403, 404));
    return { dayOf: dayIn(account?.timeZone ?? null), currency: account?.companyCurrency ?? null };
  });
}

const idsIn = (links: ReadonlyMap<string, readonly string[]>): string[] => [...new Set([...links.values()].flat())];

interface DealStage {
  readonly isClosed: boolean | null;
  /** 0 to 1. */
  readonly probability: number | null;
}

/**
 * A deal in a closing stage is won if the stage has a probability of one, and lost otherwise. If the stage is not
 * known, for instance because it was deleted, the status of the deal itself counts.
 */
const outcomeOf = (deal: Deal['properties'], stage: DealStage | undefined): SourceDeal['outcome'] => {
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
  /** Labels by value; undefined for a property without options. */
  readonly labels: ReadonlyMap<string, string> | undefined;
}

const labelsOf = ({ type, options }: z.output<typeof Property>): PropertyLabels => ({
  labels: type === 'enumeration' ? new Map(options?.map(({ value, label }) => [value, label])) : undefined,
});

const labelOf = (property: PropertyLabels | undefined, value: string): string => property?.labels?.get(value) ?? value;

/**
 * Handles the error of a request whose answer the run does not need: undefined if HubSpot refused it with one of these
 * statuses.
 */
const unlessStatus =
  (...statuses: readonly number[]) =>
  (error: unknown): undefined => {
    if (error instanceof SyncFailure && error.status !== undefined && statuses.includes(error.status)) return undefined;
    throw error;
  };
