import { Button, type ButtonProps } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';

interface CreateButtonProps extends Pick<ButtonProps, 'disabled'> {
  label: string;
  icon?: typeof IconPlus;
  onClick: () => void;
}

/** A page's button for something new. The shortcut and the search find it by its attribute. */
export const CreateButton = ({ label, icon: Icon = IconPlus, ...button }: CreateButtonProps) => (
  <Button variant="filled" data-creates leftSection={<Icon size={16} aria-hidden />} {...button}>
    {label}
  </Button>
);
