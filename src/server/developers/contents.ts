import type { Texts } from '../../core/language.ts';

interface PageGroup {
  title: Texts;
  /** The paths of the group's pages below `/developers/en/` and `/developers/de/`. */
  pages: readonly string[];
}

/**
 * All pages, in the order of the navigation. Each is a file in `pages/en` and `pages/de`, or generated from the OpenAPI
 * document.
 */
export const groups: readonly PageGroup[] = [
  { title: { de: 'Erste Schritte', en: 'Get started' }, pages: ['overview', 'quick-start', 'authentication'] },
  {
    title: { de: 'Grundlagen', en: 'Basics' },
    pages: ['pagination', 'limits', 'idempotency', 'errors', 'privacy', 'security', 'versions', 'changelog'],
  },
  {
    title: { de: 'Webhooks', en: 'Webhooks' },
    pages: ['webhooks', 'webhook-events', 'webhook-signatures', 'webhook-testing', 'receiver-check', 'event-feed'],
  },
  {
    title: { de: 'Anleitungen', en: 'Guides' },
    pages: [
      'keeping-a-copy',
      'exports',
      'warehouse',
      'following-changes',
      'siem',
      'learning-system',
      'crm',
      'crm-feed',
      'crm-providers',
      'company-account',
    ],
  },
  {
    title: { de: 'Verzeichnis', en: 'Directory' },
    pages: ['directory', 'directory-okta', 'directory-entra'],
  },
  { title: { de: 'Werkzeuge', en: 'Tools' }, pages: ['tools', 'sandbox', 'assistants'] },
  { title: { de: 'Referenz', en: 'Reference' }, pages: ['reference'] },
];

/** The page that `/developers` shows. */
export const frontPage = 'overview';

/** The page that lists the generated pages of the reference. The paths of these pages begin with this path. */
export const referencePage = 'reference';

export const writtenPages: readonly string[] = groups.flatMap(({ pages }) => pages);
