import { syncMessages } from '../../../core/messages/crm.ts';
import { z } from 'zod';
import { id, optionalText } from './answer.ts';
import { objectionsOf } from './objections.ts';
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
import type { DeletedDeal, SourceDeal, SourceObjection } from './rows.ts';

// Pipedrive, with the API token of a user.
//
// Archived deals are normal deals that Pipedrive hides; they have a route of their own. A full run reads both kinds. An
// incremental run reads the changes of both kinds, and then the deleted deals. If notes are objections, the last part
// reads all notes, or in an incremental run the changed ones. The deals of these notes are already stored.

/** How many notes, which may be long, fit into an answer of the permitted size. */
const notesPerPage = 100;

// Where a run is

const Position = z.discriminatedUnion('part', [
  z.strictObject({ part: z.enum(['deals', 'archived', 'deleted']), cursor: z.string().min(1).optional() }),
  z.strictObject({ part: z.literal('notes'), start: z.int().min(0) }),
]);
type Position = z.output<typeof Position>;

export const pipedrivePositions = positionText(Position);

// The provider

export const makePipedrive: MakeProvider = ({ url, token, settings }, http) =>
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
    const position: Position = cursor === undefined ? { part: 'deals' } : pipedrivePositions.read(cursor);
    if (position.part === 'notes') return this.#notes(since, position.start);
    if (position.part !== 'deleted') return this.#deals(since, position.part, position.cursor);
    if (!since) throw unreadable();
    return this.#deleted(since, position.cursor);
  }

  /** The position after a page of deals. */
  #next(since: Date | undefined, part: 'deals' | 'archived' | 'deleted', cursor: string | undefined) {
    if (cursor !== undefined) return { part, cursor } as const;
    if (part === 'deals') return { part: 'archived' } as const;
    if (part === 'archived' && since) return { part: 'deleted' } as const;
    return this.#settings.notePrefix === null ? undefined : ({ part: 'notes', start: 0 } as const);
  }

  /** Deals are ordered by id, so that a change of one deal does not move others out of the next pages. */
  async #deals(since: Date | undefined, part: 'deals' | 'archived', cursor: string | undefined): Promise<ChangesPage> {
    const { property, industry, anyCustom } = await this.#fields();
    const wanted = [property, industry].filter((field) => field?.is_custom_field === true);
    // Without a list of fields Pipedrive sends all custom fields, so one field is named even if none is needed.
    const named = wanted.length > 0 ? wanted : [anyCustom];
    const { rows, nextCursor } = await this.#api.get(paths[part], Deal, {
      include_fields: 'last_activity_id',
      custom_fields: named.flatMap((field) => field?.field_code ?? []).join(',') || undefined,
      updated_since: since && seconds(since),
      sort_by: 'id',
      sort_direction: 'asc',
      limit: String(pageSize),
      cursor,
    });
    return this.#page(rows, this.#next(since, part, nextCursor));
  }

  /** Pipedrive keeps deleted deals for 30 days. */
  async #deleted(since: Date, cursor: string | undefined): Promise<ChangesPage> {
    const { rows, nextCursor } = await this.#api.get(paths.deals, z.object({ id }), {
      status: 'deleted',
      updated_since: seconds(since),
      sort_by: 'id',
      sort_direction: 'asc',
      limit: String(pageSize),
      cursor,
    });
    const next = this.#next(since, 'deleted', nextCursor);
    const deals = rows.map((deal): DeletedDeal => ({ id: deal.id, deleted: true }));
    return { deals, objections: [], nextCursor: next && pipedrivePositions.write(next) };
  }

  /** Notes that are objections. The list may contain deleted ones. */
  async #notes(since: Date | undefined, start: number): Promise<ChangesPage> {
    const { rows, nextStart } = await this.#api.get(paths.notes, Note, {
      updated_since: since && seconds(since),
      sort: 'id ASC',
      limit: String(notesPerPage),
      start: String(start),
    });
    const objections = rows.flatMap(
      ({ id: noteId, deal_id: dealId, content, add_time: addTime, active_flag: active }) => {
        if (dealId === null || content === null || active === false) return [];
        const note = { id: noteId, content, createdAt: timeOfVersion1(addTime) };
        return objectionsOf(dealId, { notes: [note] }, this.#settings);
      },
    );
    const next = nextStart === undefined ? undefined : pipedrivePositions.write({ part: 'notes', start: nextStart });
    return { deals: [], objections, nextCursor: next };
  }

  // From Pipedrive's deals to the service's

  async #page(found: readonly Deal[], next: Position | undefined): Promise<ChangesPage> {
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
        closeDate: deal.close_time ? dayIn(owner?.timeZone ?? null)(deal.close_time) : deal.expected_close_date,
        probability: probabilityOf(deal, stages),
        pipelineId: deal.pipeline_id,
        stageId: deal.stage_id,
        industry: textsOf(deal, fields.industry)[0]?.text ?? null,
        lostReason,
        ownerEmail: owner?.email ?? null,
        lastActivityAt: (deal.last_activity_id && activities.get(deal.last_activity_id)) || null,
      });
      const sources = {
        lostReason,
        lostAt: deal.lost_time,
        property: textsOf(deal, fields.property),
      };
      objections.push(...objectionsOf(deal.id, sources, this.#settings));
    }
    return { deals: [...deleted, ...deals], objections, nextCursor };
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

  // Users, stages and the like, to which deals refer: each list is read once while a worker has the run

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

  /**
   * The fields of deals that are used here. The keys of custom fields are hashes, so the industry is found by its name,
   * and the configured property by its key or its name.
   */
  readonly #fields = once(async () => {
    const { objectionProperty } = this.#settings;
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

/** The industry is a custom field with one of these names, if the company has such a field. */
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

/** The texts of a deal's field: the labels of its options, its text, or the text within an object like an address. */
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
