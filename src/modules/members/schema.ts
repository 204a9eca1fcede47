import { z } from 'zod';
import { languages } from '../../core/language.ts';
import { PageQuery, pageOf } from '../../platform/paging.ts';
import { personal } from '../../platform/personal.ts';
import { Email, Time } from '../../platform/values.ts';

export const Member = z
  .object({
    id: z.string().meta({ description: 'The member id: `{member_id}` in paths.' }),
    user_id: z.string().nullable().meta({ description: 'Null until the invitation is accepted.' }),
    email: personal(z.string().optional().meta({ description: 'Only while `member_detail_enabled` is on.' }), 'omit'),
    role: z.enum(['owner', 'admin', 'member']),
    status: z.enum(['invited', 'active']),
    joined_at: Time.nullable(),
  })
  .meta({ id: 'Member' });
export type Member = z.output<typeof Member>;

export const MemberPage = pageOf(Member).meta({ id: 'MemberPage' });
export const MemberQuery = PageQuery;

const role = z.string().meta({ description: '`member` or `admin`; `owner` can not be granted.', example: 'member' });
const memberId = z.string().meta({ description: 'The id of a member of this team.' });

export const NewMember = z.strictObject({
  email: Email,
  role: role.default('member'),
  lang: z.enum(languages).nullish().meta({ description: "The invitation's language; by default the team's." }),
});
export type NewMember = z.output<typeof NewMember>;

export const MemberPath = z.strictObject({ member_id: memberId });
export const RoleChange = z.strictObject({ member_id: memberId, role });
