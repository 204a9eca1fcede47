import { Select } from '@mantine/core';
import { useTrainingStates } from '../../kit/training.tsx';
import type { TrainingState } from '../../kit/training.tsx';
import { useText } from '../../language/language.ts';

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
