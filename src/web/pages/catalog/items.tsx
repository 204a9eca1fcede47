import { Button, Group, Switch, Text } from '@mantine/core';
import { useRef, useState } from 'react';
import type { ReactNode } from 'react';
import type { Dimension, Item, RuledDimension } from '../../../modules/catalog/schema.ts';
import { Status } from '../../kit/facts.tsx';
import { DataTable } from '../../kit/table.tsx';
import { useLanguage, useText } from '../../language/language.tsx';
import { app } from '../../server/server.ts';
import { ItemIcon } from './item-dialog.tsx';

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

interface ReleaseSwitchProps {
  label: string;
  released: boolean;
  disabled?: boolean;
  /** Says so to the server; true when it took it. */
  onChange: (released: boolean) => Promise<boolean>;
}

/** Shows at once what was wanted, and what was before if the server would not have it. One answer is waited for at a time. */
const ReleaseSwitch = ({ label, released, disabled = false, onChange }: ReleaseSwitchProps) => {
  const [wanted, setWanted] = useState<boolean>();
  const [asking, setAsking] = useState(false);
  const latest = useRef(released);
  // The list says what was wanted: from here on it counts alone.
  if (!asking && wanted === released) setWanted(undefined);
  const change = async (next: boolean) => {
    setWanted(next);
    latest.current = next;
    if (asking) return;
    setAsking(true);
    let said: boolean | undefined;
    while (said !== latest.current) {
      said = latest.current;
      if (await onChange(said)) continue;
      setWanted(undefined);
      break;
    }
    setAsking(false);
  };
  return (
    <Switch
      aria-label={label}
      checked={wanted ?? released}
      disabled={disabled}
      onChange={(event) => void change(event.currentTarget.checked)}
    />
  );
};

/** What the policy looked at blocks and releases: the team’s, or on top of it a member’s own. */
export const usePolicy = (member: string) => {
  const isOwn = member !== '';
  const own = app.useAnswer('policy.member', { member_id: member }, { enabled: isOwn });
  const setTeam = app.useChange('policy.setTeam');
  const setMember = app.useChange('policy.setMember');
  const blocked = new Set(own.data?.blocked);

  const say = async (ids: string[], released: boolean): Promise<void> => {
    const change = released ? { release: ids } : { block: ids };
    await (isOwn ? setMember.mutateAsync({ member_id: member, ...change }) : setTeam.mutateAsync(change));
  };
  return {
    /** Undefined while it is not known. */
    isReleased: isOwn && !own.data ? undefined : (item: Item) => !(isOwn ? blocked.has(item.id) : item.blocked),
    /** The team decided, and a member’s own policy can’t widen that. */
    isFixed: (item: Item) => isOwn && item.blocked,
    /** Why it could not be read. */
    error: own.error,
    /** Why it could not be changed. */
    refusal: setTeam.error ?? setMember.error,
    say,
    /** The same, told as whether it was taken; why not stands in `refusal`. */
    trySay: (ids: string[], released: boolean): Promise<boolean> =>
      say(ids, released).then(
        () => true,
        () => false,
      ),
  };
};

/** What an item is called: in the reader’s language, else in the other one; its key where it has no name. */
export const useNameOf = (): ((item: Item) => string) => {
  const { language } = useLanguage();
  const other = language === 'de' ? 'en' : 'de';
  return ({ name, key }) => name[language] ?? name[other] ?? key;
};

/** The five dimensions of the catalog, in their order, by their names. */
export const useDimensionNames = (): Readonly<Record<Dimension, string>> => {
  const t = useText();
  return {
    situation: t('Situationen', 'Situations'),
    personality: t('Gegenüber', 'Personalities'),
    industry: t('Branchen', 'Industries'),
    role: t('Rollen', 'Roles'),
    methodology: t('Methodiken', 'Methodologies'),
  };
};

/** Those that the rules of a situation are about. */
export const useRuledNames = (): Readonly<Record<RuledDimension, string>> => {
  const { personality, industry, role } = useDimensionNames();
  return { personality, industry, role };
};
