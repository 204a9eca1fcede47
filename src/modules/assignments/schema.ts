import { z } from 'zod';
import { limits } from '../../core/limits.ts';
import { scoreDimensions } from '../../core/score-dimensions.ts';
import { PageQuery, pageOf } from '../../platform/paging.ts';
import { personal } from '../../platform/personal.ts';
import { CalendarDay, Time } from '../../platform/values.ts';

const status = z.enum(['open', 'in_progress', 'done', 'revoked']);

const hiding = 'while `member_detail_enabled` is off';

export const Assignment = z
  .object({
    id: z.string(),
    status,
    title: z.string().nullable(),
    situation_id: z.string().nullable(),
    personality_id: z.string().nullable(),
    industry_id: z.string().nullable(),
    member_user_id: personal(
      z
        .string()
        .nullable()
        .meta({ description: `Null until the member accepts the invitation, and ${hiding}.` }),
      'null',
    ),
    member_email: personal(
      z
        .string()
        .nullable()
        .meta({ description: `Null ${hiding}.` }),
      'null',
    ),
    note: z.string().nullable(),
    due_date: CalendarDay.nullable(),
    focus_dimension: z.enum(scoreDimensions).nullable().meta({ description: 'What to work on above all.' }),
    completed_training_id: z.string().nullable().meta({ description: 'The training that completed it, if one did.' }),
    created_at: Time.nullable(),
  })
  .meta({ id: 'Assignment' });
export type Assignment = z.output<typeof Assignment>;

export const AssignmentPage = pageOf(Assignment).meta({ id: 'AssignmentPage' });
export const AssignmentQuery = PageQuery;

const most = limits.assignmentTitleCharacters;

// Zod counts UTF-16 units and JSON Schema counts code points, as everything here does.
const title = z
  .string()
  .refine((text) => text !== '' && [...text].length <= most, `It has 1 to ${most} characters`)
  .meta({ minLength: 1, maxLength: most });

export const NewAssignment = z.strictObject({
  member_id: z.string().meta({ description: 'The id of a member of this team, invited or active.' }),
  title,
  situation_id: z.string().meta({ description: 'What is practised, from the catalog.' }),
  personality_id: z.string().meta({ description: 'With whom, from the catalog.' }),
  industry_id: z.string().meta({ description: 'In which industry, from the catalog.' }),
  note: z.string().nullish().meta({ description: 'For the member to read.' }),
  due_date: CalendarDay.nullish(),
});
export type NewAssignment = z.output<typeof NewAssignment>;

const assignmentId = z.string().meta({ description: 'The id of an assignment of this team.' });

export const AssignmentPath = z.strictObject({ assignment_id: assignmentId });

export const AssignmentChange = z.strictObject({
  assignment_id: assignmentId,
  status: status.optional().meta({ description: 'Any of the four, from any other.' }),
  note: z.string().nullish().meta({ description: 'Null clears it.' }),
  due_date: CalendarDay.nullish().meta({ description: 'Null clears it.' }),
});
export type AssignmentChange = Omit<z.output<typeof AssignmentChange>, 'assignment_id'>;
