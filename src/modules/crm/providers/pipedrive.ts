import { syncMessages } from '../../../core/messages/crm.ts';
import { z } from 'zod';
import { id, optionalText } from './answer.ts';
import type { Query } from './json-api.ts';
import { afterPrefix, objectionsOf } from './objections.ts';
import type { DealNote } from './objections.ts';
import { SyncFailure } from './failure.ts';
import { once, positionText, unreadable, dayIn } from './provider.ts';
import {
  Activity,
  Deal,
  Field,
  idsPerRequest,
  Note,
  pageSize,
  paths,
  Pipeline,
  PipedriveApi,
  Stage,
  timeOfVersion1,
  User,
} from './pipedrive-api.ts';
import type { ChangesPage, CrmProvider, OpenProvider, ProviderSettings } from './provider.ts';
import type { DeletedDeal, SourceDeal, SourceObjection } from './rows.ts';

// Pipedrive, with the API token of a user.
//
// Archived deals are normal deals that Pipedrive hides; they have a route of their own. A full run reads both kinds. An incremental run
// reads the changes of both kinds, then the deleted deals, and then the deals of changed notes.
//
// If notes are objections, a full run, or one that finds many changed deals with notes, reads all notes in its last part, page by page.
// So each note is read once in a run, whatever the number of workers.

/** How many notes, which may be long, fit into an answer of the permitted size. */
const notesPerPage = 100;

/** If at most this many deals of a page have notes, their notes are read deal by deal. For more deals, reading all notes takes fewer requests. */
const mostDealsByThemselves = 20;

// ── Where a run is ─────────────────────────────────────────────────────────────────────────────────────────────────────

/** Whether the last part reads all notes or only the changed ones. */
const allNotes = z.literal(true).optional();

const Position = z.discriminatedUnion('part', [
  z.strictObject({ part: z.literal('deals'), cursor: z.string().min(1).optional(), allNotes }),
  z.strictObject({ part: z.literal('archived'), cursor: z.string().min(1).optional(), allNotes }),
  z.strictObject({ part: z.literal('deleted'), cursor: z.string().min(1).optional(), allNotes }),
  z.strictObject({ part: z.literal('notes'), start: z.int().min(0), allNotes }),
]);
type Position = z.output<typeof Position>;

export const pipedrivePositions = positionText(Position);

/** Notes that are objections, by their deals. */
type Notes = ReadonlyMap<string, readonly DealNote[]>;

const noNotes: Notes = new Map();

// ── The provider ───────────────────────────────────────────────────────────────────────────────────────────────────────

export const openPipedrive: OpenProvider = ({ url, token, settings }, http) =>
  new Pipedrive(new PipedriveApi(url, token, http), settings);

class Pipedrive implements CrmProvider {
  readonly #api: PipedriveApi;
  readonly #settings: ProviderSettings;

  constructor(api: PipedriveApi, settings: ProviderSettings) {
    this.#api = api;
    this.#settings = settings;
  }

  async tryCredentials(): Promise<void> {
    await this.#api.get(paths.deals, Deal, { limit: '1' });
    await this.#users();
    await this.#fields();
  }

  async fetchChanges(since: Date | undefined, cursor: string | undefined): Promise<ChangesPage> {
    const first: Position = since ? { part: 'deals' } : { part: 'deals', allNotes: true };
    const position = cursor === undefined ? first : pipedrivePositions.read(cursor);
    if (position.part === 'deals' || position.part === 'archived') return this.#deals(since, position);
    if (position.part === 'notes' && position.allNotes) return this.#allNotes(position.start);
    if (!since) throw unreadable();
    return position.part === 'deleted'
      ? this.#deleted(since, position)
      : this.#dealsOfChangedNotes(since, position.start);
  }

  /** The part of the run after the deals. */
  #lastPart(since: Date | undefined, all: true | undefined): Position | undefined {
    if (this.#settings.note_prefix === null || !(since || all)) return undefined;
    return { part: 'notes', start: 0, ...(all && { allNotes: all }) };
  }

  /** Deals are ordered by id, so that a change of one deal does not move others out of the next pages. */
  async #deals(
    since: Date | undefined,
    { part, cursor, allNotes: allBefore }: Extract<Position, { part: 'deals' | 'archived' }>,
  ): Promise<ChangesPage> {
    const { rows, nextCursor } = await this.#api.get(paths[part], Deal, {
      ...(await this.#dealQuery()),
      updated_since: since && seconds(since),
      sort_by: 'id',
      sort_direction: 'asc',
      limit: String(pageSize),
      cursor,
    });
    const all = allBefore ?? (this.#hasManyNotes(rows) || undefined);
    const notes = all ? noNotes : await this.#notesOf(rows);
    const flag = all && { allNotes: all };
    if (nextCursor !== undefined) return this.#page(rows, notes, { part, cursor: nextCursor, ...flag });
    if (part === 'deals') return this.#page(rows, notes, { part: 'archived', ...flag });
    return this.#page(rows, notes, since ? { part: 'deleted', ...flag } : this.#lastPart(since, all));
  }

  /** Pipedrive keeps deleted deals for 30 days. */
  async #deleted(since: Date, { cursor, allNotes: all }: Extract<Position, { part: 'deleted' }>): Promise<ChangesPage> {
    const { rows, nextCursor } = await this.#api.get(paths.deals, z.object({ id }), {
      status: 'deleted',
      updated_since: seconds(since),
      sort_by: 'id',
      sort_direction: 'asc',
      limit: String(pageSize),
      cursor,
    });
    const next: Position | undefined =
      nextCursor === undefined
        ? this.#lastPart(since, all)
        : { part: 'deleted', cursor: nextCursor, ...(all && { allNotes: all }) };
    const deals = rows.map((deal): DeletedDeal => ({ id: deal.id, deleted: true }));
    return { deals, objections: [], nextCursor: next && pipedrivePositions.write(next) };
  }

  /** A new or changed note does not always change its deal, so such deals are read again. The list may contain deleted notes. */
  async #dealsOfChangedNotes(since: Date, start: number): Promise<ChangesPage> {
    const { rows, nextStart } = await this.#api.get(paths.notes, Note, {
      updated_since: seconds(since),
      sort: 'id ASC',
      limit: String(notesPerPage),
      start: String(start),
    });
    const dealIds = [...new Set(rows.flatMap((note) => note.deal_id ?? []))];
    const deals: Deal[] = [];
    for (const part of ['deals', 'archived'] as const) {
      for (let first = 0; first < dealIds.length; first += idsPerRequest) {
        const ids = dealIds.slice(first, first + idsPerRequest).join(',');
        const found = await this.#api.get(paths[part], Deal, {
          ...(await this.#dealQuery()),
          ids,
          limit: String(idsPerRequest),
        });
        deals.push(...found.rows);
      }
    }
    // Unchanged notes are already stored.
    const notes = this.#hasManyNotes(deals) ? this.#objectionNotes(rows) : await this.#notesOf(deals);
    return this.#page(deals, notes, nextStart === undefined ? undefined : { part: 'notes', start: nextStart });
  }

  /** Objections from notes. Their deals are already stored; objections of other deals are left out. */
  async #allNotes(start: number): Promise<ChangesPage> {
    const { rows, nextStart } = await this.#api.get(paths.notes, Note, {
      sort: 'id ASC',
      limit: String(notesPerPage),
      start: String(start),
    });
    const objections: SourceObjection[] = [];
    for (const [dealId, notes] of this.#objectionNotes(rows)) {
      const sources = { lostReason: null, lostAt: null, property: [], notes };
      objections.push(...objectionsOf(dealId, sources, this.#settings));
    }
    const position: Position | undefined =
      nextStart === undefined ? undefined : { part: 'notes', start: nextStart, allNotes: true };
    return { deals: [], objections, nextCursor: position && pipedrivePositions.write(position) };
  }

  async #dealQuery(): Promise<Query> {
    const { property, industry, anyCustom } = await this.#fields();
    const wanted = [property, industry].filter((field) => field?.is_custom_field === true);
    // Without a list Pipedrive sends all custom fields, so one field is named even if none is needed.
    const named = wanted.length > 0 ? wanted : [anyCustom];
    return {
      include_fields: this.#settings.note_prefix === null ? 'last_activity_id' : 'last_activity_id,notes_count',
      custom_fields: named.flatMap((field) => field?.field_code ?? []).join(',') || undefined,
    };
  }

  // ── From Pipedrive's deals to the service's ──

  async #page(found: readonly Deal[], notes: Notes, next: Position | undefined): Promise<ChangesPage> {
    const nextCursor = next && pipedrivePositions.write(next);
    const present = found.filter((deal) => !isDeleted(deal));
    const deleted = found.filter(isDeleted).map((deal): DeletedDeal => ({ id: deal.id, deleted: true }));
    if (present.length === 0) return { deals: deleted, objections: [], nextCursor };
    const activities = await this.#activityTimes(present.flatMap((deal) => deal.last_activity_id ?? []));
    const fields = await this.#fields();
    const users = await this.#users();
    const stages = await this.#stages();

    const deals: SourceDeal[] = [];
    const objections: SourceObjection[] = [];
    for (const deal of present) {
      const owner = deal.owner_id === null ? undefined : users.get(deal.owner_id);
      const lostReason = deal.lost_reason && labelOf(fields.lostReason, deal.lost_reason);
      deals.push({
        id: deal.id,
        outcome: deal.status === 'deleted' ? 'open' : deal.status,
        title: deal.title,
        amount: deal.value,
        currency: deal.currency,
        close_date: deal.close_time ? dayIn(owner?.timeZone ?? null)(deal.close_time) : deal.expected_close_date,
        probability: probabilityOf(deal, stages),
        pipeline_id: deal.pipeline_id,
        stage_id: deal.stage_id,
        industry: textsOf(deal, fields.industry)[0]?.text ?? null,
        lost_reason: lostReason,
        owner_email: owner?.email ?? null,
        last_activity_at: (deal.last_activity_id && activities.get(deal.last_activity_id)) || null,
      });
      const sources = {
        lostReason,
        lostAt: deal.lost_time,
        property: textsOf(deal, fields.property),
        notes: notes.get(deal.id) ?? [],
      };
      objections.push(...objectionsOf(deal.id, sources, this.#settings));
    }
    return { deals: [...deleted, ...deals], objections, nextCursor };
  }

  #withNotes(deals: readonly Deal[]): readonly Deal[] {
    if (this.#settings.note_prefix === null) return [];
    return deals.filter((deal) => deal.notes_count !== 0 && !isDeleted(deal));
  }

  #hasManyNotes(deals: readonly Deal[]): boolean {
    return this.#withNotes(deals).length > mostDealsByThemselves;
  }

  async #notesOf(deals: readonly Deal[]): Promise<Notes> {
    const notes = new Map<string, DealNote[]>();
    for (const deal of this.#withNotes(deals)) {
      const query = { deal_id: deal.id, sort: 'id ASC', limit: String(notesPerPage) };
      for await (const rows of this.#api.pagesFromStart(paths.notes, Note, query)) this.#objectionNotes(rows, notes);
    }
    return notes;
  }

  /** Adds the notes that are objections. */
  #objectionNotes(rows: readonly Note[], notes = new Map<string, DealNote[]>()): Map<string, DealNote[]> {
    const { note_prefix: notePrefix } = this.#settings;
    for (const { id: noteId, deal_id: dealId, content, add_time: addTime, active_flag: active } of rows) {
      if (notePrefix === null || dealId === null || content === null || active === false) continue;
      if (afterPrefix(content, notePrefix) === undefined) continue;
      const ofDeal = notes.get(dealId) ?? [];
      ofDeal.push({ id: noteId, content, createdAt: timeOfVersion1(addTime) });
      notes.set(dealId, ofDeal);
    }
    return notes;
  }

  /** The times of activities: when they were done, or else when they are due. */
  async #activityTimes(ids: readonly string[]): Promise<Map<string, Date>> {
    const times = new Map<string, Date>();
    for (let first = 0; first < ids.length; first += idsPerRequest) {
      const wanted = ids.slice(first, first + idsPerRequest).join(',');
      const { rows } = await this.#api.get(paths.activities, Activity, { ids: wanted, limit: String(idsPerRequest) });
      for (const activity of rows) {
        const due = activity.due_date && `${activity.due_date} ${activity.due_time?.slice(0, 5) ?? '00:00'}:00`;
        const time = timeOfVersion1(activity.marked_as_done_time) ?? timeOfVersion1(due);
        if (time) times.set(activity.id, time);
      }
    }
    return times;
  }

  // ── What deals refer to, read once in a run ──

  /** The users of the company, including inactive ones, whose deals remain theirs. */
  readonly #users = once(async () => {
    const { rows } = await this.#api.get(paths.users, User, {});
    return new Map(rows.map((user) => [user.id, { email: user.email, timeZone: user.timezone_name }] as const));
  });

  /** The probabilities of stages in percent; null in a pipeline without probabilities. */
  readonly #stages = once(async () => {
    const pipelines = await this.#api.all(paths.pipelines, Pipeline);
    const withProbability = new Set(
      pipelines.flatMap((pipeline) => (pipeline.is_deal_probability_enabled === true ? pipeline.id : [])),
    );
    const stages = await this.#api.all(paths.stages, Stage);
    return new Map(
      stages.map((stage) => [
        stage.id,
        stage.pipeline_id !== null && withProbability.has(stage.pipeline_id) ? stage.deal_probability : null,
      ]),
    );
  });

  /** The fields of deals that are used here. The keys of custom fields are hashes, so these are found by name. */
  readonly #fields = once(async () => {
    const { objection_property: objectionProperty } = this.#settings;
    const fields = await this.#api.all(paths.fields, Field);
    const named = (name: string) => fields.find((field) => field.field_name.toLowerCase() === name.toLowerCase());
    const keyed = (key: string) => fields.find((field) => field.field_code === key);
    const property = objectionProperty === null ? undefined : (keyed(objectionProperty) ?? named(objectionProperty));
    if (objectionProperty !== null && !property) {
      throw new SyncFailure('malformed', syncMessages.noPipedriveField(objectionProperty));
    }
    const industry = industryNames.flatMap((name) => named(name) ?? []).find((field) => field.is_custom_field === true);
    const anyCustom = fields.find((field) => field.is_custom_field === true && field.field_type !== 'text');
    return { lostReason: keyed('lost_reason'), property, industry, anyCustom };
  });
}

/** The industry is a custom field with this name, if the company has one. */
const industryNames = ['industry', 'branche'];

/** `updated_since` accepts whole seconds. An earlier time loses nothing. */
const seconds = (time: Date): string => `${time.toISOString().slice(0, 19)}Z`;

const isDeleted = (deal: Deal): boolean => deal.status === 'deleted' || deal.is_deleted === true;

const probabilityOf = (deal: Deal, stages: ReadonlyMap<string, number | null>): number | null => {
  if (deal.status === 'won') return 100;
  if (deal.status === 'lost') return 0;
  const probability = deal.probability ?? (deal.stage_id === null ? null : (stages.get(deal.stage_id) ?? null));
  return probability === null ? null : Math.min(100, Math.max(0, Math.round(probability)));
};

/** The label of an option, given by its id; other texts as they are. */
const labelOf = (field: Field | undefined, value: string): string =>
  field?.options?.find((option) => option.id === value)?.label ?? value;

/** The text of a deal's field: its option or options, its text, or the text within an address or similar object. */
const textsOf = (deal: Deal, field: Field | undefined): { key: string; text: string }[] => {
  if (!field) return [];
  const value = field.is_custom_field === true ? deal.custom_fields?.[field.field_code] : deal[field.field_code];
  const hasOptions = (field.options?.length ?? 0) > 0;
  return (Array.isArray(value) ? value : [value]).flatMap((part: unknown) => {
    const text = optionalText.safeParse(
      isValued(part) ? part.value : typeof part === 'number' ? String(part) : part,
    ).data;
    if (text === null || text === undefined) return [];
    return { key: hasOptions ? text : 'text', text: hasOptions ? labelOf(field, text) : text };
  });
};

const isValued = (part: unknown): part is { readonly value: unknown } =>
  typeof part === 'object' && part !== null && 'value' in part;
