import { z } from 'zod';
import { crmLimits } from '../../core/limits.ts';
import { PageQuery, pageOf, updatedSince } from '../../platform/paging.ts';
import { boundedText, Instant, lineOf, Time, personal } from '../../platform/values.ts';
import { itemNames } from '../catalog/schema.ts';
import { providerNames, ProviderSettings } from './providers/provider.ts';

const DealOutcome = z
  .enum(['open', 'won', 'lost'])
  .meta({ id: 'CrmDealOutcome', description: 'The result of a deal: `open` while it has none.' });

export const CrmDeal = z
  .object({
    id: z.string().meta({ description: 'The deal’s id in this service.' }),
    external_id: z.string().meta({ description: 'The deal’s id in the CRM.' }),
    outcome: DealOutcome,
    title: z.string().nullable().meta({ description: 'The deal’s name in the CRM.' }),
    amount: z.string().nullable().meta({ description: 'Decimal text, exactly as the CRM has it.' }),
    currency: z.string().nullable().meta({ description: 'The currency of `amount`, as in ISO 4217.' }),
    close_date: z.string().nullable().meta({ description: 'A day, as `YYYY-MM-DD`.' }),
    probability: z.int().nullable().meta({ description: 'The probability of winning it, in per cent.' }),
    pipeline_id: z.string().nullable().meta({ description: 'The pipeline’s id in the CRM.' }),
    stage_id: z.string().nullable().meta({ description: 'The stage’s id in the CRM.' }),
    industry_id: z
      .string()
      .nullable()
      .meta({ description: 'The industry, from the catalog; null if the sync found no match.' }),
    lost_reason: z.string().nullable().meta({ description: 'Why it was lost, as the CRM has it.' }),
    owner_user_id: personal(
      z.string().nullable().optional().meta({
        description:
          'The owner of the deal, where the sync recognised a person of the team. Only while `member_detail_enabled` is on.',
      }),
      'omit',
    ),
    last_activity_at: Time.nullable().meta({ description: 'The time of its last activity, as the CRM has it.' }),
    synced_at: Time.nullable().meta({ description: 'The start of the last sync that found it.' }),
    updated_at: Time.meta({ description: 'When one of these fields, `synced_at` included, last changed.' }),
  })
  .meta({ id: 'CrmDeal', description: 'A deal, as the last sync of the CRM found it.' });
export type CrmDeal = z.output<typeof CrmDeal>;

export const CrmObjection = z
  .object({
    id: z.string().meta({ description: 'The objection’s id in this service.' }),
    deal_id: z.string().meta({ description: 'The id of the deal that it came up in.' }),
    category: z.string().meta({ description: 'The kind of objection, such as `price`.' }),
    text: z.string().meta({ description: 'The text of the objection, from the CRM.' }),
    lang: z.string().meta({ description: 'The language of the text.' }),
    created_at: Time.nullable().meta({ description: 'When it was raised.' }),
    updated_at: Time.meta({ description: 'When one of these fields last changed.' }),
  })
  .meta({ id: 'CrmObjection', description: 'An objection of a customer in a deal.' });
export type CrmObjection = z.output<typeof CrmObjection>;

export const CrmDealPage = pageOf(CrmDeal).meta({ id: 'CrmDealPage', description: 'A page of deals.' });
export const CrmObjectionPage = pageOf(CrmObjection).meta({
  id: 'CrmObjectionPage',
  description: 'A page of objections.',
});
export const DealQuery = PageQuery.extend({ updated_since: updatedSince('deals') });
export type DealQuery = z.output<typeof DealQuery>;
export const ObjectionQuery = PageQuery.extend({ updated_since: updatedSince('objections') });
export type ObjectionQuery = z.output<typeof ObjectionQuery>;

// The app

const { interval, labelCharacters, tokenCharacters, urlCharacters } = crmLimits;

const connectionId = z.string().meta({ description: 'The id of a CRM connection of this team.' });
export const ConnectionPath = z.strictObject({ connection_id: connectionId });

const Label = lineOf(labelCharacters).nullable();
const Token = z
  .string()
  .min(1)
  .max(tokenCharacters)
  .meta({ description: 'It is stored encrypted and never shown again.' });
const Interval = z.int().min(interval.min).max(interval.max).meta({ description: 'Seconds between two syncs.' });

export const Connection = z.object({
  connection_id: connectionId,
  provider: z.string(),
  label: z.string().nullable(),
  status: z.enum(['active', 'paused', 'credentials_refused']),
  url: z.string().nullable().meta({ description: 'The feed’s address.' }),
  has_token: z.boolean(),
  interval_seconds: z.int(),
  settings: ProviderSettings,
  created_at: Time,
  next_sync_at: Time.nullable().meta({ description: 'Null while a sync runs, and where none is scheduled.' }),
  running: z
    .object({ since: Time, deals: z.int().meta({ description: 'Rows written so far.' }) })
    .nullable()
    .meta({ description: 'The sync that runs now.' }),
  requested: z.boolean().meta({ description: 'Somebody asked for a sync, which begins within seconds.' }),
  last_sync_at: Time.nullable().meta({ description: 'When the last sync ended.' }),
  last_outcome: z.enum(['ok', 'failed', 'stopped']).nullable(),
  last_reason: z.string().nullable(),
  last_reason_de: z.string().nullable(),
  deals: z.int(),
  objections: z.int(),
});
export type Connection = z.output<typeof Connection>;
export const ConnectionList = z.object({ data: z.array(Connection) });

export const NewConnection = z.strictObject({
  provider: z.enum(providerNames),
  label: Label.default(null),
  url: boundedText(urlCharacters).optional().meta({ description: 'The feed’s address. Other providers have none.' }),
  token: Token,
  interval_seconds: Interval.default(interval.default),
  settings: ProviderSettings.optional(),
});
export type NewConnection = z.output<typeof NewConnection>;

export const TriedConnection = NewConnection.pick({ provider: true, url: true, token: true, settings: true });

export const ConnectionChange = ConnectionPath.extend({
  label: Label.optional(),
  interval_seconds: Interval.optional(),
  settings: ProviderSettings.optional(),
});

export const NewToken = ConnectionPath.extend({ token: Token });

export const RunQuery = PageQuery.extend({ connection_id: connectionId });
export const SyncRun = z.object({
  run_id: z.string(),
  kind: z
    .enum(['full', 'incremental'])
    .meta({ description: '`full` asks for everything and deletes what the CRM no longer has.' }),
  on_demand: z.boolean(),
  started_at: Time,
  ended_at: Time.nullable(),
  outcome: z.enum(['ok', 'failed', 'stopped']).nullable().meta({ description: 'Null while it runs.' }),
  reason: z.string().nullable(),
  reason_de: z.string().nullable(),
  deals: z.int().meta({ description: 'Deals that it wrote.' }),
  objections: z.int().meta({ description: 'Objections that it wrote.' }),
  deleted: z.int().meta({ description: 'Deals that it deleted.' }),
});
export type SyncRun = z.output<typeof SyncRun>;
export const RunPage = pageOf(SyncRun);

/** The filters of the app's list. */
export const AppDealFilters = z.strictObject({
  search: z.string().trim().max(200).optional().meta({ description: 'Words of the title or of the CRM’s id.' }),
  outcome: DealOutcome.optional(),
  connection_id: connectionId.optional(),
  since: Instant.optional().meta({ description: 'Only deals whose close date is on the day of this time or later.' }),
  until: Instant.optional().meta({ description: 'Only deals whose close date is before the day of this time.' }),
});
export type AppDealFilters = z.output<typeof AppDealFilters>;

export const AppDealQuery = PageQuery.extend(AppDealFilters.shape).extend({
  sort: z
    .strictObject({ by: z.enum(['close_date', 'amount']), desc: z.boolean() })
    .optional()
    .meta({ description: 'By default the latest close date first. Without a value, a deal is below all others.' }),
});
export type AppDealQuery = z.output<typeof AppDealQuery>;

const ListedDeal = CrmDeal.extend({
  connection_id: connectionId,
  owner: personal(
    z.string().nullable().optional().meta({ description: 'The name of the owner, or the address.' }),
    'omit',
  ),
  industry: itemNames.industry,
});
export type ListedDeal = z.output<typeof ListedDeal>;
export const SyncedDealPage = pageOf(ListedDeal);

const ListedObjection = CrmObjection.extend({
  connection_id: connectionId,
  deal_title: z.string().nullable().meta({ description: 'The beginning of the title of the deal that it came up in.' }),
});
export const SyncedObjectionPage = pageOf(ListedObjection);
