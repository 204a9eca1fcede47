import {
  IconChartBar,
  IconChecklist,
  IconFolders,
  IconHistory,
  IconHome,
  IconKey,
  IconListSearch,
  IconMicrophone,
  IconPlugConnected,
  IconSettings,
  IconStack2,
  IconUsers,
  IconWebhook,
} from '@tabler/icons-react';
import { lazy } from 'react';
import type { ComponentType, LazyExoticComponent } from 'react';
import type { Translate } from './language/language.tsx';
import type { Permission } from './session/signed-in.tsx';

interface SignedInPage {
  path: string;
  /** Who may open it. Pages about one's own account need no team: they are open to everybody who is signed in. */
  needs: Permission | 'signed-in';
  Component: LazyExoticComponent<ComponentType>;
}

interface Entry extends SignedInPage {
  needs: Permission;
  name: (t: Translate) => string;
  Icon: typeof IconHome;
}

interface Group {
  name: (t: Translate) => string;
  entries: readonly Entry[];
}

/** The pages that the navigation lists. The code of each page is loaded when it is opened. */
export const navigation: readonly Group[] = [
  {
    name: (t) => t('Team', 'Team'),
    entries: [
      {
        path: '/',
        needs: 'member',
        name: (t) => t('Übersicht', 'Overview'),
        Icon: IconHome,
        Component: lazy(() => import('./pages/overview/overview.tsx')),
      },
      {
        path: '/members',
        needs: 'admin',
        name: (t) => t('Mitglieder', 'Members'),
        Icon: IconUsers,
        Component: lazy(() => import('./pages/members/members.tsx')),
      },
      {
        path: '/analytics',
        needs: 'member',
        name: (t) => t('Auswertung', 'Analytics'),
        Icon: IconChartBar,
        Component: lazy(() => import('./pages/analytics/analytics.tsx')),
      },
    ],
  },
  {
    name: (t) => t('Üben', 'Practice'),
    entries: [
      {
        path: '/trainings',
        needs: 'member',
        name: (t) => t('Trainings', 'Trainings'),
        Icon: IconMicrophone,
        Component: lazy(() => import('./pages/trainings/trainings.tsx')),
      },
      {
        path: '/assignments',
        needs: 'member',
        name: (t) => t('Aufgaben', 'Assignments'),
        Icon: IconChecklist,
        Component: lazy(() => import('./pages/assignments/assignments.tsx')),
      },
      {
        path: '/cases',
        needs: 'member',
        name: (t) => t('Fälle', 'Cases'),
        Icon: IconFolders,
        Component: lazy(() => import('./pages/cases/cases.tsx')),
      },
      {
        path: '/catalog',
        needs: 'admin',
        name: (t) => t('Katalog und Vorgaben', 'Catalog and policies'),
        Icon: IconStack2,
        Component: lazy(() => import('./pages/catalog/catalog.tsx')),
      },
    ],
  },
  {
    name: (t) => t('Schnittstellen', 'Developers'),
    entries: [
      {
        path: '/keys',
        needs: 'admin',
        name: (t) => t('API-Schlüssel', 'API keys'),
        Icon: IconKey,
        Component: lazy(() => import('./pages/keys/keys.tsx')),
      },
      {
        path: '/webhooks',
        needs: 'admin',
        name: (t) => t('Webhooks', 'Webhooks'),
        Icon: IconWebhook,
        Component: lazy(() => import('./pages/webhooks/webhooks.tsx')),
      },
      {
        path: '/crm',
        needs: 'admin',
        name: () => 'CRM',
        Icon: IconPlugConnected,
        Component: lazy(() => import('./pages/crm/crm.tsx')),
      },
      {
        path: '/requests',
        needs: 'admin',
        name: (t) => t('Anfragen', 'Request log'),
        Icon: IconListSearch,
        Component: lazy(() => import('./pages/requests/requests.tsx')),
      },
    ],
  },
  {
    name: (t) => t('Verwaltung', 'Administration'),
    entries: [
      {
        path: '/audit',
        needs: 'admin',
        name: (t) => t('Protokoll', 'Audit log'),
        Icon: IconHistory,
        Component: lazy(() => import('./pages/audit/audit.tsx')),
      },
      {
        path: '/settings',
        needs: 'admin',
        name: (t) => t('Einstellungen', 'Settings'),
        Icon: IconSettings,
        Component: lazy(() => import('./pages/settings/settings.tsx')),
      },
    ],
  },
];

/** Pages that are reached through links on other pages. */
export const linkedPages: readonly SignedInPage[] = [
  { path: '/trainings/:id', needs: 'member', Component: lazy(() => import('./pages/trainings/training.tsx')) },
  { path: '/keys/:id', needs: 'admin', Component: lazy(() => import('./pages/keys/key.tsx')) },
  { path: '/webhooks/:id', needs: 'admin', Component: lazy(() => import('./pages/webhooks/endpoint.tsx')) },
  {
    path: '/webhooks/:id/deliveries/:deliveryId',
    needs: 'admin',
    Component: lazy(() => import('./pages/webhooks/delivery.tsx')),
  },
  { path: '/crm/:id', needs: 'admin', Component: lazy(() => import('./pages/crm/connection.tsx')) },
  {
    path: '/assistants/connect',
    needs: 'signed-in',
    Component: lazy(() => import('./pages/assistants/connect.tsx')),
  },
  { path: '/account', needs: 'signed-in', Component: lazy(() => import('./pages/account/account.tsx')) },
];

/** Pages that are open without signing in. */
export const entrancePages = [
  { path: '/sign-in', Component: lazy(() => import('./pages/entrance/sign-in.tsx')) },
  {
    path: '/reset-password',
    Component: lazy(async () => ({ default: (await import('./pages/entrance/reset-password.tsx')).RequestResetPage })),
  },
  {
    path: '/reset-password/:token',
    Component: lazy(async () => ({ default: (await import('./pages/entrance/reset-password.tsx')).ResetPasswordPage })),
  },
  { path: '/invitations/:token', Component: lazy(() => import('./pages/entrance/invitation.tsx')) },
] as const;
