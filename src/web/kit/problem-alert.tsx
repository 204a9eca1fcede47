import { Alert, Button, Code, Group, Stack, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useText } from '../language/language.ts';
import { problemOf } from '../server/problem.ts';

interface ProblemAlertProps {
  error: unknown;
  /** Offers to try again. */
  retry?: () => void;
}

/** What went wrong in words, with the id under which the operator finds it. */
export const ProblemAlert = ({ error, retry }: ProblemAlertProps) => {
  const t = useText();
  if (error === null || error === undefined) return null;
  const problem = problemOf(error);
  const wait = problem?.retry_after;
  return (
    <Alert
      role="alert"
      variant="outline"
      color="red"
      icon={<IconAlertTriangle aria-hidden />}
      title={problem?.title ?? t('Der Server ist nicht erreichbar', 'The server can’t be reached')}
      styles={{ title: { color: 'var(--bad)' } }}
    >
      <Stack gap="xs">
        {wait !== undefined && (
          <Text size="sm">{t(`Bitte in ${wait} Sekunden noch einmal.`, `Please try again in ${wait} seconds.`)}</Text>
        )}
        {problem?.detail !== undefined && (
          <Text size="sm" lang="en">
            {problem.detail}
          </Text>
        )}
        <Group gap="md">
          {problem && problem.request_id !== '' && (
            <Text size="xs" c="dimmed">
              {t('Anfrage-ID', 'Request id')}: <Code>{problem.request_id}</Code>
            </Text>
          )}
          {retry && (
            <Button size="xs" variant="default" onClick={retry}>
              {t('Noch einmal versuchen', 'Try again')}
            </Button>
          )}
        </Group>
      </Stack>
    </Alert>
  );
};
