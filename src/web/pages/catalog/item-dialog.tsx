import { Group, Select, Switch, TextInput } from '@mantine/core';
import type { Dimension, Item } from '../../../modules/catalog/schema.ts';
import { Dialog } from '../../kit/dialog.tsx';
import { Form, useServerForm } from '../../kit/form.tsx';
import { useText } from '../../language/language.tsx';
import { client } from '../../server/server.ts';
import { iconNames, ItemIcon } from './item-icon.tsx';
import { useDimensionNames } from './items.tsx';

/** A new item of a dimension, or one of the team’s own to change. */
export type ItemTarget = { dimension: Dimension; item?: undefined } | { dimension: Dimension; item: Item };

const textOrNull = (text: string): string | null => (text.trim() === '' ? null : text.trim());

/** The draft of an item, or of a new one of the dimension. */
export const itemDraft = (target: { dimension: Dimension; item?: Pick<Item, 'id'> | undefined }): string =>
  target.item ? `item ${target.item.id}` : `new ${target.dimension}`;

const ItemForm = ({ target, onClose }: { target: ItemTarget; onClose: () => void }) => {
  const t = useText();
  const { dimension, item } = target;
  const form = useServerForm({
    draft: { name: itemDraft(target), fields: ['de', 'en', 'icon', 'published'] },
    initial: {
      de: item?.name.de ?? '',
      en: item?.name.en ?? '',
      icon: item?.icon ?? null,
      published: item?.published ?? true,
    },
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
export const ItemDialog = ({ target, onClose }: { target: ItemTarget | undefined; onClose: () => void }) => {
  const t = useText();
  const names = useDimensionNames();
  const what = target ? names[target.dimension] : '';
  return (
    <Dialog
      title={target?.item ? t('Eintrag bearbeiten', 'Edit item') : t(`Neuer Eintrag: ${what}`, `New item: ${what}`)}
      opened={target !== undefined}
      onClose={onClose}
    >
      {target && <ItemForm target={target} onClose={onClose} />}
    </Dialog>
  );
};
