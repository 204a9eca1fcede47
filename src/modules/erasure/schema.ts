import { z } from 'zod';
import { PageQuery, pageOf } from '../../platform/paging.ts';
import { Time } from '../../platform/values.ts';

export const FormerMember = z.object({
  id: z.string().meta({ description: 'The id of the membership that ended last.' }),
  name: z.string().nullable(),
  email: z.string(),
  role: z.enum(['owner', 'admin', 'member']),
  ended_at: Time,
});
export type FormerMember = z.output<typeof FormerMember>;

export const FormerMemberPage = pageOf(FormerMember);
export const FormerMemberQuery = PageQuery;
