import { Button, Checkbox, Group, NativeSelect } from '@mantine/core';
import type { ReactNode } from 'react';
import { useFilters } from '../../kit/filters.tsx';
import { useText } from '../../language/language.tsx';
import { statusIn, useStatusNames } from './assignment-words.tsx';

/** What both lists of assignments are filtered by, as it stands in the address. */
export const useAssignmentFilters = () => {
  const filters = useFilters('status', 'member', 'overdue');
  const status = statusIn(filters.valueOf('status'));
  const overdue = filters.valueOf('overdue') === 'true';
  return { ...filters, asked: { ...(status !== undefined && { status }), ...(overdue && { overdue }) } };
};

/** The filters to choose; what only one list has comes first. */
export const FilterBar = ({ children }: { children?: ReactNode }) => {
  const t = useText();
  const names = useStatusNames();
  const { asked, set, clear, isSet } = useAssignmentFilters();
  return (
    <Group gap="md" align="flex-end">
      {children}
      <NativeSelect
        label={t('Status', 'Status')}
        value={asked.status ?? ''}
        onChange={(event) => set('status', event.currentTarget.value)}
        data={[
          { value: '', label: t('Alle', 'All') },
          { value: 'unfinished', label: t('Unerledigt', 'Unfinished') },
          ...Object.entries(names).map(([value, label]) => ({ value, label })),
        ]}
      />
      <Checkbox
        mb={8}
        label={t('Nur überfällige', 'Only overdue')}
        checked={asked.overdue === true}
        onChange={(event) => set('overdue', event.currentTarget.checked ? 'true' : null)}
      />
      {isSet && (
        <Button variant="subtle" onClick={clear}>
          {t('Filter zurücksetzen', 'Clear filters')}
        </Button>
      )}
    </Group>
  );
};
