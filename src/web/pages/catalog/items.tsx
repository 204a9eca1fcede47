import { Button, Group, Select, Switch, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Fragment } from 'react';
import type { Dimension, ManagedItem, RuledDimension } from '../../../modules/catalog/schema.ts';
import { Lines, TextInCell } from '../../kit/text/cut.tsx';
import { Dialog } from '../../kit/dialog/dialog.tsx';
import { Status } from '../../kit/page/facts.tsx';
import { notify } from '../../kit/page/messages.tsx';
import { Form, useServerForm } from '../../kit/form/form.tsx';
import { DataTable, type DataTableProps } from '../../kit/list/table.tsx';
import { t } from '../../language/language.tsx';
import { app, client } from '../../server/server.ts';
import { undoable } from '../../kit/dialog/undo.ts';
import { policyChange } from './changes.ts';
import { iconNames, ItemIcon } from './item-icon.tsx';
import { itemDraft, itemName, itemValues, otherName, textOrNull } from './item-names.ts';
import { policyOf, releasedText } from './policy.ts';

const ItemCell = ({ item }: { item: ManagedItem }) => {
  const other = otherName(item);
  return (
    <Group gap="sm" wrap="nowrap">
      <ItemIcon name={item.icon} />
      <Lines
        below={
          <>
            {[
              item.own && t('Eigener Eintrag', 'Custom'),
              !item.published && t('Nicht veröffentlicht', 'Not published'),
              other && <span lang={other.lang}>{other.name}</span>,
            ]
              .filter(Boolean)
              .map((part, at) => (
                <Fragment key={at}>
                  {at > 0 && ' · '}
                  {part}
                </Fragment>
              ))}
          </>
        }
      >
        <Text size="sm" fw={550} component="span">
          <TextInCell text={itemName(item)} />
        </Text>
      </Lines>
    </Group>
  );
};

interface ItemTableProps extends Pick<
  DataTableProps<ManagedItem>,
  'label' | 'list' | 'count' | 'filters' | 'none' | 'hint'
> {
  policy: ReturnType<typeof usePolicy>;
  onEdit: (item: ManagedItem) => void;
  onRules: (item: ManagedItem) => void;
}

export const ItemTable = ({ list, policy, onEdit, onRules, ...table }: ItemTableProps) => {
  const { isReleased, isFixed, setReleased } = policy;
  return (
    <DataTable
      {...table}
      csv={{ read: async () => ({ data: (await client.app.catalog.items.query({})).items, next_cursor: null }) }}
      list={isReleased ? list : { ...list, rows: undefined }}
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
          alwaysShown: true,
          cell: (item) =>
            isFixed(item) ? (
              <Status tone="warn">{t('Vom Team gesperrt', 'Blocked by the team')}</Status>
            ) : (
              <ReleaseSwitch
                label={t(`${itemName(item)} freigeben`, `Allow ${itemName(item)}`)}
                released={isReleased?.(item) ?? true}
                onChange={(released) => setReleased([item.id], released)}
              />
            ),
        },
        {
          label: '',
          align: 'end',
          priority: 1,
          cell: (item) => (
            <Group gap="xs" justify="flex-end" wrap="nowrap">
              {item.dimension === 'situation' && (
                <Button
                  size="compact-sm"
                  aria-label={t(`Regeln: ${itemName(item)}`, `Rules: ${itemName(item)}`)}
                  onClick={() => onRules(item)}
                >
                  {t('Regeln', 'Rules')}
                </Button>
              )}
              {item.own && (
                <Button
                  size="compact-sm"
                  aria-label={t(`Bearbeiten: ${itemName(item)}`, `Edit: ${itemName(item)}`)}
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
  onChange: (released: boolean) => Promise<void>;
}

/**
 * Shows the new value at once, and the old one again if the server refuses the change. Several changes are sent one
 * after the other.
 */
const ReleaseSwitch = ({ label, released, onChange }: ReleaseSwitchProps) => {
  const change = useMutation({ mutationFn: onChange, scope: { id: label } });
  return (
    <Switch
      aria-label={label}
      checked={change.isPending ? change.variables : released}
      onChange={(event) => change.mutate(event.currentTarget.checked)}
    />
  );
};

/**
 * The policy of the team, or of a member: which items it blocks. A member’s policy applies in addition to the team’s.
 */
export const usePolicy = (member: string) => {
  const isOwn = member !== '';
  const own = useQuery(app.policy.member.queryOptions({ member_id: member }, { enabled: isOwn }));
  const setTeam = useMutation(app.policy.setTeam.mutationOptions());
  const setMember = useMutation(app.policy.setMember.mutationOptions());

  const setReleased = async (ids: string[], released: boolean): Promise<void> => {
    const change = policyChange(ids, released);
    await (isOwn ? setMember.mutateAsync({ member_id: member, ...change.act }) : setTeam.mutateAsync(change.act));
    const { undo } = undoable(
      (input) =>
        isOwn
          ? client.app.policy.setMember.mutate({ member_id: member, ...input })
          : client.app.policy.setTeam.mutate(input),
      change,
    );
    notify(releasedText(ids.length, released), undo);
  };
  return {
    ...policyOf(isOwn ? { blocked: own.data?.blocked } : undefined),
    /** Why the policy could not be loaded. */
    error: own.error,
    /** Why the policy could not be changed. */
    refusal: setTeam.error ?? setMember.error,
    setReleased,
  };
};

/** The names of the catalog's five dimensions, in their order. */
export const dimensionNames = (): Readonly<Record<Dimension, string>> => ({
  situation: t('Situationen', 'Situations'),
  personality: t('Persönlichkeiten', 'Personalities'),
  industry: t('Branchen', 'Industries'),
  role: t('Rollen', 'Roles'),
  methodology: t('Methodiken', 'Methodologies'),
});

/** The dialog and the button for a new item. */
export const newItemNames = (): Readonly<Record<Dimension, string>> => ({
  situation: t('Neue Situation', 'New situation'),
  personality: t('Neue Persönlichkeit', 'New personality'),
  industry: t('Neue Branche', 'New industry'),
  role: t('Neue Rolle', 'New role'),
  methodology: t('Neue Methodik', 'New methodology'),
});

export const ruledNames = (): Readonly<Record<RuledDimension, string>> => {
  const { personality, industry, role } = dimensionNames();
  return { personality, industry, role };
};

/** A new item of a dimension, or one of the team’s own to change. */
export type ItemTarget = { dimension: Dimension; item?: undefined } | { dimension: Dimension; item: ManagedItem };

const ItemForm = ({ target, onClose }: { target: ItemTarget; onClose: () => void }) => {
  const { dimension, item } = target;
  const form = useServerForm({
    draft: { name: itemDraft(target), fields: ['de', 'en', 'icon', 'published'] },
    initial: itemValues(item),
    check: ({ de, en }) => {
      if (textOrNull(de) !== null || textOrNull(en) !== null) return {};
      return {
        de: t('Geben Sie mindestens einen der beiden Namen ein.', 'Enter at least one of the two names.'),
        en: true,
      };
    },
    send: ({ de, en, icon, published }) => {
      const values = { name: { de: textOrNull(de), en: textOrNull(en) }, icon, published };
      return item
        ? client.app.catalog.changeItem.mutate({ item_id: item.id, ...values })
        : client.app.catalog.createItem.mutate({ dimension, ...values });
    },
    done: t('Eintrag gespeichert.', 'Item saved.'),
    onSent: onClose,
  });
  const { icon } = form.values;
  const icons = icon === null || iconNames.includes(icon) ? iconNames : [icon, ...iconNames];
  return (
    <Form form={form} action={t('Speichern', 'Save')} onCancel={onClose}>
      <TextInput label={t('Name (Deutsch)', 'Name (German)')} data-autofocus {...form.getInputProps('de')} />
      <TextInput
        label={t('Name (Englisch)', 'Name (English)')}
        description={t('Fehlt ein Name, wird der andere angezeigt.', 'If a name is missing, the other one is shown.')}
        {...form.getInputProps('en')}
      />
      <Select
        label={t('Symbol', 'Icon')}
        placeholder={t('Keins', 'None')}
        data={icons}
        searchable
        clearable
        clearButtonProps={{ 'aria-label': t('Kein Symbol', 'No icon') }}
        nothingFoundMessage={t('Kein Symbol gefunden', 'No icon found')}
        leftSection={<ItemIcon name={icon} size={16} />}
        renderOption={({ option }) => (
          <Group gap="sm">
            <ItemIcon name={option.value} size={16} />
            {option.label}
          </Group>
        )}
        {...form.getInputProps('icon')}
      />
      <Switch
        label={t('Veröffentlicht', 'Published')}
        description={t(
          'Unveröffentlichte Einträge sind nur für Admins auf dieser Seite sichtbar.',
          'Unpublished items are visible only to admins on this page.',
        )}
        {...form.getInputProps('published', { type: 'checkbox' })}
      />
    </Form>
  );
};

/** Creates an item of the team’s own, or changes one. */
export const ItemDialog = ({ target, onClose }: { target: ItemTarget | undefined; onClose: () => void }) => (
  <Dialog
    title={target?.item ? t('Eintrag bearbeiten', 'Edit item') : newItemNames()[target?.dimension ?? 'situation']}
    opened={target !== undefined}
    onClose={onClose}
  >
    {target && <ItemForm target={target} onClose={onClose} />}
  </Dialog>
);
