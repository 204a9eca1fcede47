import { Box, Button, Code, Group, Stack, Tabs, Text } from '@mantine/core';
import { useState } from 'react';
import type { ReactNode } from 'react';
import type { Item } from '../../../modules/catalog/schema.ts';
import { useConfirm } from '../../kit/dialog.tsx';
import { isKeyOf, SearchField, useFilters } from '../../kit/filters.tsx';
import { MemberChoice } from '../../kit/members.tsx';
import { Empty, notify, ProblemAlert } from '../../kit/messages.tsx';
import { Page, Panel } from '../../kit/page.tsx';
import { useText } from '../../language/language.tsx';
import { api, app } from '../../server/server.ts';
import { ItemDialog } from './item-dialog.tsx';
import type { ItemTarget } from './item-dialog.tsx';
import { ItemTable, useDimensionNames, usePolicy } from './items.tsx';
import { RulesDialog } from './rules-dialog.tsx';

const contains = ({ name }: Item, search: string): boolean =>
  [name.de, name.en].some((text) => text?.toLowerCase().includes(search.trim().toLowerCase()));

/** Buttons that release or block all listed items. */
const ReleaseAll = ({ items, policy }: { items: readonly Item[]; policy: ReturnType<typeof usePolicy> }) => {
  const t = useText();
  const confirm = useConfirm();
  const { isReleased, isFixed, setReleased } = policy;
  if (!isReleased) return null;
  const open = items.filter((item) => !isFixed(item));
  const [released, blocked] = [open.filter(isReleased), open.filter((item) => !isReleased(item))];
  const act = (wanted: readonly Item[], release: boolean) => async () => {
    await setReleased(
      wanted.map(({ id }) => id),
      release,
    );
    notify(
      release
        ? t('Alles ist freigegeben.', 'Everything is released.')
        : t('Alles ist gesperrt.', 'Everything is blocked.'),
    );
  };
  return (
    <Group gap="xs">
      <Button
        size="xs"
        variant="default"
        disabled={blocked.length === 0}
        onClick={() =>
          confirm({
            title: t('Alle aufgeführten freigeben?', 'Release everything listed?'),
            consequences: t(`Davon jetzt gesperrt: ${blocked.length}.`, `Blocked of these now: ${blocked.length}.`),
            action: t('Alle freigeben', 'Release all'),
            harmless: true,
            act: act(blocked, true),
          })
        }
      >
        {t('Alle freigeben', 'Release all')}
      </Button>
      <Button
        size="xs"
        variant="default"
        disabled={released.length === 0}
        onClick={() =>
          confirm({
            title: t('Alle aufgeführten sperren?', 'Block everything listed?'),
            consequences: t(
              'Aufgaben damit lassen sich dann nicht mehr vergeben, in der App nicht und nicht über die API. Sie können einzelne wieder freigeben.',
              'Assignments with it can then no longer be given, neither in the app nor through the API. You can release single ones again.',
            ),
            action: t('Alle sperren', 'Block all'),
            act: act(released, false),
          })
        }
      >
        {t('Alle sperren', 'Block all')}
      </Button>
    </Group>
  );
};

export default function CatalogPage() {
  const t = useText();
  const names = useDimensionNames();
  const { valueOf, set } = useFilters('dimension', 'search', 'member');
  const wanted = valueOf('dimension');
  const dimension = isKeyOf(names, wanted) ? wanted : 'situation';
  const search = valueOf('search');
  const policy = usePolicy(valueOf('member'));
  const { data, error, refetch } = app.useQuery('catalog.items', {});
  const [editing, setEditing] = useState<ItemTarget>();
  const [ruled, setRuled] = useState<Item>();
  const items = data?.items;
  const rows = items?.filter((item) => item.dimension === dimension && contains(item, search));
  return (
    <Page
      title={t('Katalog und Vorgaben', 'Catalog and policies')}
      lead={t(
        'Was Ihr Team üben kann, und welche Einträge freigegeben sind.',
        'What your team can practise, and which items are released.',
      )}
      actions={<Button onClick={() => setEditing({ dimension })}>{t('Eigener Eintrag', 'Item of your own')}</Button>}
    >
      <PolicyChoice member={valueOf('member')} onChange={(member) => set('member', member)} />
      <Tabs
        value={dimension}
        onChange={(chosen) => set('dimension', chosen === 'situation' ? null : chosen)}
        keepMounted={false}
      >
        <Tabs.List aria-label={t('Dimensionen des Katalogs', 'Dimensions of the catalog')}>
          {Object.entries(names).map(([value, name]) => (
            <Tabs.Tab key={value} value={value}>
              {name}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {Object.entries(names).map(([value, name]) => (
          <Tabs.Panel key={value} value={value} pt="md">
            <Stack gap="md">
              <Group justify="space-between" align="flex-end" gap="md">
                <SearchField
                  label={t('Einträge suchen', 'Search items')}
                  value={search}
                  onChange={(text) => set('search', text)}
                />
                {rows && <ReleaseAll items={rows} policy={policy} />}
              </Group>
              <ProblemAlert error={policy.refusal} />
              <ItemTable
                label={name}
                rows={rows}
                policy={policy}
                error={error ?? policy.error}
                retry={() => void refetch()}
                onEdit={(item) => setEditing({ dimension: item.dimension, item })}
                onRules={setRuled}
                empty={
                  <Empty
                    title={
                      search === ''
                        ? t('In dieser Dimension gibt es noch nichts', 'There is nothing in this dimension yet')
                        : t('Nichts passt zu dieser Suche', 'Nothing matches this search')
                    }
                  >
                    {t('Sie können eigene Einträge anlegen.', 'You can create items of your own.')}
                  </Empty>
                }
              />
            </Stack>
          </Tabs.Panel>
        ))}
      </Tabs>
      <ItemDialog target={editing} onClose={() => setEditing(undefined)} />
      <RulesDialog situation={ruled} items={items ?? []} onClose={() => setRuled(undefined)} />
    </Page>
  );
}

interface PolicyChoiceProps {
  /** Empty for the whole team. */
  member: string;
  onChange: (member: string | null) => void;
}

/** Chooses whose policy is shown, and explains it. */
const PolicyChoice = ({ member, onChange }: PolicyChoiceProps) => {
  const t = useText();
  const { data } = api.useQuery('members.get', { member_id: member }, { enabled: member !== '' });
  const meaning: ReactNode =
    member === ''
      ? t(
          <>
            Was Sie hier sperren, kann niemandem im Team mehr aufgegeben werden: Die App bietet es nicht an, die API
            lehnt solche Aufgaben mit <Code>403 vorgabe_gesperrt</Code> ab und lässt es aus <Code>GET /catalog</Code>{' '}
            weg. Bestehende Aufgaben bleiben, wie sie sind.
          </>,
          <>
            What you block here can’t be given to anybody in the team: the app doesn’t offer it, the API refuses such
            assignments with <Code>403 vorgabe_gesperrt</Code> and leaves it out of <Code>GET /catalog</Code>.
            Assignments that exist stay as they are.
          </>,
        )
      : t(
          <>
            Was Sie hier sperren, gilt für dieses Mitglied allein und zusätzlich zu dem, was für das ganze Team gesperrt
            ist: Aufgaben damit lehnt auch die API ab, mit <Code>403 vorgabe_gesperrt</Code>. Was das Team sperrt, lässt
            sich für Einzelne nicht freigeben.
          </>,
          <>
            What you block here holds for this member alone, on top of what is blocked for the whole team: the API too
            refuses assignments with it, with <Code>403 vorgabe_gesperrt</Code>. What the team blocks can’t be released
            for individual people.
          </>,
        );
  return (
    <Panel>
      <Stack gap="sm">
        <Box maw={420}>
          <MemberChoice
            label={t('Vorgabe für', 'Policy for')}
            placeholder={t('Das ganze Team', 'The whole team')}
            by="id"
            value={member}
            onChange={onChange}
            {...(data && { fallbackName: data.email ?? t('Ein Mitglied', 'A member') })}
          />
        </Box>
        <Text size="sm" c="dimmed" maw={760} component="p" m={0}>
          {meaning}
        </Text>
      </Stack>
    </Panel>
  );
};
