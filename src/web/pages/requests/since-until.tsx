import { TextInput } from '@mantine/core';
import { useText } from '../../language/language.ts';
import type { RequestFilters } from './request-filter.ts';

const minute = 60_000;

/** As a field for local times wants it. */
const localOf = (text: string): string => {
  const time = Date.parse(text);
  if (Number.isNaN(time)) return '';
  return new Date(time - new Date(time).getTimezoneOffset() * minute).toISOString().slice(0, 16);
};

/** From when to when, chosen in local time; the address says it so that it means the same everywhere. */
export const SinceUntil = ({ filters: { valueOf, set } }: { filters: RequestFilters }) => {
  const t = useText();
  const field = (name: 'since' | 'until') => ({
    type: 'datetime-local',
    value: localOf(valueOf(name)),
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
