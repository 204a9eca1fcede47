import { Group, Select, Stack, Switch, TextInput } from '@mantine/core';
import {
  IconAntenna,
  IconArrowBarToRight,
  IconArrowsLeftRight,
  IconBolt,
  IconBriefcase,
  IconBuildingBank,
  IconBuildingEstate,
  IconBuildingFactory2,
  IconBuildingMonument,
  IconBulb,
  IconCalculator,
  IconCalendarPlus,
  IconCar,
  IconChartDots,
  IconChartLine,
  IconClockExclamation,
  IconClockPause,
  IconCoinEuro,
  IconCrane,
  IconDeviceLaptop,
  IconDoorEnter,
  IconEar,
  IconEngine,
  IconFlag,
  IconFlame,
  IconFlask,
  IconHandStop,
  IconHeadset,
  IconHeartHandshake,
  IconHome,
  IconListCheck,
  IconMailForward,
  IconMessageOff,
  IconMessages,
  IconMoodAngry,
  IconMoodSmile,
  IconPhoneCall,
  IconPhoneIncoming,
  IconPlug,
  IconPoint,
  IconPresentation,
  IconReceiptEuro,
  IconRefresh,
  IconRotateClockwise2,
  IconScale,
  IconSchool,
  IconServer2,
  IconShare,
  IconShieldHalf,
  IconShoppingBag,
  IconShoppingCart,
  IconSignature,
  IconStethoscope,
  IconSubmarine,
  IconTag,
  IconTargetArrow,
  IconToolsKitchen2,
  IconTrendingUp,
  IconTruckDelivery,
  IconUmbrella,
  IconUser,
  IconUserHeart,
  IconUsers,
  IconUsersGroup,
  IconZoomExclamation,
} from '@tabler/icons-react';
import { useState } from 'react';
import type { FormEvent } from 'react';
import type { Dimension, Item } from '../../../modules/catalog/schema.ts';
import { Dialog, DialogButtons } from '../../kit/dialog.tsx';
import { ProblemAlert, tell } from '../../kit/messages.tsx';
import { useText } from '../../language/language.tsx';
import { flawsByField, problemOf } from '../../server/problem.ts';
import { app } from '../../server/server.ts';
import { useDimensionNames } from './items.tsx';

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

/** The icons of the catalog that comes with the product, from which the items of a team choose too. */
const icons: Readonly<Record<string, typeof IconPoint>> = {
  antenna: IconAntenna,
  'arrow-bar-to-right': IconArrowBarToRight,
  'arrows-left-right': IconArrowsLeftRight,
  bolt: IconBolt,
  briefcase: IconBriefcase,
  'building-bank': IconBuildingBank,
  'building-estate': IconBuildingEstate,
  'building-factory-2': IconBuildingFactory2,
  'building-monument': IconBuildingMonument,
  bulb: IconBulb,
  calculator: IconCalculator,
  'calendar-plus': IconCalendarPlus,
  car: IconCar,
  'chart-dots': IconChartDots,
  'chart-line': IconChartLine,
  'clock-exclamation': IconClockExclamation,
  'clock-pause': IconClockPause,
  'coin-euro': IconCoinEuro,
  crane: IconCrane,
  'device-laptop': IconDeviceLaptop,
  'door-enter': IconDoorEnter,
  ear: IconEar,
  engine: IconEngine,
  flag: IconFlag,
  flame: IconFlame,
  flask: IconFlask,
  'hand-stop': IconHandStop,
  headset: IconHeadset,
  'heart-handshake': IconHeartHandshake,
  home: IconHome,
  'list-check': IconListCheck,
  'mail-forward': IconMailForward,
  'message-off': IconMessageOff,
  messages: IconMessages,
  'mood-angry': IconMoodAngry,
  'mood-smile': IconMoodSmile,
  'phone-call': IconPhoneCall,
  'phone-incoming': IconPhoneIncoming,
  plug: IconPlug,
  presentation: IconPresentation,
  'receipt-euro': IconReceiptEuro,
  refresh: IconRefresh,
  'rotate-clockwise-2': IconRotateClockwise2,
  scale: IconScale,
  school: IconSchool,
  'server-2': IconServer2,
  share: IconShare,
  'shield-half': IconShieldHalf,
  'shopping-bag': IconShoppingBag,
  'shopping-cart': IconShoppingCart,
  signature: IconSignature,
  stethoscope: IconStethoscope,
  submarine: IconSubmarine,
  tag: IconTag,
  'target-arrow': IconTargetArrow,
  'tools-kitchen-2': IconToolsKitchen2,
  'trending-up': IconTrendingUp,
  'truck-delivery': IconTruckDelivery,
  umbrella: IconUmbrella,
  user: IconUser,
  'user-heart': IconUserHeart,
  users: IconUsers,
  'users-group': IconUsersGroup,
  'zoom-exclamation': IconZoomExclamation,
};

const iconNames = Object.keys(icons);

/** An item’s icon; a dot for one that has none, or one that only others know. */
export const ItemIcon = ({ name, size = 18 }: { name: string | null; size?: number }) => {
  const Icon = icons[name ?? ''] ?? IconPoint;
  return <Icon size={size} stroke={1.6} aria-hidden />;
};
