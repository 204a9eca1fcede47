import { Anchor } from '@mantine/core';
import type { ReactNode } from 'react';
import { currentLanguage } from '../language/language.tsx';

/** The address of a page of the documentation, in the language of the app. */
export const docsAddress = (page = 'overview'): string => {
  const language = currentLanguage();
  return `/developers/${language}/${page}`;
};

/** A link to the documentation, which opens in another tab. */
export const DocsLink = ({ page, children }: { page: string; children: ReactNode }) => (
  <Anchor href={docsAddress(page)} target="_blank" rel="noreferrer" inherit>
    {children}
  </Anchor>
);
