import { z } from 'zod';
import { saying } from '../../core/language.ts';
import { trainingMessages } from '../../core/messages/trainings.ts';
import { trainingLimits } from '../../core/limits.ts';
import { freeFormObject, makeFreeForm } from '../../platform/free-form.ts';
import { ListExportQuery } from '../../platform/list-exports.ts';
import { PageQuery, pageOf, updatedSince } from '../../platform/paging.ts';
import { Instant, textUpTo, Time } from '../../platform/values.ts';
import { itemNames } from '../catalog/schema.ts';

/** The dimensions in which a conversation is scored, in the order of all lists. */
export const scoreDimensions = [
  'closing',
  'conversation_control',
  'needs_analysis',
  'objection_handling',
  'value_argument',
] as const;

export const ScoreDimension = z
  .enum(scoreDimensions)
  .meta({ id: 'ScoreDimension', description: 'One of the dimensions in which a conversation is scored.' });
export type ScoreDimension = z.output<typeof ScoreDimension>;

export const trainingStatuses = ['running', 'ended', 'scored', 'aborted'] as const;
export type TrainingStatus = (typeof trainingStatuses)[number];

const status = z.enum(trainingStatuses).meta({
  id: 'TrainingStatus',
  description: '`scored` once an evaluation was saved; `running` and `ended` may still change.',
});
const source = z
  .enum(['app', 'phone', 'api'])
  .meta({ id: 'TrainingSource', description: 'Where a training took place.' });
const goal = z
  .enum(['reached', 'partial', 'missed'])
  .meta({ id: 'TrainingGoal', description: 'Whether the goal of a conversation was reached.' });

const fromCatalog = (dimension: string) =>
  z
    .string()
    .nullable()
    .meta({ description: `The ${dimension}, from the catalog.` });

export const Training = z
  .object({
    id: z.string().meta({ description: 'The training id: `{training_id}` in paths.' }),
    user_id: z.string().meta({ description: 'The person who practised.' }),
    status,
    source: source.meta({ description: 'Where it took place.' }),
    assignment_id: z.string().nullable().meta({ description: 'The assignment that it was practised for.' }),
    created_at: Time.nullable().meta({ description: 'When it started.' }),
    finished_at: Time.nullable().meta({ description: 'When it ended; null while it runs.' }),
    duration_s: z.int().nullable().meta({ minimum: 0, description: 'The length of the conversation in seconds.' }),
    external_ref: freeFormObject.nullable().meta({ description: 'Free-form, for instance an id in another system.' }),
    situation_id: fromCatalog('situation'),
    personality_id: fromCatalog('personality'),
    industry_id: fromCatalog('industry'),
    role_id: fromCatalog('role'),
    updated_at: Time.meta({ description: 'When it last changed, or its evaluation was last saved.' }),
  })
  .meta({ id: 'Training', description: 'One practised conversation: metadata, no transcript.' });
export type Training = z.output<typeof Training>;

/**
 * The query parameter that adds the evaluation to each training of a list. Other values are refused with the field
 * `include`.
 */
const include = z
  .string()
  .meta({ enum: ['evaluation'], example: 'evaluation' })
  .transform((wanted, context): 'evaluation' => {
    if (wanted === 'evaluation') return wanted;
    context.addIssue({ code: 'custom', params: { field: 'include', message: trainingMessages.onlyEvaluation } });
    return z.NEVER;
  })
  .optional()
  .meta({
    description: '`evaluation`: each session also has its evaluation. This needs the scope `evaluations:read`.',
  });

const ofUser = z.string().optional().meta({ description: 'Only the sessions of this user.' });
const ofAssignment = z.string().optional().meta({ description: 'Only the sessions of this assignment.' });

export const TrainingQuery = PageQuery.extend({
  include,
  user_id: ofUser,
  assignment_id: ofAssignment,
  status: status.optional().meta({ description: 'Only sessions with this status.' }),
  since: Instant.optional().meta({ description: 'Only sessions that started at this time or later.' }),
  until: Instant.optional().meta({ description: 'Only sessions that started before this time.' }),
  updated_since: updatedSince('sessions'),
});
export type TrainingQuery = z.output<typeof TrainingQuery>;

export const TrainingExportQuery = ListExportQuery.extend({ include });

export const EvaluationQuery = PageQuery.extend({
  include,
  user_id: ofUser,
  assignment_id: ofAssignment,
  since: Instant.optional().meta({
    description: 'Only sessions whose evaluation was last saved at this time or later.',
  }),
  until: Instant.optional().meta({ description: 'Only sessions whose evaluation was last saved before this time.' }),
  updated_since: Instant.optional().meta({ description: 'The same as `since`.' }),
});
export type EvaluationQuery = z.output<typeof EvaluationQuery>;

const trainingId = z.string().meta({ description: 'The id of a training of this team.' });
export const TrainingPath = z.strictObject({ training_id: trainingId });

/** A score for each of the five dimensions. */
const dimensionsOf = <Value extends z.ZodType>(value: Value) => ({
  closing: value,
  conversation_control: value,
  needs_analysis: value,
  objection_handling: value,
  value_argument: value,
});

const Tip = z
  .object({
    issue: z.string().meta({ description: 'The weak point.' }),
    moment: z.string().meta({ description: 'The moment of the conversation.' }),
    principle: z.string().meta({ description: 'The principle that applies.' }),
    rewrite: z.string().meta({ description: 'A better wording for that moment.' }),
    impact: z.string().meta({ description: 'The effect of the better wording.' }),
  })
  .meta({ id: 'Tip', description: 'An improvement for one moment of the conversation.' });

export type Tip = z.output<typeof Tip>;

const maxTips = 5;

const max = 100;
/** The range is described but not checked, so that no answer is refused because of a stored value. */
export const pointRange = { minimum: 0, maximum: max };
const points = (description: string) => z.int().meta({ ...pointRange, description });

const Score = z
  .object({
    dimensions: z
      .object({
        closing: points('How well the next step was agreed.'),
        conversation_control: points('How well the conversation was led.'),
        needs_analysis: points('How well the need was found out.'),
        objection_handling: points('How well objections were answered.'),
        value_argument: points('How well the benefit was argued.'),
      })
      .meta({ id: 'DimensionScores', description: 'The points for each dimension.' }),
    total: points('The points for the whole conversation.')
      .nullable()
      .meta({ description: 'The points for the whole conversation.' }),
    spread: z
      .number()
      .nullable()
      .meta({ ...pointRange, description: 'The best dimension less the weakest.' }),
  })
  .meta({ id: 'Score', description: 'The score of a conversation.' });

export const Evaluation = z
  .object({
    training_id: z.string().meta({ description: 'The training that was evaluated.' }),
    user_id: z.string().meta({ description: 'The person who practised.' }),
    score: Score,
    tips: z.array(Tip).max(maxTips).meta({ description: 'Improvements, the most important first.' }),
    goal: goal.nullable().meta({ description: 'Whether the goal of the conversation was reached; null for none.' }),
    methodology: fromCatalog('methodology'),
    strongest: z.string().nullable().meta({ description: 'The strongest point.' }),
    biggest_lever: z.string().nullable().meta({ description: 'The change that would help most.' }),
  })
  .meta({ id: 'Evaluation', description: 'The score of a training, and tips.' });
export type Evaluation = z.output<typeof Evaluation>;

export const ListedTraining = Training.extend({
  evaluation: Evaluation.nullable()
    .optional()
    .meta({ description: 'Only with `include=evaluation`: the evaluation; null until the session is scored.' }),
}).meta({ id: 'ListedTraining', description: 'A training in a list, with its evaluation if it was asked for.' });
export type ListedTraining = z.output<typeof ListedTraining>;

export const TrainingPage = pageOf(ListedTraining).meta({ id: 'TrainingPage', description: 'A page of trainings.' });

// Inputs and outputs of the app.

// The app's lists

export const AppTrainingFilters = TrainingQuery.pick({
  user_id: true,
  assignment_id: true,
  status: true,
  since: true,
  until: true,
}).extend({
  situation_id: z.string().optional(),
  min_score: z.int().min(0).max(max).optional(),
  max_score: z.int().min(0).max(max).optional(),
});
export type AppTrainingFilters = z.output<typeof AppTrainingFilters>;

export const AppTrainingQuery = PageQuery.extend(AppTrainingFilters.shape).extend({
  sort: z
    .strictObject({ by: z.enum(['started', 'score']), desc: z.boolean() })
    .optional()
    .meta({ description: 'By default the last started first. By `score`, only those that have one.' }),
});
export type AppTrainingQuery = z.output<typeof AppTrainingQuery>;

const AppTraining = Training.omit({ external_ref: true, updated_at: true }).extend({
  person: z.string().nullable().meta({ description: 'The member’s name, or the address if there is none.' }),
  score: Score.pick({ total: true, dimensions: true }).nullable(),
});
const NamedTraining = AppTraining.extend({ ...itemNames, role: itemNames.situation });
export type AppTraining = z.output<typeof AppTraining>;
export const AppTrainingPage = pageOf(NamedTraining);

const mark = z.int().min(0).max(max);
const EvaluationText = textUpTo(trainingLimits.evaluationTextCharacters);

export const NewTraining = z.strictObject({
  source: source.default('app'),
  assignment_id: z.string().nullish(),
  situation_id: z.string().nullish(),
  personality_id: z.string().nullish(),
  industry_id: z.string().nullish(),
  role_id: z.string().nullish(),
  external_ref: makeFreeForm('external_ref')
    .refine(
      ({ text }) => Buffer.byteLength(text) <= trainingLimits.trainingRefBytes,
      saying(trainingMessages.referenceTooLarge(trainingLimits.trainingRefBytes)),
    )
    .nullish(),
});
export type NewTraining = z.output<typeof NewTraining>;

export const NewEvaluation = z.strictObject({
  dimensions: z.strictObject(dimensionsOf(mark)),
  /** Absent: the mean of the five dimensions. Null: there is no total. */
  total: mark.nullish(),
  tips: z
    .array(
      z.strictObject({
        issue: EvaluationText,
        moment: EvaluationText,
        principle: EvaluationText,
        rewrite: EvaluationText,
        impact: EvaluationText,
      }),
    )
    .max(maxTips)
    .default([]),
  goal: goal.nullable().default(null),
  methodology: z.string().nullable().default(null),
  strongest: EvaluationText.nullable().default(null),
  biggest_lever: EvaluationText.nullable().default(null),
});
export type NewEvaluation = z.output<typeof NewEvaluation>;

/** A training after a change of its status. */
export const TrainingState = z.object({ training_id: z.string(), status });
export type TrainingState = z.output<typeof TrainingState>;
