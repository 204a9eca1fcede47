import { answer, toCamel } from '../../core/spelling.ts';
import { ListCount } from '../../platform/paging.ts';
import { adminProcedure, memberProcedure, personRouter } from '../../platform/trpc/procedures.ts';
import { withItemNames } from '../catalog/service.ts';
import * as schema from './schema.ts';
import { abortTraining, endTraining, startTraining, saveEvaluation } from './service.ts';
import { countAppTrainings, countOwnTrainings, listAppTrainings, listOwnTrainings } from './app-list.ts';
import { getOwnEvaluation, getOwnTraining } from './listing.ts';

/**
 * The procedures that the app calls while a member practises and afterwards; for admins also lists of all members'
 * trainings.
 */
export const sessions = personRouter({
  list: adminProcedure
    .input(schema.AppTrainingQuery)
    .output(schema.AppTrainingPage)
    .query(({ ctx, input }) =>
      answer(withItemNames(ctx.team, listAppTrainings(ctx.team, ctx.person, toCamel(input)), ctx.language)),
    ),

  count: adminProcedure
    .input(schema.AppTrainingFilters)
    .output(ListCount)
    .query(({ ctx, input }) => countAppTrainings(ctx.team, ctx.person, toCamel(input))),

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
    .input(schema.AppTrainingFilters.omit({ user_id: true }))
    .output(ListCount)
    .query(({ ctx, input }) => countOwnTrainings(ctx.team, ctx.person, toCamel(input))),

  list: memberProcedure
    .input(schema.AppTrainingQuery.omit({ user_id: true }))
    .output(schema.AppTrainingPage)
    .query(({ ctx, input }) =>
      answer(withItemNames(ctx.team, listOwnTrainings(ctx.team, ctx.person, toCamel(input)), ctx.language)),
    ),

  get: memberProcedure
    .input(schema.TrainingPath)
    .output(schema.Training)
    .query(({ ctx, input }) => answer(getOwnTraining(ctx.team, ctx.person.userId, input.training_id))),

  evaluation: memberProcedure
    .input(schema.TrainingPath)
    .output(schema.Evaluation)
    .query(({ ctx, input }) => answer(getOwnEvaluation(ctx.team, ctx.person.userId, input.training_id))),
});
