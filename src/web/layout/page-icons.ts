import {
  IconBroadcast,
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
import type { NavigationPath } from '../pages.tsx';

/** The icons of the pages. Not in `pages.tsx`, because the sign-in page loads that file and shows none of them. */
export const pageIcons: Readonly<Record<NavigationPath, typeof IconHome>> = {
  '/': IconHome,
  '/members': IconUsers,
  '/analytics': IconChartBar,
  '/trainings': IconMicrophone,
  '/assignments': IconChecklist,
  '/cases': IconFolders,
  '/catalog': IconStack2,
  '/keys': IconKey,
  '/webhooks': IconWebhook,
  '/crm': IconPlugConnected,
  '/requests': IconListSearch,
  '/live': IconBroadcast,
  '/audit': IconHistory,
  '/settings': IconSettings,
};
