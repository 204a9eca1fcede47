import { exampleIds } from '../../core/example-ids.ts';
import { answer, toCamel } from '../../core/spelling.ts';
import { listExportOf, readListExport } from '../../platform/list-exports.ts';
import { exportRoute } from '../../platform/trpc/export-route.ts';
import { apiKeyProcedure, claimingStream, keyRouter, route } from '../../platform/trpc/procedures.ts';
import {
  Evaluation,
  EvaluationQuery,
  ListedTraining,
  Training,
  TrainingExportQuery,
  TrainingPage,
  TrainingPath,
  TrainingQuery,
} from './schema.ts';
import { getEvaluation, getTraining, listEvaluated, listTrainings } from './listing.ts';

const example = {
  id: exampleIds.training,
  user_id: exampleIds.user,
  status: 'scored',
  source: 'app',
  assignment_id: exampleIds.assignment,
  created_at: '2026-11-20T08:30:00.000Z',
  finished_at: '2026-11-20T08:38:12.000Z',
  duration_s: 492,
  external_ref: null,
  situation_id: exampleIds.situation,
  personality_id: exampleIds.personality,
  industry_id: exampleIds.industry,
  role_id: null,
  updated_at: '2026-11-20T08:39:02.000Z',
} as const;

const path = { training_id: example.id };
/** `include=evaluation` needs the scope of evaluations in addition. */
const includes = { parameter: 'include', needs: { evaluation: { scope: 'evaluations:read' } } } as const;
const page = { data: [example], next_cursor: null };

export const trainings = keyRouter({
  list: apiKeyProcedure
    .meta(
      route('GET /trainings', {
        operationId: 'listTrainings',
        scope: 'trainings:read',
        needsBy: includes,
        privacy: 'member-detail',
        summary: 'List trainings',
        description:
          'Sessions of active members, the most recently started first. `since` and `until` compare the start; a running session changes later. A session may appear here some seconds after its start: to miss none, begin each read five minutes before the start of your last one, and ignore duplicates. With `updated_since`, only sessions that changed since, in the order of their changes. With `include=evaluation` each session has its evaluation.',
        example: { input: { status: 'scored', since: '2026-11-01T00:00:00Z', limit: 50 }, output: page },
      }),
    )
    .input(TrainingQuery)
    .output(TrainingPage)
    .query(({ ctx, input }) => answer(listTrainings(ctx.team, toCamel(input)))),

  get: apiKeyProcedure
    .meta(
      route('GET /trainings/{training_id}', {
        operationId: 'getTraining',
        scope: 'trainings:read',
        privacy: 'member-detail',
        summary: 'Read a training',
        description: 'One session of an active member. A session of a former member is not found.',
        example: { input: path, output: example },
      }),
    )
    .input(TrainingPath)
    .output(Training)
    .query(({ ctx, input }) => answer(getTraining(ctx.team, input.training_id))),

  listEvaluated: apiKeyProcedure
    .meta(
      route('GET /evaluations', {
        operationId: 'listEvaluatedTrainings',
        scope: 'evaluations:read',
        needsBy: includes,
        privacy: 'member-detail',
        summary: 'List scored trainings',
        description:
          'Scored sessions of active members, the most recently evaluated first. When an evaluation is corrected, its session comes first again. `since` and `until` compare when the evaluation was last saved; to filter by the start of sessions, use `GET /trainings?status=scored`. To miss none, begin each read five minutes before the start of your last one. With `include=evaluation` each session has its evaluation.',
        example: { input: { updated_since: '2026-11-20T00:00:00Z', limit: 50 }, output: page },
      }),
    )
    .input(EvaluationQuery)
    .output(TrainingPage)
    .query(({ ctx, input }) => answer(listEvaluated(ctx.team, toCamel(input)))),

  evaluation: apiKeyProcedure
    .meta(
      route('GET /trainings/{training_id}/evaluation', {
        operationId: 'getEvaluation',
        scope: 'evaluations:read',
        privacy: 'member-detail',
        summary: 'Read a training’s evaluation',
        description: 'Score, dimensions and tips, as last saved. Not found until the session is scored.',
        example: {
          input: path,
          output: {
            training_id: example.id,
            user_id: example.user_id,
            score: {
              dimensions: {
                closing: 58,
                conversation_control: 77,
                needs_analysis: 81,
                objection_handling: 64,
                value_argument: 70,
              },
              total: 70,
              spread: 23,
            },
            tips: [
              {
                issue: 'The conversation ends without an agreed next step.',
                moment: '“Just get in touch when you are ready.”',
                principle: 'Whoever proposes the next step keeps hold of it.',
                rewrite: '“Does Thursday at ten suit you to go through the offer together?”',
                impact: 'A pleasant talk becomes a deal with a date.',
              },
            ],
            goal: 'partial',
            methodology: exampleIds.methodology,
            strongest: 'Asks until the need is clear.',
            biggest_lever: 'Propose a date at the end.',
          },
        },
      }),
    )
    .input(TrainingPath)
    .output(Evaluation)
    .query(({ ctx, input }) => answer(getEvaluation(ctx.team, input.training_id))),

  export: apiKeyProcedure
    .meta(
      exportRoute('trainings', {
        operationId: 'exportTrainings',
        list: '/trainings',
        scope: 'trainings:read',
        needsBy: includes,
        privacy: 'member-detail',
        more: 'With `include=evaluation` each session has its evaluation.',
        example,
      }),
    )
    .input(TrainingExportQuery)
    .output(listExportOf(ListedTraining))
    .use(claimingStream)
    .query(({ ctx: { team }, input: { include, ...given } }) =>
      answer(readListExport(team, 'trainings', toCamel(given), (query) => listTrainings(team, { ...query, include }))),
    ),
});
