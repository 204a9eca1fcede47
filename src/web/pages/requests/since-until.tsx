import { TextInput } from '@mantine/core';
import { localOf } from '../../kit/formats.tsx';
import { useText } from '../../language/language.tsx';
import type { RequestFilters } from './request-filter.ts';

/** From when to when, chosen in local time; the address says it so that it means the same everywhere. */
export const SinceUntil = ({ filters: { valueOf, set } }: { filters: RequestFilters }) => {
  const t = useText();
  const field = (name: 'since' | 'until') => ({
    type: 'datetime-local',
    value: localOf(new Date(valueOf(name))),
    onChange: ({ currentTarget: { value } }: { currentTarget: { value: string } }) =>
      set(name, value === '' ? null : new Date(value).toISOString()),
  });
  return (
    <>
      <TextInput label={t('Von', 'From')} {...field('since')} />
      <TextInput label={t('Bis vor', 'Until before')} {...field('until')} />
    </>
  );
};
