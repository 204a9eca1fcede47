import { Loader, Paper, Stack, Text, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { t } from '../../language/language.tsx';

interface CardProps {
  title: string;
  lead?: ReactNode;
  children?: ReactNode;
}

/** The content of a page that is open without signing in. */
export const Card = ({ title, lead, children }: CardProps) => {
  useDocumentTitle(`${title} · Team Customer API`);
  return (
    <Paper withBorder p={{ base: 'lg', xs: 32 }} radius="lg" shadow="sm">
      <Stack>
        <Title order={1} size="h2" style={{ overflowWrap: 'anywhere' }}>
          {title}
        </Title>
        {lead !== undefined && (
          <Text component="div" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
            {lead}
          </Text>
        )}
        {children}
      </Stack>
    </Paper>
  );
};

export const CardLoading = () => (
  <Paper withBorder p="xl" radius="lg" ta="center" mih={240} role="status" aria-label={t('Wird geladen', 'Loading')}>
    <Loader mt="xl" />
  </Paper>
);
