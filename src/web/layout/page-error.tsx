import { Button, Center, Stack, Title } from '@mantine/core';
import { useRouteError } from 'react-router';
import { Hint } from '../kit/text/text.tsx';
import { Notice } from '../kit/page/messages.tsx';
import { t, useLanguage } from '../language/language.tsx';
import { useServerBack } from '../server/availability.ts';
import { reloadApp } from '../server/version.ts';

/**
 * The messages of Chrome, Firefox and Safari about a script that could not be loaded, and Vite's message about styles
 * that could not be loaded.
 */
const ofLoading = /dynamically imported module|module script failed|Unable to preload CSS/i;

export const isOfLoading = (error: unknown): boolean => error instanceof Error && ofLoading.test(error.message);

/** Shown instead of a page that could not be loaded or drawn. */
export const PageError = () => {
  useLanguage();
  const error = useRouteError();
  return isOfLoading(error) ? <NotLoaded /> : <Crash error={error} />;
};

/**
 * Code is loaded when it is needed. That fails if the connection is lost, the server is restarting, or a new version
 * has replaced the files of this one. As soon as the server is ready, the document is loaded again, because some
 * browsers remember the failure of a script until then.
 */
export const NotLoaded = () => {
  useLanguage();
  useServerBack(true, reloadApp);
  return (
    <Notice
      tone="warn"
      role="status"
      title={
        navigator.onLine
          ? t('Dieser Bereich konnte nicht geladen werden', 'This section could not be loaded')
          : t('Sie sind offline', 'You are offline')
      }
      action={{ label: t('Seite neu laden', 'Reload the page'), onClick: () => location.reload() }}
    >
      {navigator.onLine
        ? t(
            'Der Server ist derzeit nicht erreichbar. Der Versuch wird automatisch wiederholt, Ihre Eingaben bleiben erhalten.',
            'The server can’t be reached at the moment. The app retries automatically, and your input is kept.',
          )
        : t(
            'Sobald Sie wieder verbunden sind, wird die Seite automatisch geladen. Ihre Eingaben bleiben erhalten.',
            'The page loads automatically as soon as you are connected again. Your input is kept.',
          )}
    </Notice>
  );
};

/** An exception in the app's own code. */
const Crash = ({ error }: { error: unknown }) => (
  <Center mih="60vh">
    <Stack align="center" maw={440}>
      <Title order={1} size="h3">
        {t('Beim Anzeigen der Seite ist ein Fehler aufgetreten', 'Something went wrong while showing this page')}
      </Title>
      <Hint ta="center">{error instanceof Error ? error.message : ''}</Hint>
      <Button variant="filled" onClick={() => location.reload()}>
        {t('Neu laden', 'Reload')}
      </Button>
    </Stack>
  </Center>
);
