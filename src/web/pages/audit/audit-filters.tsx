import { Button, Group, NativeSelect, TextInput } from '@mantine/core';
import type { useFilters } from '../../kit/filters.tsx';
import { useText } from '../../language/language.tsx';
import { actorKinds, targetTypes, useActorWords, useTargetWords } from './audit-words.ts';
import type { filterNames } from './audit-words.ts';

type Name = (typeof filterNames)[number];

interface AuditFiltersProps {
  filters: ReturnType<typeof useFilters<Name>>;
  actions: readonly { action: string; label: string }[];
}

/** What of the log is shown. */
export const AuditFilters = ({ filters: { valueOf, set, clear, isSet }, actions }: AuditFiltersProps) => {
  const t = useText();
  const actorWords = useActorWords();
  const targetWords = useTargetWords();
  const choice = (name: Name, label: string, all: string, options: readonly { value: string; label: string }[]) => (
    <NativeSelect
      aria-label={label}
      value={valueOf(name)}
      onChange={(event) => set(name, event.currentTarget.value)}
      data={[{ value: '', label: all }, ...options]}
      maw={240}
    />
  );
  const dayOf = (name: 'from' | 'to', label: string) => (
    <TextInput
      type="date"
      aria-label={label}
      value={valueOf(name)}
      onChange={(event) => set(name, event.currentTarget.value)}
    />
  );
  return (
    <Group gap="sm">
      {choice(
        'action',
        t('Aktion', 'Action'),
        t('Alle Aktionen', 'All actions'),
        actions.map(({ action, label }) => ({ value: action, label })),
      )}
      {choice(
        'actor_kind',
        t('Wer', 'Who'),
        t('Von allen', 'By anybody'),
        actorKinds.map((kind) => ({ value: kind, label: actorWords[kind] })),
      )}
      {choice(
        'target_type',
        t('Woran', 'Done to'),
        t('An allem', 'Done to anything'),
        targetTypes.map((type) => ({ value: type, label: targetWords[type] })),
      )}
      {choice('range', t('Zeitraum', 'Time range'), t('Jederzeit', 'At any time'), [
        { value: 'day', label: t('Letzte 24 Stunden', 'Last 24 hours') },
        { value: 'week', label: t('Letzte 7 Tage', 'Last 7 days') },
        { value: 'month', label: t('Letzte 30 Tage', 'Last 30 days') },
        { value: 'days', label: t('Von … bis …', 'From … to …') },
      ])}
      {valueOf('range') === 'days' && (
        <>
          {dayOf('from', t('Von', 'From'))}
          {dayOf('to', t('Bis', 'To'))}
        </>
      )}
      {isSet && (
        <Button variant="subtle" onClick={clear}>
          {t('Filter löschen', 'Clear filters')}
        </Button>
      )}
    </Group>
  );
};
