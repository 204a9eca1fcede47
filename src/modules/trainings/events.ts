import { z } from 'zod';
import { exampleIds } from '../../core/example-ids.ts';
import { Time } from '../../platform/values.ts';
import { payload, text, whilePeopleAreShown } from '../../deliveries/payload.ts';
import { pointRange, Training } from './schema.ts';

const user_id = text(`The person who practised. ${whilePeopleAreShown}.`);

export const trainingCompleted = payload('training.completed', {
  data: z.object({
    training_id: text('The session, as in `/trainings/{training_id}`.'),
    status: z
      .literal('ended')
      .meta({ description: 'Not every session gets an evaluation. If it does, `evaluation.completed` follows.' }),
    source: Training.shape.source,
    assignment_id: Training.shape.assignment_id,
    finished_at: Time.meta({ description: 'When the session ended.' }),
    duration_s: z.int().meta({ minimum: 0, description: 'Seconds.' }),
  }),
  personal: z.object({ user_id }),
  example: {
    training_id: exampleIds.training,
    status: 'ended',
    source: 'app',
    assignment_id: exampleIds.assignment,
    finished_at: '2026-11-20T08:29:41.310Z',
    duration_s: 611,
    user_id: exampleIds.user,
  },
});

export const evaluationCompleted = payload('evaluation.completed', {
  data: z.object({
    training_id: text('The session; read the rest at `/trainings/{training_id}/evaluation`.'),
  }),
  personal: z.object({
    user_id,
    score: z
      .int()
      .meta({
        ...pointRange,
        description: `The total, 0 to 100. ${whilePeopleAreShown}, and where the evaluation has no total.`,
      })
      .exactOptional(),
  }),
  example: {
    training_id: exampleIds.training,
    user_id: exampleIds.user,
    score: 72,
  },
});
