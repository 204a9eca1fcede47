import { Anchor, Text, type AnchorProps, type TextProps } from '@mantine/core';
import type { ComponentProps, ReactNode } from 'react';
import { Link, type LinkProps } from 'react-router';
import { currentLanguage } from '../../language/language.tsx';

/** A text that is less important than the texts around it. */
export const Hint = (text: TextProps & Omit<ComponentProps<'p'>, keyof TextProps>) => (
  <Text size="sm" c="dimmed" {...text} />
);

export const TextLink = (link: AnchorProps & Omit<LinkProps, keyof AnchorProps>) => (
  <Anchor component={Link} size="sm" {...link} />
);

/** The address of a page of the documentation, in the language of the app. */
export const docsAddress = (page = 'overview'): string => `/developers/${currentLanguage()}/${page}`;

/** A link to the documentation, which opens in another tab. */
export const DocsLink = ({ page, children }: { page: string; children: ReactNode }) => (
  <Anchor href={docsAddress(page)} target="_blank" rel="noreferrer" inherit>
    {children}
  </Anchor>
);
