import type { ComponentType } from 'react';
import type { Translate } from './language/language.tsx';
import type { Permission } from './session/signed-in.tsx';

type LoadPage = () => Promise<{ default: ComponentType }>;

export interface SignedInPage {
  path: string;
  /** The audience of the page. Pages about one's own account need no team: all signed-in people may open them. */
  needs: Permission | 'signed-in';
  load: LoadPage;
}

interface PageEntry<Path extends string> extends SignedInPage {
  path: Path;
  needs: Permission;
  /** The keyboard shortcut of the page is `g` and this letter. In each language, no two pages have the same letter. */
  letter: (t: Translate) => string;
  name: (t: Translate) => string;
}

interface PageGroup<Path extends string> {
  name: (t: Translate) => string;
  entries: readonly PageEntry<Path>[];
}

/** Infers the paths of the entries. */
const groups = <Path extends string>(...all: PageGroup<Path>[]): readonly PageGroup<Path>[] => all;

/** The pages that the navigation lists. The code of each page is loaded when it is opened. */
export const navigation = groups(
  {
    name: (t) => t('Team', 'Team'),
    entries: [
      {
        path: '/',
        letter: () => 'o',
        needs: 'member',
        name: (t) => t('Übersicht', 'Overview'),
        load: () => import('./pages/overview/overview.tsx'),
      },
      {
        path: '/members',
        letter: () => 'm',
        needs: 'admin',
        name: (t) => t('Mitglieder', 'Members'),
        load: () => import('./pages/members/members.tsx'),
      },
      {
        path: '/analytics',
        letter: () => 'a',
        needs: 'member',
        name: (t) => t('Teamauswertung', 'Analytics'),
        load: () => import('./pages/analytics/analytics.tsx'),
      },
    ],
  },
  {
    name: (t) => t('Üben', 'Practice'),
    entries: [
      {
        path: '/trainings',
        letter: () => 't',
        needs: 'member',
        name: (t) => t('Trainings', 'Trainings'),
        load: () => import('./pages/trainings/trainings.tsx'),
      },
      {
        path: '/assignments',
        letter: (t) => t('s', 'i'),
        needs: 'member',
        name: (t) => t('Aufgaben', 'Assignments'),
        load: () => import('./pages/assignments/assignments.tsx'),
      },
      {
        path: '/cases',
        letter: (t) => t('f', 'c'),
        needs: 'member',
        name: (t) => t('Fälle', 'Cases'),
        load: () => import('./pages/cases/cases.tsx'),
      },
      {
        path: '/catalog',
        letter: (t) => t('c', 'p'),
        needs: 'admin',
        name: (t) => t('Katalog und Freigaben', 'Catalog and policies'),
        load: () => import('./pages/catalog/catalog.tsx'),
      },
    ],
  },
  {
    name: (t) => t('Entwickler', 'Developers'),
    entries: [
      {
        path: '/keys',
        letter: () => 'k',
        needs: 'admin',
        name: (t) => t('API-Schlüssel', 'API keys'),
        load: () => import('./pages/keys/keys.tsx'),
      },
      {
        path: '/webhooks',
        letter: () => 'w',
        needs: 'admin',
        name: (t) => t('Webhooks', 'Webhooks'),
        load: () => import('./pages/webhooks/webhooks.tsx'),
      },
      {
        path: '/crm',
        letter: () => 'd',
        needs: 'admin',
        name: () => 'CRM',
        load: () => import('./pages/crm/crm.tsx'),
      },
      {
        path: '/requests',
        letter: () => 'r',
        needs: 'admin',
        name: (t) => t('Anfragen', 'Request log'),
        load: () => import('./pages/requests/requests.tsx'),
      },
      {
        path: '/live',
        letter: () => 'l',
        needs: 'admin',
        name: (t) => t('Live-Ansicht', 'Live view'),
        load: () => import('./pages/live/live.tsx'),
      },
    ],
  },
  {
    name: (t) => t('Verwaltung', 'Administration'),
    entries: [
      {
        path: '/audit',
        letter: (t) => t('p', 'u'),
        needs: 'admin',
        name: (t) => t('Protokoll', 'Audit log'),
        load: () => import('./pages/audit/audit.tsx'),
      },
      {
        path: '/settings',
        letter: (t) => t('e', 's'),
        needs: 'admin',
        name: (t) => t('Einstellungen', 'Settings'),
        load: () => import('./pages/settings/settings.tsx'),
      },
    ],
  },
);

export type NavigationPath = (typeof navigation)[number]['entries'][number]['path'];

/** Pages that are reached through links on other pages. */
export const linkedPages: readonly SignedInPage[] = [
  { path: '/trainings/:id', needs: 'member', load: () => import('./pages/trainings/training.tsx') },
  { path: '/members/:id', needs: 'admin', load: () => import('./pages/members/member.tsx') },
  // The sections of the settings except the first, which is at `/settings`.
  { path: '/settings/privacy', needs: 'admin', load: () => import('./pages/settings/settings.tsx') },
  { path: '/settings/reminders', needs: 'admin', load: () => import('./pages/settings/settings.tsx') },
  { path: '/settings/company-account', needs: 'admin', load: () => import('./pages/settings/settings.tsx') },
  { path: '/settings/required-sign-in', needs: 'admin', load: () => import('./pages/settings/settings.tsx') },
  { path: '/settings/directory', needs: 'admin', load: () => import('./pages/settings/settings.tsx') },
  { path: '/settings/plan', needs: 'admin', load: () => import('./pages/settings/settings.tsx') },
  { path: '/settings/limits', needs: 'admin', load: () => import('./pages/settings/settings.tsx') },
  { path: '/settings/export', needs: 'admin', load: () => import('./pages/settings/settings.tsx') },
  { path: '/requests/:id', needs: 'admin', load: () => import('./pages/requests/request.tsx') },
  { path: '/keys/:id', needs: 'admin', load: () => import('./pages/keys/key.tsx') },
  { path: '/webhooks/:id', needs: 'admin', load: () => import('./pages/webhooks/endpoint.tsx') },
  {
    path: '/webhooks/:id/deliveries/:deliveryId',
    needs: 'admin',
    load: () => import('./pages/webhooks/delivery.tsx'),
  },
  { path: '/webhooks/events/:id', needs: 'admin', load: () => import('./pages/webhooks/event.tsx') },
  { path: '/crm/:id', needs: 'admin', load: () => import('./pages/crm/connection.tsx') },
  {
    path: '/assistants/connect',
    needs: 'signed-in',
    load: () => import('./pages/assistants/connect.tsx'),
  },
  { path: '/account', needs: 'signed-in', load: () => import('./pages/account/account.tsx') },
];

/** Pages that are open without signing in. */
export const entrancePages = [
  { path: '/sign-in', load: () => import('./pages/entrance/sign-in.tsx') },
  {
    path: '/sign-in/company',
    load: async () => ({ default: (await import('./pages/entrance/company-sign-in.tsx')).CompanySignInPage }),
  },
  {
    path: '/sign-in/company/return/:team',
    load: async () => ({ default: (await import('./pages/entrance/company-sign-in.tsx')).CompanyReturnPage }),
  },
  { path: '/sign-in/closed', load: () => import('./pages/entrance/closed-teams.tsx') },
  {
    path: '/reset-password',
    load: async () => ({ default: (await import('./pages/entrance/reset-password.tsx')).RequestResetPage }),
  },
  {
    path: '/reset-password/:token',
    load: async () => ({ default: (await import('./pages/entrance/reset-password.tsx')).ResetPasswordPage }),
  },
  { path: '/invitations/:token', load: () => import('./pages/entrance/invitation.tsx') },
  { path: '/report-key', load: () => import('./pages/entrance/report-key.tsx') },
] as const;
