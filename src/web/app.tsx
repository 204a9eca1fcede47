import { localStorageColorSchemeManager, MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createBrowserRouter, RouterProvider } from 'react-router';
import { ConfirmProvider } from './kit/dialog.tsx';
import { LanguageProvider } from './language/language.tsx';
import { CrashPage, MaintenanceCover, NotFoundPage, PageGate } from './layout/page-gate.tsx';
import { EntranceLayout, Shell } from './layout/shell.tsx';
import { entrancePages, linkedPages, navigation } from './pages.tsx';
import { noteFailure } from './server/maintenance.ts';
import { problemOf } from './server/problem.ts';
import { SignedInOnly } from './session/signed-in.tsx';
import { theme, variables } from './theme/theme.ts';

/** After `unauthorized`, loads again who is signed in: `SignedInOnly` then leads to the sign-in. */
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
      // Only requests that did not reach the server are tried again. A refusal would be the same.
      retry: (failures, error) => problemOf(error) === undefined && failures < 2,
    },
  },
});

const signedInPages = [...navigation.flatMap(({ entries }) => entries), ...linkedPages];

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
          ...signedInPages.map(({ path, needs, Component }) => ({
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
