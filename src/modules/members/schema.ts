import { z } from 'zod';
import { languages } from '../../core/language.ts';
import { limits } from '../../core/limits.ts';
import { memberMessages } from '../../core/messages/people.ts';
import { problemCodes } from '../../core/problem.ts';
import { bulkIds } from '../../platform/bulk.ts';
import { PageQuery, pageOf, updatedSince } from '../../platform/paging.ts';
import { Email, NameText, textUpTo, Time } from '../../platform/values.ts';
import { keyRight } from '../keys/schema.ts';
import { Member, roles, statuses } from '../membership/schema.ts';

export const MemberPage = pageOf(Member).meta({ id: 'MemberPage', description: 'A page of members.' });

const ExternalId = textUpTo(limits.externalIdCharacters, 1);
const givenExternalId = ExternalId.nullish().meta({
  description: 'The id of the person in your own system. No other invited or active member of the team may have it.',
});

export const MemberQuery = PageQuery.extend({
  // The description of `Email` is removed, so that the parameter has only its own description.
  email: Email.meta({ description: undefined }).optional().meta({
    description:
      'Only the member with this address, compared without case. Refused while `member_detail_enabled` is off.',
  }),
  external_id: ExternalId.optional().meta({
    description:
      'Only the member with exactly this id of your own system. Refused while `member_detail_enabled` is off.',
  }),
  role: Member.shape.role.optional().meta({ description: 'Only members with this role.' }),
  status: Member.shape.status.optional().meta({ description: 'Only members with this status.' }),
  updated_since: updatedSince('members'),
});
export type MemberQuery = z.output<typeof MemberQuery>;

const grantableRoles = ['admin', 'member'] as const;

const role = z.string().meta({
  id: 'GrantableRole',
  enum: [...grantableRoles],
  description: '`member` or `admin`; `owner` can not be granted.',
  example: 'member',
});

/** Refuses other roles with the field `role`: `owner` is a role too, but it is handed over, not granted. */
const toGrantable = (wanted: string, context: z.RefinementCtx): (typeof grantableRoles)[number] => {
  const found = grantableRoles.find((grantable) => grantable === wanted);
  if (found) return found;
  context.addIssue({ code: 'custom', params: { field: 'role', message: memberMessages.grantableRoles } });
  return z.NEVER;
};

const memberId = z.string().meta({ description: 'The id of a member of this team.' });

const Language = z.enum(languages).meta({ id: 'Language', description: 'The language of texts for people.' });

export const NewMember = z.strictObject({
  email: Email,
  role: role.default('member').transform(toGrantable),
  external_id: givenExternalId,
  lang: Language.nullish().meta({ description: 'The invitation’s language; by default the team’s.' }),
});

export const MemberPath = z.strictObject({ member_id: memberId });
export const MemberChange = z.strictObject({
  member_id: memberId,
  role: role.transform(toGrantable),
  external_id: givenExternalId.meta({
    description:
      'The id of the person in your own system; null removes it. Without this field the id stays as it is. No other invited or active member of the team may have it.',
  }),
});

// The app's own procedures. Owner and admins see all members there, also while `member_detail_enabled` is off.

export const TeamMember = z.object({
  id: z.string(),
  user_id: z.string().nullable().meta({ description: 'Null until the invitation is accepted.' }),
  name: z.string().nullable(),
  email: z.string().meta({ description: 'The address that was invited.' }),
  external_id: z.string().nullable().meta({ description: 'The id in the customer’s own system.' }),
  role: z.enum(roles),
  status: z.enum(statuses),
  rights: z.array(z.string()).meta({ description: 'Beyond the role; the owner has all.' }),
  joined_at: Time.nullable(),
  invited_at: Time.nullable(),
  invitation: z
    .object({ expires_at: Time, expired: z.boolean(), lang: z.enum(languages) })
    .nullable()
    .meta({ description: 'Only while they are invited.' }),
  two_factor: z.boolean().meta({ description: 'Whether they have a second factor or a passkey.' }),
  from_directory: z.boolean().meta({ description: 'Whether a directory (SCIM) has sent data of them.' }),
});
export type TeamMember = z.output<typeof TeamMember>;

const memberSorts = [
  'name',
  'joined',
  'role',
  'status',
  'two_factor',
  'activity',
  'average',
  'change',
  'open',
  'overdue',
] as const;

const MemberWork = z.object({
  last_training_at: Time.nullable(),
  average: z.number().nullable(),
  change: z.number().nullable().meta({ description: 'The mean of the last 30 days less that of the 30 before.' }),
  open: z.int().meta({ description: 'Assignments that are open or in progress.' }),
  overdue: z.int(),
});
export type MemberWork = z.output<typeof MemberWork>;

export const ListedMember = TeamMember.extend({
  work: MemberWork.nullable().meta({ description: 'Null while the team hides member details.' }),
});
export type ListedMember = z.output<typeof ListedMember>;

export const TeamMemberPage = pageOf(ListedMember);
export const TeamMemberFilters = z.strictObject({
  search: z
    .string()
    .trim()
    .max(limits.emailCharacters)
    .optional()
    .meta({ description: 'Words of a name, email or external id, in any order.' }),
  role: z.enum(roles).optional(),
  status: z.enum(statuses).optional(),
  without: z
    .enum(['second_factor', 'company'])
    .optional()
    .meta({ description: 'Only active members who can’t sign in as the team may demand it.' }),
  from_directory: z.boolean().optional().meta({ description: 'Only those whom the directory knows, or all others.' }),
  inactive: z
    .boolean()
    .or(z.int().min(1).max(365))
    .optional()
    .meta({ description: 'Only active members who have not practised for so many days; true: for 14.' }),
});
export type TeamMemberFilters = z.output<typeof TeamMemberFilters>;

export const TeamMemberQuery = PageQuery.extend(TeamMemberFilters.shape).extend({
  sort: z
    .strictObject({ by: z.enum(memberSorts), desc: z.boolean() })
    .optional()
    .meta({
      description:
        'By default by `joined`: the owner first, then by the time when they joined or were invited. By `name`, those without a name by their address. Members with the same role, the same status, or with or without a second factor are also ordered by name.',
    }),
  from: z
    .string()
    .max(limits.emailCharacters)
    .optional()
    .meta({ description: 'Only names from this text on; with the ascending order of the names.' }),
});
export type TeamMemberQuery = z.output<typeof TeamMemberQuery>;

export const NamesQuery = z.strictObject({ user_ids: z.array(z.string()).max(200) });
export const PersonName = z.object({
  user_id: z.string(),
  member_id: z.string().nullable().meta({ description: 'Null: not in the team any more.' }),
  name: z.string().nullable(),
  email: z.string().nullable(),
});
export type PersonName = z.output<typeof PersonName>;
export const NameList = z.object({ data: z.array(PersonName) });

/**
 * The name in a list that somebody pasted. A name that may not be shown is left out, and does not stop the invitation.
 */
const PastedName = z
  .string()
  .transform((text) => NameText.safeParse(text).data ?? null)
  .nullish()
  .meta({ description: 'Shown until the person has a name of their own.' });

export const NewInvitation = z.strictObject({
  email: z.string().trim(),
  role: z.enum(grantableRoles).default('member'),
  external_id: ExternalId.nullish(),
  name: PastedName,
  lang: z.enum(languages).nullish().meta({ description: 'By default the team’s.' }),
});
export type NewInvitation = z.output<typeof NewInvitation>;
export const NewInvitations = z.strictObject({
  people: z.array(NewInvitation).min(1).max(limits.invitationsPerHour),
});

/** Addresses to invite: the answer says which of them are already in the team. The app sends a long list in parts. */
export const AddressesQuery = z.strictObject({
  emails: z.array(z.string().max(limits.emailCharacters)).max(limits.addressesLookedUp),
});
export const KnownAddresses = z.object({
  data: z.array(
    z.object({
      email: z.string().meta({ description: 'In the form in which addresses are stored.' }),
      status: z.enum([...statuses, 'waiting']),
    }),
  ),
});
export type KnownAddress = z.output<typeof KnownAddresses>['data'][number];

/** Reasons why one of several people could not be invited. */
export const invitationRefusals = ['conflict', 'seat_limit_reached', 'rate_limited', 'insufficient_scope'] as const;

export const InvitationResult = z.object({
  email: z.string().meta({ description: 'As it was given.' }),
  outcome: z.enum(['invited', 'waiting', 'invalid', 'external_id_taken', ...invitationRefusals]),
  member_id: z.string().nullable(),
  retry_after: z.int().optional().meta({ description: 'Seconds until it is sent; only with `waiting`.' }),
});
export type InvitationResult = z.output<typeof InvitationResult>;
export const InvitationResults = z.object({ results: z.array(InvitationResult) });

/** The invitations that wait because of the limits of the hour and the day. */
export const WaitingInvitations = z.object({
  count: z.int(),
  next_at: Time.nullable().meta({ description: 'When the next ones are sent; null if none waits.' }),
  data: z
    .array(
      z.object({
        id: z.string(),
        email: z.string(),
        name: z.string().nullable(),
        role: z.enum(roles),
        lang: z.enum(languages).nullable(),
        due_at: Time,
        refusal: z.enum(problemCodes).nullable().meta({ description: 'Why the last try failed; it is tried again.' }),
      }),
    )
    .meta({ description: 'Those that come next.' }),
});

export const CanceledInvitations = z.strictObject({
  ids: bulkIds.optional().meta({ description: 'By default all that wait.' }),
});

/** So few members that their ids fit into a URL. */
export const HoldingsQuery = z.strictObject({ member_ids: z.array(z.string()).min(1).max(50) });
export const Holdings = z.object({
  open_assignments: z.int(),
  assignments: z.int(),
  trainings: z.int(),
});

export const BulkMembers = z.strictObject({ member_ids: bulkIds });
export const BulkRoleChange = BulkMembers.extend({ role: z.enum(grantableRoles) });

export const RightsChange = MemberPath.extend({ rights: z.array(z.enum([keyRight])).max(10) });
