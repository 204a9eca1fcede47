import { fail } from '../../core/problem.ts';
import { ListCount } from '../../platform/paging.ts';
import { personProcedure, personRouter } from '../../platform/trpc/procedures.ts';
import {
  Evaluation,
  NewEvaluation,
  NewTraining,
  OwnTrainingQuery,
  ScoreList,
  ScoresWanted,
  Training,
  TrainingFilters,
  TrainingPage,
  TrainingPath,
  TrainingState,
} from './schema.ts';
import { abortTraining, endTraining, startTraining, saveEvaluation } from './service.ts';
import { countTrainings, getOwnEvaluation, getOwnTraining, listTrainings, scoresOf } from './listing.ts';

/** Called by the app while a member practises, and afterwards. */
export const sessions = personRouter({
  count: personProcedure
    .meta({ needs: 'admin', summary: 'How many sessions of the team match these filters' })
    .input(TrainingFilters)
    .output(ListCount)
    .query(({ ctx, input }) => {
      // The number of one person's sessions is a member detail.
      if (!ctx.team.privacy.memberDetail) fail('privacy_restricted');
      return countTrainings(ctx.team, input);
    }),

  start: personProcedure
    .meta({ needs: 'member', summary: 'Start a session of your own' })
    .input(NewTraining)
    .output(TrainingState)
    .mutation(({ ctx, input }) => startTraining(ctx.team, { ...input, memberId: ctx.person.memberId })),

  end: personProcedure
    .meta({ needs: 'member', summary: 'End a session of your own' })
    .input(TrainingPath)
    .output(TrainingState)
    .mutation(({ ctx, input }) => endTraining(ctx.team, input.training_id, { userId: ctx.person.userId })),

  abort: personProcedure
    .meta({ needs: 'member', summary: 'Give up a session of your own' })
    .input(TrainingPath)
    .output(TrainingState)
    .mutation(({ ctx, input }) => abortTraining(ctx.team, input.training_id, { userId: ctx.person.userId })),

  evaluate: personProcedure
    .meta({ needs: 'admin', summary: 'Save or correct the evaluation of a session that ended' })
    .input(NewEvaluation.extend(TrainingPath.shape))
    .output(TrainingState)
    .mutation(({ ctx, input: { training_id, ...evaluation } }) => saveEvaluation(ctx.team, training_id, evaluation)),
});

/** A member's own trainings. Members see these even if the team hides member details. */
export const myTrainings = personRouter({
  count: personProcedure
    .meta({ needs: 'member', summary: 'How many of your sessions match these filters' })
    .input(TrainingFilters.omit({ user_id: true }))
    .output(ListCount)
    .query(({ ctx, input }) => countTrainings(ctx.team, { ...input, user_id: ctx.person.userId })),

  list: personProcedure
    .meta({ needs: 'member', summary: 'Your sessions, newest first' })
    .input(OwnTrainingQuery)
    .output(TrainingPage)
    .query(({ ctx, input }) => listTrainings(ctx.team, { ...input, user_id: ctx.person.userId })),

  get: personProcedure
    .meta({ needs: 'member', summary: 'One of your sessions' })
    .input(TrainingPath)
    .output(Training)
    .query(({ ctx, input }) => getOwnTraining(ctx.team, ctx.person.userId, input.training_id)),

  evaluation: personProcedure
    .meta({ needs: 'member', summary: 'How one of your sessions was scored; not found until it is' })
    .input(TrainingPath)
    .output(Evaluation)
    .query(({ ctx, input }) => getOwnEvaluation(ctx.team, ctx.person.userId, input.training_id)),
});

/** The scores of trainings in a list. Those of other people are left out for members, and for everybody if the team hides member details. */
export const trainingScores = personRouter({
  of: personProcedure
    .meta({ needs: 'member', summary: 'The scores of trainings that you may see' })
    .input(ScoresWanted)
    .output(ScoreList)
    .query(async ({ ctx, input }) => ({ data: await scoresOf(ctx.team, ctx.person, input.training_ids) })),
});
