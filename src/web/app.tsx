import { localStorageColorSchemeManager, MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createBrowserRouter, RouterProvider } from 'react-router';
import { ConfirmProvider } from './kit/dialog.tsx';
import { LanguageProvider } from './language/language.tsx';
import { CrashPage, MaintenanceCover, NotFoundPage, PageGate } from './layout/page-gate.tsx';
import { EntranceLayout, Shell } from './layout/shell.tsx';
import { entrancePages, further, groups } from './pages.tsx';
import { noteFailure } from './server/maintenance.ts';
import { problemOf } from './server/problem.ts';
import { SignedInOnly } from './session/signed-in.tsx';
import { theme, variables } from './theme/theme.ts';

/** Whoever is told that they are not signed in is asked for anew: the way to the sign-in is found there, once. */
const onError = (error: unknown): void => {
  noteFailure(error);
  if (problemOf(error)?.code === 'unauthorized')
    void queries.invalidateQueries({ queryKey: ['entrance', 'entrance.who'] });
};

const queries: QueryClient = new QueryClient({
  queryCache: new QueryCache({ onError }),
  mutationCache: new MutationCache({ onError }),
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      // What the server has said no to stays no; only what did not get through is tried again.
      retry: (failures, error) => problemOf(error) === undefined && failures < 2,
    },
  },
});

const inside = [...groups.flatMap(({ entries }) => entries), ...further];

const router = createBrowserRouter([
  {
    errorElement: <CrashPage />,
    children: [
      {
        element: <EntranceLayout />,
        children: entrancePages.map(({ path, Component }) => ({ path, element: <Component /> })),
      },
      {
        element: (
          <SignedInOnly>
            <Shell />
          </SignedInOnly>
        ),
        children: [
          ...inside.map(({ path, needs, Component }) => ({
            path,
            element: (
              <PageGate needs={needs}>
                <Component />
              </PageGate>
            ),
          })),
          { path: '*', element: <NotFoundPage /> },
        ],
      },
    ],
  },
]);

const colorSchemes = localStorageColorSchemeManager({ key: 'color-scheme' });

export const App = () => (
  <MantineProvider
    theme={theme}
    cssVariablesResolver={variables}
    defaultColorScheme="auto"
    colorSchemeManager={colorSchemes}
  >
    <LanguageProvider>
      <QueryClientProvider client={queries}>
        <Notifications position="bottom-right" limit={2} />
        <ConfirmProvider>
          <RouterProvider router={router} />
          <MaintenanceCover />
        </ConfirmProvider>
      </QueryClientProvider>
    </LanguageProvider>
  </MantineProvider>
);
