import { Anchor, Text, type AnchorProps, type TextProps } from '@mantine/core';
import type { ComponentProps } from 'react';
import { Link, type LinkProps } from 'react-router';

/** A text that is less important than those around it. */
export const Hint = (text: TextProps & Omit<ComponentProps<'p'>, keyof TextProps>) => (
  <Text size="sm" c="dimmed" {...text} />
);

/** A link to another page of the app. */
export const TextLink = (link: AnchorProps & Omit<LinkProps, keyof AnchorProps>) => (
  <Anchor component={Link} size="sm" {...link} />
);
