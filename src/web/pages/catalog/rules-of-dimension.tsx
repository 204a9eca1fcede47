import { Box, MultiSelect, SimpleGrid, Text } from '@mantine/core';
import type { RuleIds } from '../../../modules/catalog/schema.ts';
import { useText } from '../../language/language.tsx';

/** What a rule can be about. What is gone can only be taken out. */
export interface RuledEntry {
  id: string;
  name: string;
  gone: boolean;
}

interface RulesOfDimensionProps {
  name: string;
  /** All there are of this dimension that the team’s admins decide about, and what rules of theirs are about. */
  entries: readonly RuledEntry[];
  global: RuleIds;
  /** The team’s own rules as they are being chosen, of all dimensions. */
  chosen: RuleIds;
  onChange: (chosen: RuleIds) => void;
}

/** How many are left, by the same reading of the rules as the server’s. */
const left = (entries: readonly RuledEntry[], { only, never }: RuleIds): number => {
  const isRestricted = entries.some(({ id }) => only.includes(id));
  return entries.filter(({ id, gone }) => !gone && !never.includes(id) && (!isRestricted || only.includes(id))).length;
};

export const RulesOfDimension = ({ name, entries, global, chosen, onChange }: RulesOfDimensionProps) => {
  const t = useText();
  const here = new Set(entries.map(({ id }) => id));
  const among = (ids: readonly string[]) => ids.filter((id) => here.has(id));
  const others = (ids: readonly string[]) => ids.filter((id) => !here.has(id));
  const optionsWithout = (taken: readonly string[]) =>
    entries.filter(({ id }) => !taken.includes(id)).map(({ id, name }) => ({ value: id, label: name }));
  const listed = (ids: readonly string[]) =>
    entries.flatMap(({ id, name }) => (ids.includes(id) ? [name] : [])).join(', ');

  const all = { only: [...global.only, ...chosen.only], never: [...global.never, ...chosen.never] };
  const [globalOnly, globalNever] = [among(global.only), among(global.never)];
  const total = entries.filter(({ gone }) => !gone).length;
  const count = left(entries, all);
  const field = {
    searchable: true,
    hidePickedOptions: true,
    nothingFoundMessage: t('Nichts gefunden', 'Nothing found'),
  };
  return (
    <Box component="fieldset" m={0} p="md" style={{ border: '1px solid var(--line)', borderRadius: 12, minWidth: 0 }}>
      <Text component="legend" fw={600} size="sm" px={4}>
        {name}
      </Text>
      {globalOnly.length > 0 && (
        <Text size="xs" c="dimmed" mb={4}>
          {t('Für alle Teams nur mit: ', 'For all teams only with: ')}
          {listed(globalOnly)}
        </Text>
      )}
      {globalNever.length > 0 && (
        <Text size="xs" c="dimmed" mb={4}>
          {t('Für alle Teams nie mit: ', 'For all teams never with: ')}
          {listed(globalNever)}
        </Text>
      )}
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <MultiSelect
          {...field}
          label={t('Nur mit', 'Only with')}
          data={optionsWithout(chosen.never)}
          value={among(chosen.only)}
          onChange={(ids) => onChange({ ...chosen, only: [...others(chosen.only), ...ids] })}
        />
        <MultiSelect
          {...field}
          label={t('Nie mit', 'Never with')}
          data={optionsWithout(chosen.only)}
          value={among(chosen.never)}
          onChange={(ids) => onChange({ ...chosen, never: [...others(chosen.never), ...ids] })}
        />
      </SimpleGrid>
      <Text size="xs" c={count === 0 ? 'var(--bad)' : 'dimmed'} mt="xs">
        {t(`Passend: ${count} von ${total}`, `Matching: ${count} of ${total}`)}
      </Text>
    </Box>
  );
};
