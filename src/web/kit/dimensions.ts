import type { ScoreDimension } from '../../core/score-dimensions.ts';
import { useText } from '../language/language.ts';

export type { ScoreDimension };

/** What a conversation is scored in, in words. */
export const useDimensionName = (): ((dimension: ScoreDimension) => string) => {
  const t = useText();
  const names: Readonly<Record<ScoreDimension, string>> = {
    closing: t('Abschluss', 'Closing'),
    conversation_control: t('Gesprächsführung', 'Conversation control'),
    needs_analysis: t('Bedarfsanalyse', 'Needs analysis'),
    objection_handling: t('Einwandbehandlung', 'Objection handling'),
    value_argument: t('Nutzenargumentation', 'Value argument'),
  };
  return (dimension) => names[dimension];
};
