import { Button, type ButtonProps } from '@mantine/core';
import { IconChevronDown, IconChevronUp } from '@tabler/icons-react';
import type { ComponentProps } from 'react';

/** A button that shows something below it, and hides it again. */
export const FoldButton = ({ isOpen, ...button }: ButtonProps & ComponentProps<'button'> & { isOpen: boolean }) => (
  <Button
    size="compact-sm"
    aria-expanded={isOpen}
    rightSection={isOpen ? <IconChevronUp size={14} aria-hidden /> : <IconChevronDown size={14} aria-hidden />}
    {...button}
  />
);
