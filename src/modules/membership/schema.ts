import { z } from 'zod';
import { Time, personal } from '../../platform/values.ts';

export const roles = ['owner', 'admin', 'member'] as const;
export const statuses = ['invited', 'active'] as const;

const MemberRole = z.enum(roles).meta({ id: 'MemberRole', description: 'The role of a member in the team.' });
const MemberStatus = z
  .enum(statuses)
  .meta({ id: 'MemberStatus', description: '`active` once the invitation is accepted.' });

export const Member = z
  .object({
    id: z.string().meta({ description: 'The member id: `{member_id}` in paths.' }),
    user_id: z
      .string()
      .nullable()
      .meta({ description: 'The person’s user id; null until the invitation is accepted.' }),
    email: personal(
      z.string().optional().meta({ description: 'The email address. Only while `member_detail_enabled` is on.' }),
      'omit',
    ),
    name: personal(
      z.string().nullable().optional().meta({
        description:
          'The person’s name; null until the invitation is accepted, or if there is none. Only while `member_detail_enabled` is on.',
      }),
      'omit',
    ),
    external_id: personal(
      z.string().nullable().optional().meta({
        description:
          'The id of the person in your own system; null if you have given none. Only while `member_detail_enabled` is on.',
      }),
      'omit',
    ),
    role: MemberRole,
    status: MemberStatus,
    joined_at: Time.nullable().meta({ description: 'When the person joined; null until the invitation is accepted.' }),
    updated_at: Time.meta({ description: 'When one of these fields last changed.' }),
  })
  .meta({ id: 'Member', description: 'Somebody’s membership in the team.' });
export type Member = z.output<typeof Member>;
