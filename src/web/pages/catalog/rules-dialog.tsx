import { Box, MultiSelect, SimpleGrid, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ManagedItem, RuledDimension, RuleIds, SituationRules } from '../../../modules/catalog/schema.ts';
import { Hint } from '../../kit/text/text.tsx';
import { number } from '../../kit/text/figures.ts';
import { Dialog } from '../../kit/dialog/dialog.tsx';
import { Form, useServerForm } from '../../kit/form/form.tsx';
import { Pending } from '../../kit/page/page.tsx';
import { t } from '../../language/language.tsx';
import { app, client } from '../../server/server.ts';
import { draftOfOne } from '../../session/draft-keys.ts';
import { itemName } from './item-names.ts';
import { ruledNames } from './items.tsx';
import { countAllowed, together, type RuledEntry } from './rules.ts';

const ruledDimensions: readonly RuledDimension[] = ['personality', 'industry', 'role'];

/** How many ids one request for names has at most. */
const maxGone = 150;

interface RulesFormProps {
  rules: SituationRules;
  items: readonly ManagedItem[];
  onClose: () => void;
}

export const rulesDraft = (situationId: string): string => draftOfOne('rules', situationId);

const RulesForm = ({ rules: { situation_id, global, own }, items, onClose }: RulesFormProps) => {
  const names = ruledNames();
  const form = useServerForm({
    draft: { name: rulesDraft(situation_id), fields: ['only', 'never'] },
    initial: own,
    send: (chosen) => client.app.catalog.setRules.mutate({ situation_id, ...chosen }),
    done: t('Regeln gespeichert.', 'Rules saved.'),
    onSent: onClose,
  });
  // Rules may name items that are no longer published. Such rules still apply, and stay until they are removed here.
  const known = new Map(items.map((item) => [item.id, item]));
  const gone = useQuery(
    app.catalog.names.queryOptions({
      ids: [...own.only, ...own.never].filter((id) => !known.has(id)).slice(0, maxGone),
    }),
  );
  const entriesOf = (wanted: RuledDimension): RuledEntry[] => [
    ...items
      .filter(({ dimension }) => dimension === wanted)
      .map((item) => ({ id: item.id, name: itemName(item), gone: false })),
    ...(gone.data?.names ?? [])
      .filter(({ dimension }) => dimension === wanted)
      .map(({ id, name }) => ({
        id,
        name: t(`${name ?? id} (gelöscht)`, `${name ?? id} (deleted)`),
        gone: true,
      })),
  ];
  return (
    <Form form={form} action={t('Speichern', 'Save')} onCancel={onClose}>
      <Hint>
        {t(
          'Regeln begrenzen, was sich für neue Aufgaben kombinieren lässt, auch über die API. „Nur mit“ beschränkt die Auswahl auf diese Einträge, zusammen mit denen der Plattformregel; „Nie mit“ entfernt diese.',
          'Rules limit what can be combined in new assignments, also through the API. “Only with” limits the choice to these items, together with those of the platform rule; “Never with” removes these.',
        )}
      </Hint>
      {ruledDimensions.map((dimension) => (
        <RulesOfDimension
          key={dimension}
          name={names[dimension]}
          entries={entriesOf(dimension)}
          global={global}
          chosen={form.values}
          onChange={(chosen) => form.setValues(chosen)}
        />
      ))}
    </Form>
  );
};

interface RulesDialogProps {
  situation: ManagedItem | undefined;
  items: readonly ManagedItem[];
  onClose: () => void;
}

/** A team's own rules: with which items a situation may be combined, in addition to the rules for all teams. */
export const RulesDialog = ({ situation, items, onClose }: RulesDialogProps) => {
  const wanted = { situation_id: situation?.id ?? '' };
  const query = useQuery(app.catalog.rules.queryOptions(wanted, { enabled: situation !== undefined }));
  const { data } = query;
  return (
    <Dialog
      title={situation ? t(`Regeln: ${itemName(situation)}`, `Rules: ${itemName(situation)}`) : ''}
      opened={situation !== undefined}
      onClose={onClose}
      size="xl"
    >
      {data ? (
        <RulesForm key={data.situation_id} rules={data} items={items} onClose={onClose} />
      ) : (
        <Pending query={query} height={300} />
      )}
    </Dialog>
  );
};

interface RulesOfDimensionProps {
  name: string;
  /** The dimension's items that are published or named in the team's rules. */
  entries: readonly RuledEntry[];
  global: RuleIds;
  /** The team’s own rules for all dimensions, as edited so far. */
  chosen: RuleIds;
  onChange: (chosen: RuleIds) => void;
}

const RulesOfDimension = ({ name, entries, global, chosen, onChange }: RulesOfDimensionProps) => {
  const here = new Set(entries.map(({ id }) => id));
  const among = (ids: readonly string[]) => ids.filter((id) => here.has(id));
  const others = (ids: readonly string[]) => ids.filter((id) => !here.has(id));
  const optionsWithout = (taken: readonly string[]) =>
    entries.filter(({ id }) => !taken.includes(id)).map(({ id, name }) => ({ value: id, label: name }));
  const listed = (ids: readonly string[]) =>
    entries.flatMap(({ id, name }) => (ids.includes(id) ? [name] : [])).join(', ');

  const [globalOnly, globalNever] = [among(global.only), among(global.never)];
  const total = entries.filter(({ gone }) => !gone).length;
  const count = countAllowed(entries, together(global, chosen));
  const field = {
    searchable: true,
    hidePickedOptions: true,
    nothingFoundMessage: t('Keine Treffer', 'No results'),
  };
  return (
    <Box component="fieldset" m={0} p="md" style={{ border: '1px solid var(--line)', borderRadius: 12, minWidth: 0 }}>
      <Text component="legend" fw={600} size="sm" px={4}>
        {name}
      </Text>
      {globalOnly.length > 0 && (
        <Hint size="xs" mb={4}>
          {t('Plattformregel, nur mit: ', 'Platform rule, only with: ')}
          {listed(globalOnly)}
        </Hint>
      )}
      {globalNever.length > 0 && (
        <Hint size="xs" mb={4}>
          {t('Plattformregel, nie mit: ', 'Platform rule, never with: ')}
          {listed(globalNever)}
        </Hint>
      )}
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <MultiSelect
          {...field}
          label={t('Nur mit', 'Only with')}
          placeholder={among(chosen.only).length === 0 ? t('Alle', 'Any') : ''}
          data={optionsWithout(chosen.never)}
          value={among(chosen.only)}
          onChange={(ids) => onChange({ ...chosen, only: [...others(chosen.only), ...ids] })}
        />
        <MultiSelect
          {...field}
          label={t('Nie mit', 'Never with')}
          placeholder={among(chosen.never).length === 0 ? t('Keine', 'None') : ''}
          data={optionsWithout(chosen.only)}
          value={among(chosen.never)}
          onChange={(ids) => onChange({ ...chosen, never: [...others(chosen.never), ...ids] })}
        />
      </SimpleGrid>
      <Text size="xs" c={count === 0 ? 'var(--bad)' : 'dimmed'} mt="xs">
        {t(`${number(count)} von ${number(total)} möglich`, `${number(count)} of ${number(total)} possible`)}
      </Text>
    </Box>
  );
};
