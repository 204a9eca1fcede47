import { Select } from '@mantine/core';
import { useText } from '../../language/language.tsx';
import { useTrainingStates } from './training-words.tsx';
import type { TrainingState } from './training-words.tsx';

const states = ['running', 'ended', 'scored', 'aborted'] as const satisfies readonly TrainingState[];

/** The state that an address names, if it is one. */
export const stateIn = (text: string): TrainingState | undefined => states.find((state) => state === text);

interface StateChoiceProps {
  value: string;
  onChange: (value: string | null) => void;
}

export const StateChoice = ({ value, onChange }: StateChoiceProps) => {
  const t = useText();
  const names = useTrainingStates();
  return (
    <Select
      label={t('Stand', 'State')}
      placeholder={t('Alle', 'All')}
      data={states.map((state) => ({ value: state, label: names[state] }))}
      value={stateIn(value) ?? null}
      onChange={onChange}
      clearable
      clearButtonProps={{ 'aria-label': t('Stand: alle', 'State: all') }}
    />
  );
};
