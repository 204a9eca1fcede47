import { z } from 'zod';
import { PageQuery, pageOf } from '../../platform/paging.ts';
import { personal } from '../../platform/personal.ts';
import { Time } from '../../platform/values.ts';

export const CrmDeal = z
  .object({
    id: z.string(),
    external_id: z.string().meta({ description: 'The deal’s id in the CRM.' }),
    outcome: z.enum(['open', 'won', 'lost']),
    title: z.string().nullable(),
    amount: z.string().nullable().meta({ description: 'Decimal text, exactly as the CRM has it.' }),
    currency: z.string().nullable().meta({ description: 'ISO 4217.' }),
    close_date: z.string().nullable().meta({ description: 'A day, as `YYYY-MM-DD`.' }),
    probability: z.int().nullable().meta({ description: 'Per cent.' }),
    pipeline_id: z.string().nullable().meta({ description: 'The CRM’s own id.' }),
    stage_id: z.string().nullable().meta({ description: 'The CRM’s own id.' }),
    industry_id: z.string().nullable().meta({ description: 'From the catalog, where the sync found a match.' }),
    lost_reason: z.string().nullable(),
    owner_user_id: personal(
      z.string().nullable().optional().meta({
        description:
          'Whose deal it is, where the sync recognised a person of the team. Only while `member_detail_enabled` is on.',
      }),
      'omit',
    ),
    last_activity_at: Time.nullable(),
    synced_at: Time.nullable().meta({ description: 'When a sync last saw it.' }),
  })
  .meta({ id: 'CrmDeal' });
export type CrmDeal = z.output<typeof CrmDeal>;

export const CrmObjection = z
  .object({
    id: z.string(),
    deal_id: z.string().meta({ description: 'The id of the deal that it came up in.' }),
    category: z.string(),
    text: z.string(),
    lang: z.string().meta({ description: 'The language that it was said in.' }),
    created_at: Time.nullable(),
  })
  .meta({ id: 'CrmObjection' });
export type CrmObjection = z.output<typeof CrmObjection>;

export const CrmDealPage = pageOf(CrmDeal).meta({ id: 'CrmDealPage' });
export const CrmObjectionPage = pageOf(CrmObjection).meta({ id: 'CrmObjectionPage' });
export const CrmQuery = PageQuery;
