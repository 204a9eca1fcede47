import type { NewEvaluation } from './schema.ts';

type Dimensions = NewEvaluation['dimensions'];

/** The mean of the five, half up. */
export const totalOf = (dimensions: Dimensions): number =>
  Math.round(Object.values(dimensions).reduce((sum, mark) => sum + mark, 0) / 5);

/** The best dimension less the weakest. */
export const spreadOf = (dimensions: Dimensions): number => {
  const marks = Object.values(dimensions);
  return Math.max(...marks) - Math.min(...marks);
};

/** What the five add up to, unless the total was given. */
export const scoreOf = ({ dimensions, total }: Pick<NewEvaluation, 'dimensions' | 'total'>) => ({
  total: total === undefined ? totalOf(dimensions) : total,
  spread: spreadOf(dimensions),
});

/** An evaluation as its row keeps it. */
export const evaluationRow = ({ dimensions, total, ...evaluation }: NewEvaluation) => ({
  closing: dimensions.closing,
  conversationControl: dimensions.conversation_control,
  needsAnalysis: dimensions.needs_analysis,
  objectionHandling: dimensions.objection_handling,
  valueArgument: dimensions.value_argument,
  ...scoreOf({ dimensions, total }),
  goal: evaluation.goal,
  tips: evaluation.tips,
  methodologyId: evaluation.methodology,
  strongest: evaluation.strongest,
  biggestLever: evaluation.biggest_lever,
});
