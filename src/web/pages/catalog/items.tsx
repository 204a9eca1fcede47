import { Button, Group, Switch, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import type { ReactNode } from 'react';
import type { Dimension, Item, RuledDimension } from '../../../modules/catalog/schema.ts';
import { Status } from '../../kit/facts.tsx';
import { DataTable } from '../../kit/table.tsx';
import { useLanguage, useText } from '../../language/language.tsx';
import { app, client } from '../../server/server.ts';
import { ItemIcon } from './item-icon.tsx';

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
          {item.own && <Status tone="info">{t('Eigener Eintrag', 'Custom')}</Status>}
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

/** The items of one dimension, with the policy for each. */
export const ItemTable = ({ rows, policy, onEdit, onRules, ...table }: ItemTableProps) => {
  const t = useText();
  const nameOf = useNameOf();
  const { isReleased, isFixed, trySetReleased } = policy;
  return (
    <DataTable
      {...table}
      csv={{ read: async () => ({ data: (await client.app.catalog.items.query({})).items, next_cursor: null }) }}
      rows={isReleased ? rows : undefined}
      keyOf={({ id }) => id}
      columns={[
        { label: t('Eintrags-ID', 'Item ID'), value: ({ id }) => id },
        { label: t('Dimension', 'Dimension'), value: ({ dimension }) => dimension },
        { label: t('Eintrag', 'Item'), cell: (item) => <ItemCell item={item} /> },
        { label: t('Name (Deutsch)', 'Name (German)'), value: ({ name }) => name.de },
        { label: t('Name (Englisch)', 'Name (English)'), value: ({ name }) => name.en },
        { label: t('Eigener Eintrag', 'Custom'), value: ({ own }) => own },
        { label: t('Veröffentlicht', 'Published'), value: ({ published }) => published },
        { label: t('Gesperrt', 'Blocked'), value: ({ blocked }) => blocked },
        {
          label: t('Freigegeben', 'Allowed'),
          cell: (item) =>
            isFixed(item) ? (
              <Status tone="warn">{t('Vom Team gesperrt', 'Blocked by the team')}</Status>
            ) : (
              <ReleaseSwitch
                label={t(`${nameOf(item)} freigeben`, `Allow ${nameOf(item)}`)}
                released={isReleased?.(item) ?? true}
                onChange={(released) => trySetReleased([item.id], released)}
              />
            ),
        },
        {
          label: '',
          align: 'end',
          fold: 1,
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
  /** Sends the change to the server; true if it was accepted. */
  onChange: (released: boolean) => Promise<boolean>;
}

/**
 * Shows the new value at once, and the old one again if the server refuses. Sends one request at a time, and then another one if the person
 * has changed the value meanwhile.
 */
const ReleaseSwitch = ({ label, released, disabled = false, onChange }: ReleaseSwitchProps) => {
  const [wanted, setWanted] = useState<boolean>();
  const [isSending, setSending] = useState(false);
  const latest = useRef(released);
  // The list has the wanted value now, so the local one is not needed any more.
  if (!isSending && wanted === released) setWanted(undefined);
  const change = async (next: boolean) => {
    setWanted(next);
    latest.current = next;
    if (isSending) return;
    setSending(true);
    let sent: boolean | undefined;
    while (sent !== latest.current) {
      sent = latest.current;
      if (await onChange(sent)) continue;
      setWanted(undefined);
      break;
    }
    setSending(false);
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

/** The policy of the team, or of a member: which items it blocks. A member’s policy applies in addition to the team’s. */
export const usePolicy = (member: string) => {
  const isOwn = member !== '';
  const own = useQuery(app.policy.member.queryOptions({ member_id: member }, { enabled: isOwn }));
  const setTeam = useMutation(app.policy.setTeam.mutationOptions());
  const setMember = useMutation(app.policy.setMember.mutationOptions());
  const blocked = new Set(own.data?.blocked);

  const setReleased = async (ids: string[], released: boolean): Promise<void> => {
    const change = released ? { release: ids } : { block: ids };
    await (isOwn ? setMember.mutateAsync({ member_id: member, ...change }) : setTeam.mutateAsync(change));
  };
  return {
    /** Undefined while the policy loads. */
    isReleased: isOwn && !own.data ? undefined : (item: Item) => !(isOwn ? blocked.has(item.id) : item.blocked),
    /** Whether the team blocks the item. A member’s policy can’t release it. */
    isFixed: (item: Item) => isOwn && item.blocked,
    /** Why the policy could not be loaded. */
    error: own.error,
    /** Why the policy could not be changed. */
    refusal: setTeam.error ?? setMember.error,
    setReleased,
    /** The same, but resolves to false instead of throwing. `refusal` then has the error. */
    trySetReleased: (ids: string[], released: boolean): Promise<boolean> =>
      setReleased(ids, released).then(
        () => true,
        () => false,
      ),
  };
};

/** An item’s name in the reader’s language, else in the other one, else its key. */
export const useNameOf = (): ((item: Item) => string) => {
  const { language } = useLanguage();
  const other = language === 'de' ? 'en' : 'de';
  return ({ name, key }) => name[language] ?? name[other] ?? key;
};

/** The names of the catalog's five dimensions, in their order. */
export const useDimensionNames = (): Readonly<Record<Dimension, string>> => {
  const t = useText();
  return {
    situation: t('Situationen', 'Situations'),
    personality: t('Persönlichkeiten', 'Personalities'),
    industry: t('Branchen', 'Industries'),
    role: t('Rollen', 'Roles'),
    methodology: t('Methodiken', 'Methodologies'),
  };
};

/** The names of the dimensions that a situation has rules for. */
export const useRuledNames = (): Readonly<Record<RuledDimension, string>> => {
  const { personality, industry, role } = useDimensionNames();
  return { personality, industry, role };
};
