import { Select, Stack, Text } from '@mantine/core';
import type { Entry } from '../../../modules/catalog/schema.ts';
import { ProblemAlert } from '../../kit/messages.tsx';
import { useText } from '../../language/language.tsx';
import type { useOffer } from './offer.ts';

/** What is practised, with whom and where; empty while it is not chosen. */
export interface Combination {
  situation_id: string;
  personality_id: string;
  industry_id: string;
}

export const noCombination: Combination = { situation_id: '', personality_id: '', industry_id: '' };

type Offer = ReturnType<typeof useOffer>;

/** What of a choice is on offer still: other recipients or another situation may not go with it. */
export const stillOffered = (chosen: Combination, { situations, goingWith }: Offer): Combination => {
  const among = (entries: readonly Entry[], id: string) => (entries.some((entry) => entry.id === id) ? id : '');
  const situation_id = among(situations, chosen.situation_id);
  if (situation_id === '') return noCombination;
  return {
    situation_id,
    personality_id: among(goingWith(situation_id, 'personality'), chosen.personality_id),
    industry_id: among(goingWith(situation_id, 'industry'), chosen.industry_id),
  };
};

interface CombinationChoiceProps {
  offer: Offer;
  recipients: number;
  value: Combination;
  onChange: (value: Combination, situation: Entry | undefined) => void;
}

/** Offers only what the recipients’ policies and the catalog’s rules allow. */
export const CombinationChoice = ({ offer, recipients, value, onChange }: CombinationChoiceProps) => {
  const t = useText();
  const { isReady, situations, goingWith, error } = offer;
  const optionsOf = (entries: readonly Entry[]) => entries.map(({ id, name }) => ({ value: id, label: name ?? id }));
  const hasSituation = value.situation_id !== '';
  const dependent = hasSituation
    ? t('Bitte wählen', 'Please choose')
    : t('Zuerst die Situation', 'The situation first');
  const field = {
    required: true,
    searchable: true,
    nothingFoundMessage: t('Keine erlaubten Einträge gefunden', 'No allowed items found'),
  };
  if (error) return <ProblemAlert error={error} />;
  return (
    <Stack gap="md">
      <Select
        {...field}
        label={t('Situation', 'Situation')}
        placeholder={
          recipients === 0 ? t('Zuerst die Empfänger', 'The recipients first') : t('Bitte wählen', 'Please choose')
        }
        disabled={!isReady}
        data={optionsOf(situations)}
        value={value.situation_id || null}
        onChange={(id) =>
          onChange(
            { ...value, situation_id: id ?? '' },
            situations.find((entry) => entry.id === id),
          )
        }
      />
      {isReady && situations.length === 0 && (
        <Text size="sm" c="var(--warn)">
          {t(
            'Die Vorgaben lassen diesen Empfängern keine gemeinsame Situation.',
            'The policies leave these recipients no situation in common.',
          )}
        </Text>
      )}
      <Select
        {...field}
        label={t('Gegenüber', 'Personality')}
        placeholder={dependent}
        disabled={!hasSituation}
        data={optionsOf(hasSituation ? goingWith(value.situation_id, 'personality') : [])}
        value={value.personality_id || null}
        onChange={(id) => onChange({ ...value, personality_id: id ?? '' }, undefined)}
      />
      <Select
        {...field}
        label={t('Branche', 'Industry')}
        placeholder={dependent}
        disabled={!hasSituation}
        data={optionsOf(hasSituation ? goingWith(value.situation_id, 'industry') : [])}
        value={value.industry_id || null}
        onChange={(id) => onChange({ ...value, industry_id: id ?? '' }, undefined)}
      />
    </Stack>
  );
};
