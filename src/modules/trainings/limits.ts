/** Trainings and their evaluations. */
export const trainingLimits = {
  /** Each text of an evaluation, and all of them together, written as JSON. */
  evaluationTextCharacters: 2_000,
  evaluationTextsBytes: 64 * 1024,
  /** The `external_ref` of a training, written as JSON. */
  trainingRefBytes: 4 * 1024,
} as const;
