import { Group, Select, Stack, Switch, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { FormEvent } from 'react';
import type { Dimension, Item } from '../../../modules/catalog/schema.ts';
import { Dialog, DialogButtons } from '../../kit/dialog.tsx';
import { ProblemAlert, tell } from '../../kit/messages.tsx';
import { useText } from '../../language/language.tsx';
import { flawsByField, problemOf } from '../../server/problem.ts';
import { app } from '../../server/server.ts';
import { useDimensionNames } from './dimensions.ts';
import { iconNames, ItemIcon } from './item-icon.tsx';

/** A new item of a dimension, or one of the team’s own to change. */
export type ItemAtHand = { dimension: Dimension; item?: undefined } | { dimension: Dimension; item: Item };

const orNull = (text: string): string | null => (text.trim() === '' ? null : text.trim());

const Fields = ({ at: { dimension, item }, onClose }: { at: ItemAtHand; onClose: () => void }) => {
  const t = useText();
  const create = app.useChange('catalog.createItem');
  const change = app.useChange('catalog.changeItem');
  const [de, setDe] = useState(item?.name.de ?? '');
  const [en, setEn] = useState(item?.name.en ?? '');
  const [icon, setIcon] = useState(item?.icon ?? null);
  const [published, setPublished] = useState(item?.published ?? true);
  const [tried, setTried] = useState(false);
  const error = create.error ?? change.error;
  const flaws = flawsByField(problemOf(error));
  const isNamed = orNull(de) !== null || orNull(en) !== null;
  const nameless =
    tried && !isNamed
      ? t('Geben Sie mindestens einen der beiden Namen an.', 'Enter at least one of the two names.')
      : undefined;
  const icons = icon === null || iconNames.includes(icon) ? iconNames : [icon, ...iconNames];

  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (!isNamed) return;
    const said = { name: { de: orNull(de), en: orNull(en) }, icon, published };
    const onSuccess = () => {
      tell(t('Der Eintrag ist gespeichert.', 'The item is saved.'));
      onClose();
    };
    if (item) change.mutate({ item_id: item.id, ...said }, { onSuccess });
    else create.mutate({ dimension, ...said }, { onSuccess });
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <TextInput
          label={t('Name auf Deutsch', 'Name in German')}
          data-autofocus
          value={de}
          onChange={(event) => setDe(event.currentTarget.value)}
          error={nameless}
        />
        <TextInput
          label={t('Name auf Englisch', 'Name in English')}
          description={t(
            'Fehlt einer der Namen, wird in dieser Sprache der andere angezeigt.',
            'If a name is missing, the other one is shown in that language.',
          )}
          value={en}
          onChange={(event) => setEn(event.currentTarget.value)}
          error={nameless !== undefined}
        />
        <Select
          label={t('Symbol', 'Icon')}
          placeholder={t('Keins', 'None')}
          data={icons}
          value={icon}
          onChange={setIcon}
          searchable
          clearable
          clearButtonProps={{ 'aria-label': t('Kein Symbol', 'No icon') }}
          nothingFoundMessage={t('Kein solches Symbol', 'No such icon')}
          leftSection={<ItemIcon name={icon} size={16} />}
          renderOption={({ option }) => (
            <Group gap="sm">
              <ItemIcon name={option.value} size={16} />
              {option.label}
            </Group>
          )}
          error={flaws['icon']}
        />
        <Switch
          label={t('Veröffentlicht', 'Published')}
          description={t(
            'Unveröffentlichte Einträge sehen nur Admins, auf dieser Seite.',
            'Only admins see unpublished items, on this page.',
          )}
          checked={published}
          onChange={(event) => setPublished(event.currentTarget.checked)}
        />
        <ProblemAlert error={error} />
        <DialogButtons
          action={t('Speichern', 'Save')}
          running={create.isPending || change.isPending}
          onCancel={onClose}
        />
      </Stack>
    </form>
  );
};

/** Makes an item of the team’s own, or changes one. */
export const ItemDialog = ({ at, onClose }: { at: ItemAtHand | undefined; onClose: () => void }) => {
  const t = useText();
  const names = useDimensionNames();
  const what = at ? names[at.dimension] : '';
  return (
    <Dialog
      title={at?.item ? t('Eintrag bearbeiten', 'Edit item') : t(`Neuer Eintrag: ${what}`, `New item: ${what}`)}
      opened={at !== undefined}
      onClose={onClose}
    >
      {at && <Fields at={at} onClose={onClose} />}
    </Dialog>
  );
};
