import { Box, MultiSelect, SimpleGrid, Skeleton, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import type { FormEvent } from 'react';
import type { Item, RuledDimension, RuleIds, SituationRules } from '../../../modules/catalog/schema.ts';
import { Dialog, DialogButtons } from '../../kit/dialog.tsx';
import { ProblemAlert, tell } from '../../kit/messages.tsx';
import { useText } from '../../language/language.tsx';
import { app } from '../../server/server.ts';
import { useNameOf, useRuledNames } from './items.tsx';

const ruledDimensions: readonly RuledDimension[] = ['personality', 'industry', 'role'];

/** As many as one question for names may be about. */
const mostGone = 150;

interface EditorProps {
  rules: SituationRules;
  items: readonly Item[];
  onClose: () => void;
}

const Editor = ({ rules: { situation_id, global, own }, items, onClose }: EditorProps) => {
  const t = useText();
  const save = app.useChange('catalog.setRules');
  const names = useRuledNames();
  const itemNameOf = useNameOf();
  const [chosen, setChosen] = useState<RuleIds>(own);
  // A rule may be about what is no longer published: it restricts as before, and stays until it is taken out.
  const known = new Map(items.map((item) => [item.id, item]));
  const gone = app.useAnswer('catalog.names', {
    ids: [...own.only, ...own.never].filter((id) => !known.has(id)).slice(0, mostGone),
  });
  const entriesOf = (wanted: RuledDimension): RuledEntry[] => [
    ...items
      .filter(({ dimension }) => dimension === wanted)
      .map((item) => ({ id: item.id, name: itemNameOf(item), gone: false })),
    ...(gone.data?.names ?? [])
      .filter(({ dimension }) => dimension === wanted)
      .map(({ id, name }) => ({
        id,
        name: t(`${name ?? id} (nicht mehr da)`, `${name ?? id} (no longer there)`),
        gone: true,
      })),
  ];
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate(
      { situation_id, ...chosen },
      {
        onSuccess: () => {
          tell(t('Die Regeln sind gespeichert.', 'The rules are saved.'));
          onClose();
        },
      },
    );
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <Text size="sm" c="dimmed">
          {t(
            'Ohne Regel lässt sich alles kombinieren. Regeln gelten für die ganze Plattform und zusätzlich für Ihr Team: „Nur mit“ ergänzt die Regeln der Plattform, „Nie mit“ schließt weitere Einträge aus. Sie gelten für neue Aufgaben, auch über die API.',
            'Without rules, everything can be combined. Rules apply to the whole platform and, in addition, to your team: “only with” adds to the platform’s rules, “never with” excludes more items. They apply to new assignments, also over the API.',
          )}
        </Text>
        {ruledDimensions.map((dimension) => (
          <RulesOfDimension
            key={dimension}
            name={names[dimension]}
            entries={entriesOf(dimension)}
            global={global}
            chosen={chosen}
            onChange={setChosen}
          />
        ))}
        <ProblemAlert error={save.error} />
        <DialogButtons action={t('Speichern', 'Save')} running={save.isPending} onCancel={onClose} />
      </Stack>
    </form>
  );
};

interface RulesDialogProps {
  situation: Item | undefined;
  items: readonly Item[];
  onClose: () => void;
}

/** What a situation goes with, beyond what holds for everybody. */
export const RulesDialog = ({ situation, items, onClose }: RulesDialogProps) => {
  const t = useText();
  const nameOf = useNameOf();
  const asked = { situation_id: situation?.id ?? '' };
  const { data, error } = app.useAnswer('catalog.rules', asked, { enabled: situation !== undefined });
  return (
    <Dialog
      title={situation ? t(`Regeln: ${nameOf(situation)}`, `Rules: ${nameOf(situation)}`) : ''}
      opened={situation !== undefined}
      onClose={onClose}
      size="xl"
    >
      {data ? (
        <Editor key={data.situation_id} rules={data} items={items} onClose={onClose} />
      ) : error ? (
        <ProblemAlert error={error} />
      ) : (
        <Skeleton height={300} role="status" aria-label={t('Wird geladen', 'Loading')} />
      )}
    </Dialog>
  );
};

/** What a rule can be about. What is gone can only be taken out. */
interface RuledEntry {
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

const RulesOfDimension = ({ name, entries, global, chosen, onChange }: RulesOfDimensionProps) => {
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
