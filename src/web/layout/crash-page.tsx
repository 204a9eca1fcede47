import { Button, Center, Stack, Text, Title } from '@mantine/core';
import { useRouteError } from 'react-router';
import { useText } from '../language/language.tsx';

/** Shown after an exception in the app's own code. */
export const CrashPage = () => {
  const t = useText();
  const error = useRouteError();
  return (
    <Center mih="80vh" component="main">
      <Stack align="center" maw={440}>
        <Title order={1} size="h3">
          {t('Beim Anzeigen der Seite ist ein Fehler aufgetreten', 'Something went wrong while showing this page')}
        </Title>
        <Text c="dimmed" ta="center" size="sm">
          {error instanceof Error ? error.message : ''}
        </Text>
        <Button onClick={() => location.reload()}>{t('Neu laden', 'Reload')}</Button>
      </Stack>
    </Center>
  );
};
