import { localStorageColorSchemeManager, MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { Suspense, useEffect } from 'react';
import { createBrowserRouter, redirectDocument, RouterProvider } from 'react-router';
import type { LoaderFunction, RouteObject } from 'react-router';
import { LanguageProvider } from './language/language.tsx';
import { CrashPage } from './layout/crash-page.tsx';
import { EntranceLayout } from './layout/entrance-layout.tsx';
import { MaintenanceCover } from './layout/maintenance-cover.tsx';
import { PageLoading } from './layout/page-loading.tsx';
import { lazy } from './loading/lazy.tsx';
import { prefetchWhenIdle } from './loading/prefetch.ts';
import { knowsNewVersion, watchForNewVersion } from './loading/version.ts';
import { entrancePages, linkedPages, navigation } from './pages.tsx';
import { entrance, queries } from './server/server.ts';
import { SignedInOnly } from './session/signed-in.tsx';
import { theme, variables } from './theme/theme.ts';

// Code that the sign-in page does not need.
const Shell = lazy(() => import('./layout/shell.tsx'));
const PageGate = lazy(() => import('./layout/page-gate.tsx'));
const NotFoundPage = lazy(() => import('./layout/not-found.tsx'));

/** Whether the first page is shown. Its code is not awaited, because the frame around it can be shown before. */
let hasStarted = false;

/**
 * Loads the code of a page before the app opens it; the former page stays until then. If there is a new version of the app, the next page
 * is opened in the new version.
 */
const loaderOf =
  (parts: readonly { preload: () => Promise<void> }[]): LoaderFunction =>
  async ({ request }) => {
    if (knowsNewVersion()) {
      const { pathname, search } = new URL(request.url);
      return redirectDocument(`${pathname}${search}`);
    }
    const loading = Promise.all(parts.map(({ preload }) => preload()));
    if (hasStarted) await loading;
    return null;
  };

/** The route of a page. Its loader runs when the page is opened, not when its address changes. */
const pageRoute = (
  path: string,
  parts: Parameters<typeof loaderOf>[0],
  element: RouteObject['element'],
): RouteObject => ({
  path,
  loader: loaderOf(parts),
  shouldRevalidate: () => false,
  element,
});

const signedInPages = [...navigation.flatMap(({ entries }) => entries), ...linkedPages];

const router = createBrowserRouter([
  {
    errorElement: <CrashPage />,
    HydrateFallback: PageLoading,
    children: [
      {
        element: <EntranceLayout />,
        children: entrancePages.map(({ path, Component }) => pageRoute(path, [Component], <Component />)),
      },
      {
        element: (
          <SignedInOnly>
            <Suspense fallback={<PageLoading />}>
              <Shell />
            </Suspense>
          </SignedInOnly>
        ),
        children: [
          ...signedInPages.map(({ path, needs, Component }) =>
            pageRoute(
              path,
              [Shell, PageGate, Component],
              <PageGate needs={needs}>
                <Component />
              </PageGate>,
            ),
          ),
          pageRoute('*', [Shell, NotFoundPage], <NotFoundPage />),
        ],
      },
    ],
  },
]);

const colorSchemes = localStorageColorSchemeManager({ key: 'color-scheme' });

// Before the first page is drawn, so that the answer comes sooner. The sign-in page loads it again in any case.
if (location.pathname !== '/sign-in') void queries.prefetchQuery(entrance.entrance.who.queryOptions({}));

export const App = () => {
  useEffect(() => {
    hasStarted = true;
    // While a person signs in, the code of the following page is loaded.
    const endPrefetch = prefetchWhenIdle([Shell, PageGate]);
    const endWatch = watchForNewVersion();
    return () => {
      endPrefetch();
      endWatch();
    };
  }, []);
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={variables}
      defaultColorScheme="auto"
      colorSchemeManager={colorSchemes}
    >
      <LanguageProvider>
        <QueryClientProvider client={queries}>
          <RouterProvider router={router} />
          <MaintenanceCover />
        </QueryClientProvider>
      </LanguageProvider>
    </MantineProvider>
  );
};
