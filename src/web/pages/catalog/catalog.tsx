import { Box, Button, Group, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Dimension, ManagedItem } from '../../../modules/catalog/schema.ts';
import { number } from '../../kit/text/figures.ts';
import { useConfirm } from '../../kit/dialog/confirm.tsx';
import { DocsLink, Hint } from '../../kit/text/text.tsx';
import { WaitingDrafts } from '../../kit/form/waiting-drafts.tsx';
import { FilterBar } from '../../kit/list/filter-bar.tsx';
import { keyIn, useFilters } from '../../kit/list/filters.tsx';
import { MemberChoice } from '../../kit/names/members.tsx';
import { CreateButton } from '../../kit/page/create-button.tsx';
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

const contains = ({ name }: ManagedItem, search: string): boolean =>
  [name.de, name.en].some((text) => hasWords(text ?? '', search));

/** Buttons that release or block all listed items. */
const ReleaseAll = ({ items, policy }: { items: readonly ManagedItem[]; policy: ReturnType<typeof usePolicy> }) => {
  const confirm = useConfirm();
  const { isReleased, isFixed, setReleased } = policy;
  if (!isReleased) return null;
  const { released, blocked } = changeable(items, { isReleased, isFixed });
  const act = (wanted: readonly ManagedItem[], release: boolean) => () =>
    setReleased(
      wanted.map(({ id }) => id),
      release,
    );
  return (
    <Group gap="xs" wrap="nowrap">
      <Button
        size="compact-sm"
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
        size="compact-sm"
        disabled={released.length === 0}
        onClick={() =>
          confirm({
            title: t('Alle aufgeführten Einträge sperren?', 'Block all listed items?'),
            consequences: t(
              'Gesperrte Einträge können weder in der App noch über die API für neue Aufgaben verwendet werden. Sie können sie jederzeit wieder freigeben.',
              'Blocked items can’t be used for new assignments in the app or through the API. You can allow them again at any time.',
            ),
            action: t('Alle sperren', 'Block all'),
            harmless: true,
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
  const { valueOf, set } = useFilters('dimension', 'member');
  const filters = useFilters('search');
  const dimension = keyIn(names, valueOf('dimension')) ?? 'situation';
  const policy = usePolicy(valueOf('member'));
  const { data, error, refetch } = useQuery(app.catalog.items.queryOptions({}));
  const [editing, setEditing] = useState<ItemTarget>();
  const [ruled, setRuled] = useState<ManagedItem>();
  const items = data?.items;
  const rows = items?.filter((item) => item.dimension === dimension && contains(item, filters.valueOf('search')));
  const draftOf = (target: ItemTarget, what: string) => ({
    name: itemDraft(target),
    what,
    open: () => setEditing(target),
  });
  const viewOf = (value: Dimension) => ({
    value,
    label: names[value],
    content: (
      <FilterBar
        list="catalog"
        filters={filters}
        rows={rows}
        search={{ name: 'search', label: t('Einträge suchen', 'Search items') }}
        actions={rows && <ReleaseAll items={rows} policy={policy} />}
      >
        <ProblemAlert error={policy.refusal} />
        <ItemTable
          label={names[value]}
          list={{ rows, error: error ?? policy.error, refetch }}
          count={rows && { count: rows.length, more: false }}
          filters={{ ...filters, what: t('Einträge', 'items') }}
          policy={policy}
          onEdit={(item) => setEditing({ dimension: item.dimension, item })}
          onRules={setRuled}
          none={t('Noch keine Einträge', 'No items yet')}
          hint={t('Legen Sie eigene Einträge für Ihr Team an.', 'Create your own items for your team.')}
        />
      </FilterBar>
    ),
  });
  return (
    <Page
      title={t('Katalog und Freigaben', 'Catalog and policies')}
      lead={t(
        'Legen Sie fest, welche Einträge Ihr Team für Trainings verwenden kann.',
        'Choose which items your team can use for trainings.',
      )}
      actions={<CreateButton label={newItemNames()[dimension]} onClick={() => setEditing({ dimension })} />}
    >
      <WaitingDrafts
        of={[
          draftOf({ dimension }, newItemNames()[dimension]),
          ...(items ?? []).flatMap((item) => [
            draftOf({ dimension: item.dimension, item }, itemName(item)),
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
        <Hint maw={760}>
          {member === ''
            ? t(
                'Gesperrte Einträge können nicht in neuen Aufgaben verwendet werden. Bestehende Aufgaben bleiben unverändert. ',
                'Blocked items can’t be used in new assignments. Existing ones stay. ',
              )
            : t(
                'Diese Sperren gelten nur für dieses Mitglied, zusätzlich zu den Sperren des Teams. Für das Team gesperrte Einträge können nicht für einzelne Mitglieder freigegeben werden.',
                'These blocks apply to this member only, in addition to the team’s blocks. Items that are blocked for the team can’t be allowed for individual members.',
              )}
          {member === '' && <DocsLink page="errors#vorgabe_gesperrt">{t('Antwort der API', 'API response')}</DocsLink>}
        </Hint>
      </Stack>
    </Panel>
  );
};
