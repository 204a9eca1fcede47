import { z } from 'zod';
import { exampleIds } from '../../core/example-ids.ts';
import { CalendarDay } from '../../platform/values.ts';
import { notYetAUser, payload, text } from '../../deliveries/payload.ts';
import { Assignment } from './schema.ts';

const shape = {
  data: z.object({
    assignment_id: text('The assignment, as in `/assignments/{assignment_id}`.'),
    status: Assignment.shape.status.meta({ description: 'As it was when this happened.' }),
    due_date: CalendarDay.nullable().meta({ description: 'The day by which it should be done, if it has one.' }),
    completed_training_id: z.string().nullable().meta({ description: 'The training that completed it, if one did.' }),
  }),
  personal: z.object({
    user_id: text(`The member who has the assignment. ${notYetAUser}`).exactOptional(),
  }),
};

const created = {
  assignment_id: exampleIds.assignment,
  status: 'open',
  due_date: '2026-12-24',
  completed_training_id: null,
  user_id: exampleIds.user,
} as const;

export const assignmentCreated = payload('assignment.created', { ...shape, example: created });

export const assignmentCompleted = payload('assignment.completed', {
  ...shape,
  example: { ...created, status: 'done', completed_training_id: exampleIds.training },
});
