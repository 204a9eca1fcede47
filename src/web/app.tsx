import { localStorageColorSchemeManager, MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import type { ComponentType } from 'react';
import {
  createBrowserRouter,
  redirectDocument,
  type LazyRouteFunction,
  type LoaderFunction,
  type RouteObject,
} from 'react-router';
import { RouterProvider } from 'react-router/dom';
import { useLanguage } from './language/language.tsx';
import { EntranceLayout } from './layout/entrance-layout.tsx';
import { MaintenanceCover } from './layout/maintenance-cover.tsx';
import { NotLoaded, PageError } from './layout/page-error.tsx';
import { PageLoading } from './layout/loading.tsx';
import { entrancePages, linkedPages, navigation, type SignedInPage } from './pages.tsx';
import { entrance, queries } from './server/server.ts';
import { knowsNewVersion } from './server/version.ts';
import { theme, variables } from './theme/theme.ts';

/** When the app has found a new version on the server, it opens the next page in the new version. */
const openInNewVersion: LoaderFunction = ({ request }) => {
  if (!knowsNewVersion()) return null;
  const { pathname, search } = new URL(request.url);
  return redirectDocument(`${pathname}${search}`);
};

type LoadRoute = LazyRouteFunction<RouteObject>;

/**
 * Loads the code of a route. If that fails, this route shows the error. Otherwise React Router would show its fallback,
 * without the frame of the page.
 */
const loaded =
  (load: LoadRoute): LoadRoute =>
  () =>
    load().catch(() => ({ element: <NotLoaded /> }));

/** The route of a page. Its code is loaded before the page is opened; the former page stays until then. */
const pageRoute = (path: string, load: LoadRoute): RouteObject => ({
  path,
  lazy: loaded(load),
  loader: openInNewVersion,
  // The loader does not run again when only the filters in the page's address change.
  shouldRevalidate: () => false,
  errorElement: <PageError />,
});

/** Renders a page again when the language changes. Its state stays. */
const InLanguage = ({ Page }: { Page: ComponentType }) => {
  useLanguage();
  return <Page />;
};

const signedInPage = ({ path, needs, load }: SignedInPage): RouteObject =>
  pageRoute(path, async () => {
    const [{ PageGate }, { default: Page }] = await Promise.all([import('./layout/page-gate.tsx'), load()]);
    return { element: <PageGate needs={needs} Page={Page} /> };
  });

const signedInPages = [...navigation.flatMap(({ entries }) => entries), ...linkedPages];

const router = createBrowserRouter([
  {
    errorElement: <PageError />,
    HydrateFallback: PageLoading,
    children: [
      {
        element: <EntranceLayout />,
        children: entrancePages.map(({ path, load }) =>
          pageRoute(path, async () => ({ element: <InLanguage Page={(await load()).default} /> })),
        ),
      },
      {
        lazy: loaded(async () => ({ Component: (await import('./session/signed-in.tsx')).SignedInOnly })),
        children: [
          {
            lazy: loaded(async () => ({ Component: (await import('./layout/shell.tsx')).Shell })),
            children: [
              ...signedInPages.map(signedInPage),
              pageRoute('*', async () => ({
                element: <InLanguage Page={(await import('./layout/page-gate.tsx')).NotFoundPage} />,
              })),
            ],
          },
        ],
      },
    ],
  },
]);

const colorSchemes = localStorageColorSchemeManager({ key: 'color-scheme' });

// Asks who is signed in before the first page is drawn, so that the answer comes earlier. The sign-in page is left out,
// because it loads this answer again in any case.
if (location.pathname !== '/sign-in') void queries.prefetchQuery(entrance.entrance.who.queryOptions({}));

export const App = () => (
  <MantineProvider
    theme={theme}
    cssVariablesResolver={variables}
    defaultColorScheme="auto"
    colorSchemeManager={colorSchemes}
    // Mantine's script sets all variables, because the app does not load the style sheet with Mantine's default values.
    deduplicateCssVariables={false}
  >
    <QueryClientProvider client={queries}>
      <RouterProvider router={router} />
      <MaintenanceCover />
    </QueryClientProvider>
  </MantineProvider>
);
