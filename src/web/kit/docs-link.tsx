import { Anchor } from '@mantine/core';
import type { ReactNode } from 'react';
import { useLanguage } from '../language/language.tsx';

/** The address of a page of the documentation, in the language of the app. */
export const useDocsAddress = (): ((page?: string) => string) => {
  const { language } = useLanguage();
  return (page = 'overview') => `/developers/${language}/${page}`;
};

/** A link to the documentation, which opens in another tab. */
export const DocsLink = ({ page, children }: { page: string; children: ReactNode }) => (
  <Anchor href={useDocsAddress()(page)} target="_blank" rel="noreferrer" inherit>
    {children}
  </Anchor>
);
