import { z } from 'zod';
import { languages } from '../../core/language.ts';
import { limits } from '../../core/limits.ts';
import { itemNames } from '../catalog/schema.ts';
import { ScoreDimension } from '../trainings/schema.ts';
import { BulkResults, bulkIds, itemsLike } from '../../platform/bulk.ts';
import { PageQuery, pageOf, updatedSince } from '../../platform/paging.ts';
import { ProblemSchema } from '../../platform/problem-body.ts';
import { CalendarDay, Instant, noTextOrUpTo, textUpTo, Time, personal } from '../../platform/values.ts';

export const assignmentStatuses = ['open', 'in_progress', 'done', 'revoked'] as const;

const status = z.enum(assignmentStatuses).meta({
  id: 'AssignmentStatus',
  description: 'The status of an assignment. `revoked`: withdrawn, or its member was removed.',
});

const hiding = 'while `member_detail_enabled` is off';

export const Assignment = z
  .object({
    id: z.string().meta({ description: 'The assignment id: `{assignment_id}` in paths.' }),
    status,
    title: z.string().nullable().meta({ description: 'A short text for people, on one line.' }),
    situation_id: z.string().nullable().meta({ description: 'The situation to practise, from the catalog.' }),
    personality_id: z.string().nullable().meta({ description: 'The personality, from the catalog.' }),
    industry_id: z.string().nullable().meta({ description: 'The industry, from the catalog.' }),
    member_user_id: personal(
      z
        .string()
        .nullable()
        .meta({ description: `The member’s user id; null until they accept the invitation, and ${hiding}.` }),
      'null',
    ),
    member_email: personal(
      z
        .string()
        .nullable()
        .meta({ description: `The member’s email address; null ${hiding}.` }),
      'null',
    ),
    note: z.string().nullable().meta({ description: 'A note that the member can read.' }),
    due_date: CalendarDay.nullable().meta({ description: 'The day by which it should be done, if it has one.' }),
    focus_dimension: ScoreDimension.nullable().meta({ description: 'The dimension to work on above all.' }),
    completed_training_id: z.string().nullable().meta({ description: 'The training that completed it, if one did.' }),
    created_at: Time.nullable().meta({ description: 'When it was created.' }),
    updated_at: Time.meta({ description: 'When one of these fields last changed.' }),
  })
  .meta({ id: 'Assignment', description: 'A task for a member: the conversation to practise, and by when.' });
export type Assignment = z.output<typeof Assignment>;

export const AssignmentPage = pageOf(Assignment).meta({ id: 'AssignmentPage', description: 'A page of assignments.' });

const ofMember = z.string().optional().meta({ description: 'Only the assignments of this member.' });
const dueBefore = CalendarDay.optional().meta({
  description: 'Only assignments that are due before this day. Those without a due date are left out.',
});

export const AssignmentQuery = PageQuery.extend({
  member_id: ofMember,
  status: status.optional().meta({ description: 'Only assignments with this status.' }),
  due_before: dueBefore,
  updated_since: updatedSince('assignments'),
});
export type AssignmentQuery = z.output<typeof AssignmentQuery>;

const title = textUpTo(limits.assignmentTitleCharacters, 1).meta({
  description: 'A short text for people, on one line: the app shows line breaks as spaces.',
});
const note = noTextOrUpTo(limits.noteCharacters);

export const NewAssignment = z.strictObject({
  member_id: z.string().meta({ description: 'The id of a member of this team, invited or active.' }),
  title,
  situation_id: z.string().meta({ description: 'The situation to practise, from the catalog.' }),
  personality_id: z.string().meta({ description: 'The personality, from the catalog.' }),
  industry_id: z.string().meta({ description: 'The industry, from the catalog.' }),
  note: note.meta({ maxLength: limits.noteCharacters, description: 'A note that the member can read.' }),
  due_date: CalendarDay.nullish().meta({
    description: 'The day by which it should be done. With a day in the past the assignment is overdue at once.',
  }),
});
export type NewAssignment = z.output<typeof NewAssignment>;

export const ItemsOfAssignments = z.strictObject({
  items: itemsLike('NewAssignment').meta({
    description: 'The bodies of `POST /assignments`, one for each assignment.',
  }),
});

const AssignmentResult = z
  .object({
    status: z.int().meta({ description: 'The HTTP status that `POST /assignments` with this item would have.' }),
    assignment: Assignment.optional().meta({ description: 'The new assignment, if it was created (status 201).' }),
    problem: ProblemSchema.optional().meta({ description: 'Why the assignment was not created.' }),
  })
  .meta({ id: 'AssignmentResult', description: 'The result of one item: the new assignment, or the problem.' });

export const CreatedAssignments = z
  .object({
    results: z.array(AssignmentResult).meta({ description: 'The results of the items, in the same order.' }),
  })
  .meta({ id: 'CreatedAssignments', description: 'The results of all items.' });

const assignmentId = z.string().meta({ description: 'The id of an assignment of this team.' });

export const AssignmentPath = z.strictObject({ assignment_id: assignmentId });

export const BulkAssignments = z.strictObject({ assignment_ids: bulkIds });

/** So few ids that they fit into a URL. */
const idsOfQuery = z.array(z.string()).min(1).max(50);

export const RemindersQuery = z.strictObject({ assignment_ids: idsOfQuery });
export const ReminderPreview = z.object({
  data: z
    .array(z.object({ member_id: z.string(), assignments: z.int() }))
    .meta({ description: 'The members who would get a mail, and of how many assignments.' }),
  mail: z
    .object({ email: z.string(), language: z.enum(languages), subject: z.string(), text: z.string() })
    .nullable()
    .meta({ description: 'The first of the mails as it would be sent.' }),
  reminded_lately: z.int().meta({ description: 'Assignments whose last reminder is less than 24 hours ago.' }),
  unreachable: z.int().meta({ description: 'Members who get no mails, as they have not accepted the invitation.' }),
});
export type ReminderPreview = z.output<typeof ReminderPreview>;
export const RemindedPeople = z.object({
  days: z.int(),
  people: z.int().meta({ description: 'Members who got a reminder within these days.' }),
  practised: z.int().meta({ description: 'Those of them who have practised since the last one.' }),
});
export type RemindedPeople = z.output<typeof RemindedPeople>;
export const BulkReopening = BulkAssignments.extend({ status: z.enum(['open', 'in_progress']) });
export const BulkDueDates = BulkAssignments.extend({ due_date: CalendarDay.nullable() });

export const AssignmentChange = z.strictObject({
  assignment_id: assignmentId,
  status: status.optional().meta({ description: 'Any status may follow any other.' }),
  note: note.meta({ maxLength: limits.noteCharacters, description: 'Null clears it.' }),
  due_date: CalendarDay.nullish().meta({ description: 'Null clears it. It may be a day in the past.' }),
});

// The app

export const NewAssignments = NewAssignment.omit({ member_id: true }).extend({
  member_ids: z
    .array(z.string())
    .min(1)
    .max(limits.assignmentRecipients)
    .meta({ description: 'Members of this team, invited or active: each gets an assignment of their own.' }),
  focus_dimension: ScoreDimension.nullish(),
});
export type NewAssignments = z.output<typeof NewAssignments>;

/** Like `NewAssignments`, for more members. The app sends the ids in parts if one request has no room for all. */
export const NewAssignmentsEach = NewAssignments.extend({ member_ids: bulkIds });
export type NewAssignmentsEach = z.output<typeof NewAssignmentsEach>;

const Unmailed = z.object({
  member_id: z.string(),
  reason: z.enum(['invited', 'team_limit', 'recipient_limit']),
});
export type Unmailed = z.output<typeof Unmailed>;

export const GivenAssignments = z.object({
  /** The assignments without the note, which would be repeated for each of the members. */
  data: z.array(Assignment.omit({ note: true })),
  unmailed: z.array(Unmailed).meta({
    description:
      'Members who got no mail: they have not accepted the invitation yet, or a limit of the day is reached, for the team’s mails or for mails to them.',
  }),
});
export type GivenAssignments = z.output<typeof GivenAssignments>;

/**
 * Asks which of the members have or had an assignment of this situation, and which an unfinished one of this
 * combination.
 */
export const HoldersQuery = z.strictObject({
  member_ids: idsOfQuery,
  situation_id: z.string(),
  personality_id: z.string(),
  industry_id: z.string(),
});
export const Holders = z.object({
  data: z
    .array(
      z.object({
        member_id: z.string(),
        open: z.boolean().meta({ description: 'They have an assignment of this combination that is not done yet.' }),
      }),
    )
    .meta({ description: 'The members who have an assignment of the situation, or had one.' }),
});
export type Holders = z.output<typeof Holders>;

export const GivenEach = BulkResults.extend({ unmailed: GivenAssignments.shape.unmailed });

/** The changes that an admin can make in the app. The API allows fewer. */
export const AssignmentEdit = AssignmentChange.extend({
  title: title.optional(),
  focus_dimension: ScoreDimension.nullish().meta({ description: 'Null clears it.' }),
});
export type AssignmentEdit = Omit<z.output<typeof AssignmentEdit>, 'assignment_id'>;

export const OwnAssignmentQuery = PageQuery.extend({
  search: z.string().trim().max(limits.assignmentTitleCharacters).optional().meta({
    description: 'Words of the title, in any order.',
  }),
  status: z
    .enum([...assignmentStatuses, 'unfinished'])
    .optional()
    .meta({ description: 'Only those in this state; `unfinished` are those open or in progress.' }),
  overdue: z.boolean().optional().meta({ description: 'Only those that are overdue, or only those that are not.' }),
  due_before: dueBefore,
  since: Instant.optional().meta({ description: 'Created at this time or later.' }),
  until: Instant.optional().meta({ description: 'Created before this time.' }),
  sort: z
    .strictObject({ by: z.enum(['created', 'due', 'status']), desc: z.boolean() })
    .optional()
    .meta({
      description:
        'By default the newest first. By due date, those without one are last. By status, open ones are first; within a status, the newest.',
    }),
});

export const GivenAssignmentQuery = OwnAssignmentQuery.extend({
  member_id: ofMember,
});

/** The filters of the app's list. */
export const GivenAssignmentFilters = GivenAssignmentQuery.omit({ cursor: true, limit: true, sort: true });

const progress = {
  overdue: z.boolean().meta({ description: 'Not done yet, though its day is over (UTC).' }),
  training_ids: z.array(z.string()).meta({ description: 'The newest trainings of it, the last started first.' }),
};

/** An assignment as its member sees it. */
export const OwnAssignment = Assignment.omit({ member_user_id: true, member_email: true }).extend({
  ...progress,
  practice_url: z.string().nullable().meta({
    description: 'Where the member practises for it. Null if it is over, or the operator has not said where.',
  }),
});
export type OwnAssignment = z.output<typeof OwnAssignment>;
export const OwnAssignmentPage = pageOf(OwnAssignment.extend(itemNames));

const Reminded = z.object({
  at: Time,
  automatic: z.boolean().meta({ description: 'Whether the service sent it by itself.' }),
  by: personal(
    z.string().nullable().meta({ description: 'Null if it was automatic, or by a person who was erased.' }),
    'null',
  ),
  practised: z.boolean().meta({ description: 'Whether the member has practised since.' }),
});

/** An assignment as an admin sees it. */
export const GivenAssignment = Assignment.extend({
  ...progress,
  reminded: Reminded.nullable().meta({ description: 'The last reminder, as far back as the audit log goes.' }),
  member: z.object({
    member_id: z.string(),
    name: personal(z.string().nullable(), 'null'),
    email: personal(z.string().nullable(), 'null'),
  }),
});
export type GivenAssignment = z.output<typeof GivenAssignment>;
export const GivenAssignmentPage = pageOf(GivenAssignment.extend(itemNames));

/** An assignment after its member changed its status. */
export const AssignmentState = z.object({ assignment_id: z.string(), status });
