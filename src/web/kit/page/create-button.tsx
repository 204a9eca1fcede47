import { Button, type ButtonProps } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import type { ComponentProps } from 'react';

interface CreateButtonProps
  extends Pick<ButtonProps, 'disabled' | 'rightSection'>, Pick<ComponentProps<'button'>, 'ref'> {
  label: string;
  icon?: typeof IconPlus;
  /** Absent for the button of a menu, which adds its own properties. */
  onClick?: () => void;
}

/** A page's button for something new. The shortcut and the search find it by its attribute `data-creates`. */
export const CreateButton = ({ label, icon: Icon = IconPlus, ...button }: CreateButtonProps) => (
  <Button variant="filled" data-creates leftSection={<Icon size={16} aria-hidden />} {...button}>
    {label}
  </Button>
);
