import { fail } from '../../core/problem.ts';
import { answer, toCamel, toSnake } from '../../core/spelling.ts';
import { ListCount } from '../../platform/paging.ts';
import { adminProcedure, memberProcedure, personRouter } from '../../platform/trpc/procedures.ts';
import * as schema from './schema.ts';
import { abortTraining, endTraining, startTraining, saveEvaluation } from './service.ts';
import { countTrainings, getOwnEvaluation, getOwnTraining, listTrainings, scoresOf } from './listing.ts';

/** Called by the app while a member practises, and afterwards. */
export const sessions = personRouter({
  count: adminProcedure
    .input(schema.TrainingFilters)
    .output(ListCount)
    .query(({ ctx, input }) => {
      // The number of one person's sessions is a member detail.
      if (!ctx.team.privacy.memberDetail) fail('privacy_restricted');
      return countTrainings(ctx.team, toCamel(input));
    }),

  start: memberProcedure
    .input(schema.NewTraining)
    .output(schema.TrainingState)
    .mutation(({ ctx, input }) =>
      answer(startTraining(ctx.team, { ...toCamel(input), memberId: ctx.person.memberId })),
    ),

  end: memberProcedure
    .input(schema.TrainingPath)
    .output(schema.TrainingState)
    .mutation(({ ctx, input }) => answer(endTraining(ctx.team, input.training_id, { userId: ctx.person.userId }))),

  abort: memberProcedure
    .input(schema.TrainingPath)
    .output(schema.TrainingState)
    .mutation(({ ctx, input }) => answer(abortTraining(ctx.team, input.training_id, { userId: ctx.person.userId }))),

  evaluate: adminProcedure
    .input(schema.NewEvaluation.extend(schema.TrainingPath.shape))
    .output(schema.TrainingState)
    .mutation(({ ctx, input: { training_id, ...evaluation } }) =>
      answer(saveEvaluation(ctx.team, training_id, toCamel(evaluation))),
    ),
});

/** A member's own trainings. Members see these even if the team hides member details. */
export const myTrainings = personRouter({
  count: memberProcedure
    .input(schema.TrainingFilters.omit({ user_id: true }))
    .output(ListCount)
    .query(({ ctx, input }) => countTrainings(ctx.team, { ...toCamel(input), userId: ctx.person.userId })),

  list: memberProcedure
    .input(schema.OwnTrainingQuery)
    .output(schema.TrainingPage)
    .query(({ ctx, input }) => answer(listTrainings(ctx.team, { ...input, userId: ctx.person.userId }))),

  get: memberProcedure
    .input(schema.TrainingPath)
    .output(schema.Training)
    .query(({ ctx, input }) => answer(getOwnTraining(ctx.team, ctx.person.userId, input.training_id))),

  evaluation: memberProcedure
    .input(schema.TrainingPath)
    .output(schema.Evaluation)
    .query(({ ctx, input }) => answer(getOwnEvaluation(ctx.team, ctx.person.userId, input.training_id))),
});

/**
 * The scores of trainings in a list. Those of other people are left out for members, and for everybody if the team
 * hides member details.
 */
export const trainingScores = personRouter({
  of: memberProcedure
    .input(schema.ScoresQuery)
    .output(schema.ScoreList)
    .query(async ({ ctx, input }) => toSnake({ data: await scoresOf(ctx.team, ctx.person, input.training_ids) })),
});
