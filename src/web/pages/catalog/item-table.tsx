import { Button, Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Item } from '../../../modules/catalog/schema.ts';
import { Status } from '../../kit/facts.tsx';
import { DataTable } from '../../kit/table.tsx';
import { useLanguage, useText } from '../../language/language.tsx';
import { ItemIcon } from './item-icon.tsx';
import { useNameOf } from './item-name.ts';
import { ReleaseSwitch } from './release-switch.tsx';
import type { usePolicy } from './use-policy.ts';

const ItemCell = ({ item }: { item: Item }) => {
  const t = useText();
  const nameOf = useNameOf();
  const { language } = useLanguage();
  const other = language === 'de' ? 'en' : 'de';
  const inOther = item.name[other];
  return (
    <Group gap="sm" wrap="nowrap" align="flex-start">
      <ItemIcon name={item.icon} />
      <div>
        <Group gap="xs">
          <Text size="sm" fw={550} component="span">
            {nameOf(item)}
          </Text>
          {item.own && <Status tone="info">{t('Eigener', 'Your own')}</Status>}
          {!item.published && <Status tone="plain">{t('Nicht veröffentlicht', 'Not published')}</Status>}
        </Group>
        {inOther !== null && inOther !== nameOf(item) && (
          <Text size="xs" c="dimmed" fw={400} lang={other}>
            {inOther}
          </Text>
        )}
      </div>
    </Group>
  );
};

interface ItemTableProps {
  label: string;
  rows: readonly Item[] | undefined;
  policy: ReturnType<typeof usePolicy>;
  empty: ReactNode;
  error: unknown;
  retry: () => void;
  onEdit: (item: Item) => void;
  onRules: (item: Item) => void;
}

/** The items of one dimension and what the policy says of each. */
export const ItemTable = ({ rows, policy, onEdit, onRules, ...table }: ItemTableProps) => {
  const t = useText();
  const nameOf = useNameOf();
  const { isReleased, isFixed, trySay } = policy;
  return (
    <DataTable
      {...table}
      rows={isReleased ? rows : undefined}
      keyOf={({ id }) => id}
      columns={[
        { label: t('Eintrag', 'Item'), cell: (item) => <ItemCell item={item} /> },
        {
          label: t('Freigegeben', 'Released'),
          cell: (item) =>
            isFixed(item) ? (
              <Status tone="warn">{t('Vom Team gesperrt', 'Blocked by the team')}</Status>
            ) : (
              <ReleaseSwitch
                label={t(`${nameOf(item)} freigeben`, `Release ${nameOf(item)}`)}
                released={isReleased?.(item) ?? true}
                onChange={(released) => trySay([item.id], released)}
              />
            ),
        },
        {
          label: '',
          align: 'end',
          cell: (item) => (
            <Group gap="xs" justify="flex-end" wrap="nowrap">
              {item.dimension === 'situation' && (
                <Button
                  size="compact-sm"
                  variant="default"
                  aria-label={t(`Regeln: ${nameOf(item)}`, `Rules: ${nameOf(item)}`)}
                  onClick={() => onRules(item)}
                >
                  {t('Regeln', 'Rules')}
                </Button>
              )}
              {item.own && (
                <Button
                  size="compact-sm"
                  variant="default"
                  aria-label={t(`Bearbeiten: ${nameOf(item)}`, `Edit: ${nameOf(item)}`)}
                  onClick={() => onEdit(item)}
                >
                  {t('Bearbeiten', 'Edit')}
                </Button>
              )}
            </Group>
          ),
        },
      ]}
    />
  );
};
