import { IconPoint } from '@tabler/icons-react';
import * as components from './catalog-icons.ts';

/** The icons by the names that items have: `building-factory-2` is `IconBuildingFactory2`. */
const icons = new Map(
  Object.entries(components).map(([name, Icon]) => [
    name
      .replace('Icon', '')
      .replaceAll(/(?<=[a-z])(?=[A-Z0-9])/g, '-')
      .toLowerCase(),
    Icon,
  ]),
);

export const iconNames = [...icons.keys()];

/** An item’s icon; a dot if it has none, or one that this app does not have. */
export const ItemIcon = ({ name, size = 18 }: { name: string | null; size?: number }) => {
  const Icon = icons.get(name ?? '') ?? IconPoint;
  return <Icon size={size} stroke={1.6} style={{ flex: 'none' }} aria-hidden />;
};
