import type { ScoreDimension } from '../../core/score-dimensions.ts';
import { useText } from '../language/language.ts';

export type { ScoreDimension };

/** What a conversation is scored in, in words. */
export const useScoreDimensions = (): Readonly<Record<ScoreDimension, string>> => {
  const t = useText();
  return {
    closing: t('Abschluss', 'Closing'),
    conversation_control: t('Gesprächsführung', 'Conversation control'),
    needs_analysis: t('Bedarfsanalyse', 'Needs analysis'),
    objection_handling: t('Einwandbehandlung', 'Objection handling'),
    value_argument: t('Nutzenargumentation', 'Value argument'),
  };
};

export const useDimensionName = (): ((dimension: ScoreDimension) => string) => {
  const names = useScoreDimensions();
  return (dimension) => names[dimension];
};
