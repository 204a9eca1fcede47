/** What a conversation is scored in: every list of dimensions is this one, in this order. */
export const scoreDimensions = [
  'closing',
  'conversation_control',
  'needs_analysis',
  'objection_handling',
  'value_argument',
] as const;

export type ScoreDimension = (typeof scoreDimensions)[number];
