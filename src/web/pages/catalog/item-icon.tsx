import { IconPoint } from '@tabler/icons-react';
import * as components from './catalog-icons.ts';

/** The icons by the names that items use: `building-factory-2` is `IconBuildingFactory2`. */
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

/** An item’s icon. A dot if it has none, or if this app does not have it. */
export const ItemIcon = ({ name, size = 18 }: { name: string | null; size?: number }) => {
  const Icon = icons.get(name ?? '') ?? IconPoint;
  return <Icon size={size} stroke={1.6} style={{ flex: 'none' }} aria-hidden />;
};
