import { Box, Button, Group, Stack, Text } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import type { Dimension, Item } from '../../../modules/catalog/schema.ts';
import { number } from '../../kit/text/figures.ts';
import { useConfirm } from '../../kit/dialog/confirm.tsx';
import { DocsLink } from '../../kit/text/text.tsx';
import { WaitingDrafts } from '../../kit/form/waiting-drafts.tsx';
import { isKeyOf, SearchField, useFilters } from '../../kit/list/filters.tsx';
import { MemberChoice } from '../../kit/names/members.tsx';
import { ProblemAlert } from '../../kit/page/messages.tsx';
import { Page, Panel } from '../../kit/page/page.tsx';
import { hasWords } from '../../kit/list/list-rules.ts';
import { ViewTabs } from '../../kit/page/view-tabs.tsx';
import { t } from '../../language/language.tsx';
import { api, app } from '../../server/server.ts';
import { ItemDialog, ItemTable, dimensionNames, newItemNames, usePolicy, type ItemTarget } from './items.tsx';
import { itemDraft, itemName } from './item-names.ts';
import { changeable } from './policy.ts';
import { RulesDialog, rulesDraft } from './rules-dialog.tsx';

const contains = ({ name }: Item, search: string): boolean =>
  [name.de, name.en].some((text) => hasWords(text ?? '', search));

/** Buttons that release or block all listed items. */
const ReleaseAll = ({ items, policy }: { items: readonly Item[]; policy: ReturnType<typeof usePolicy> }) => {
  const confirm = useConfirm();
  const { isReleased, isFixed, setReleased } = policy;
  if (!isReleased) return null;
  const { released, blocked } = changeable(items, { isReleased, isFixed });
  const act = (wanted: readonly Item[], release: boolean) => () =>
    setReleased(
      wanted.map(({ id }) => id),
      release,
    );
  return (
    <Group gap="xs">
      <Button
        size="xs"
        disabled={blocked.length === 0}
        onClick={() =>
          confirm({
            title: t('Alle aufgeführten Einträge freigeben?', 'Allow all listed items?'),
            consequences: t(
              `Davon derzeit gesperrt: ${number(blocked.length)}.`,
              `Currently blocked: ${number(blocked.length)}.`,
            ),
            action: t('Alle freigeben', 'Allow all'),
            harmless: true,
            act: act(blocked, true),
          })
        }
      >
        {t('Alle freigeben', 'Allow all')}
      </Button>
      <Button
        size="xs"
        disabled={released.length === 0}
        onClick={() =>
          confirm({
            title: t('Alle aufgeführten Einträge sperren?', 'Block all listed items?'),
            consequences: t(
              'Gesperrte Einträge können weder in der App noch über die API für neue Aufgaben verwendet werden. Sie können sie jederzeit wieder freigeben.',
              'Blocked items can’t be used for new assignments in the app or through the API. You can allow them again at any time.',
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
  const names = dimensionNames();
  const filters = useFilters('dimension', 'search', 'member');
  const { valueOf, set } = filters;
  const wanted = valueOf('dimension');
  const dimension = isKeyOf(names, wanted) ? wanted : 'situation';
  const search = valueOf('search');
  const policy = usePolicy(valueOf('member'));
  const { data, error, refetch } = useQuery(app.catalog.items.queryOptions({}));
  const [editing, setEditing] = useState<ItemTarget>();
  const [ruled, setRuled] = useState<Item>();
  const items = data?.items;
  const rows = items?.filter((item) => item.dimension === dimension && contains(item, search));
  const viewOf = (value: Dimension) => ({
    value,
    label: names[value],
    content: (
      <Stack gap="md">
        <Group justify="space-between" align="flex-end" gap="md">
          <SearchField filters={filters} label={t('Einträge suchen', 'Search items')} />
          {rows && <ReleaseAll items={rows} policy={policy} />}
        </Group>
        <ProblemAlert error={policy.refusal} />
        <ItemTable
          label={names[value]}
          list={{ rows, error: error ?? policy.error, refetch }}
          policy={policy}
          onEdit={(item) => setEditing({ dimension: item.dimension, item })}
          onRules={setRuled}
          none={
            search === ''
              ? t('Noch keine Einträge', 'No items yet')
              : t('Keine Einträge entsprechen der Suche', 'No items match this search')
          }
          hint={t('Legen Sie eigene Einträge für Ihr Team an.', 'Create your own items for your team.')}
        />
      </Stack>
    ),
  });
  return (
    <Page
      title={t('Katalog und Freigaben', 'Catalog and policies')}
      lead={t(
        'Legen Sie fest, welche Einträge Ihr Team für Trainings verwenden kann.',
        'Choose which items your team can use for trainings.',
      )}
      actions={
        <Button
          variant="filled"
          leftSection={<IconPlus size={16} aria-hidden />}
          onClick={() => setEditing({ dimension })}
        >
          {newItemNames()[dimension]}
        </Button>
      }
    >
      <WaitingDrafts
        of={[
          {
            name: itemDraft({ dimension }),
            what: newItemNames()[dimension],
            open: () => setEditing({ dimension }),
          },
          ...(items ?? []).flatMap((item) => [
            {
              name: itemDraft({ dimension: item.dimension, item }),
              what: itemName(item),
              open: () => setEditing({ dimension: item.dimension, item }),
            },
            { name: rulesDraft(item.id), what: itemName(item), open: () => setRuled(item) },
          ]),
        ]}
      />
      <PolicyChoice member={valueOf('member')} onChange={(member) => set('member', member)} />
      <ViewTabs
        name="dimension"
        label={t('Katalogdimensionen', 'Catalog dimensions')}
        views={[viewOf('situation'), viewOf('personality'), viewOf('industry'), viewOf('role'), viewOf('methodology')]}
      />
      <ItemDialog target={editing} onClose={() => setEditing(undefined)} />
      <RulesDialog situation={ruled} items={items ?? []} onClose={() => setRuled(undefined)} />
    </Page>
  );
}

interface PolicyChoiceProps {
  /** The member whose policy is shown; empty for the team's policy. */
  member: string;
  onChange: (member: string | null) => void;
}

/** Chooses whose policy is shown, and explains it. */
const PolicyChoice = ({ member, onChange }: PolicyChoiceProps) => {
  const { data } = useQuery(api.members.get.queryOptions({ member_id: member }, { enabled: member !== '' }));
  const meaning: ReactNode =
    member === ''
      ? t(
          <>
            Gesperrte Einträge können nicht in neuen Aufgaben verwendet werden. Bestehende Aufgaben bleiben unverändert.{' '}
            <DocsLink page="errors#vorgabe_gesperrt">Antwort der API</DocsLink>
          </>,
          <>
            Blocked items can’t be used in new assignments. Existing ones stay.{' '}
            <DocsLink page="errors#vorgabe_gesperrt">API response</DocsLink>
          </>,
        )
      : t(
          <>
            Diese Sperren gelten nur für dieses Mitglied, zusätzlich zu den Sperren des Teams. Für das Team gesperrte
            Einträge können nicht für einzelne Mitglieder freigegeben werden.
          </>,
          <>
            These blocks apply to this member only, in addition to the team’s blocks. Items that are blocked for the
            team can’t be allowed for individual members.
          </>,
        );
  return (
    <Panel>
      <Stack gap="sm">
        <Box maw={420}>
          <MemberChoice
            label={t('Freigaben für', 'Policy for')}
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
