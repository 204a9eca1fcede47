import { z } from 'zod';
import { limits } from '../../core/limits.ts';
import { PageQuery, pageOf } from '../../platform/paging.ts';
import { Time } from '../../platform/values.ts';

export const FormerMember = z.object({
  id: z.string().meta({ description: 'The id of the membership that ended last.' }),
  user_id: z.string().nullable().meta({ description: 'Null for a person who never accepted the invitation.' }),
  name: z.string().nullable(),
  email: z.string(),
  role: z.enum(['owner', 'admin', 'member']),
  ended_at: Time,
});

/** An erasure that is not finished. It does not name the person, because no list shows an erased person. */
const RunningErasure = z.object({
  started_at: Time,
  failed_at: Time.nullable().meta({ description: 'When it failed last, if nothing was erased since.' }),
});
export const RunningErasures = z.object({ data: z.array(RunningErasure) });

export const FormerMemberPage = pageOf(FormerMember);
export const FormerMemberQuery = PageQuery.extend({
  search: z.string().trim().max(limits.emailCharacters).optional().meta({ description: 'Part of a name or email.' }),
});
